"""The report of an A/B test of which only the totals are known."""

from __future__ import annotations

import math
from collections.abc import Iterator

from neraca.counts_and_lists import listed
from neraca.number_format import DASH, exact, integer, number, p_equals, percent, percent_level, signed, span
from neraca.online.ab_counts import CountRatio, Counts
from neraca.online.experiment import MISMATCH
from neraca.reports.blocks.block import Block, Document, Heading, Sentences, opening
from neraca.reports.formats.visible_text import line
from neraca.reports.online.ab_sentences import divided
from neraca.result import Table
from neraca.translation import say, written_in


def counts_document(counts: Counts, language: str = "en") -> Document:
    """Make the blocks of the report in a language of `LANGUAGES`."""
    with written_in(language):
        arms = listed([line(arm, 40) for arm in counts.arms])
        return Document(say("Totals of an A/B test: {arms}", arms=arms), tuple(_blocks(counts)), language)


def _blocks(counts: Counts) -> Iterator[Block]:
    split = _split(counts)
    yield from opening(_lead(counts), notes=[*([] if _trusted(counts) else split), *_doubts(counts)])
    yield Heading(say("Totals"), "totals", say("Totals"))
    yield _table(counts)
    yield Sentences((*(split if _trusted(counts) else ()), *_shares(counts), *_untested(counts)))


def _trusted(counts: Counts) -> bool:
    return counts.split is None or counts.split.p >= MISMATCH


def _lead(counts: Counts) -> str:
    """Say what the totals show, or that they cannot be trusted."""
    if not _trusted(counts):
        split = _split(counts)[0]
        return say("Do not trust these totals yet: {reason}", reason=split[0].lower() + split[1:])
    a, b = (line(arm, 40) for arm in counts.arms)
    compared = say("{arm} has {counts}.", arm=b, counts=listed([_times(r, a) for r in counts.ratios]))
    return " ".join([compared, *_agreement(counts)])


def _table(counts: Counts) -> Table:
    """Return the counts of both arms, with rates where they are known."""
    a, b = (line(arm, 20) for arm in counts.arms)
    with_rates = any(r.per for r in counts.ratios)
    columns = [say("what is counted"), a, b]
    if with_rates:
        columns += [say("rate per"), say("rate of {arm}", arm=a), say("rate of {arm}", arm=b)]
    rows = []
    for r in counts.ratios:
        row = [r.name, integer(r.a), integer(r.b)]
        if with_rates:
            row += [say(r.per) if r.per else "", *(number(rate) if r.per else DASH for rate in r.rates)]
        rows.append(row)
    return Table(columns, rows, name="totals")


def _split(counts: Counts) -> list[str]:
    """Say how users divide, and whether that is as planned; nothing if the users are not known."""
    if counts.split is None:
        return []
    facts = {
        "users": divided(counts.split.users),
        "arms": listed([line(arm, 40) for arm in counts.arms]),
        "p": p_equals(counts.split.p),
    }
    if _trusted(counts):
        return [say("Users divide {users} ({arms}), as planned (sample-ratio check, {p}).", **facts)]
    return [
        say(
            "Users divide {users} ({arms}), which chance would not do under the planned split (sample-ratio check, "
            "{p}). Find out what keeps users of one arm out of the log before you read any difference.",
            **facts,
        )
    ]


def _doubts(counts: Counts) -> Iterator[str]:
    """Yield what is not believable about the totals, and what may be wrong."""
    for doubt in counts.doubts:
        if doubt.kind == "many_clicks":
            yield say(
                "Doubtful: {arm} has {clicks} clicks per search, more than people make. Bots, repeated events, or "
                "clicks on other parts of the page may be counted.",
                arm=line(doubt.arm, 40),
                clicks=number(doubt.value, 1),
            )
        if doubt.kind == "few_users":
            yield say(
                "Doubtful: the test of {count} rests on few users ({n} in {arm}); with so few, interval and p claim "
                "too much.",
                count=doubt.name,
                n=integer(doubt.value),
                arm=line(doubt.arm, 40),
            )
    far = [doubt for doubt in counts.doubts if doubt.kind == "far_apart"]
    if far:
        yield say(
            "Doubtful: the arms differ by a factor of {factors}. Rankings rarely differ so much; check whether both "
            "arms log the same events, for the same time and share of users.",
            factors=listed(
                [say("{factor} in {count}", factor=_factor(doubt.value), count=doubt.name) for doubt in far]
            ),
        )


def _agreement(counts: Counts) -> Iterator[str]:
    """Say whether the counts point one way."""
    directed = [r for r in counts.ratios if r.favours]
    favoured = {r.favours for r in directed}
    if len(favoured) > 1:
        yield say("They do not point one way: more clicks may also mean that people did not find at the first.")
    elif len(directed) > 1:
        arm = line(favoured.pop(), 40)
        if all(r.per for r in directed):
            yield say("Both favour {arm}." if len(directed) == 2 else "All favour {arm}.", arm=arm)
        else:
            yield say(
                "Both favour {arm}, if both arms had as many users."
                if len(directed) == 2
                else "All favour {arm}, if both arms had as many users.",
                arm=arm,
            )


def _untested(counts: Counts) -> Iterator[str]:
    """Say of which counts no test is possible, and what makes one possible."""
    untested = [r.name for r in counts.ratios if not r.effect]
    if not untested:
        return
    if counts.split is None:
        yield say(
            "No test is possible without users and queries per arm: these are totals, and one arm may have had more "
            "users, or a few users may have made most of the clicks. Add users= and queries=, or bring the log: "
            "neraca ab EVENTS."
        )
        return
    yield say(
        "No test of {counts} is possible without what each user did: a few users may have made most. Counts of users "
        "can be tested, such as clicked_users= (users with a click); or bring the log: neraca ab EVENTS.",
        counts=listed(untested),
    )


def _times(r: CountRatio, arm: str) -> str:
    """Say how many times the count of an arm the other arm has."""
    name = r.name
    if r.per:
        name = say("{count} per search" if r.per == "search" else "{count} per user", count=r.name)
    first, second = (number(rate) if r.per else integer(rate) for rate in r.rates)
    facts = {"count": name, "arm": arm, "second": second, "first": first}
    if math.isnan(r.times) or r.times == 1:
        return say("as many {count} as {arm} ({second} to {first})", **facts)
    if math.isinf(r.times):
        return say("{second} {count} where {arm} has none", **facts)
    if r.times > 1:
        return say("{factor} times the {count} of {arm} ({second} to {first})", factor=_factor(r.times), **facts)
    if r.times:
        return say("{factor} times fewer {count} ({second} to {first})", factor=_factor(1 / r.times), **facts)
    return say("no {count} ({second} to {first})", **facts)


def _factor(times: float) -> str:
    return exact(round(times, 2 if times < 1.95 else 1))


def _shares(counts: Counts) -> Iterator[str]:
    """Yield the test of each count of users."""
    a, b = (line(arm, 40) for arm in counts.arms)
    for r in counts.ratios:
        e = r.effect
        if e is None:
            continue
        facts = {"count": r.name, "first": percent(e.a), "second": percent(e.b), "arm": b, "control": a}
        if e.why:
            yield say(
                "{count}: {second} of the users of {arm} and {first} of those of {control}; no test: all users of both "
                "arms are alike.",
                **facts,
            )
        else:
            yield say(
                "{count}: {second} of the users of {arm} and {first} of those of {control}; the difference is "
                "{difference} ({level} interval {interval}, {p}).",
                difference=signed(e.difference),
                level=percent_level(counts.level),
                interval=span(e.low, e.high),
                p=p_equals(e.p),
                **facts,
            )
