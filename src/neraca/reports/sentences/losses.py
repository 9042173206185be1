"""Name the losses of the run that a headline puts first: the metrics in which it is worse than another run.

A headline rests on one metric.  A loss in another metric is added if its own test shows it, even if the correction for
all metrics does not: a correction must not hide a loss.  If a run is worse by the same amount on every question, no
test can be made; the loss is added all the same, with a test that can be made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count, listed
from neraca.metrics.metric import Metric
from neraca.reports.sentences.parts import Facts, diagnostic, leaders, p_words, size
from neraca.reports.sentences.untested import kind_of_test
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
from neraca.translation import say

#: With more clauses, metrics are listed with the number of runs that lose in them.
MOST_CLAUSES = 6


def losses(facts: Facts, differences: Sequence[Difference]) -> list[tuple[str, Difference]]:
    """Return each loss with the losing run: a run that leads in the primary metric, or with a baseline any other run.

    No loss is left out, however many there are, so that a further metric never removes one.
    """
    praised_runs = _praised_runs(facts)
    lost = [(loser, d) for d in differences if (loser := _loser(d, facts.level)) in praised_runs]
    return [(loser, d) for loser, d in lost if not (d.metric == facts.metric and d.better)]


def _praised_runs(facts: Facts) -> set[str]:
    """Return the runs that the headline praises: the leading ones, or all if they are called equal.

    With a baseline these are all other runs but those that the headline itself calls worse.
    """
    if facts.baseline:
        return {d.a for d in facts.differences if d.better != facts.baseline}
    if facts.differences and all(d.identical or d.equivalent for d in facts.differences):
        return {score.run for score in facts.scores}
    any_value = any(score.value == score.value for score in facts.scores)
    return set(leaders(facts) if any_value and not diagnostic(facts.metric) else (score.run for score in facts.scores))


def _loser(d: Difference, level: float) -> str:
    """Return the run that is worse by this metric's own test or by the same amount everywhere; or ""."""
    is_shown = d.p < 1 - level if d.tested else _is_loss_throughout(d)
    if not is_shown or not d.difference or diagnostic(d.metric):
        return ""
    if (d.low + d.high) * d.difference < 0:  # a test of ranks or signs points to another run than the mean
        return ""
    return d.a if (d.difference < 0) == Metric.of(d.metric).higher_is_better else d.b


def _is_loss_throughout(d: Difference) -> bool:
    """Return whether a test is impossible because one run is worse by the same amount on every question."""
    return d.untested == "no spread" and d.n >= FEWEST_IN_RANGE


def with_losses(headline: str, facts: Facts, differences: Sequence[Difference]) -> str:
    """Return the headline of the tests, followed by each loss with its p, alone and corrected."""

    def p_of_loss(d: Difference, several: bool) -> str:
        p = p_words(facts, d)
        return say(" (the largest: {p})", p=p) if several else f" ({p})"

    return _with_clauses(headline, facts, differences, p_of_loss)


def with_losses_in_words(sentence: str, facts: Facts, differences: Sequence[Difference]) -> str:
    """Return the decision, followed by each loss and whether it remains after the correction."""
    return _with_clauses(sentence, facts, differences, _without_p)


def _without_p(d: Difference, several: bool) -> str:
    if d.p == d.p_adjusted:
        return ""
    if d.better:
        return say(" (also with all comparisons taken together)")
    return say(" (by this comparison alone, not with all taken together)")


def _with_clauses(
    headline: str, facts: Facts, differences: Sequence[Difference], certainty: Callable[[Difference, bool], str]
) -> str:
    """Add one clause for each run and metric, or of very many one for each metric.

    `certainty` describes the least certain loss of a clause.
    """
    by_run_and_metric: dict[tuple[str, str, bool], list[Difference]] = {}
    for run, d in losses(facts, differences):
        by_run_and_metric.setdefault((run, d.metric, d.tested), []).append(d)
    clauses = []
    for (run, metric, tested), run_losses in by_run_and_metric.items():
        least_certain, several = max(run_losses, key=lambda d: (d.p_adjusted, d.p)), len(run_losses) > 1
        other_runs, largest = listed([d.other(run) for d in run_losses], 2), max(abs(d.difference) for d in run_losses)
        values = {
            "run": run,
            "other": other_runs,
            "metric": metric,
            "difference": size(largest),
            "sure": certainty(least_certain, several) if tested else _untested(run_losses),
        }
        clauses.append(
            say("{run} is worse than {other} in {metric} by up to {difference}{sure}", **values)
            if several
            else say("{run} is worse than {other} in {metric} by {difference}{sure}", **values)
        )
    if len(clauses) > MOST_CLAUSES:
        by_metric = _by_metric(by_run_and_metric)
        template = (
            "{headline} But some runs are worse than others, each by the test of one comparison alone or on every "
            "question: {losses}. The table of differences names them."
        )
        return say(template, headline=headline, losses=listed(by_metric, len(by_metric)))
    return (
        say("{headline} But {losses}.", headline=headline, losses=listed(clauses, len(clauses)))
        if clauses
        else headline
    )


def _by_metric(by_run_and_metric: Mapping[tuple[str, str, bool], Sequence[Difference]]) -> list[str]:
    """Say for each metric how many runs are worse than another one in it, and by how much at most."""
    losers: dict[str, dict[str, None]] = {}
    largest: dict[str, float] = {}
    for (run, metric, _), of_run in by_run_and_metric.items():
        losers.setdefault(metric, {})[run] = None
        largest[metric] = max(largest.get(metric, 0.0), *(abs(d.difference) for d in of_run))
    return [
        say(
            "{runs} in {metric} by up to {difference}",
            runs=count(len(names), "run"),
            metric=metric,
            difference=size(largest[metric]),
        )
        for metric, names in losers.items()
    ]


def _untested(run_losses: Sequence[Difference]) -> str:
    """Say on how many questions a run is worse by the same amount, and which test can be made."""
    first, question_counts = run_losses[0], {d.n for d in run_losses}
    if len(question_counts) == 1 and all(d.n in (d.wins, d.losses) for d in run_losses):
        return say(
            " on all {n:,} questions (which a {test} cannot test: use --test randomisation)",
            n=first.n,
            test=kind_of_test(first),
        )
    return say(" throughout (which a {test} cannot test: use --test randomisation)", test=kind_of_test(first))
