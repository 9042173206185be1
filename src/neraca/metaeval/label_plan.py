"""A plan for labels: how many questions people should label, and which, to correct a judge's scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.metaeval.label_command import label_command
from neraca.metaeval.label_draw import STRATEGIES, STRATIFIED, LabelDraw, draw_labels, uncertainty_of
from neraca.metrics.metric import Metric
from neraca.number_format import number
from neraca.result import Table, Tabular
from neraca.scores.judge_corrections import labels_beside
from neraca.scores.scores import RunScores, Scores, is_count
from neraca.scores.sources.people_labels import difference_of
from neraca.scores.unit import Ints
from neraca.stats.intervals.interval import Floats, clustered_error, mean
from neraca.stats.intervals.prediction_powered import FEWEST_LABELS
from neraca.stats.planning.label_planning import Split, cheapest_split, expected_width, labels_needed
from neraca.translation import say

#: Correlation between people and judge that is assumed while too few questions are labelled.
ASSUMED = 0.5
#: Numbers of labels for which widths are predicted.
STEPS = (30, 60, 100, 200)


class Foreseen(NamedTuple):
    """A number of labels, and the approximate width of the interval of the corrected mean."""

    labels: int
    width: float


@dataclass(frozen=True, slots=True, repr=False)
class LabelPlan(Tabular):
    """Questions to label; prints how wide the interval will be.

    Attributes
    ----------
    metric, of
        Name of the metric; name of the run, or of both runs (`new − old`).
    items
        Number of questions that can be labelled; others need no label.
    spread, correlation
        The standard deviation of people's labels (as if each question were a session), and their correlation with the
        judge's values.
    pilot
        Number of labels from which these two were learned; 0: they are assumed.
    labels
        Number of questions drawn.
    needed
        Labels needed for the wished width; None if no width was wished, or if all questions are too few.
    width
        Wished width of the interval; None if no width was wished.
    foreseen
        Widths for other numbers of labels.
    split
        The cheapest labels and judged questions for the wished width; None without costs.
    strategy
        How the questions were drawn, one of `STRATEGIES`.
    questions
        A row for each question: {item, draw, stratum, probability, query}; drawn ones first, in the order to rate them.
    """

    metric: str
    of: str
    items: int
    spread: float
    correlation: float
    pilot: int
    labels: int
    needed: int | None
    width: float | None
    foreseen: tuple[Foreseen, ...]
    split: Split | None
    strategy: str
    questions: tuple[dict[str, Any], ...]

    def _tables(self) -> Iterator[Table]:
        rows = [
            [f"{step.labels:,}", number(step.width), "drawn" * (step.labels == self.labels)] for step in self.foreseen
        ]
        title = f"{self.metric} of {self.of}, corrected by so many labels"
        yield Table(["labels", "width of the interval", ""], rows, title)

    def table(self) -> Table:
        """Return the predicted width of the interval for each number of labels, as text."""
        return next(self._tables())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question, as `neraca agree --plan` writes them."""
        return list(self.questions)


@dataclass(frozen=True, kw_only=True)
class LabelPlanOptions:
    """Wishes for a plan.

    These are the full `width` of the interval or the number of `labels`; the costs of a label and a judgement; and the
    `strategy` of the draw, one of `STRATEGIES`.
    """

    width: float | None = None
    labels: int | None = None
    human_cost: float | None = None
    model_cost: float = 0.0
    seed: int = 0
    strategy: str = STRATIFIED

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise SpecError(f"questions are drawn {', '.join(STRATEGIES)}, not {self.strategy!r}")
        if self.width is not None and not self.width > 0:
            raise SpecError(f"a wished width is above 0, such as 0.1, not {self.width:g}")
        if self.labels is not None and self.labels < FEWEST_LABELS:
            raise SpecError(f"a corrected interval holds from {FEWEST_LABELS} labels; plan for so many, or more")
        if self.human_cost is not None and (not self.human_cost > 0 or self.model_cost < 0):
            raise SpecError("a label of a person costs more than 0, and a judgement of a model not less than 0")
        if self.human_cost is not None and self.width is None:
            raise SpecError("the cheapest split is of a wished width; give it too (--width 0.1)")


def plan_labels(
    scores: Scores,
    metric: str | Metric = "",
    options: LabelPlanOptions | None = None,
    opinions: Sequence[Scores] = (),
) -> LabelPlan:
    """Draw questions for people to label.

    By default questions with similar values from the judge form a stratum.  From each stratum questions are drawn at
    random, more of them the larger and the more uncertain it is.  For other ways see `draw_labels`.  With several runs,
    the plan is for the pair whose difference needs most labels.

    Parameters
    ----------
    scores
        Scores by a judge; with people's labels (`correct="ppi"`), spread and correlation are learned from these.
    metric
        Default the first.
    options
        Wishes for the plan; default the fewest labels with which an interval is valid.
    opinions
        Scores of the same runs by other judges, for the strategy `uncertain`: where judges disagree, chances grow.

    Raises
    ------
    SpecError
        If the metric is no mean over questions, or nothing shows how uncertain the judge is.
    InputError
        If too few questions are scored.
    """
    wishes, chosen = options or LabelPlanOptions(), scores.metrics[0] if not metric else _metric(scores, metric)
    if is_count(chosen) or chosen.total is not mean:
        raise SpecError(f"{chosen} is no mean of the questions, and is not corrected; plan for another metric")
    runs = range(len(scores.runs))
    pairs = [[0]] if len(runs) == 1 else [*map(list, combinations(runs, 2))]
    targets = [_Target.of(scores, chosen, pair, opinions) for pair in pairs]
    target = max(targets, key=lambda target: target.spread * math.sqrt(1 - target.correlation**2))
    n = len(target.values)
    if n < FEWEST_LABELS:
        raise InputError(
            say(
                "{n} questions can be labelled for {metric}; a corrected interval needs {fewest}. Labels "
                "of fewer still show how far to trust the judge: {command}",
                n=n,
                metric=str(chosen),
                fewest=FEWEST_LABELS,
                command=label_command(chosen),
            )
        )
    needed = None if wishes.width is None else target.needed(wishes.width, scores.level)
    labels = min(wishes.labels or (needed if wishes.width is not None else FEWEST_LABELS) or n, n)
    split = None
    if wishes.width is not None and wishes.human_cost is not None:
        costs = wishes.human_cost, wishes.model_cost
        split = cheapest_split(wishes.width, target.spread, target.correlation, *costs, scores.level)
    draw = draw_labels(wishes.strategy, target.values, target.uncertainty, labels, wishes.seed)
    steps = sorted({*(step for step in STEPS if step <= n), labels, n})
    return LabelPlan(
        metric=str(chosen),
        of=target.name,
        items=n,
        spread=target.spread,
        correlation=target.correlation,
        pilot=target.pilot,
        labels=labels,
        needed=needed,
        width=wishes.width,
        foreseen=tuple(Foreseen(step, target.width(step, scores.level)) for step in steps),
        split=split,
        strategy=wishes.strategy,
        questions=tuple(_question_rows(scores.runs[0], target, draw)),
    )


def _metric(scores: Scores, metric: str | Metric) -> Metric:
    name = scores.name_of(metric)
    return next(metric for metric in scores.metrics if str(metric) == name)


@dataclass(frozen=True, eq=False)
class _Target:
    """Values to correct, one for each question that people can label, and the spread and correlation of the labels.

    `uncertainty` is that of the judge, question by question.
    """

    name: str
    places: Ints
    values: Floats
    spread: float
    correlation: float
    pilot: int
    uncertainty: Floats

    @classmethod
    def of(cls, scores: Scores, metric: Metric, places: Sequence[int], opinions: Sequence[Scores]) -> _Target:
        runs = [scores.runs[place] for place in places]
        values = difference_of([run.values(metric) for run in runs])
        open_to_people = ~np.isnan(values)
        labels = np.full(len(values), np.nan)
        if scores.labels is not None and str(metric) not in (people := labels_beside(scores)).why:
            people_values, sure = people.of_runs(metric, places)
            open_to_people &= ~sure
            labels = np.where(sure, np.nan, people_values)
        rows = np.flatnonzero(open_to_people)
        f, h = values[rows], labels[rows]
        labelled = ~np.isnan(h)
        pilot = int(labelled.sum()) if labelled.sum() >= FEWEST_LABELS else 0
        spread = float(h[labelled].std(ddof=1)) if pilot else float(f.std(ddof=1)) if len(f) > 1 else 0.0
        varies = pilot and spread > 0 and f[labelled].std() > 0
        correlation = float(np.corrcoef(h[labelled], f[labelled])[0, 1]) if varies else ASSUMED
        name = " − ".join(run.name for run in runs)
        others = [[judge.runs[place].values(metric)[rows] for place in places] for judge in opinions]
        uncertainty = uncertainty_of(metric, [run.values(metric)[rows] for run in runs], others)
        spread *= _design(f, runs[0].clusters[rows])
        return cls(name, rows, f, spread, max(correlation, 0.0), pilot, uncertainty)

    def width(self, labels: int, level: float) -> float:
        """Return the expected width of the interval with so many labels."""
        return expected_width(labels, len(self.values), self.spread, self.correlation, level)

    def needed(self, width: float, level: float) -> int | None:
        """Return the number of labels for this width; None if all questions are too few."""
        return labels_needed(width, len(self.values), self.spread, self.correlation, level)


def _design(values: Floats, clusters: Ints) -> float:
    """Return the factor by which sessions widen intervals, at least 1."""
    if len(values) < 3 or not values.std() > 0:
        return 1.0
    together, df = clustered_error(values, clusters)
    alone, _ = clustered_error(values)
    return max(1.0, together / alone) if df else 1.0


def _question_rows(run: RunScores, target: _Target, draw: LabelDraw) -> list[dict[str, Any]]:
    """Return a row for each question, drawn ones first."""
    order = {int(target.places[row]): n + 1 for n, row in enumerate(draw.drawn)}
    row_of_place = {place: row for row, place in enumerate(target.places.tolist())}
    queries = _queries(run)
    rows = []
    for place, item in enumerate(run.ids):
        of_target = row_of_place.get(place)
        chance = "" if of_target is None else round(float(draw.chances[of_target]), 12)
        name = draw.strata[of_target] if of_target is not None else "none needed" if any(draw.strata) else ""
        row = {"item": str(item), "draw": order.get(place, ""), "stratum": name, "probability": chance}
        rows.append(row | {"query": queries[place]})
    return sorted(rows, key=lambda row: row["draw"] or math.inf)


def _queries(run: RunScores) -> list[str]:
    if run.scorable is None or not run.scorable.offers("item_records"):
        return [""] * len(run)
    return [item.query for item in run.scorable.column("item_records")]
