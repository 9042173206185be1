"""Totals of two arms in words."""

from __future__ import annotations

import math

from neraca.number_format import p_equals, percent, signed, span
from neraca.online.ab_counts import CountRatio, Counts
from neraca.reports.counts_and_lists import listed
from neraca.reports.formats.escape import line


def sentences(counts: Counts) -> list[str]:
    """Say what the totals show, whether they agree, and why they are no test."""
    a, b = (line(arm, 40) for arm in counts.arms)
    said = [f"{b} has {listed([_times(r, a) for r in counts.ratios])}."]
    known = not math.isnan(sum(counts.users)) and all(counts.users)
    favoured = {r.favours for r in counts.ratios if r.favours}
    if len(counts.ratios) > 1 and len(favoured) == 1:
        what = "Both favour" if len(counts.ratios) == 2 else "All favour"
        said.append(
            f"{what} {line(favoured.pop(), 40)}" + (" per user." if known else ", if both arms had as many users.")
        )
    elif len(favoured) > 1:
        said.append("They do not point one way: more clicks may also mean that people did not find at the first.")
    said += [_share(r, a, b) for r in counts.ratios if r.effect]
    if not all(r.effect for r in counts.ratios):
        lacking = "users and queries per arm" if not known else "what each user did"
        said.append(
            f"No test is possible without {lacking}: these are totals, and one arm may have had more users, or a few "
            "users may have made most of the clicks. Bring the log: neraca ab EVENTS."
        )
    return said


def _times(r: CountRatio, a: str) -> str:
    values = f"({r.b:,.0f} to {r.a:,.0f})"
    if math.isnan(r.times) or r.times == 1:
        return f"as many {r.name} as {a} {values}"
    if math.isinf(r.times):
        return f"{r.b:,.0f} {r.name} where {a} has none"
    if r.times > 1:
        return f"{_factor(r.times)} times the {r.name} of {a} {values}"
    fewer = f"{_factor(1 / r.times)} times fewer {r.name}" if r.times else f"no {r.name}"
    return f"{fewer} {values}"


def _factor(times: float) -> str:
    return f"{times:,.1f}".removesuffix(".0")


def _share(r: CountRatio, a: str, b: str) -> str:
    e = r.effect
    if e is None:
        return ""
    return (
        f"{r.name}: {percent(e.b)} of {b}'s users and {percent(e.a)} of {a}'s; the difference is "
        f"{signed(e.difference)} ({span(e.low, e.high)}, {p_equals(e.p)})."
    )
