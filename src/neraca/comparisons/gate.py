"""A gate for releases: each rule for a run is shown to hold, shown to be broken, or undecided."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from neraca.comparisons.compare import check_seed
from neraca.comparisons.corrected import one_sided
from neraca.comparisons.gate_decision import FAIL, INCOMPLETE, PASS, UNDECIDED, Decision, Gate, worst_outcome
from neraca.comparisons.gate_evidence import Evidence, Facts, collect_evidence
from neraca.comparisons.gate_rule import Rule, rules_of
from neraca.comparisons.pair import method_of_interval
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.registry import parameters_of
from neraca.runs.run import Run
from neraca.scores.judge_corrections import corrected_difference, corrected_value
from neraca.scores.right_empties import count_right_empties, settled_by
from neraca.scores.score import score
from neraca.scores.scores import Scores
from neraca.scores.scoring import by_unit
from neraca.scores.unit import SESSION
from neraca.stats.tests.noninferiority import OneSidedHypothesis
from neraca.stats.tests.one_sided import (
    OF_MEANS,
    one_sided_bounds,
    one_sided_items,
    one_sided_p,
    one_sided_test,
    testable,
)
from neraca.stats.tests.paired import Paired
from neraca.stats.tests.paired_tests import TESTS
from neraca.stats.tests.proportion_noninferiority import is_proportion
from neraca.translation import say


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

    Each rule is tested at its own level, alpha = 1 - level, so a rule that holds never hides one that is broken.  If
    one run rightly returned nothing and the other returned junk, the metric has no pair; a rule about the difference
    must then hold with `empty=correct`, too.  The chance that "all rules hold" is wrong is at most alpha
    (intersection-union test).  If all m rules hold, the chance that one is called broken is up to 1 - (1 - alpha)^m.

    Parameters
    ----------
    run, baseline
        Runs or their folders; or, instead of both, the scores of one or two runs, with the baseline second.
    rules
        See `neraca.comparisons.gate_rule.Rule`.
    test, seed
        `t`, `randomisation` or `bootstrap`: the paired test of the mean, by session.  Metrics declared `binary` are
        tested by `neraca.stats.tests.proportion_noninferiority`, because none of the three keeps its level there.
    relevance, by, combine, level, language, unit, correct, sample
        See `neraca.score`; for runs that are not scored yet.  With `correct`, values corrected by people's labels
        decide.  Questions of one session are separate observations only with `unit="question"`.

    Raises
    ------
    SpecError
        If a rule cannot be read, is always true, demands a worse value, or needs a baseline and there is none.
    InputError
        If the runs answer different questions.

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
    sources = {"relevance": relevance, "by": by, "combine": combine, "language": language}
    scoring = {**sources, "level": level, "unit": unit, "correct": correct, "sample": sample}
    scores = _checked_scores(run, baseline, parsed_rules, scoring)
    names = [scored.name for scored in scores.runs]
    metric_by_name = {str(metric): metric for metric in scores.metrics}  # on the scales of these runs
    parsed_rules = [replace(rule, metric=metric_by_name[str(rule.metric)]) for rule in parsed_rules]
    for rule in parsed_rules:
        rule.check_possible()
    counting = {rule.metric: _counting(scores, rule.metric) for rule in parsed_rules if rule.relative}
    evidence = [collect_evidence(rule, scores.runs, counting.get(rule.metric)) for rule in parsed_rules]
    decided = _decide(evidence, test, seed, scores.level)
    decisions = decided if scores.labels is None else _corrected(scores, decided)
    decisions = _with_right_empties(decisions, counting, test, seed)
    lacking = {scored.name: scored.lacking for scored in scores.runs if scored.lacking}
    return Gate(names[0], names[1] if len(names) > 1 else "", decisions, lacking, scores.level, scores.unit, scores)


def check_gate(test: str = "t", seed: int = 0, level: float = 0.95) -> None:
    """Raise `SpecError` if a gate cannot use this test, seed or level."""
    check_seed(seed)
    if test not in TESTS:
        raise SpecError(
            say("no test is called {test!r}; of means there are {names}", test=test, names=", ".join(OF_MEANS))
        )
    if test not in OF_MEANS:
        raise SpecError(
            say("a gate is about means, and the test {test} is not; use {names}", test=test, names=", ".join(OF_MEANS))
        )
    if not 0.5 < level < 1:
        raise SpecError(say("the level of a gate is a share above 0.5, such as 0.95, not {level:g}", level=level))


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
        raise SpecError(say("scores hold the baseline, and how they were made; give them alone"))
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
            raise SpecError(
                say("rule {rule!r}: not scored; these are: {names}", rule=str(rule), names=", ".join(map(str, metrics)))
            )
        if rule.relative and runs < 2:
            raise SpecError(
                say("rule {rule!r} is about the difference from a baseline; name one (--against)", rule=str(rule))
            )


def _counting(scores: Scores, metric: Metric) -> Scores | None:
    """Return the scores of both runs with right empty answers counted; None if that adds no question."""
    counting = count_right_empties(scores, metric)
    return counting if counting and settled_by(counting, scores.runs, metric).any() else None


def _with_right_empties(
    decisions: Sequence[Decision], counting: Mapping[Metric, Scores | None], test: str, seed: int
) -> tuple[Decision, ...]:
    """Decide each rule about a difference again with right empty answers counted; the worse outcome counts."""
    results = []
    for d in decisions:
        scores = counting.get(d.rule.metric) if d.rule.relative else None
        if scores is not None:
            rule = replace(d.rule, metric=scores.metrics[0])
            (again,) = _decide([collect_evidence(rule, scores.runs)], test, seed, scores.level)
            outcome = worst_outcome([d.outcome, again.outcome])
            d = replace(d, outcome=outcome, outcome_in_both=d.outcome, with_empties=again)
        results.append(d)
    return tuple(results)


#: The method of an interval of shares, from their exact distribution.
EXACT = "exact"


def _decide(evidence: Sequence[Evidence], test: str, seed: int, level: float) -> tuple[Decision, ...]:
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
    """Decide the rules again by values that people's labels correct; a rule with too few labels is undecided."""
    alpha, decided = 1 - scores.level, []
    for d in decisions:
        metric = d.rule.metric
        relative = d.rule.relative
        correction = corrected_difference(scores, metric, 0, 1) if relative else corrected_value(scores, metric, 0)
        decided.append((d, correction, one_sided(correction, d.rule, scores.level)))
    corrected = []
    for d, correction, (p, opposite, low, high) in decided:
        holds = p <= alpha and (not d.lost or d.p_worst <= alpha)
        outcome = INCOMPLETE if not d.n else PASS if holds else FAIL if opposite <= alpha else UNDECIDED
        if d.rule.observed:
            outcome = _outcome_of_observed(d.rule, correction.value, math.nan if d.lost else correction.value)
            p = opposite = math.nan
        if d.rule.relative:  # the values by the judge alone do not belong to the corrected difference
            d = replace(d, value=math.nan, baseline=math.nan, difference=correction.value)
        else:
            d = replace(d, value=correction.value)
        lead, method = d.rule.sign * (correction.value - d.rule.bound), correction.method
        d = replace(d, lead=lead, same=False, copy=False, needed=None, test=method)
        d = replace(d, interval_method="" if math.isnan(low) else method)
        corrected.append(replace(d, outcome=outcome, low=low, high=high, p=p, p_fail=opposite, correction=correction))
    return tuple(corrected)


def _outcome_of_observed(rule: Rule, amount: float, worst: float) -> str:
    """Decide a rule by the number alone; `worst` is the number if lost questions have the worst possible value."""
    if math.isnan(amount):
        return INCOMPLETE
    if not rule.allows(amount):
        return FAIL
    return PASS if rule.allows(worst) else UNDECIDED


def _observed(
    facts: Facts, hypothesis: OneSidedHypothesis, worst: OneSidedHypothesis, result: Paired, level: float
) -> Decision:
    """Decide a rule by the observed number; the decision still has an interval."""
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
    facts: Facts, hypothesis: OneSidedHypothesis, result: Paired, each_p: list[float], alpha: float
) -> Decision:
    p, p_fail, p_worst = each_p
    outcome, needed, test = UNDECIDED, None, one_sided_test(hypothesis, result)
    if math.isnan(facts["lead"]):
        outcome = INCOMPLETE
    elif p <= alpha and p_worst <= alpha:
        outcome = PASS
    elif _equal_enough(facts, hypothesis):
        outcome, test, p, p_fail, p_worst = PASS, "none", math.nan, math.nan, math.nan
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
        test=test,
    )


def _equal_enough(facts: Facts, hypothesis: OneSidedHypothesis) -> bool:
    """Return whether no question differs, the rule allows that, and there are enough observations or equal answers."""
    equal = facts["same"] and not facts["lost"] and facts["rule"].allows(0.0)
    return equal and (facts["copy"] or testable(hypothesis))


class _Interval(TypedDict):
    """The fields of a `Decision` that hold its interval."""

    low: float
    high: float
    interval_method: str


def _interval(rule: Rule, hypothesis: OneSidedHypothesis, result: Paired, level: float) -> _Interval:
    """Return the one-sided bounds on both sides, within the possible range; NaN if the data show no variance."""
    least, most = (bound * rule.sign for bound in rule.range[:: rule.sign])
    bounds = one_sided_bounds(hypothesis, result, level, (least, most))
    method = EXACT if is_proportion(hypothesis) and testable(hypothesis) else method_of_interval(result, *bounds)
    low, high = (bound * rule.sign for bound in bounds[:: rule.sign])
    return _Interval(low=low, high=high, interval_method=method)
