"""Totals of two arms in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from neraca.number_format import integer, number, p_equals, percent, signed, span
from neraca.online.ab_counts import CountRatio, Counts, Doubt
from neraca.online.experiment import MISMATCH
from neraca.reports.counts_and_lists import listed
from neraca.reports.formats.escape import line


def sentences(counts: Counts) -> list[str]:
    """Say whether the totals can be trusted, what they show, and why counts of events are no test."""
    a, b = (line(arm, 40) for arm in counts.arms)
    trusted = counts.split is None or counts.split.p >= MISMATCH
    texts = [_split(counts, trusted), *_doubts(counts.doubts)]
    texts.append(f"{b} has {listed([_times(r, a) for r in counts.ratios])}.")
    if trusted:
        texts.append(_agreement(counts))
    texts += [_share(r, a, b) for r in counts.ratios if r.effect]
    return [*filter(None, [*texts, _untested(counts)])]


def _split(counts: Counts, trusted: bool) -> str:
    if counts.split is None:
        return ""
    divided = " to ".join(integer(n) for n in counts.split.users)
    names = listed([line(arm, 40) for arm in counts.arms])
    p = f"(sample-ratio check, {p_equals(counts.split.p)})"
    if trusted:
        return f"Users divide {divided} ({names}), as planned {p}."
    return (
        f"Do not trust these totals yet: users divide {divided} ({names}), which chance would not do under the planned "
        f"split {p}. Find out what keeps users of one arm out of the log before you read any difference."
    )


def _doubts(doubts: Sequence[Doubt]) -> Iterator[str]:
    """Yield what is not believable about the totals, and what may be wrong."""
    for doubt in doubts:
        if doubt.kind == "many_clicks":
            yield (
                f"Doubtful: {line(doubt.arm, 40)} has {number(doubt.value, 1)} clicks per search, more than people "
                "make. Bots, repeated events, or clicks on other parts of the page may be counted."
            )
    far = [doubt for doubt in doubts if doubt.kind == "far_apart"]
    if far:
        factors = listed([f"{_factor(doubt.value)} in {doubt.name}" for doubt in far])
        yield (
            f"Doubtful: the arms differ by a factor of {factors}. Rankings rarely differ so much; check whether both "
            "arms log the same events, for the same time and share of users."
        )


def _agreement(counts: Counts) -> str:
    """Say whether the counts point one way."""
    favoured = {r.favours for r in counts.ratios if r.favours}
    directed = [r for r in counts.ratios if r.favours]
    if len(favoured) > 1:
        return "They do not point one way: more clicks may also mean that people did not find at the first."
    if len(directed) < 2:
        return ""
    which = "Both favour" if len(directed) == 2 else "All favour"
    condition = "" if all(r.per for r in directed) else ", if both arms had as many users"
    return f"{which} {line(favoured.pop(), 40)}{condition}."


def _untested(counts: Counts) -> str:
    """Say of which counts no test is possible, and what makes one possible."""
    untested = [r.name for r in counts.ratios if not r.effect]
    if not untested:
        return ""
    if counts.split is None:
        return (
            "No test is possible without users and queries per arm: these are totals, and one arm may have had more "
            "users, or a few users may have made most of the clicks. Add users= and queries=, or bring the log: "
            "neraca ab EVENTS."
        )
    return (
        f"No test of {listed(untested)} is possible without what each user did: a few users may have made most. "
        "Counts of users can be tested, such as clicked_users= (users with a click); or bring the log: neraca ab "
        "EVENTS."
    )


def _times(r: CountRatio, a: str) -> str:
    name = f"{r.name} per {r.per}" if r.per else r.name
    values = f"({_value(r, r.rates[1])} to {_value(r, r.rates[0])})"
    if math.isnan(r.times) or r.times == 1:
        return f"as many {name} as {a} {values}"
    if math.isinf(r.times):
        return f"{_value(r, r.rates[1])} {name} where {a} has none"
    if r.times > 1:
        return f"{_factor(r.times)} times the {name} of {a} {values}"
    fewer = f"{_factor(1 / r.times)} times fewer {name}" if r.times else f"no {name}"
    return f"{fewer} {values}"


def _value(r: CountRatio, value: float) -> str:
    return number(value) if r.per else f"{value:,.0f}"


def _factor(times: float) -> str:
    return f"{times:,.2f}".rstrip("0").rstrip(".") if times < 1.95 else f"{times:,.1f}".removesuffix(".0")


def _share(r: CountRatio, a: str, b: str) -> str:
    e = r.effect
    if e is None:
        return ""
    difference = f"{r.name}: {percent(e.b)} of {b}'s users and {percent(e.a)} of {a}'s"
    if e.why:
        return f"{difference}; no test: all users of both arms are alike."
    return f"{difference}; the difference is {signed(e.difference)} ({span(e.low, e.high)}, {p_equals(e.p)})."
