"""The section of a matrix: a table of cells with value, cost and seconds, and the factor that explains differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from neraca.counts_and_lists import count
from neraca.metrics.metric import Metric
from neraca.number_format import DASH, integer, number, p_value, percent, seconds, span
from neraca.reports.blocks.run_summary import RunSummary
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.formats.visible_text import line
from neraca.result import Table
from neraca.scores.scores import Scores
from neraca.stats.intervals.interval import Floats
from neraca.stats.tests.correction import holm
from neraca.stats.tests.two_way import Effect, two_way
from neraca.translation import say, say_all

#: The fact of scores with the levels of each run: run → factor → level.
MATRIX = "matrix"
EXPLAINS = "{factor} explains the most: {share} of the differences between cells."
METHOD = "Two-way analysis of variance (n = {n} observations), Greenhouse and Geisser, p after Holm's correction."
#: Fewest observations for a test of factors.
FEWEST = 3


def section(scores: Scores, cards: Sequence[RunSummary], primary: str) -> FinishedSection | None:
    """Return the table of cells and the sentences on the factors; None if the runs are no whole matrix."""
    levels: Mapping[str, Mapping[str, str]] = scores.facts.get(MATRIX) or {}
    if not levels or any(run.name not in levels for run in scores.runs):
        return None
    first, second = next(iter(levels.values()))
    rows, columns = (list(dict.fromkeys(of_run[factor] for of_run in levels.values())) for factor in (first, second))
    place = {(of_run[first], of_run[second]): run for run, of_run in levels.items()}
    names = [[place.get((row, column), "") for column in columns] for row in rows]
    if any(name not in {run.name for run in scores.runs} for row in names for name in row):
        return None
    by_name = {card.name: card for card in cards}
    overall = {score.run: score for score in scores.overall() if score.metric == primary}
    cells = [
        [
            line(row, 60),
            line(column, 60),
            number(overall[name].value),
            span(overall[name].low, overall[name].high) or DASH,
            _cost(by_name.get(name)),
            DASH if by_name.get(name) is None else seconds(by_name[name].median),
        ]
        for row, of_row in zip(rows, names, strict=True)
        for column, name in zip(columns, of_row, strict=True)
    ]
    title = say("{metric} by {first} and {second}", metric=line(primary, 60), first=line(first), second=line(second))
    headings = [line(first), line(second), *say_all("value", "interval", "cost in US dollars", "Seconds, median")]
    values, left_out = values_of_cells(scores, Metric.of(primary), names)
    return FinishedSection(
        (Table(headings, cells, title, names=2),), tuple(_sentences(values, (first, second), scores.level, left_out))
    )


def values_of_cells(scores: Scores, metric: Metric, names: Sequence[Sequence[str]]) -> tuple[Floats, int]:
    """Return the value of each observation in each cell, shape (n, a, b), and the number of questions left out.

    An observation is a session, a question or a tag, as in all tests; its value is the mean over its questions.  Only
    questions that are scored in all cells count.
    """
    runs = {run.name: run for run in scores.runs}
    by_cell = np.stack([np.stack([runs[name].values(metric) for name in row], axis=-1) for row in names], axis=-2)
    complete = np.asarray(~np.isnan(by_cell).any(axis=(1, 2)), dtype=np.bool_)
    some_run = runs[names[0][0]]
    _, groups = np.unique(some_run.clusters_in(complete), return_inverse=True)
    return _means(by_cell[complete], groups), int((~complete).sum())


def _means(values: Floats, groups: NDArray[np.int64]) -> Floats:
    """Return the mean of the values of each group."""
    sums = np.zeros((int(groups.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, groups, values)
    means: Floats = sums / np.maximum(np.bincount(groups, minlength=len(sums)), 1)[:, None, None]
    return means


def _cost(card: RunSummary | None) -> str:
    """Return the cost of a run's answers, as the system reports it."""
    return f"{card.cost.total:.4f}" if card and card.cost else DASH


def _sentences(values: Floats, factors: tuple[str, str], level: float, left_out: int) -> list[str]:
    """Say which factor explains the differences between cells, and how sure that is."""
    sentences = []
    if left_out:
        sentences.append(
            say("Left out, because not every cell has a value: {questions}.", questions=count(left_out, "question"))
        )
    if len(values) < FEWEST:
        return [*sentences, say("There are too few observations to say which factor explains the differences.")]
    effects = two_way(values)
    if math.isnan(effects[0].share):
        return [*sentences, say("All cells have the same value: no factor makes a difference.")]
    adjusted = holm(np.array([1.0 if math.isnan(effect.p) else effect.p for effect in effects])).tolist()
    first, second = map(line, factors)
    titles = [first, second, say("{first} and {second} together", first=first, second=second)]
    parts = "; ".join(map(_part, titles, effects, adjusted))
    alpha = 1 - level
    shown = [place for place, p in enumerate(adjusted) if p <= alpha]
    if not shown:
        lead = say("No factor is shown to explain the differences between cells.")
    else:
        largest = max(shown, key=lambda place: effects[place].share)
        share = percent(effects[largest].share)
        lead = say(EXPLAINS, factor=titles[largest], share=share)
        if 2 in shown:
            lead += " " + say("The best {second} depends on the {first}.", first=first, second=second)
    test = say(METHOD, n=integer(len(values)))
    return [*sentences, lead, f"{parts}.", test]


def _part(title: str, effect: Effect, p: float) -> str:
    share = percent(effect.share)
    if math.isnan(effect.p):
        return say("{factor} {share} (not tested: it never varies)", factor=title, share=share)
    return say("{factor} {share} (p {p})", factor=title, share=share, p=p_value(p))
