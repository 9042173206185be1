"""Compute the tables of a report: groups, pairs question by question, counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neraca.comparisons.pair import TIE
from neraca.metrics.constraints.checks import Checks
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.subtopics import Subtopics
from neraca.metrics.scorable import Scorable
from neraca.metrics.text.expectations import ExpectationChecks
from neraca.metrics.text.texts import Texts
from neraca.metrics.values.value import Values
from neraca.reports.formats.visible_text import line
from neraca.scores import confusion
from neraca.scores.confusion import Confusion
from neraca.scores.scores import Score, Scores
from neraca.translation import say

#: Shades of a cell, from the worst value of its table to the best.
DEPTHS = ("", "faint", "light", "deep", "deepest")


@dataclass(frozen=True)
class GroupRow:
    """One value of a tag: the number of items that have it, and the scores of all runs on them."""

    value: str
    items: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class GroupTable:
    """A metric of all runs for each value of a tag."""

    tag: str
    metric: str
    rows: tuple[GroupRow, ...]

    def shade(self, score: Score) -> str:
        """Return the shade of a value in a word: darkest at the best value of the table, "" at the worst.

        A diagnostic has no best value, and no shades.
        """
        metric = Metric.of(self.metric)
        values = [s.value for row in self.rows for s in row.scores if not math.isnan(s.value)]
        if metric.diagnostic or math.isnan(score.value) or max(values) - min(values) <= TIE:
            return ""
        share = (score.value - min(values)) / (max(values) - min(values))
        return DEPTHS[round((share if metric.higher_is_better else 1 - share) * (len(DEPTHS) - 1))]


def group_tables(scores: Scores, tags: Sequence[str], primary: str) -> tuple[GroupTable, ...]:
    """Return a table for each tag and metric, the primary metric first; raise `SpecError` for an unknown tag."""
    tables = []
    metrics = sorted(map(str, scores.metrics), key=lambda metric: metric != primary)
    for tag in dict.fromkeys(map(scores.tag_named, tags)):
        cells: dict[tuple[str, str], list[Score]] = {}
        for score in scores.by_group(tag):
            cells.setdefault((score.metric, score.group.removeprefix(f"{tag}=")), []).append(score)
        sizes = {value: _size(scores, tag, value) for value in scores.groups(tag)}
        for metric in metrics:
            rows = (GroupRow(line(v) or say("(none)"), n, tuple(cells[metric, v])) for v, n in sizes.items())
            tables.append(GroupTable(line(tag), metric, tuple(rows)))
    return tuple(tables)


def _size(scores: Scores, tag: str, value: str) -> int:
    column = scores.runs[0].tags.get(tag)
    return 0 if column is None else int(column.isin([value]).sum())


class Extreme(NamedTuple):
    """An item on which two runs are far apart: its number from 1, its id, and the values of a and b."""

    number: int
    item: str
    of_a: float
    of_b: float


@dataclass(frozen=True)
class PairChart:
    """Differences a − b of one metric, item by item, largest first.

    Attributes
    ----------
    items, numbers
        The ids of the items, and their numbers in the dataset from 1.
    values, of_a
        The difference, and the value of a.
    """

    a: str
    b: str
    metric: str
    higher_is_better: bool
    items: tuple[str, ...]
    values: tuple[float, ...]
    numbers: tuple[int, ...] = ()
    of_a: tuple[float, ...] = ()

    @property
    def better(self) -> int:
        """The number of items on which a is better."""
        return sum(value > TIE for value in self.values) if self.higher_is_better else self._below()

    @property
    def worse(self) -> int:
        """The number of items on which a is worse."""
        return self._below() if self.higher_is_better else sum(value > TIE for value in self.values)

    @property
    def equal(self) -> int:
        """The number of items on which they are equal."""
        return len(self.values) - self.better - self.worse

    @property
    def points(self) -> list[tuple[float, float]]:
        """The values of a and b for each item."""
        return [(value, value - d) for value, d in zip(self.of_a, self.values, strict=True)]

    def extremes(self, run: str, most: int = 5) -> list[Extreme]:
        """Return the items on which this run of the pair leads by most, the largest difference first."""
        ahead = (run == self.a) == self.higher_is_better
        rows = range(len(self.values)) if ahead else range(len(self.values) - 1, -1, -1)
        best = [row for row in list(rows)[:most] if (self.values[row] > TIE if ahead else self.values[row] < -TIE)]
        return [Extreme(self.numbers[row], self.items[row], *self.points[row]) for row in best]

    def _below(self) -> int:
        return sum(value < -TIE for value in self.values)


def pair_chart(scores: Scores, metric: Metric, a: str, b: str) -> PairChart:
    """Return the differences of two runs over the items that are scored in both."""
    first, second = scores.run(a), scores.run(b)
    of_a = first.values(metric)
    differences = of_a - second.values(metric)
    order = [place for place in np.argsort(-differences, kind="stable").tolist() if not math.isnan(differences[place])]
    ids = tuple(line(str(first.ids[place]), 40) for place in order)
    return PairChart(
        a,
        b,
        str(metric),
        metric.higher_is_better,
        ids,
        tuple(float(differences[place]) for place in order),
        tuple(place + 1 for place in order),
        tuple(float(of_a[place]) for place in order),
    )


def about_hits(scores: Scores) -> bool:
    """Return whether the report is about hits: a metric looks at them, or somebody judged one."""
    return bool(scores.relevance and scores.relevance.used) or any(map(_looks_at_hits, scores.metrics))


def needs_relevance_of_all(metric: Metric) -> bool:
    """Return whether a metric depends on relevant documents that a run did not return: those of the other runs."""
    _, *inner = metric.with_inner()
    if inner:
        return any(map(needs_relevance_of_all, inner))
    return metric.view is not None and issubclass(metric.view, Ranking | Subtopics)


def _looks_at_hits(metric: Metric) -> bool:
    """Return whether a metric looks at hits; one made of other metrics does if any of these does."""
    _, *inner = metric.with_inner()
    if inner:
        return any(map(_looks_at_hits, inner))
    return metric.view is not None and not issubclass(metric.view, Texts | Values | ExpectationChecks)


@dataclass(frozen=True)
class CountRow:
    """A run's confusion matrices of hits and questions, and the outcomes of its answers.

    `outcomes` are counted by hits.  `words` are counted by the words of answers; () if nobody decided which answers
    decline.  `checked` says whether any constraint was checked, which the matrix of questions needs.
    """

    run: str
    hits: Confusion
    questions: Confusion
    outcomes: tuple[tuple[str, int], ...]
    words: tuple[tuple[str, int], ...]
    answers: int
    checked: bool

    @property
    def shares(self) -> list[float | None]:
        """The share of each outcome among the answers."""
        return [n / self.answers if self.answers else None for _, n in self.outcomes]

    @property
    def shares_in_words(self) -> list[float | None]:
        """The share of each outcome in words among the answers."""
        return [n / self.answers if self.answers else None for _, n in self.words]

    @property
    def hits_counted(self) -> bool:
        """Whether the hits of any answer are in their matrix."""
        return not self.hits.empty

    @property
    def questions_counted(self) -> bool:
        """Whether any answer is in the matrix of questions."""
        return self.checked and not self.questions.empty

    @property
    def counted(self) -> bool:
        """Whether there is anything to count."""
        decided = any(n for name, n in self.outcomes if name != "unscored")
        return decided or bool(self.words) or self.hits_counted or self.questions_counted


def count_rows(scores: Scores, at: float) -> tuple[CountRow, ...]:
    """Count the hits, questions and outcomes of runs; `at` is the pass ratio at which a question is a success."""
    parts = answered(scores)
    of_hits = [confusion.outcomes(part) for part in parts]
    in_words = [confusion.outcomes_in_words(part) for part in parts]
    if not any(outcomes["rightly refused"] for outcomes in of_hits):
        of_hits = [{name: n for name, n in outcomes.items() if name != "rightly refused"} for outcomes in of_hits]
    return tuple(
        CountRow(
            part.name,
            confusion.hits(part),
            confusion.questions(part, at),
            tuple(hits.items()),
            tuple(words.items()),
            part.n,
            len(part.view(Checks).value) > 0,
        )
        for part, hits, words in zip(parts, of_hits, in_words, strict=True)
    )


def answered(scores: Scores) -> list[Scorable]:
    """Return the answers of the runs that have verdicts."""
    return [run.scorable for run in scores.runs if run.scorable is not None and run.scorable.offers("verdicts")]


def success_at(scores: Scores) -> float:
    """Return the threshold of the first query metric that was scored, or else its default."""
    for metric in scores.metrics:
        if metric.spec.name in ("QuerySuccess", "QueryPrecision", "QueryRecall", "QueryF1", "QueryAccuracy"):
            return float(dict(metric.params).get("at", 0.6))
    return 0.6


@dataclass(frozen=True)
class AspectCell:
    """The checks of one constraint in one run; `missing` counts as not passed."""

    run: str
    passed: int
    failed: int
    missing: int

    @property
    def asked(self) -> int:
        """The number of all checks."""
        return self.passed + self.failed + self.missing

    @property
    def rate(self) -> float | None:
        """The share of passed checks, as in `PassRate`."""
        return self.passed / self.asked if self.asked else None


@dataclass(frozen=True)
class AspectRow:
    """One constraint in all runs."""

    aspect: str
    cells: tuple[AspectCell, ...]


def aspect_rows(scores: Scores) -> tuple[AspectRow, ...]:
    """Return the checks of each constraint in every run, constraints in order of first occurrence."""
    parts = answered(scores)
    names = dict.fromkeys(name for part in parts for constraints in part.column("constraints") for name in constraints)
    checks_of_runs = [(part.name, part.view(Checks)) for part in parts]
    rows = [
        AspectRow(line(name), tuple(_aspect(run, checks, name) for run, checks in checks_of_runs)) for name in names
    ]
    return tuple(row for row in rows if any(cell.asked for cell in row.cells))


def _aspect(run: str, checks: Checks, name: str) -> AspectCell:
    scored_answers = np.array([not why for why in checks.unscored], dtype=bool)
    values = checks.value[checks.on(name) & scored_answers[checks.owner[checks.hit]]]
    passed, missing = int((values == 1).sum()), int(np.isnan(values).sum())
    return AspectCell(run, passed, len(values) - passed - missing, missing)
