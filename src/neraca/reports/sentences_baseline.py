"""The sentences on three runs and more, each of which was compared with one baseline alone."""

from __future__ import annotations

from neraca.comparisons.difference import Difference
from neraca.reports.number_format import listed
from neraca.reports.sentences_many import lists, planning
from neraca.reports.sentences_parts import Facts, Finding, after, opposed, size


def against_baseline(facts: Facts) -> Finding:
    """Say which runs are better or worse than the baseline, of which that cannot be told, and which were not tested."""
    baseline, differences = facts.baseline, facts.differences
    better = [f"{d.a} (by {size(d.difference)})" for d in differences if d.better == d.a]
    worse = [f"{d.a} (by {size(d.difference)})" for d in differences if d.better == baseline]
    split = [d.a for d in differences if opposed(facts.level, d)]
    same = [d.a for d in differences if d.identical]
    told = [d for d in differences if d.tested and not d.better and not d.identical and d.a not in split]
    parts = [f"{listed(better)} {_is(better)} better"] if better else []
    parts += [f"{listed(worse)} {_is(worse)} worse"] if worse else []
    parts += [f"{listed([d.a for d in told])} {_is(told)} not told apart from it"] if told else []
    parts += [f"{listed(same)} {'does' if len(same) == 1 else 'do'} not differ from it on any question"] if same else []
    parts += [f"of {listed(split)} the test and the mean do not point the same way"] if split else []
    untested = [d.a for d in differences if not d.tested]
    parts += [f"{listed(untested)} could not be tested"] if untested else []
    headline = f"Against {baseline} in {facts.metric}{facts.lower}{after(differences)}: {'; '.join(parts)}."
    return Finding(headline, (*lists(facts), *planning(facts, baseline)))


def _is(several: list[str] | list[Difference]) -> str:
    return "is" if len(several) == 1 else "are"
