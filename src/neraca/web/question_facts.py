"""Facts to sort and filter the questions of several runs by: values, outcomes of answers, and sources of verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical, Codes
from neraca.comparisons.by_question import alone_best, answer_outcomes, spread
from neraca.comparisons.pair import TIE
from neraca.metrics.metric import Metric
from neraca.records import Answer
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.runs.verdict_table import STATUSES, VerdictTable
from neraca.scores.scores import RunScores, Scores
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.opinions import values_by_aspect
from neraca.verdicts.source import is_human, source_of
from neraca.web.measures import Limits, Measures, labels_of, stated_limits

Chosen = NDArray[np.bool_]
#: Kinds of verdicts on the answers to a question: who decided, whether they differ, whether one is missing.
PEOPLE, JUDGE, DIFFER, UNDECIDED, NONE = "people", "judge", "differ", "undecided", "none"
#: Columns beside the metrics: mean seconds of the answers that can be read, and dollars that the target reports.
SECONDS, COST = "seconds", "cost"
#: Labels of the columns that are no metrics.
LABELS = {SECONDS: "Seconds", COST: "Target cost"}
#: States of a run's answers to a question: at least one is there, all failed, none is there.
ANSWERED, FAILED, NO_ANSWER = range(3)


class Total(NamedTuple):
    """The value of a run in one column over all questions; NaN without a value or an interval."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, eq=False)
class QuestionFacts:
    """Facts about the n questions of some runs that were scored together.

    Attributes
    ----------
    metric
        The metric that is looked at; at first the primary one.
    runs
        The names of the runs; equal names are numbered.
    columns
        Metric, `SECONDS` or `COST` → its value for each run and question, shape (runs, n); NaN if there is none.
    totals
        Metric, `SECONDS` or `COST` → its value for each run over all questions.
    states
        Shape (runs, n): `ANSWERED`, `FAILED` or `NO_ANSWER`.
    reasons, whys
        Reasons, and metric → index of the reason why a value is missing, shape (runs, n); reason 0 is "".
    outcomes
        Outcome, or a status other than `complete` → whether any answer has it, shape (n,).
    verdicts
        Kind of verdict → whether any answer has one, shape (n,).
    level
        The level of the intervals.
    limits
        Metric → the ends of its range, if the runs state another than the usual one.
    """

    metric: str
    runs: tuple[str, ...]
    columns: Mapping[str, Floats]
    totals: Mapping[str, tuple[Total, ...]]
    states: NDArray[np.int8]
    reasons: tuple[str, ...]
    whys: Mapping[str, NDArray[np.int32]]
    outcomes: Mapping[str, Chosen]
    verdicts: Mapping[str, Chosen]
    level: float
    limits: Limits

    @property
    def metrics(self) -> list[str]:
        """The metrics, without the columns beside them."""
        return [name for name in self.columns if name not in (SECONDS, COST)]

    @property
    def values(self) -> Floats:
        """Shape (runs, n): values of the metric that is looked at."""
        return self.columns[self.metric]

    @cached_property
    def best(self) -> NDArray[np.int64]:
        """Shape (n,): index of the single best run; -1 if several are tied or none has a value."""
        return alone_best(self.values, Metric.of(self.metric))

    @property
    def failed(self) -> Chosen:
        """Shape (n,): whether every run has answers, and all of them failed."""
        return np.asarray((self.states == FAILED).all(axis=0))

    @property
    def tied(self) -> Chosen:
        """Shape (n,): whether at least two runs have a value and no single one is best."""
        return np.asarray(((~np.isnan(self.values)).sum(axis=0) > 1) & (self.best < 0))

    @property
    def zero(self) -> Chosen:
        """Shape (n,): whether the value of every run is 0."""
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(self.values) <= TIE).all(axis=0))

    @property
    def unscored(self) -> Chosen:
        """Shape (n,): whether any run has no value."""
        return np.asarray(np.isnan(self.values).any(axis=0))

    @cached_property
    def spread(self) -> Floats:
        """Shape (n,): the largest difference between two runs; 0 where fewer than two have a value."""
        return spread(self.values)

    def apart(self, least: float) -> Chosen:
        """Return whether the largest difference between two runs is at least `least`; shape (n,)."""
        return np.asarray(self.spread >= least - TIE)

    def why(self, metric: str, run: int, question: int) -> str:
        """Return the reason why a value is missing; "" if none is known."""
        return self.reasons[int(self.whys[metric][run, question])] if metric in self.whys else ""

    @cached_property
    def labels(self) -> MetricLabels:
        """The short labels of the metrics."""
        return labels_of(self.metrics)

    def label(self, column: str = "") -> str:
        """Return the label of a column; "": of the metric that is looked at."""
        return LABELS.get(column) or self.labels[column or self.metric]

    def full_name(self, column: str = "") -> str:
        """Return the canonical name of a metric if its label is another, else ""."""
        return "" if column in LABELS else self.labels.full(column or self.metric)

    def by(self, metric: str) -> Self:
        """Return the same facts, looking at another metric."""
        return self if metric == self.metric else replace(self, metric=metric)


def question_facts(folders: Sequence[Path], measures: Measures | None = None) -> QuestionFacts:
    """Score runs together and return the facts about their questions; raise the errors of `score`."""
    measures = measures or Measures()
    scores = measures.score(folders)
    names = [str(metric) for metric in scores.scored]
    columns = {name: np.array([run.values(name) for run in scores.runs]) for name in names}
    usage = [_seconds_and_cost(run) for run in scores.runs]
    for name, of_runs in ((SECONDS, [seconds for seconds, _ in usage]), (COST, [cost for _, cost in usage])):
        if not all(np.isnan(values).all() for values in of_runs):
            columns[name] = np.array(of_runs)
    reasons = Codes({"": 0})
    outcomes: dict[str, Chosen] = {}
    for run in scores.runs:
        for name, indices in _outcomes(run).items():
            outcomes.setdefault(name, np.zeros(len(run), dtype=bool))[indices] = True
    whys = {name: np.array([_codes(run, name, reasons) for run in scores.runs]) for name in names}
    return QuestionFacts(
        metric=measures.primary_of(scores),
        runs=tuple(run.name for run in scores.runs),
        columns=columns,
        totals=_totals(scores, columns),
        states=np.array([_states(run) for run in scores.runs]),
        whys={name: codes for name, codes in whys.items() if codes.any()},
        reasons=tuple(reasons),
        outcomes=outcomes,
        verdicts=_verdicts(scores.runs),
        level=scores.level,
        limits=stated_limits(scores),
    )


def _totals(scores: Scores, columns: Mapping[str, Floats]) -> dict[str, tuple[Total, ...]]:
    """Return the value of each run in each column; only metrics have intervals."""
    overall: dict[str, list[Total]] = {}
    for result in scores.overall():
        overall.setdefault(result.metric, []).append(Total(result.value, result.low, result.high, result.n))
    for name in (SECONDS, COST):
        for values in columns.get(name, ()):
            there = values[~np.isnan(values)]
            mean = float(there.mean()) if len(there) else math.nan
            overall.setdefault(name, []).append(Total(mean, math.nan, math.nan, len(there)))
    return {name: tuple(totals) for name, totals in overall.items() if name in columns}


def _codes(run: RunScores, metric: str, reasons: Codes) -> NDArray[np.int32]:
    """Return the code of the reason why a question has no value; shape (n,)."""
    codes = np.zeros(len(run), dtype=np.int32)
    for place, reason in run.why(metric).items():
        codes[place] = reasons[reason]
    return codes


def _answers(run: RunScores) -> Iterator[tuple[int, Answer]]:
    """Yield the index of the question of each answer, and the answer."""
    if run.scorable is not None and run.item is not None:
        yield from zip(run.item.tolist(), run.scorable.column("answers"), strict=True)


def _states(run: RunScores) -> NDArray[np.int8]:
    """Return the state of the answers to each question; shape (n,)."""
    states = np.full(len(run), NO_ANSWER, dtype=np.int8)
    if run.scorable is not None and run.item is not None:
        for state, has_state in ((FAILED, attrgetter("failed")), (ANSWERED, attrgetter("replied"))):
            rows = np.array([has_state(answer) for _, answer in _answers(run)], dtype=bool)
            states[run.item[rows]] = state
    return states


def _seconds_and_cost(run: RunScores) -> tuple[Floats, Floats]:
    """Return the mean seconds and the cost of the answers to each question, each of shape (n,); NaN: not known."""
    sums = np.zeros((2, len(run)))
    counts = np.zeros((2, len(run)), dtype=np.int64)
    for question, answer in _answers(run):
        if answer.seconds is not None and answer.replied:
            sums[0, question] += answer.seconds
            counts[0, question] += 1
        if answer.cost is not None:
            sums[1, question] += answer.cost
            counts[1, question] += 1
    seconds, cost = np.where(counts > 0, sums / np.stack([np.maximum(counts[0], 1), np.ones(len(run))]), np.nan)
    return seconds, cost


def _outcomes(run: RunScores) -> dict[str, NDArray[np.int64]]:
    """Return outcome → indices of the questions that have an answer with it."""
    if run.scorable is None or run.item is None:
        return {}
    names = Categorical.of(answer_outcomes(run.scorable))
    return {name: run.item[names.codes == code] for code, name in enumerate(names.words) if name}


def _verdicts(runs: Sequence[RunScores]) -> dict[str, Chosen]:
    """Return kind of verdict → whether any answer to a question has one, shape (n,)."""
    index = {str(name): number for number, name in enumerate(runs[0].ids)}
    has_kind = {kind: np.zeros(len(index), dtype=bool) for kind in (PEOPLE, JUDGE, DIFFER, UNDECIDED)}
    repeated = []
    for run in runs:
        if run.scorable is None:
            continue
        verdicts: AnswerVerdicts = run.scorable.column("verdicts")
        table = verdicts.table.take(~verdicts.table.about.isin(["item"]))
        questions = np.array([index[name] for name in table.item.words], dtype=np.int64)
        lacking = np.isin(table.status, [STATUSES.index("missing"), STATUSES.index("unscored")])
        for kind, rows in (
            (PEOPLE, table.by.where(is_human)),
            (JUDGE, table.by.where(lambda name: source_of(name) not in ("human", "qrels"))),
            (UNDECIDED, lacking),
        ):
            has_kind[kind][questions[table.item.codes[rows]]] = True
        repeated.append(_repeated_verdicts(table))
    for values_by_unit in values_by_aspect(repeated).values():
        for (_, item, _, _), values in values_by_unit.items():
            if max(values.values(), default=0.0) - min(values.values(), default=0.0) > TIE:
                has_kind[DIFFER][index[item]] = True
    return has_kind | {NONE: ~(has_kind[PEOPLE] | has_kind[JUDGE])}


def _repeated_verdicts(table: VerdictTable) -> VerdictTable:
    """Return the verdicts whose answer part and aspect have more than one verdict."""
    _, of_row, counts = np.unique(
        table.key("item", "trial", "about", "aspect"), return_inverse=True, return_counts=True
    )
    return table.take(counts[of_row] > 1)
