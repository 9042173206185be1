"""Scores by a judge, corrected by people's labels on some of the items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.number_format import number, span
from neraca.result import Results, Table
from neraca.scores.scores import Scores, is_count
from neraca.scores.sources.people_labels import ROGAN_GLADEN, PeopleLabels, difference_of
from neraca.scores.unit import Ints
from neraca.stats.intervals.interval import Floats, mean
from neraca.stats.intervals.prediction_powered import (
    FEWEST_LABELS,
    PredictionPowered,
    Small,
    prediction_powered,
    weighted_prediction_powered,
)
from neraca.stats.intervals.rogan_gladen import rogan_gladen

#: With fewer labels that differ from the commonest one, the interval may be too narrow (`benchmarks/corrected.py`).
FEWEST_APART = 20
#: If questions were drawn with unequal chances, fewer labels give an interval that is too narrow.
FEWEST_WEIGHTED = 100


@dataclass(frozen=True, slots=True)
class Correction:
    """A value by a judge, and the value corrected by people's labels on some items.

    Attributes
    ----------
    raw
        The value by the judge alone.
    value, low, high
        The corrected value and its interval; NaN if `why` gives a reason.
    labels
        The number of observations (questions or sessions) that people labelled.
    n
        The number of items that the judge scored.
    p
        Two-sided p that a difference is 0.
    method
        `ppi`, `ppi(stratified)`, `ppi(weighted)` or `rogan-gladen`.
    why
        The reason why there is no corrected value; "" if there is one.
    caution
        The reason why the interval may be too narrow, or "".
    powered
        The estimate that tests need; None without a correction, and for Rogan-Gladen.
    """

    raw: float
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    labels: int = 0
    n: int = 0
    p: float = math.nan
    method: str = ""
    why: str = ""
    caution: str = ""
    powered: PredictionPowered | None = None


@dataclass(frozen=True, slots=True)
class CorrectedScore:
    """The correction of a metric of one run, or of one group of its items (`group`, "" for all)."""

    run: str
    group: str
    metric: str
    correction: Correction


class CorrectedScores(Results[CorrectedScore]):
    """Corrected scores; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self) -> Table:
        """Return the judge's values, the corrected values and the numbers of labels, as text."""
        shown = [len({score.run for score in self}) > 1, any(score.group for score in self)]
        columns = ["metric", *compress(("run", "group"), shown)]
        rows = [
            [score.metric, *compress((score.run, score.group), shown), *correction_cells(score.correction)]
            for score in self
        ]
        return Table([*columns, *CORRECTION_COLUMNS], rows, names=len(columns))

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each: {run, group, metric, raw, value, low, high, labels, n, method, why, caution}."""
        return [
            {"run": score.run, "group": score.group, "metric": score.metric, **correction_row(score.correction)}
            for score in self
        ]


CORRECTION_COLUMNS = ("by the judge", "corrected", "interval", "labels", "n")


def correction_cells(correction: Correction) -> list[str]:
    """Return the cells of `CORRECTION_COLUMNS`."""
    bounds = span(correction.low, correction.high)
    return [number(correction.raw), number(correction.value), bounds, f"{correction.labels:,}", f"{correction.n:,}"]


def correction_row(correction: Correction) -> dict[str, Any]:
    """Return the correction as a flat row for machines."""
    return {name: value for name, value in asdict(correction).items() if name not in ("powered", "p")}


def corrections(scores: Scores, tags: Sequence[str] = ()) -> CorrectedScores:
    """Correct every metric of every run, over all items and for each value of tags.

    Raise `SpecError` if the scores were made without people's labels (`correct` of `neraca.score`).
    """
    labels = labels_beside(scores)
    corrected = CorrectedScores()
    for tag in ("", *tags):
        for value in scores.groups(tag) if tag else [""]:
            for metric in scores.metrics:
                for place, run in enumerate(scores.runs):
                    chosen = np.array([run.tags[tag][row] == value for row in range(len(run))]) if tag else None
                    correction = _correction(scores, labels, metric, [place], chosen)
                    group = f"{tag}={value}" if tag else ""
                    corrected.append(CorrectedScore(run.name, group, str(metric), correction))
    return corrected


def corrected_value(scores: Scores, metric: Metric, place: int) -> Correction:
    """Correct the value of the run in this place."""
    return _correction(scores, labels_beside(scores), metric, [place])


def corrected_part(scores: Scores, metric: Metric, place: int, chosen: NDArray[np.bool_]) -> Correction:
    """Correct the value over the chosen items of the run in this place; `chosen` has the shape (n,)."""
    return _correction(scores, labels_beside(scores), metric, [place], chosen)


def corrected_difference(scores: Scores, metric: Metric, a: int, b: int) -> Correction:
    """Correct the difference of two runs, by their places, on the items that the judge scored in both."""
    return _correction(scores, labels_beside(scores), metric, [a, b])


def labels_beside(scores: Scores) -> PeopleLabels:
    """Return people's labels of the scored items; raise `SpecError` if there are none."""
    if not isinstance(scores.labels, PeopleLabels):
        raise SpecError('these scores are not to be corrected; score with correct="ppi" (--correct ppi)')
    return scores.labels


def _correction(
    scores: Scores,
    labels: PeopleLabels,
    metric: Metric,
    places: Sequence[int],
    chosen: NDArray[np.bool_] | None = None,
) -> Correction:
    """Correct the value of one run, or the first run's minus the second's."""
    runs = [scores.runs[place] for place in places]
    values = difference_of([run.values(metric) for run in runs])
    scored = ~np.isnan(values) if chosen is None else ~np.isnan(values) & chosen
    raw = float(values[scored].mean()) if scored.any() else math.nan
    if is_count(metric) or metric.total is not mean:
        return Correction(raw, n=int(scored.sum()), why="it is no mean of the questions")
    if str(metric) in labels.why:
        return Correction(raw, n=int(scored.sum()), why=labels.why[str(metric)])
    people_values, sure = labels.of_runs(metric, places)
    labelled = _LabelledValues(
        values=values[scored],
        labels=people_values[scored],
        sure=sure[scored],
        clusters=runs[0].clusters[scored],
        items=[str(runs[0].ids[row]) for row in np.flatnonzero(scored).tolist()],
    )
    reach = metric.definition.limits if len(places) == 1 else metric.definition.limits_of_difference
    return labelled.corrected(raw, labels, scores.level, reach)


@dataclass(frozen=True, eq=False)
class _LabelledValues:
    """The values and labels of the n items that the judge scored."""

    values: Floats
    labels: Floats
    sure: NDArray[np.bool_]
    clusters: Ints
    items: Sequence[str]

    def corrected(self, raw: float, labels: PeopleLabels, level: float, reach: tuple[float, float]) -> Correction:
        by_hand = ~np.isnan(self.labels) & ~self.sure
        count, n = len(np.unique(self.clusters[by_hand])), len(self.values)
        refused = Correction(raw, labels=count, n=n)
        strata, why = self._strata(labels), ""
        if n and not by_hand.any():
            why = "nothing in it is for people to say" if self.sure.all() else "no question is labelled in full"
        elif count < FEWEST_LABELS:
            why = f"{count} labelled; the interval holds from {FEWEST_LABELS}"
        elif bare := _bare(strata, self.labels):
            why = f"{bare} of the strata have fewer than two labels"
        elif (chances := self._chances(labels)) is not None and np.isnan(chances).any():
            why = f"the sample gives no chance for {int(np.isnan(chances).sum()):,} of the questions; plan again"
        if why:
            return _because(refused, why)
        method: Callable[..., Correction] = self._rogan_gladen if labels.method == ROGAN_GLADEN else self._powered
        return method(refused, labels, level, reach)

    def _strata(self, labels: PeopleLabels) -> Ints:
        """Return the strata in which labelled items are a random sample; items that need no label are a stratum."""
        strata = labels.strata(self.items)
        groups = np.zeros(len(self.values), np.int64) if strata is None else strata + 1
        return np.where(self.sure, -1, groups)

    def _chances(self, labels: PeopleLabels) -> Floats | None:
        """Return each item's chance to be drawn; None if items were drawn by strata, or all alike."""
        return None if labels.strata(self.items) is not None else labels.chances(self.items, self.sure)

    def _powered(self, of: Correction, labels: PeopleLabels, level: float, reach: tuple[float, float]) -> Correction:
        chances, few = self._chances(labels), False
        how: Small = "halves" if reach == (0.0, 1.0) else "leverage"
        if chances is None:
            strata = self._strata(labels)
            result = prediction_powered(
                self.labels, self.values, clusters=self.clusters, strata=strata, small=how, level=level
            )
            method = "ppi(stratified)" if labels.strata(self.items) is not None else "ppi"
        else:
            result = weighted_prediction_powered(
                self.labels, self.values, chances, clusters=self.clusters, small=how, level=level
            )
            method, few = "ppi(weighted)", of.labels < FEWEST_WEIGHTED
        low, high = result.bounds_within(reach, level, tested=[0.0] if reach[0] < 0 else ())
        if math.isnan(result.low):
            return _because(of, "the labels show no chance: all of them differ from the judge by the same")
        value = min(max(result.value, reach[0]), reach[1])
        return Correction(
            of.raw, value, low, high, of.labels, of.n, result.p(), method, caution=self._caution(few), powered=result
        )

    def _rogan_gladen(
        self, of: Correction, labels: PeopleLabels, level: float, reach: tuple[float, float]
    ) -> Correction:
        shares = np.isin(self.values, (0.0, 1.0)).all() and np.isin(self.labels[~np.isnan(self.labels)], (0, 1)).all()
        if not shares or reach[0] < 0:
            return _because(of, f"{ROGAN_GLADEN} is of values that are 0 or 1; use ppi")
        if self.sure.any():
            return _because(of, f"{ROGAN_GLADEN} needs questions that people decide, and some need none; use ppi")
        result = rogan_gladen(self.labels, self.values, clusters=self.clusters, level=level)
        if math.isnan(result.value):
            return _because(of, "by these labels the judge is no better than chance, or all labels are the same")
        return Correction(of.raw, result.value, result.low, result.high, of.labels, of.n, method=ROGAN_GLADEN)

    def _caution(self, few_by_chances: bool) -> str:
        """Return the reason why the interval may be too narrow: few labels show few of the judge's errors."""
        if few_by_chances:
            return f"drawn with chances of their own, fewer than {FEWEST_WEIGHTED} labels give too narrow an interval"
        labelled = ~np.isnan(self.labels) & ~self.sure
        if np.isin(self.values, (0.0, 1.0)).all() and np.isin(self.labels[labelled], (0.0, 1.0)).all():
            return ""
        commonest = max(np.unique(self.labels[labelled], return_counts=True)[1])
        differing = int(labelled.sum()) - int(commonest)
        if differing >= FEWEST_APART:
            return ""
        return f"all but {differing} labels are the same, so that the interval may be too narrow; label more"


def _because(of: Correction, why: str) -> Correction:
    return Correction(of.raw, labels=of.labels, n=of.n, why=why)


def _bare(strata: Ints, labels: Floats) -> int:
    """Return the number of strata that have items without a label and fewer than two labels."""
    labelled = ~np.isnan(labels)
    groups = [strata == number for number in np.unique(strata)]
    return sum(int(labelled[rows].sum()) < 2 and not labelled[rows].all() for rows in groups)
