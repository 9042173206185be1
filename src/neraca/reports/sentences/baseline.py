"""Describe three or more runs, each compared only with one baseline."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import form
from neraca.reports.sentences.many import lists, planning
from neraca.reports.sentences.parts import CROWD, Facts, Finding, after, clauses, of_others, opposed, size
from neraca.translation import say


def against_baseline(facts: Facts) -> Finding:
    """Say which runs are better or worse than the baseline, which are neither, and which were not tested."""
    baseline, differences = facts.baseline, facts.differences
    better = [d for d in differences if d.better == d.a]
    worse = [d for d in differences if d.better == baseline]
    opposed_runs = [d.a for d in differences if opposed(facts.level, d)]
    identical_runs = [d.a for d in differences if d.identical]
    explained = {*opposed_runs, *identical_runs}
    parts = [
        *_with_sizes("{runs} {are} better", better, facts),
        *_with_sizes("{runs} {are} worse", worse, facts),
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


def _with_sizes(template: str, differences: Sequence[Difference], facts: Facts) -> list[str]:
    """Return a clause about the runs of these differences and their sizes; of many runs their number and the range."""
    if len(differences) < 3 or len(facts.scores) < CROWD:
        return clauses(
            template, [say("{a} (by {difference})", a=d.a, difference=size(d.difference)) for d in differences]
        )
    sizes = sorted(abs(d.difference) for d in differences)
    runs = of_others(facts, [d.a for d in differences])
    clause = say(template, runs=runs, are=form(len(differences), "is", "are"))
    return [say("{clause} (by {least} to {most})", clause=clause, least=size(sizes[0]), most=size(sizes[-1]))]
