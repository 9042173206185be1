"""Losses of the run that a headline puts first: the metrics in which it is worse than another run.

A headline rests on one metric.  A loss in another one stands beside it if its own test shows it, whether or not it is
still shown after the correction for all metrics: a correction may not hide a loss.  Nor may a test that cannot be made:
where a run is worse by the same amount throughout, the loss stands there with how to test it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neraca.comparisons.difference import Difference
from neraca.metrics.metric import Metric
from neraca.reports.counts_and_lists import listed
from neraca.reports.sentences.parts import Facts, diagnostic, leaders, p_words, size
from neraca.reports.sentences.untested import kind_of_test
from neraca.reports.translation import say
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE


def losses(facts: Facts, differences: Sequence[Difference]) -> list[tuple[str, Difference]]:
    """Return the losing run of each loss, among the runs ahead in the primary metric or all against a baseline.

    No loss is left out, however many there are, so that a further metric never removes one.
    """
    ahead = _ahead(facts)
    lost = [(loser, d) for d in differences if (loser := _loser(d, facts.level)) in ahead]
    return [(loser, d) for loser, d in lost if not (d.metric == facts.metric and d.better)]


def _ahead(facts: Facts) -> set[str]:
    """Return the runs that the headline praises; all if none is ahead or they are called equal."""
    if facts.baseline:
        return {d.a for d in facts.differences}
    if facts.differences and all(d.identical or d.equivalent for d in facts.differences):
        return {score.run for score in facts.scores}
    known = any(score.value == score.value for score in facts.scores)
    return set(leaders(facts) if known and not diagnostic(facts.metric) else (score.run for score in facts.scores))


def _loser(d: Difference, level: float) -> str:
    """Return the run that is worse by the test of this metric alone, or by the same amount everywhere; or ""."""
    shown = d.p < 1 - level if d.tested else _throughout(d)
    if not shown or not d.difference or diagnostic(d.metric):
        return ""
    if (d.low + d.high) * d.difference < 0:  # a test of ranks or signs and the mean point to different runs
        return ""
    return d.a if (d.difference < 0) == Metric.of(d.metric).higher_is_better else d.b


def _throughout(d: Difference) -> bool:
    """Return whether a test is impossible because one run is worse by the same amount on every question."""
    return d.untested == "no spread" and d.n >= FEWEST_IN_RANGE


def with_losses(headline: str, facts: Facts, differences: Sequence[Difference]) -> str:
    """Return the headline of the tests, followed by each loss with its p, alone and corrected."""

    def sure(d: Difference, several: bool) -> str:
        p = p_words(facts, d)
        return say(" (the largest: {p})", p=p) if several else f" ({p})"

    return _followed(headline, facts, differences, sure)


def with_losses_in_words(sentence: str, facts: Facts, differences: Sequence[Difference]) -> str:
    """Return the decision, followed by each loss and whether it remains after the correction."""
    return _followed(sentence, facts, differences, _in_words)


def _in_words(d: Difference, several: bool) -> str:
    if d.p == d.p_adjusted:
        return ""
    if d.better:
        return say(" (also with all comparisons taken together)")
    return say(" (by this comparison alone, not with all taken together)")


def _followed(
    headline: str, facts: Facts, differences: Sequence[Difference], sure: Callable[[Difference, bool], str]
) -> str:
    """Add one clause for each run and metric; `sure` describes the least certain loss of a clause."""
    by_run_and_metric: dict[tuple[str, str, bool], list[Difference]] = {}
    for run, d in losses(facts, differences):
        by_run_and_metric.setdefault((run, d.metric, d.tested), []).append(d)
    told = []
    for (run, metric, tested), lost in by_run_and_metric.items():
        least, several = max(lost, key=lambda d: (d.p_adjusted, d.p)), len(lost) > 1
        others, largest = listed([d.other(run) for d in lost], 2), max(abs(d.difference) for d in lost)
        clause = {
            "run": run,
            "other": others,
            "metric": metric,
            "difference": size(largest),
            "sure": sure(least, several) if tested else _untested(lost),
        }
        told.append(
            say("{run} is worse than {other} in {metric} by up to {difference}{sure}", **clause)
            if several
            else say("{run} is worse than {other} in {metric} by {difference}{sure}", **clause)
        )
    return say("{headline} But {losses}.", headline=headline, losses=listed(told, len(told))) if told else headline


def _untested(lost: Sequence[Difference]) -> str:
    """Say on how many questions a run is worse by the same amount, why this cannot be tested, and what to do."""
    first, numbers = lost[0], {d.n for d in lost}
    if len(numbers) == 1 and all(d.n in (d.wins, d.losses) for d in lost):
        return say(
            " on all {n:,} questions (which a {test} cannot test: use --test randomisation)",
            n=first.n,
            test=kind_of_test(first),
        )
    return say(" throughout (which a {test} cannot test: use --test randomisation)", test=kind_of_test(first))
