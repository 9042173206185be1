"""Describe three or more runs, each compared only with one baseline."""

from __future__ import annotations

from neraca.comparisons.difference import Difference
from neraca.reports.sentences.many import lists, planning
from neraca.reports.sentences.parts import Facts, Finding, after, clauses, opposed, size
from neraca.translation import say


def against_baseline(facts: Facts) -> Finding:
    """Say which runs are better or worse than the baseline, which are neither, and which were not tested."""
    baseline, differences = facts.baseline, facts.differences
    better = [_with_size(d) for d in differences if d.better == d.a]
    worse = [_with_size(d) for d in differences if d.better == baseline]
    opposed_runs = [d.a for d in differences if opposed(facts.level, d)]
    identical_runs = [d.a for d in differences if d.identical]
    explained = {*opposed_runs, *identical_runs}
    parts = [
        *clauses("{runs} {are} better", better),
        *clauses("{runs} {are} worse", worse),
        *clauses(
            "{runs} {are} not told apart from it",
            [d.a for d in differences if d.tested and not d.better and d.a not in explained],
        ),
        *clauses("{runs} {do} not differ from it on any question", identical_runs),
        *clauses("of {runs} the test and the mean do not point the same way", opposed_runs),
        *clauses("{runs} could not be tested", [d.a for d in differences if not d.tested]),
    ]
    headline = say(
        "Against {baseline} in {metric}{lower}{corrected}: {parts}.",
        baseline=baseline,
        metric=facts.metric,
        lower=facts.lower,
        corrected=after(differences),
        parts="; ".join(parts),
    )
    return Finding(headline, (*lists(facts), *planning(facts, baseline)))


def _with_size(d: Difference) -> str:
    return say("{a} (by {difference})", a=d.a, difference=size(d.difference))
