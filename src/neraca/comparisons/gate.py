"""May this run replace that one?  Each rule is shown to hold, shown to be broken, or undecided yet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.compare import paired_differences
from neraca.comparisons.corrected import one_sided
from neraca.comparisons.gate_decision import FAIL, INCOMPLETE, PASS, UNDECIDED, Decision, Gate, worst_outcome
from neraca.comparisons.gate_rule import Rule, rules_of
from neraca.comparisons.pair import method_of_interval
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.registry import parameters_of
from neraca.runs.run import Run
from neraca.scores.judge_corrections import corrected_difference, corrected_value
from neraca.scores.right_empties import count_right_empties, settled_by
from neraca.scores.same_answers import same_answers
from neraca.scores.score import score
from neraca.scores.scores import RunScores, Scores
from neraca.scores.scoring import by_unit
from neraca.scores.unit import SESSION, enough
from neraca.stats.intervals.bearing import bears_on
from neraca.stats.intervals.interval import Floats, pseudo_values
from neraca.stats.tests.noninferiority import OneSidedHypothesis
from neraca.stats.tests.one_sided import (
    OF_MEANS,
    one_sided_bounds,
    one_sided_items,
    one_sided_p,
    one_sided_test,
    testable,
)
from neraca.stats.tests.paired import Paired, Sample
from neraca.stats.tests.paired_tests import TESTS
from neraca.stats.tests.proportion_noninferiority import is_proportion


def gate(
    run: Run | str | Path | Scores,
    baseline: Run | str | Path | None = None,
    rules: str | Rule | Iterable[str | Rule] = (),
    *,
    test: str = "t",
    seed: int = 0,
    relevance: str = "auto",
    by: str = "",
    combine: str = "",
    level: float = 0.95,
    language: str = "",
    unit: str = "auto",
    correct: str = "",
    sample: str | Path | None = None,
) -> Gate:
    """Decide whether a run keeps rules such as `nDCG@10 >= -0.02` (no more than 0.02 worse than the baseline).

    Each rule is tested at its own level, alpha = 1 - level, so that a rule which holds never shields one that is
    broken.  Where one run rightly returned nothing and the other returned junk, the metric has no pair: a rule about
    the difference must then hold with `empty=correct`, too.  "All rules hold" is wrong with a chance of at most alpha
    (intersection-union test).  That one of m rules is called broken although all hold has a chance of up to
    1 - (1 - alpha)^m.

    Parameters
    ----------
    run, baseline
        Runs or their folders; or in place of both the scores of one or two runs, the baseline second.
    rules
        See `neraca.comparisons.gate_rule.Rule`.
    test, seed
        `t`, `randomisation` or `bootstrap`: the paired test of the mean, by session.  Metrics declared
        `binary` are tested by `neraca.stats.tests.proportion_noninferiority`, as none of the three keeps its level.
    relevance, by, combine, level, language, unit, correct, sample
        As in `neraca.score`, for runs that are not scored yet.  With `correct` the rules are decided by the values
        that people's labels give.  Questions of one session count one by one only with `unit="question"`.

    Raises
    ------
    SpecError
        For a rule that cannot be read, is always true, demands the worse, or needs a baseline that is not there.
    InputError
        The runs answer different questions.

    References
    ----------
    Berger, R. L. (1982). Technometrics 24, 295-300 (intersection-union tests).

    Examples
    --------
    >>> from neraca.scores.trec import trec
    >>> ranked = {f"q{n}": {"d": 1.0} for n in range(9)}
    >>> scores = trec({query: {"d": 1} for query in ranked}, {"new": ranked, "old": ranked}, "RR")
    >>> gate(scores, rules=["RR >= baseline", "RR > 0.5"]).outcome  # the same; and 0.5^9 < 0.05
    'pass'
    """
    parsed_rules = rules_of(rules)
    check_gate(test, seed, run.level if isinstance(run, Scores) else level)
    words = {"relevance": relevance, "by": by, "combine": combine, "language": language}
    scoring = {**words, "level": level, "unit": unit, "correct": correct, "sample": sample}
    scores = _checked_scores(run, baseline, parsed_rules, scoring)
    first, *others = scores.runs
    counting = {rule.metric: _counting(scores, rule.metric) for rule in parsed_rules if rule.relative}
    evidence = [_evidence(rule, scores.runs, counting.get(rule.metric)) for rule in parsed_rules]
    decided = _decide(evidence, test, seed, scores.level)
    decisions = decided if scores.labels is None else _corrected(scores, decided)
    decisions = _with_right_empties(decisions, counting, test, seed)
    lacking = {scored.name: scored.lacking for scored in scores.runs if scored.lacking}
    return Gate(first.name, others[0].name if others else "", decisions, lacking, scores.level, scores.unit)


def check_gate(test: str = "t", seed: int = 0, level: float = 0.95) -> None:
    """Raise `SpecError` where a gate could not be decided so."""
    if seed < 0:
        raise SpecError(f"a seed is a whole number from 0, not {seed}")
    if test not in TESTS:
        raise SpecError(f"no test is called {test!r}; of means there are {', '.join(OF_MEANS)}")
    if test not in OF_MEANS:
        raise SpecError(f"a gate is about means, and the test {test} is not; use {', '.join(OF_MEANS)}")
    if not 0.5 < level < 1:
        raise SpecError(f"the level of a gate is a share above 0.5, such as 0.95, not {level:g}")


def _checked_scores(
    run: Run | str | Path | Scores,
    baseline: Run | str | Path | None,
    rules: Sequence[Rule],
    scoring: Mapping[str, Any],
) -> Scores:
    """Return the scores by session, with the metrics of all rules; raise `SpecError` for a rule that does not fit."""
    if not isinstance(run, Scores):
        runs = [run] if baseline is None else [run, baseline]
        scores = score(runs, list({str(rule.metric): rule.metric for rule in rules}.values()), **scoring)
    elif baseline is not None or any(value != parameters_of(score)[name].default for name, value in scoring.items()):
        raise SpecError("scores hold the baseline, and how they were made; give them alone")
    elif len(run.runs) > 2:
        raise InputError(f"a gate is about one run and its baseline; there are {len(run.runs)}")
    else:
        scores = run
    if scores.unit.assumed:
        scores = by_unit(scores, SESSION)
    _check_rules(rules, scores.metrics, len(scores.runs))
    return scores


def _check_rules(rules: Sequence[Rule], metrics: Sequence[Metric], runs: int) -> None:
    for rule in rules:
        if rule.metric not in metrics:
            raise SpecError(f"rule {str(rule)!r}: not scored; these are: {', '.join(map(str, metrics))}")
        if rule.relative and runs < 2:
            raise SpecError(f"rule {str(rule)!r} is about the difference from a baseline; name one (--against)")


def _counting(scores: Scores, metric: Metric) -> Scores | None:
    """Both runs by the metric in which right empty answers count; None if no question is scored in one run for that."""
    counting = count_right_empties(scores, metric)
    return counting if counting and settled_by(counting, scores.runs, metric).any() else None


def _with_right_empties(
    decisions: Sequence[Decision], counting: Mapping[Metric, Scores | None], test: str, seed: int
) -> tuple[Decision, ...]:
    """Hold each rule about a difference a second time, with right empty answers and junk; the worse outcome stands."""
    held = []
    for d in decisions:
        scores = counting.get(d.rule.metric) if d.rule.relative else None
        if scores is not None:
            rule = replace(d.rule, metric=scores.metrics[0])
            (again,) = _decide([_evidence(rule, scores.runs)], test, seed, scores.level)
            outcome = worst_outcome([d.outcome, again.outcome])
            d = replace(d, outcome=outcome, outcome_in_both=d.outcome, with_empties=again)
        held.append(d)
    return tuple(held)


#: The interval of shares, whose sums are counted out.
EXACT = "exact"
#: Why a question with counts is left out: they add nothing to those that the metric divides (`bears_on`).
NOT_COUNTED = "the metric does not count such an answer"


class _Facts(TypedDict):
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


#: The facts, that the rule holds (turned so that more is better), and the same with the lost questions as the worst.
_Evidence = tuple[_Facts, OneSidedHypothesis, OneSidedHypothesis]


def _evidence(rule: Rule, runs: Sequence[RunScores], counting: Scores | None = None) -> _Evidence:
    """Collect the evidence for a rule; questions that `counting` scores in both runs do not count as lost."""
    metric, name, sign = rule.metric, str(rule.metric), rule.sign
    run, against = runs[0], runs[1] if len(runs) > 1 else None
    rows = run.rows(name)
    rows_baseline = np.full_like(rows, np.nan) if against is None else against.rows(name)
    scored, scored_baseline = (np.logical_not(np.isnan(part).any(axis=1)) for part in (rows, rows_baseline))
    counts, lost = scored & scored_baseline if rule.relative else scored, scored_baseline & ~scored
    settled = np.zeros_like(scored)
    if counting is not None and against is not None and rule.relative:
        settled = settled_by(counting, (run, against), metric)
        lost &= ~settled
    bears = bears_on(rows[counts], metric.total)
    if rule.relative:
        bears |= bears_on(rows_baseline[counts], metric.total)
    counts[counts] = bears
    value, baseline = _total(rule, rows[counts]), math.nan
    values, worst = _values(rule, rows[counts]), np.full(lost.sum(), _worst(rule))
    if rule.relative:
        baseline = _total(rule, rows_baseline[counts])
        values = paired_differences(metric, rows[counts], rows_baseline[counts])
        worst -= pseudo_values(rows_baseline[scored_baseline], metric.total)[lost[scored_baseline]]
    low, high = (bound * sign for bound in rule.range[::sign])
    sample = Sample(sign * values, run.clusters_in(counts))
    hypothesis = OneSidedHypothesis(sample, sign * rule.bound, low, high, metric.binary is not False)
    all_clusters = enough(np.concatenate([run.clusters[counts], run.clusters[lost]]))
    with_lost = Sample(np.concatenate([sample.differences, sign * worst]), all_clusters)
    same = rule.relative and len(values) > 0 and not values.any()
    facts = _Facts(
        rule=rule,
        value=value,
        baseline=baseline,
        difference=value - baseline if rule.relative else math.nan,
        n=len(values),
        sessions=len(np.unique(run.clusters[counts])),
        unscored=int((~counts).sum()),
        lost=int(lost.sum()),
        why_unscored=_why(run if against is None or not scored.all() else against, rule, ~counts),
        lead=hypothesis.lead,
        same=same,
        copy=same and against is not None and same_answers(run, against, metric),
        value_alone=run.total(metric),
        baseline_alone=math.nan if against is None or not rule.relative else against.total(metric),
        settled=int(settled.sum()),
    )
    return facts, hypothesis, replace(hypothesis, sample=with_lost)


def _worst(rule: Rule) -> float:
    """The worst value that a question can have; NaN where there is no end to it."""
    least = rule.metric.definition.low if rule.sign > 0 else rule.metric.definition.high
    return least if math.isfinite(least) else math.nan


def _values(rule: Rule, rows: Floats) -> Floats:
    """Return the contribution of each question to the total, shape (n,); their mean is that total."""
    values = pseudo_values(rows, rule.metric.total) if len(rows) else np.zeros(0)
    return values + (_total(rule, rows) - values.mean()) if len(values) else values


def _total(rule: Rule, rows: Floats) -> float:
    return float(rule.metric.total(rows.sum(axis=0))) if len(rows) else math.nan


def _why(run: RunScores, rule: Rule, unscored: NDArray[np.bool_]) -> str:
    """The commonest reason why questions are left out."""
    if not unscored.any():
        return ""
    reasons = Counter(why for place, why in run.why(rule.metric).items() if unscored[place])
    return next((why for why, _ in reasons.most_common(1)), NOT_COUNTED)


def _decide(evidence: Sequence[_Evidence], test: str, seed: int, level: float) -> tuple[Decision, ...]:
    options = test, seed, level
    p = one_sided_p([hypothesis for _, hypothesis, _ in evidence], *options)
    p_fail = one_sided_p([hypothesis.opposite for _, hypothesis, _ in evidence], *options)
    p_worst = one_sided_p([worst for _, _, worst in evidence], *options)
    results = TESTS[test]([hypothesis.sample for _, hypothesis, _ in evidence], 2 * level - 1, seed)
    return tuple(
        _observed(facts, hypothesis, worst, result, level)
        if facts["rule"].observed
        else _decision(facts, hypothesis, result, each_p, 1 - level)
        for (facts, hypothesis, worst), result, *each_p in zip(evidence, results, p, p_fail, p_worst, strict=True)
    )


def _corrected(scores: Scores, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """The same rules decided by what people's labels make of the judge's values; a rule without enough is undecided."""
    alpha, decided = 1 - scores.level, []
    for d in decisions:
        metric = d.rule.metric
        one = corrected_difference(scores, metric, 0, 1) if d.rule.relative else corrected_value(scores, metric, 0)
        decided.append((d, one, one_sided(one, d.rule, scores.level)))
    corrected = []
    for d, one, (p, opposite, low, high) in decided:
        holds = p <= alpha and (not d.lost or d.p_worst <= alpha)
        outcome = INCOMPLETE if not d.n else PASS if holds else FAIL if opposite <= alpha else UNDECIDED
        if d.rule.observed:
            outcome = _outcome_of_observed(d.rule, one.value, math.nan if d.lost else one.value)
            p = opposite = math.nan
        nothing = replace(d, value=math.nan, baseline=math.nan)  # the judge's, of which no difference is the corrected
        d = replace(nothing, difference=one.value) if d.rule.relative else replace(d, value=one.value)
        d = replace(
            d, lead=d.rule.sign * (one.value - d.rule.bound), same=False, copy=False, needed=None, test=one.method
        )
        d = replace(d, interval_method="" if math.isnan(low) else one.method)
        corrected.append(replace(d, outcome=outcome, low=low, high=high, p=p, p_fail=opposite, correction=one))
    return tuple(corrected)


def _outcome_of_observed(rule: Rule, amount: float, worst: float) -> str:
    """Decide a rule by the number alone; `worst` is the same with the lost questions as the worst possible."""
    if math.isnan(amount):
        return INCOMPLETE
    if not rule.allows(amount):
        return FAIL
    return PASS if rule.allows(worst) else UNDECIDED


def _observed(
    facts: _Facts, hypothesis: OneSidedHypothesis, worst: OneSidedHypothesis, result: Paired, level: float
) -> Decision:
    """Decide a rule on what was observed; the interval stands beside it all the same."""
    rule = facts["rule"]
    amount, amount_worst = (rule.bound + rule.sign * lead for lead in (facts["lead"], worst.lead))
    return Decision(
        **facts,
        **_interval(rule, hypothesis, result, level),
        outcome=_outcome_of_observed(rule, amount, amount_worst),
        p=math.nan,
        p_fail=math.nan,
        p_worst=math.nan,
        needed=None,
        test="none",
    )


def _decision(
    facts: _Facts, hypothesis: OneSidedHypothesis, result: Paired, each_p: list[float], alpha: float
) -> Decision:
    p, p_fail, p_worst = each_p
    outcome, needed, made = UNDECIDED, None, one_sided_test(hypothesis, result)
    if math.isnan(facts["lead"]):
        outcome = INCOMPLETE
    elif p <= alpha and p_worst <= alpha:
        outcome = PASS
    elif _equal_enough(facts, hypothesis):
        outcome, made, p, p_fail, p_worst = PASS, "none", math.nan, math.nan, math.nan
    elif p_fail <= alpha:
        outcome = FAIL
    elif p > alpha:
        needed = one_sided_items(hypothesis, alpha) or one_sided_items(hypothesis.opposite, alpha)
    return Decision(
        **facts,
        **_interval(facts["rule"], hypothesis, result, 1 - alpha),
        outcome=outcome,
        p=p,
        p_fail=p_fail,
        p_worst=p_worst,
        needed=needed if needed and needed > facts["n"] else None,  # the formula may not fit this test and these data
        test=made,
    )


def _equal_enough(facts: _Facts, hypothesis: OneSidedHypothesis) -> bool:
    """Whether no question differs, the rule allows that, and it rests on enough observations or on a copy."""
    equal = facts["same"] and not facts["lost"] and facts["rule"].allows(0.0)
    return equal and (facts["copy"] or testable(hypothesis))


class _Interval(TypedDict):
    """Fields of a `Decision` that say where the value or difference lies."""

    low: float
    high: float
    interval_method: str


def _interval(rule: Rule, hypothesis: OneSidedHypothesis, result: Paired, level: float) -> _Interval:
    """One-sided bounds on either side, within the range of what is bounded; NaN where nothing shows chance."""
    least, most = (bound * rule.sign for bound in rule.range[:: rule.sign])
    bounds = one_sided_bounds(hypothesis, result, level, (least, most))
    method = EXACT if is_proportion(hypothesis) and testable(hypothesis) else method_of_interval(result, *bounds)
    low, high = (bound * rule.sign for bound in bounds[:: rule.sign])
    return _Interval(low=low, high=high, interval_method=method)
