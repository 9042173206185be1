"""Compute the table of metrics: the value of each run, the best values, and what the tests do not tell apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np

from neraca.comparisons.difference import Difference, baseline_of, indistinct
from neraca.comparisons.pair import TIE
from neraca.counts_and_lists import count, form, listed
from neraca.metrics.metric import Metric
from neraca.number_format import integer, span
from neraca.scores.scores import RunScores, Score, Scores
from neraca.translation import say

#: Signs of a run that the tests call better, or worse, than the baseline.
BETTER, WORSE = "†", "‡"
#: A drawing names n if a value is over fewer questions.
FEW_SCORED = 10


@dataclass(frozen=True)
class Cell:
    """A value in the table of metrics.

    Attributes
    ----------
    best
        Whether it is the best value of its row; that may be chance.
    beats_all
        Whether the tests say that this run is better than every other one.
    tied
        Whether the tests do not tell this run from a run with the best value.
    letters
        Letters of a compact letter display: the tests tell two runs apart if they share no letter.  "" with two runs,
        or if some pair was not tested.
    sign
        `BETTER` or `WORSE` than the baseline, by the tests; "" without a baseline, or if they do not tell it apart.
    only_failed
        Whether all scored answers are failed ones, so that the value says nothing of any answer that was given.
    """

    score: Score
    best: bool
    beats_all: bool
    tied: bool = False
    letters: str = ""
    sign: str = ""
    only_failed: bool = False

    @property
    def remarks(self) -> list[str]:
        """The number of questions in the value, of how many they were drawn, and whether all answers failed."""
        of = say(" of {all}", all=integer(self.score.drawn_of)) if self.score.drawn_of else ""
        return [f"n = {integer(self.score.n)}{of}", *([say("failed answers only")] if self.only_failed else [])]


@dataclass(frozen=True)
class MetricRow:
    """A metric of all runs; `low` and `high` are its range, `better` is higher, lower or neither."""

    metric: str
    higher_is_better: bool
    low: float
    high: float
    primary: bool
    cells: tuple[Cell, ...]
    better: str = "higher"

    @property
    def n(self) -> int | None:
        """The number of questions of every value; None if the values differ in it or some questions are unscored."""
        sizes = {cell.score.n for cell in self.cells}
        return sizes.pop() if len(sizes) == 1 and not any(cell.score.unscored for cell in self.cells) else None

    @property
    def names_n(self) -> bool:
        """Whether a drawing must name n: it differs between the values, is small, or is of failed answers only."""
        small = any(cell.score.n < FEW_SCORED or cell.only_failed for cell in self.cells)
        return self.n is None or small


def only_failed(run: RunScores, metric: str) -> bool:
    """Return whether a run has scored answers in a metric, and all of them failed."""
    if run.scorable is None or not run.scorable.offers("failed"):
        return False
    scored = ~np.isnan(run.counts[metric].rows).any(axis=1)
    return bool(scored.any()) and bool(run.scorable.column("failed")[scored].all())


def marks(rows: Sequence[MetricRow], differences: Sequence[Difference] = ()) -> str:
    """Explain the marks that occur in the table; "" without any.  The differences tell the baseline.

    >>> alone = Score("new", "", "AP", 0.75, 0.5, 1, 9, 0, "t", 0.75, 0.75)
    >>> marks([MetricRow("AP", True, 0, 1, True, (Cell(alone, best=True, beats_all=True),))])
    'Bold: best value of the metric. ▲: the tests say that it is better than every other run.'
    """
    cells = [cell for row in rows for cell in row.cells]
    sentences = []
    if any(cell.best for cell in cells):
        tied_words = say(", and what the tests do not tell from it") if any(cell.tied for cell in cells) else ""
        sentences.append(say("Bold: best value of the metric{tied}.", tied=tied_words))
    if any(cell.beats_all for cell in cells):
        sentences.append(say("▲: the tests say that it is better than every other run."))
    if any(cell.letters for cell in cells):
        sentences.append(say("Letters: the tests tell two runs apart where they share none."))
    baseline = baseline_of(differences)
    signs = {cell.sign for cell in cells}
    if BETTER in signs:
        sentences.append(say("†: significantly better than {other}.", other=baseline))
    if WORSE in signs:
        sentences.append(say("‡: significantly worse than {other}.", other=baseline))
    return " ".join(sentences)


def metric_rows(scores: Scores, differences: Sequence[Difference], primary: str) -> tuple[MetricRow, ...]:
    """Return one row for each metric, the primary one first."""
    scores_by_metric: dict[str, list[Score]] = {}
    for score in scores.overall():
        scores_by_metric.setdefault(score.metric, []).append(score)
    differences_by_metric: dict[str, list[Difference]] = {}
    for d in differences:
        differences_by_metric.setdefault(d.metric, []).append(d)
    rows = []
    for m in scores.metrics:
        row = _row(m, scores_by_metric[str(m)], differences_by_metric.get(str(m), []), str(m) == primary)
        cells = tuple(replace(c, only_failed=only_failed(scores.run(c.score.run), str(m))) for c in row.cells)
        rows.append(replace(row, cells=cells))
    return tuple(sorted(rows, key=lambda row: not row.primary))


def _row(metric: Metric, scores: Sequence[Score], differences: Sequence[Difference], primary: bool) -> MetricRow:
    best_runs = {scores[place].run for place in best_places([score.value for score in scores], metric)}
    tied_runs = {d.other(run) for d in differences for run in best_runs & {d.a, d.b} if d.tested and not d.better}
    wins = Counter(d.better for d in differences)
    letters = {} if metric.diagnostic else _letters(scores, differences, metric)
    signs = signs_of(differences)
    n_others = len(scores) - 1
    cells = tuple(
        Cell(
            score,
            score.run in best_runs,
            bool(n_others) and wins[score.run] == n_others,
            score.run in tied_runs - best_runs,
            letters.get(score.run, ""),
            signs.get(score.run, ""),
        )
        for score in scores
    )
    definition = metric.definition
    low, high = definition.low, definition.high
    better = "neither" if metric.diagnostic else definition.better
    return MetricRow(str(metric), metric.higher_is_better, low, high, primary, cells, better)


def best_places(values: Sequence[float], metric: Metric) -> set[int]:
    """Return the places of the best of some values; none if all are equal, and none of a diagnostic.

    >>> best_places([0.5, 0.7, float("nan"), 0.7], Metric.of("AP")), best_places([0.5, 0.5], Metric.of("AP"))
    ({1, 3}, set())
    """
    finite = [value for value in values if not math.isnan(value)]
    if metric.diagnostic or len(finite) < 2 or max(finite) - min(finite) <= TIE:
        return set()
    best = max(finite) if metric.higher_is_better else min(finite)
    return {place for place, value in enumerate(values) if abs(value - best) <= TIE}


def signs_of(differences: Sequence[Difference]) -> dict[str, str]:
    """Return the sign of each run that the tests tell from the baseline, in differences of one metric."""
    baseline = baseline_of(differences)
    told_apart = [d for d in differences if d.better and baseline in (d.a, d.b)]
    return {run: BETTER if d.better == run else WORSE for d in told_apart if (run := d.other(baseline))}


def _letters(scores: Sequence[Score], differences: Sequence[Difference], metric: Metric) -> dict[str, str]:
    """Return the letters of each run; a is the group of the best value."""
    sign = -1 if metric.higher_is_better else 1
    rank_value = {score.run: sign * score.value for score in scores}
    groups = indistinct(differences, str(metric)) if len(scores) > 2 else ()
    ordered = sorted(groups, key=lambda group: sorted(rank_value[run] for run in group))
    if len(ordered) > len(ascii_lowercase):
        return {}
    lettered_groups = list(zip(ascii_lowercase, ordered, strict=False))
    return {run: "".join(letter for letter, group in lettered_groups if run in group) for run in rank_value}


def unscored_notes(rows: Sequence[MetricRow]) -> list[tuple[str, str]]:
    """Return each run with unscored questions, and in words how many, in which metrics, and bounds of the mean of all.

    A run has one line for all metrics with the same number of unscored questions.

    >>> scores = [Score("new", "", name, 0.75, 0.5, 1, 2, 2, "t", 0.375, 0.875) for name in ("AP", "Coverage")]
    >>> rows = [MetricRow(s.metric, True, 0, 1, False, (Cell(s, False, False),)) for s in scores]
    >>> for run, words in unscored_notes(rows):
    ...     print(f"{run}: {words}")
    new: 2 of 4 questions are unscored in AP and Coverage. Whatever they are worth, the mean of all 4 lies \
from 0.38 to 0.88 in AP, from 0.38 to 0.88 in Coverage.
    """
    scores_by_run_and_count: dict[tuple[str, int, int], list[Score]] = {}
    for cells in zip(*(row.cells for row in rows), strict=True):
        for score in (cell.score for cell in cells if cell.score.unscored):
            scores_by_run_and_count.setdefault((score.run, score.unscored, score.n + score.unscored), []).append(score)
    return [(run, _unscored_words(n, items, scores)) for (run, n, items), scores in scores_by_run_and_count.items()]


def _unscored_words(unscored: int, items: int, scores: Sequence[Score]) -> str:
    are = form(unscored, "is", "are")
    names = listed([score.metric for score in scores], at_most=len(scores))
    sentence = say(
        "{unscored:,} of {questions} {are} unscored in {names}.",
        unscored=unscored,
        questions=count(items, "question"),
        are=are,
        names=names,
    )
    bounded = [score for score in scores if score.n and not math.isnan(score.lowest)]
    if not bounded:
        return sentence
    bounds = ", ".join(
        say("from {bounds} in {metric}", bounds=span(score.lowest, score.highest, 2), metric=score.metric)
        for score in bounded
    )
    subject = form(unscored, "it is", "they are")
    return say(
        "{words} Whatever {what} worth, the mean of all {items:,} lies {bounds}.",
        words=sentence,
        what=subject,
        items=items,
        bounds=bounds,
    )
