"""Collect the evidence for a rule of a gate: the questions that count, their total, and the hypothesis to test."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.compare import paired_differences
from neraca.comparisons.gate_rule import Rule
from neraca.scores.right_empties import settled_by
from neraca.scores.same_answers import same_answers
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import enough
from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.interval import Floats, pseudo_values
from neraca.stats.tests.noninferiority import OneSidedHypothesis
from neraca.stats.tests.paired import Sample

#: The reason why a question with counts is left out: they do not bear on the total (`bears_on`).
NOT_COUNTED = "the metric does not count such an answer"


class Facts(TypedDict):
    """Facts about a rule before its test: fields of its `Decision`."""

    rule: Rule
    value: float
    baseline: float
    difference: float
    n: int
    sessions: int
    unscored: int
    lost: int
    why_unscored: str
    lead: float
    same: bool
    copy: bool
    value_alone: float
    baseline_alone: float
    settled: int


class Evidence(NamedTuple):
    """The evidence for a rule.

    Attributes
    ----------
    facts
        The facts that need no test.
    hypothesis
        That the rule holds, with more as better.
    with_lost
        The same with lost questions as the worst possible.
    """

    facts: Facts
    hypothesis: OneSidedHypothesis
    with_lost: OneSidedHypothesis


@dataclass(frozen=True)
class _Questions:
    """The questions of a rule, as booleans of shape (questions,).

    Attributes
    ----------
    rows, rows_baseline
        The counts of the metric, shape (questions, counts); NaN where a question is not scored.
    counts
        Questions that count.
    lost
        Questions that only the baseline has a value for.
    settled
        Questions scored in one run alone, because the other one rightly returned nothing.
    """

    rows: Floats
    rows_baseline: Floats
    counts: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    settled: NDArray[np.bool_]

    @classmethod
    def of(cls, rule: Rule, run: RunScores, against: RunScores | None, counting: Scores | None) -> _Questions:
        """Choose the questions; those that `counting` scores in both runs are not lost."""
        name = str(rule.metric)
        rows = run.rows(name)
        rows_baseline = np.full_like(rows, np.nan) if against is None else against.rows(name)
        scored, scored_baseline = (np.logical_not(np.isnan(part).any(axis=1)) for part in (rows, rows_baseline))
        counts, lost = scored & scored_baseline if rule.relative else scored, scored_baseline & ~scored
        if name in run.draws:  # what was not drawn is not lost
            lost &= run.draws[name].drawn
        settled = np.zeros_like(scored)
        if counting is not None and against is not None and rule.relative:
            settled = settled_by(counting, (run, against), rule.metric)
            lost &= ~settled
        bears = bears_on(rows[counts], rule.metric.total)
        if rule.relative:
            bears |= bears_on(rows_baseline[counts], rule.metric.total)
        counts[counts] = bears
        return cls(rows, rows_baseline, counts, lost, settled)


def collect_evidence(rule: Rule, runs: Sequence[RunScores], counting: Scores | None = None) -> Evidence:
    """Collect the evidence for a rule; questions that `counting` scores in both runs do not count as lost."""
    run, against = runs[0], runs[1] if len(runs) > 1 else None
    questions = _Questions.of(rule, run, against, counting)
    rows, counts, lost = questions.rows[questions.counts], questions.counts, questions.lost
    value, baseline = _total(rule, rows), math.nan
    values, worst = _values(rule, rows), np.full(lost.sum(), _worst(rule))
    if rule.relative:
        of_baseline = questions.rows_baseline
        scored_baseline = np.logical_not(np.isnan(of_baseline).any(axis=1))
        baseline = _total(rule, of_baseline[counts])
        values = paired_differences(rule.metric, rows, of_baseline[counts])
        worst -= pseudo_values(of_baseline[scored_baseline], rule.metric.total)[lost[scored_baseline]]
    hypothesis = _hypothesis(rule, Sample(rule.sign * values, run.clusters_in(counts)))
    all_clusters = enough(np.concatenate([run.clusters[counts], run.clusters[lost]]))
    with_lost = Sample(np.concatenate([hypothesis.sample.differences, rule.sign * worst]), all_clusters)
    same = rule.relative and len(values) > 0 and not values.any()
    all_scored = not np.isnan(questions.rows).any()
    facts = Facts(
        rule=rule,
        value=value,
        baseline=baseline,
        difference=value - baseline if rule.relative else math.nan,
        n=len(values),
        sessions=len(np.unique(run.clusters[counts])),
        unscored=int((~counts).sum()),
        lost=int(lost.sum()),
        why_unscored=_why(run if against is None or not all_scored else against, rule, ~counts),
        lead=hypothesis.lead,
        same=same,
        copy=same and against is not None and same_answers(run, against, rule.metric),
        value_alone=run.total(rule.metric),
        baseline_alone=math.nan if against is None or not rule.relative else against.total(rule.metric),
        settled=int(questions.settled.sum()),
    )
    return Evidence(facts, hypothesis, replace(hypothesis, sample=with_lost))


def _hypothesis(rule: Rule, sample: Sample) -> OneSidedHypothesis:
    low, high = (bound * rule.sign for bound in rule.range[:: rule.sign])
    return OneSidedHypothesis(sample, rule.sign * rule.bound, low, high, rule.metric.binary is not False)


def _worst(rule: Rule) -> float:
    """Return the worst possible value of a question; NaN if the range has no end there."""
    least = rule.metric.definition.low if rule.sign > 0 else rule.metric.definition.high
    return least if math.isfinite(least) else math.nan


def _values(rule: Rule, rows: Floats) -> Floats:
    """Return the contribution of each question to the total, shape (n,); their mean is that total."""
    values = pseudo_values(rows, rule.metric.total) if len(rows) else np.zeros(0)
    return values + (_total(rule, rows) - values.mean()) if len(values) else values


def _total(rule: Rule, rows: Floats) -> float:
    return float(rule.metric.total(rows.sum(axis=0))) if len(rows) else math.nan


def _why(run: RunScores, rule: Rule, unscored: NDArray[np.bool_]) -> str:
    """Return the commonest reason why questions are left out."""
    if not unscored.any():
        return ""
    reasons = Counter(why for place, why in run.why(rule.metric).items() if unscored[place])
    return next((why for why, _ in reasons.most_common(1)), NOT_COUNTED)
