"""Sentences on three or more runs, each compared with one baseline alone."""

from __future__ import annotations

from neraca.reports.counts_and_lists import form, listed
from neraca.reports.sentences.many import lists, planning
from neraca.reports.sentences.parts import Facts, Finding, after, opposed, size
from neraca.reports.translation import say


def against_baseline(facts: Facts) -> Finding:
    """Say which runs are better or worse than the baseline, which are neither, and which were not tested."""
    baseline, differences = facts.baseline, facts.differences
    better = [
        say("{a} (by {difference})", a=d.a, difference=size(d.difference)) for d in differences if d.better == d.a
    ]
    worse = [
        say("{a} (by {difference})", a=d.a, difference=size(d.difference)) for d in differences if d.better == baseline
    ]
    split = [d.a for d in differences if opposed(facts.level, d)]
    same = [d.a for d in differences if d.identical]
    told = [d for d in differences if d.tested and not d.better and not d.identical and d.a not in split]
    parts = [say("{runs} {are} better", runs=listed(better), are=form(len(better), "is", "are"))] if better else []
    parts += [say("{runs} {are} worse", runs=listed(worse), are=form(len(worse), "is", "are"))] if worse else []
    parts += (
        [say("{runs} {are} not told apart from it", runs=listed([d.a for d in told]), are=form(len(told), "is", "are"))]
        if told
        else []
    )
    parts += (
        [
            say(
                "{runs} {do} not differ from it on any question",
                runs=listed(same),
                do=form(len(same), "does", "do"),
            )
        ]
        if same
        else []
    )
    parts += [say("of {runs} the test and the mean do not point the same way", runs=listed(split))] if split else []
    untested = [d.a for d in differences if not d.tested]
    parts += [say("{runs} could not be tested", runs=listed(untested))] if untested else []
    headline = say(
        "Against {baseline} in {metric}{lower}{corrected}: {parts}.",
        baseline=baseline,
        metric=facts.metric,
        lower=facts.lower,
        corrected=after(differences),
        parts="; ".join(parts),
    )
    return Finding(headline, (*lists(facts), *planning(facts, baseline)))
