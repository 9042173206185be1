"""Count how often people gave each value of a scale, and show its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.counts_and_lists import count
from neraca.number_format import integer, percent
from neraca.people.quality_scale import QUALITY, RELEVANCE
from neraca.reports.blocks.block import Cell
from neraca.reports.blocks.tables import answered
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.reports.sentences.scale_words import value_in_words, words_of_scales
from neraca.result import Table
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import is_human


@dataclass(frozen=True, slots=True)
class RatingCounts:
    """The number of people's ratings with each value of one aspect.

    Attributes
    ----------
    aspect
        The aspect, such as `quality`.
    words
        Value → its words, "" without words; ascending, also values that nobody gave.
    counts
        Run → the number of ratings with each of these values.
    raters
        The number of people who rated.
    """

    aspect: str
    words: Mapping[float, str]
    counts: Mapping[str, tuple[int, ...]]
    raters: int

    @property
    def title(self) -> str:
        """The title of its table."""
        return say(
            "Ratings of {aspect} by {people}: how often each value was given",
            aspect=aspect_words(self.aspect),
            people=count(self.raters, "person", "people"),
        )

    @property
    def totals(self) -> dict[str, int]:
        """Run → the number of all its ratings."""
        return {run: sum(counts) for run, counts in self.counts.items()}

    @property
    def shares(self) -> dict[str, tuple[float | None, ...]]:
        """Run → the share of its ratings that has each value; None if it has none."""
        totals = self.totals
        return {
            run: tuple(n / totals[run] if totals[run] else None for n in counts) for run, counts in self.counts.items()
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row {aspect, value, words, run, ratings, share, raters} for each value and run."""
        for run, shares in self.shares.items():
            for (value, words), ratings, share in zip(self.words.items(), self.counts[run], shares, strict=True):
                numbers = {"ratings": ratings, "share": share, "raters": self.raters}
                yield {"aspect": self.aspect, "value": value, "words": words, "run": run, **numbers}


def rating_counts(scores: Scores) -> tuple[RatingCounts, ...]:
    """Count the ratings of each aspect with a scale: the quality of answers, grades of hits, and others with words.

    Each person's newest rating of an answer or hit counts once in each run that returned it.
    """
    tables = {part.name: _by_people(part.column("verdicts").table) for part in answered(scores)}
    words = words_of_scales(scores)
    aspects = dict.fromkeys((QUALITY, RELEVANCE, *words))
    counted = (_counts(aspect, words.get(aspect, {}), tables) for aspect in aspects)
    return tuple(counts for counts in counted if counts.raters)


def rating_tables(ratings: Sequence[RatingCounts]) -> Iterator[Table]:
    """Yield a table for each aspect: the values of its scale in the rows, the runs in the columns."""
    for of_aspect in ratings:
        columns = (say("Rating"), *of_aspect.counts)
        cells = [map(_cell, of_aspect.counts[run], shares) for run, shares in of_aspect.shares.items()]
        rows = [
            (value_in_words(value, words), *row)
            for (value, words), row in zip(of_aspect.words.items(), zip(*cells, strict=True), strict=True)
        ]
        rows.append((say("all ratings"), *map(integer, of_aspect.totals.values())))
        yield Table(columns, rows, of_aspect.title, name=f"ratings of {of_aspect.aspect}")


def _cell(ratings: int, share: float | None) -> Cell:
    return Cell(integer(ratings), "" if share is None else percent(share))


def _by_people(table: VerdictTable) -> VerdictTable:
    by_person = table.by.where(lambda name: is_human(name) and name != TOGETHER)
    return table.take(by_person & ~np.isnan(table.value))


def _counts(aspect: str, words: Mapping[float, str], tables: Mapping[str, VerdictTable]) -> RatingCounts:
    of_aspect = {run: table.take(table.aspect.isin([aspect])) for run, table in tables.items()}
    values = sorted({*words, *(float(value) for table in of_aspect.values() for value in np.unique(table.value))})
    counts = {run: tuple(int((table.value == value).sum()) for value in values) for run, table in of_aspect.items()}
    raters = {table.by.words[code] for table in of_aspect.values() for code in np.unique(table.by.codes).tolist()}
    return RatingCounts(aspect, {value: words.get(value, "") for value in values}, counts, len(raters))
