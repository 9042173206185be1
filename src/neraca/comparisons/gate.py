"""May this run take the place of that one?  Each rule is shown to hold, shown to be broken, or cannot be told yet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from neraca.comparisons.compare import Scoring, paired_differences
from neraca.comparisons.gate_rule import Rule, rules_of
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.score import score
from neraca.scores.scores import RunScores, Scores
from neraca.stats.correction import holm
from neraca.stats.interval import Floats, pseudo_values
from neraca.stats.noninferiority import MeanAbove
from neraca.stats.one_sided import OF_MEANS, items_to_decide, name_of_test, one_sided_bounds, one_sided_p
from neraca.stats.paired import Paired, Sample, cluster_sums
from neraca.stats.paired_tests import TESTS

PASS, FAIL, UNDECIDED, INCOMPLETE = "pass", "fail", "undecided", "incomplete"
_ROW = ("outcome", "value", "baseline", "difference", "low", "high", "p", "p_fail", "n", "sessions", "unscored", "lost")
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the questions say of one rule.

    Attributes
    ----------
    outcome
        `pass`: shown to hold, or no question differs and the rule allows that.  `fail`: shown to be broken.
        `undecided`: neither.  `incomplete`: nothing is scored, or the metric is not defined over what is.
    value, baseline, difference
        Over the `n` questions that count; NaN where there is none.
    low, high
        Interval of the test at level 1 - 2 alpha, of the difference or of the threshold's value: the rule is shown
        where the bound lies outside, on the right side.
    p, p_fail
        One-sided: of the rule, and of its opposite, after Holm's correction over all rules.
    p_worst
        As p, if the questions that only the baseline has a value for (`lost`) counted as the worst possible; a
        rule that passes is shown by both.
    sessions
        Independent groups of these questions.
    test
        How it was made, such as `t`; `shares` where all values are 0 or 1.
    unscored, why_unscored
        Questions that do not count, and the commonest reason.
    lead
        By how much the value or difference is on the rule's side of the bound.
    same
        Whether no question differs.
    needed
        Questions with which an undecided rule, or its opposite, would be shown 4 times of 5, were the truth what was
        seen; None where that cannot be said.
    """

    rule: Rule
    outcome: str
    value: float
    baseline: float
    difference: float
    low: float
    high: float
    p: float
    p_fail: float
    p_worst: float
    n: int
    sessions: int
    unscored: int
    lost: int
    why_unscored: str
    lead: float
    same: bool
    needed: int | None
    test: str

    def row(self) -> dict[str, Any]:
        """As one flat row for machines."""
        rule = {"rule": str(self.rule), "metric": str(self.rule.metric), "kind": self.rule.kind}
        found = {name: getattr(self, name) for name in (*_ROW, "needed", "test")}
        return rule | found | {"bound": self.rule.bound}


@dataclass(frozen=True, slots=True)
class Gate:
    """What all rules say together.

    Attributes
    ----------
    run, baseline
        Their names; "" where there is no baseline.
    decisions
        One for each rule, in the order given.
    lacking
        Run → questions without an answer: not asked yet, or every one of them failed.
    level
        1 - alpha of each rule.
    """

    run: str
    baseline: str
    decisions: tuple[Decision, ...]
    lacking: Mapping[str, int]
    level: float

    @property
    def outcome(self) -> str:
        """`fail` where any rule is broken, else `incomplete`, `undecided`, or `pass` where every rule is shown."""
        found = {decision.outcome for decision in self.decisions}
        if self.lacking:
            found.add(INCOMPLETE)
        return next(outcome for outcome in (FAIL, INCOMPLETE, UNDECIDED, PASS) if outcome in found)


def gate(
    run: Run | str | Path | Scores,
    baseline: Run | str | Path | None = None,
    rules: str | Rule | Iterable[str | Rule] = (),
    *,
    test: str = "t",
    seed: int = 0,
    **scoring: Unpack[Scoring],
) -> Gate:
    """Decide whether a run keeps rules such as `nDCG@10 >= -0.02` (no more than 0.02 worse than the baseline).

    Every rule has to be shown by a one-sided test at alpha = 1 - level: that all are is then wrong with a chance of
    at most alpha, without a correction (intersection-union test).  That a rule is broken is corrected over all rules
    (Holm), so that more rules do not raise more false alarms.

    Parameters
    ----------
    run, baseline
        Runs or their folders; or instead of both, scores of one or two runs, the baseline second.
    rules
        See `neraca.comparisons.gate_rule.Rule`.
    test, seed
        `t`, `randomisation` or `bootstrap`: the paired test of the mean, by session.  Of values that are 0 or 1, for
        which none of them keeps its level where few questions differ, it is `neraca.stats.proportion_noninferiority`.
    scoring
        `relevance`, `by`, `level` and `language` of `neraca.score`.

    Raises
    ------
    SpecError
        For a rule that cannot be read, is always true, demands the worse, or needs a baseline that is not there.
    InputError
        Where the runs answer different questions.

    References
    ----------
    Berger, R. L. (1982). Technometrics 24, 295-300 (intersection-union tests); Holm, S. (1979). Scand. J. Statist. 6.

    Examples
    --------
    >>> from neraca.scores.trec import trec
    >>> found = {f"q{n}": {"d": 1.0} for n in range(9)}
    >>> scores = trec({query: {"d": 1} for query in found}, {"new": found, "old": found}, "RR")
    >>> gate(scores, rules=["RR >= baseline", "RR > 0.5"]).outcome  # the same; and 0.5^9 < 0.05
    'pass'
    """
    asked = rules_of(rules)
    given = run.level if isinstance(run, Scores) else scoring.get("level", 0.95)
    check_gate(test, seed, given)
    scores = _scores(run, baseline, asked, scoring)
    runs = scores.runs
    _check_rules(asked, scores.metrics, len(runs))
    seen = [_seen(rule, *runs[:2]) for rule in asked]
    decisions = _decide(seen, test, seed, scores.level)
    lacking = {one.name: one.lacking for one in runs if one.lacking}
    return Gate(runs[0].name, runs[1].name if len(runs) > 1 else "", decisions, lacking, scores.level)


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


def _scores(
    run: Run | str | Path | Scores,
    baseline: Run | str | Path | None,
    rules: Sequence[Rule],
    scoring: Scoring,
) -> Scores:
    if not isinstance(run, Scores):
        runs = [run] if baseline is None else [run, baseline]
        return score(runs, list({str(rule.metric): rule.metric for rule in rules}.values()), **scoring)
    if baseline is not None or scoring:
        raise SpecError("scores hold the baseline, and how they were made; give them alone")
    if len(run.runs) > 2:
        raise InputError(f"a gate is about one run and its baseline; there are {len(run.runs)}")
    return run


def _check_rules(rules: Sequence[Rule], metrics: Sequence[Metric], runs: int) -> None:
    for rule in rules:
        if rule.metric not in metrics:
            raise SpecError(f"rule {str(rule)!r}: not scored; these are: {', '.join(map(str, metrics))}")
        if rule.relative and runs < 2:
            raise SpecError(f"rule {str(rule)!r} is about the difference from a baseline; name one (--against)")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a rule is about, question by question, the way round that more is better: as claims."""

    rule: Rule
    claim: MeanAbove
    worst: MeanAbove
    value: float
    baseline: float
    lost: int
    unscored: int
    why: str

    @property
    def same(self) -> bool:
        d = self.claim.sample.differences
        return self.rule.relative and len(d) > 0 and not d.any()


def _seen(rule: Rule, run: RunScores, against: RunScores | None = None) -> _Seen:
    metric, name, sign = rule.metric, str(rule.metric), rule.sign
    own = run.rows(name)
    rows = np.full_like(own, np.nan) if against is None else against.rows(name)
    scored, there = (np.logical_not(np.isnan(part).any(axis=1)) for part in (own, rows))
    counts, lost = scored & there if rule.relative else scored, there & ~scored
    each, baseline, worst = _points(rule, own[counts]), math.nan, np.full(lost.sum(), _worst(rule))
    if rule.relative and against is not None:
        each, baseline = paired_differences(metric, own[counts], rows[counts]), _total(rule, rows[counts])
        worst -= pseudo_values(rows[there], metric.total)[lost[there]]
    low, high = (bound * sign for bound in rule.range[::sign])
    claim = MeanAbove(Sample(sign * each, run.clusters[counts]), sign * rule.bound, low, high)
    clusters = np.concatenate([run.clusters[counts], run.clusters[lost]])
    with_lost = replace(claim, sample=Sample(sign * np.concatenate([each, worst]), clusters))
    why = _why(run if against is None or not scored.all() else against, rule, ~counts)
    value, unscored = _total(rule, own[counts]), int((~counts).sum())
    return _Seen(rule, claim, with_lost, value, baseline, int(lost.sum()), unscored, why)


def _worst(rule: Rule) -> float:
    """The worst value that a question can have; NaN where there is no end to it."""
    least = rule.metric.definition.low if rule.sign > 0 else rule.metric.definition.high
    return least if math.isfinite(least) else math.nan


def _points(rule: Rule, rows: Floats) -> Floats:
    """What each question says on the total, shape (n,); their mean is that total."""
    each = pseudo_values(rows, rule.metric.total) if len(rows) else np.zeros(0)
    return each + (_total(rule, rows) - each.mean()) if len(each) else each


def _total(rule: Rule, rows: Floats) -> float:
    return float(rule.metric.total(rows.sum(axis=0))) if len(rows) else math.nan


def _why(run: RunScores, rule: Rule, left_out: Flags) -> str:
    """The commonest reason why questions are left out."""
    if not left_out.any():
        return ""
    found = Counter(why for place, why in run.why(rule.metric).items() if left_out[place])
    return next((why for why, _ in found.most_common(1)), "")


def _decide(seen: Sequence[_Seen], test: str, seed: int, level: float) -> tuple[Decision, ...]:
    how = test, seed, level
    p, worst = (one_sided_p([getattr(one, kind) for one in seen], *how) for kind in ("claim", "worst"))
    broken = holm(np.array(one_sided_p([one.claim.opposite for one in seen], *how)))
    found = TESTS[test]([one.claim.sample for one in seen], 2 * level - 1, seed)
    return tuple(
        _decision(one, told, ps, (1 - level, len(seen)))
        for one, told, *ps in zip(seen, found, p, worst, broken.tolist(), strict=True)
    )


def _decision(one: _Seen, told: Paired, ps: Sequence[float], at: tuple[float, int]) -> Decision:
    (p, worst, broken), (alpha, rules) = ps, at
    sample, lead = one.claim.sample, one.claim.lead
    n = len(sample.differences)
    alike = one.same and not one.lost and one.rule.allows(0.0)
    outcome, items = UNDECIDED, None
    if math.isnan(lead):
        outcome = INCOMPLETE
    elif alike or (p <= alpha and worst <= alpha):
        outcome = PASS
    elif broken <= alpha:
        outcome = FAIL
    elif p > alpha:
        items = items_to_decide(one.claim, alpha) or items_to_decide(one.claim.opposite, alpha / rules)
        items = items if items and items > n else None  # else the formula is none for this test and these data
    return Decision(
        one.rule,
        outcome,
        one.value,
        one.baseline,
        one.value - one.baseline if one.rule.relative else math.nan,
        *_bounds(one, told, 1 - alpha),
        p,
        broken,
        worst,
        n,
        len(cluster_sums(sample.differences, sample.clusters)[0]),
        one.unscored,
        one.lost,
        one.why,
        lead,
        one.same,
        items,
        name_of_test(one.claim, told),
    )


def _bounds(one: _Seen, told: Paired, level: float) -> tuple[float, float]:
    """One-sided bounds at either side, within the range of what they are of; NaN where nothing shows chance."""
    low, high = (bound * one.rule.sign for bound in one_sided_bounds(one.claim, told, level)[:: one.rule.sign])
    floor, top = one.rule.range
    return (math.nan, math.nan) if math.isnan(low) else (max(low, floor), min(high, top))
