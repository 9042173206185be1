"""The sentences on three runs and more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from neraca.comparisons.difference import indistinct
from neraca.reports import sentences_margin
from neraca.reports.number_format import about, count, listed, number
from neraca.reports.sentences_parts import Facts, Finding, after, leaders, opposed, other, p_words, shared, size


def many(facts: Facts) -> Finding:
    """Say who is better than whom among three runs or more."""
    names = [score.run for score in facts.scores]
    told = [d for d in facts.differences if d.better]
    beats = {name: {d.b if d.better == d.a else d.a for d in told if d.better == name} for name in names}
    winner = next((name for name in names if len(beats[name]) == len(names) - 1), "")
    details = _lists(facts)
    corrected = after(facts.differences)
    if winner:
        others = listed([f"{other(d, winner)} (by {size(d.difference)})" for d in told if d.better == winner])
        headline = (
            f"{winner} is better in {facts.metric}{facts.lower} than each of the other runs{corrected}: {others}."
        )
        return Finding(headline, details)
    if all(d.wins == d.losses == 0 and d.difference == d.low == d.high == 0 for d in facts.differences):
        same = f"The {len(names)} runs do not differ in {facts.metric} on any question {shared(facts.differences)}."
        return Finding(same, tuple(_claimed(facts)))
    if not told and all(math.isnan(d.p_adjusted) for d in facts.differences):
        return Finding(f"Which of the {len(names)} runs is better in {facts.metric} could not be tested.", details)
    first = leaders(facts)
    best = "highest" if facts.higher_is_better else "lowest"
    lead = f"{listed(first)} {'has' if len(first) == 1 else 'share'} the {best} {facts.metric}"
    lead += f" ({number(facts.score(first[0]).value)}){facts.lower}"
    if not told:
        apart = f"The data do not tell the {len(names)} runs apart in {facts.metric}{corrected}"
        if all(d.equivalent for d in facts.differences) and not _missing(facts):
            apart = f"{apart}, and show that any two are equivalent {sentences_margin.within(facts.differences[0])}"
        return Finding(f"{apart}: {lead}, which may be chance.", (*details, *_planning(facts, first[0])))
    return Finding(f"{lead}{_standing(facts, first, beats)}.", (*details, *_planning(facts, first[0])))


def _standing(facts: Facts, first: Sequence[str], beats: Mapping[str, set[str]]) -> str:
    """What the tests say of the run with the best value, where it does not beat every other."""
    if len(first) > 1:
        return ", and the tests tell only some of the runs apart"
    leader = first[0]
    over = [score.run for score in facts.scores if score.run in beats[leader]]
    under = [name for name in beats if leader in beats[name]]
    if under:
        better = f"{listed(under)} {'is' if len(under) == 1 else 'are'} better"
        return f", but on the questions {shared(facts.differences)} {better}"
    unsure = [score.run for score in facts.scores if score.run != leader and score.run not in over]
    better = f" and is better than {listed(over)}" if over else ""
    return f"{better}, but the data do not show that it is better than {listed(unsure)}"


def _lists(facts: Facts) -> tuple[str, ...]:
    """Which pairs are told apart, which are not, which could not be tested; then groups and what a margin adds."""
    sure, unsure = "Told apart", "Not told apart"
    split, untested = "The test and the mean do not point to the same run", "No test could be made"
    pairs: dict[str, list[str]] = {sure: [], unsure: [], split: [], untested: []}
    for d in facts.differences:
        pair = f"{d.a} and {d.b}"
        if math.isnan(d.p_adjusted):
            pairs[untested].append(pair)
        elif d.better:
            worse = other(d, d.better)
            pairs[sure].append(f"{d.better} better than {worse} (by {size(d.difference)}; {p_words(facts, d)})")
        elif opposed(facts.level, d):
            pairs[split].append(f"{pair} ({p_words(facts, d)})")
        elif math.isnan(d.p_equivalent):
            pairs[unsure].append(f"{pair} ({p_words(facts, d)})")
    said = [*_listed(pairs), *_groups(facts), *_claimed(facts)]
    return (*said, f"Not compared: {count(_missing(facts), 'pair')}.") if _missing(facts) else tuple(said)


def _listed(pairs: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{title}: {'; '.join(found[:6])}{_more(found)}." for title, found in pairs.items() if found]


def _missing(facts: Facts) -> int:
    """How many pairs were not compared."""
    return len(facts.scores) * (len(facts.scores) - 1) // 2 - len(facts.differences)


def _groups(facts: Facts) -> list[str]:
    """Groups in which no two are told apart, where pairs do not say it as well."""
    found = indistinct(facts.differences, facts.metric)
    if len(found) < 2 or max(map(len, found)) < 3:
        return []
    named = [braced(group) for group in found if len(group) > 1]
    return [f"Groups in which no two are told apart: {', '.join(named[:6])}{_more(named, 'group')}."]


def braced(group: Sequence[str]) -> str:
    """A group of runs.

    >>> braced(["a", "b"])
    '{a, b}'
    """
    return f"{{{', '.join(group)}}}"


def _claimed(facts: Facts) -> list[str]:
    """What the margin adds, pair by pair."""
    found = [d for d in facts.differences if not math.isnan(d.margin)]
    if not found:
        return []
    within, margin = sentences_margin.within(found[0]), sentences_margin.amount(found[0].margin)
    same, neither = f"Equivalent {within}", f"Neither told apart nor shown to be equivalent {within}"
    better = f"Not worse by {margin} or more"
    chance = "Bayesian signed-rank test, chance that questions mostly favour the first by more than "
    chance += f"{margin} / neither / the second"
    pairs: dict[str, list[str]] = {same: [], better: [], neither: [], chance: []}
    for d in found:
        pair = f"{d.a} and {d.b}"
        both = f"{p_words(facts, d)}; TOST {sentences_margin.claim_p(facts, d, d.p_equivalent)}"
        if d.equivalent:
            pairs[same].append(f"{pair} ({both})")
        elif not (d.better or opposed(facts.level, d) or math.isnan(d.p_equivalent) or math.isnan(d.p_adjusted)):
            pairs[neither].append(f"{pair} ({both})")
        if d.not_worse and d.not_worse != d.better:
            p = d.p_a_not_worse if d.not_worse == d.a else d.p_b_not_worse
            than = f"{d.not_worse} than {other(d, d.not_worse)}"
            pairs[better].append(f"{than} (one-sided {sentences_margin.claim_p(facts, d, p)})")
        if not math.isnan(d.chance_equivalent):
            told = (d.chance_a, d.chance_equivalent, d.chance_b)
            pairs[chance].append(f"{pair} {' / '.join(map(sentences_margin.drawn, told))}")
    few = [pair.replace("Fewer", "In some pairs fewer") for pair in sentences_margin.doubt(found)]
    return [*_listed(pairs), *few]


def _more(found: Sequence[str], what: str = "pair") -> str:
    return f"; and {count(len(found) - 6, f'more {what}')} (see the table)" if len(found) > 6 else ""


def _planning(facts: Facts, leader: str) -> tuple[str, ...]:
    """How many questions it would take to tell the leader from the runs that it is not told from."""
    pairs = [
        f"{about(d.needed)} for {leader} and {other(d, leader)}"
        for d in facts.differences
        if leader in (d.a, d.b) and not d.better and not math.isnan(d.p) and d.needed is not None and d.needed > d.n
    ]
    if not pairs:
        return ()
    rest = f"about this many questions would be needed in a single t-test: {listed(pairs)}"
    return (f"To see differences of the sizes found, {rest}.",)
