"""Describe a comparison of answers two at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from neraca.comparisons.preferences import LENGTH, POSITION, Preferences
from neraca.counts_and_lists import count, form, listed
from neraca.number_format import DASH, integer, number, percent, percent_level, percent_span, span
from neraca.people.tournament import Tournament
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reasons import source_words
from neraca.reports.sentences.unit import observations, too_few
from neraca.result import Table
from neraca.stats.intervals.interval import Estimate
from neraca.translation import say, say_all
from neraca.verdicts.pairs_not_shown import IDENTICAL, NO_TEXT, Reason, count_pairs

#: With fewer independent questions an interval from the spread between them is too narrow.
ENOUGH = 20


def table(preferences: Preferences) -> tuple[list[str], list[list[str]]]:
    """Return names of columns and rows of text, the most preferred run first."""
    columns = ["run", "preferred", "strength", "interval", "wins", "ties", "losses", *preferences.columns_not_shown]
    columns = [*say_all(*columns)]
    counts = ("wins", "ties", "losses", *preferences.columns_not_shown.values())
    rows = [
        [
            line(standing.run, 60),
            percent(standing.preferred),
            number(standing.strength.value, 2),
            span(standing.strength.low, standing.strength.high, 2) or DASH,
            *(integer(getattr(standing, name)) for name in counts),
        ]
        for standing in preferences.standings
    ]
    return columns, rows


def pair_table(preferences: Preferences) -> Table:
    """Return the decisions between every two runs, and the chance that the answer of the first is preferred."""
    level = percent_level(preferences.strengths.level)
    columns = say_all("run", "against", "wins", "ties", "losses", "chance to be preferred", "interval")
    rows = [
        [
            *(line(name, 60) for name in (pair.run, pair.other)),
            *map(integer, (pair.wins, pair.ties, pair.losses)),
            percent(pair.chance.value),
            _bounds(pair.chance) or DASH,
        ]
        for pair in preferences.pairs
    ]
    title = say(
        "Pair by pair: decisions, and the chance of the first run by the model, with {level} intervals", level=level
    )
    return Table([*columns], rows, title, names=2, name="pairs")


def sentences(preferences: Preferences) -> list[str]:
    """Say what the order shows, what it rests on, and what it does not show."""
    return [
        *_best(preferences),
        *([_basis(preferences)] if preferences.votes.decisions else []),
        *_not_shown(preferences),
        *(_effect(name, preferences.effect(name), preferences.strengths.level) for name in preferences.effects),
        *(_not_told(name, why) for name, why in preferences.not_told.items()),
        *_flips(preferences),
        *_regularised(preferences),
        *_few(preferences),
    ]


def saved(tournaments: Sequence[Tournament]) -> str:
    """Say how far the tournaments, one for each question, have come, and how many comparisons they saved."""
    finished, comparisons = (
        sum(tournament.done for tournament in tournaments),
        sum(tournament.asked for tournament in tournaments),
    )
    pairs, spared = (
        sum(tournament.pairs for tournament in tournaments),
        sum(tournament.saved for tournament in tournaments),
    )
    best = max((tournament.best for tournament in tournaments), default=1)
    known = say(
        "The best answer is known for {n:,} of {questions}"
        if best == 1
        else "The best {best} answers are known for {n:,} of {questions}",
        best=best,
        n=finished,
        questions=count(len(tournaments), "question"),
    )
    text = say(
        "{known}, from {comparisons} of {pairs:,} possible ones",
        known=known,
        comparisons=count(comparisons, "comparison"),
        pairs=pairs,
    )
    return say("{text}; {n:,} need not be made.", text=text, n=spared) if spared else f"{text}."


def _best(preferences: Preferences) -> Iterator[str]:
    """Say how the first run compares with the others, the nearest first."""
    first, *other_runs = (standing.run for standing in preferences.standings)
    level = percent_level(preferences.strengths.level)
    for rival in other_runs[:3]:
        chance = preferences.chance(first, rival)
        bounds = _bounds(chance)
        interval = (
            say("{level} interval {bounds}", level=level, bounds=bounds) if bounds else say("no interval can be given")
        )
        text = say(
            "The answer of {run} is preferred to that of {rival} with a chance of {chance} ({interval})",
            run=line(first, 60),
            rival=line(rival, 60),
            chance=percent(chance.value),
            interval=interval,
        )
        if bounds and chance.low <= 0.5 <= chance.high:
            text = say("{text}: the data do not show that either is better", text=text)
        yield f"{text}."


def _basis(preferences: Preferences) -> str:
    votes = preferences.votes
    decided = listed([f"{line(source_words(name), 60)} ({integer(n)})" for name, n in votes.decided.items()])
    decisions, comparisons = sum(votes.decided.values()), len(votes.decisions)
    text = say(
        "This rests on {decisions} by {judges}, a tie counted as half a win for each",
        decisions=count(decisions, "decision"),
        judges=decided,
    )
    if decisions < comparisons:
        text = say(
            "{text}; wins, ties and losses count {comparisons} of runs, because a decision on two answers counts for "
            "every two runs that gave them, and intervals take all comparisons on a question together",
            text=text,
            comparisons=count(comparisons, "comparison"),
        )
    uncompared = votes.pairs - votes.compared
    if uncompared <= 0:
        return f"{text}."
    return say(
        "{text}; {n:,} of {pairs} of answers were not compared.",
        text=text,
        n=uncompared,
        pairs=count(votes.pairs, "pair"),
    )


def _not_told(name: str, why: str) -> str:
    if name == POSITION:
        return say("The position is not taken into account: {why}.", why=say(why))
    return say("The length is not taken into account: {why}.", why=say(why))


def _not_shown(preferences: Preferences) -> Iterator[str]:
    """Say how many pairs nobody was shown, how they count, and what the others say alone."""
    counts = count_pairs(preferences.votes.reasons)
    if not any(counts.values()):
        return
    yield f"{sentence_on_counts(counts)}."
    text = say(
        "They count in preferred and strength, and not among wins, ties and losses, which people or a judge decided."
    )
    names = [standing.run for standing in preferences.standings if preferences.shown]
    shares = [f"{line(name, 60)} {percent(preferences.shown[name])}" for name in names]
    yield f"{text} {say('Without them, preferred is {shares}.', shares=listed(shares))}" if shares else text


def sentence_on_counts(counts: Mapping[Reason, int]) -> str:
    """Say how many pairs nobody was shown, and why, as a sentence without its full stop.

    >>> sentence_on_counts({"identical": 14, "no text": 1})
    '14 pairs were identical and not shown, which is a tie by construction; 1 pair had a text on one side only'
    """
    parts = []
    if n := counts[IDENTICAL]:
        parts.append(
            say(
                "{pairs} identical and not shown, which is a tie by construction",
                pairs=count(n, "pair was", "pairs were"),
            )
        )
    if n := counts[NO_TEXT]:
        text = say("{pairs} had a text on one side only", pairs=count(n, "pair"))
        parts.append(text if counts[IDENTICAL] else say("{text} and not shown: it wins by construction", text=text))
    return "; ".join(parts)


def _effect(name: str, effect: Estimate, level: float) -> str:
    """Say what the first position, or twice the length, does to two equally good answers."""
    size = {POSITION: 1.0, LENGTH: 1 / 3}[name]  # twice as long: the difference is 1/3 of the sum
    value, low, high = (1 / (1 + math.exp(-size * strength)) for strength in (effect.value, effect.low, effect.high))
    bounds = _bounds(Estimate(value, low, high, effect.n, effect.method, effect.why))
    template = {
        POSITION: "Of two equally good answers the one that stands first is preferred with a chance of {chance}.",
        LENGTH: "Of two equally good answers the one that has twice as many words is preferred with a chance of "
        "{chance}.",
    }[name]
    interval = say(" ({level} interval {bounds})", level=percent_level(level), bounds=bounds) if bounds else ""
    text = say(template, chance=f"{percent(value)}{interval}")
    return f"{text} {say('Strengths are those that runs would have if this made no difference.')}"


def _flips(preferences: Preferences) -> Iterator[str]:
    flips, n_pairs = preferences.votes.flips
    if n_pairs:
        yield say(
            "Of {pairs} seen in both orders {n:,} {are} decided otherwise in the other order.",
            pairs=count(n_pairs, "pair"),
            n=flips,
            are=form(flips, "was", "were"),
        )


def _regularised(preferences: Preferences) -> Iterator[str]:
    if preferences.strengths.regularised:
        yield say(
            "Some runs never lost to the others, or were always decided by the same thing, so that the most likely "
            "strengths are infinite. Each run was given one more win and one more loss, which draws all of them "
            "together; the order stands, the distances are cautious. More comparisons would tell."
        )


def _few(preferences: Preferences) -> Iterator[str]:
    unit = preferences.unit
    if unit.too_few and not preferences.strengths.regularised:
        yield say("There are no intervals: {why}.", why=too_few(unit, unit.groups, unit.items))
    elif unit.groups < ENOUGH:
        yield say(
            "All comparisons are on {basis}: of fewer than {n}, intervals are too narrow; it is a first look.",
            basis=observations(unit, unit.groups),
            n=ENOUGH,
        )


def _bounds(chance: Estimate) -> str:
    return percent_span(chance.low, chance.high)
