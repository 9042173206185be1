"""Interleaving in words: who won, what it rests on, and whether the draft was fair."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from neraca.counts_and_lists import count, listed
from neraca.number_format import DASH, integer, localised, number, p_equals, p_value, percent, percent_level, span
from neraca.online.interleaving.fairness import FirstRank
from neraca.online.interleaving.interleaving_result import InterleavingResult, Preference
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.parts import CORRECTIONS
from neraca.stats.intervals.confidence_sequence import FEWEST_USERS
from neraca.translation import say

#: With fewer users or sessions an interval from the spread between them is too narrow.
ENOUGH = 20
#: Share of all clicks above which clicks on documents of no team make a log doubtful.
MANY_OF_NO_TEAM = 0.02
#: Analysis → its name in tables and sentences.
ANALYSIS_NAMES = {
    "user": "of each user",
    "session": "of each session",
    "search": "of all searches",
    "majority": "of users by majority",
    "paired": "clicks per pair",
}
#: Unit → the template of what a ranker won, for searches won and for graded credit.
_WON = {
    ("user", False): "{ranker} won {share} of the searches of a user, on average{interval}{p}, {units}",
    ("user", True): "{ranker} won {share} of the credit of a user, on average{interval}{p}, {units}",
    ("session", False): "{ranker} won {share} of the searches of a session, on average{interval}{p}, {units}",
    ("session", True): "{ranker} won {share} of the credit of a session, on average{interval}{p}, {units}",
    ("search", False): "{ranker} won {share} of the searches{interval}{p}, {units}",
    ("search", True): "{ranker} won {share} of the credit{interval}{p}, {units}",
}


def lead(result: InterleavingResult) -> str:
    """Return the decision, one sentence for each pair of rankers that has one."""
    if result.unfair:
        check = result.unfair[0]
        reason = unfair_sentence(check)
        if check.by_credit:  # else the sentence begins with the name of a ranker
            reason = reason[0].lower() + reason[1:]
        return say("Do not trust this experiment yet: {reason}", reason=reason)
    decided = [preference for preference in result.deciding if preference.winner(result.level)]
    if decided:
        return " ".join(_preference_sentence(preference, result) for preference in decided)
    first, *more = result.deciding
    if more:
        return say("No ranker is preferred to another: {pairs} compared.", pairs=count(len(result.deciding), "pair"))
    names = {"a": line(first.a, 40), "b": line(first.b, 40)}
    if not first.n:
        return say("Nothing was decided: no search tells {a} from {b}.", **names)
    won = _won(first, first.a, result)
    return say("It is not decided whether users prefer {a} or {b}: {won}.", won=won, **names)


def _preference_sentence(preference: Preference, result: InterleavingResult) -> str:
    """Say who is preferred, and by how much."""
    winner = preference.winner(result.level)
    return say(
        "Users prefer {winner} to {loser}: {won}.",
        winner=line(winner, 40),
        loser=line(preference.b if winner == preference.a else preference.a, 40),
        won=_won(preference, winner, result),
    )


def basis(result: InterleavingResult) -> str:
    """Say what the numbers rest on."""
    credit = result.credit
    users, sessions = (int(numbers.max()) + 1 for numbers in (credit.users, credit.sessions))
    return say(
        "{searches} interleaved by {method}, of {users} in {sessions}; {clicked:,} with clicks. A search without "
        "clicks says nothing.",
        searches=count(len(credit), "search", "searches"),
        method=credit.method,
        users=count(users, "user"),
        sessions=count(sessions, "session"),
        clicked=int((credit.clicks > 0).sum()),
    )


def outside_n(result: InterleavingResult) -> str:
    """Say how many users, sessions or searches say nothing and are not in n; "" for several pairs, or if all are."""
    if len(result.deciding) != 1:
        return ""
    (p,) = result.deciding
    credit = result.credit
    numbers = {"user": credit.users, "session": credit.sessions, "search": np.arange(len(credit))}[p.analysis]
    total = len(np.unique(numbers))
    only_ties = p.ties - (p.n - p.wins - p.losses)
    if p.n == total:
        return ""
    singular, plural = {
        "user": ("user", "users"),
        "session": ("session", "sessions"),
        "search": ("search", "searches"),
    }[p.analysis]
    return say(
        "n is {n:,} of {units}: {unclicked:,} without a click and {ties:,} with ties alone (as many clicks for both) "
        "say nothing.",
        n=p.n,
        units=count(total, singular, plural),
        unclicked=total - p.n - only_ties,
        ties=only_ties,
    )


def checks(result: InterleavingResult) -> Iterator[str]:
    """Say whether the experiment is sound."""
    yield from _first_ranks(result)
    yield from _looks(result)
    yield from _few(result)
    yield from _searches_alone(result)
    if len(result.deciding) > 1 and result.correction != "none":
        yield say(
            "p is corrected for {n:,} pairs of rankers ({correction}).",
            n=len(result.deciding),
            correction=say(CORRECTIONS[result.correction]),
        )
    if result.credit.method == "balanced":
        yield say(
            "Balanced interleaving favours a ranking that is the other one moved up by a rank, also when users click "
            "by chance; team_draft does not."
        )
    yield from _unused(result)


def agreeing(result: InterleavingResult) -> str:
    """Count the other analyses that confirm the deciding one; "" if that shows nothing."""
    sentences = []
    for preference in result.deciding:
        if winner := preference.winner(result.level):
            others = [
                other
                for other in result.preferences
                if (other.a, other.b) == (preference.a, preference.b) and other != preference
            ]
            sentences.append(
                say(
                    "{winner} against {loser}: {n} of {all} other analyses show the same.",
                    winner=line(winner, 30),
                    loser=line(preference.b if winner == preference.a else preference.a, 30),
                    n=sum(other.winner(result.level) == winner for other in others),
                    all=len(others),
                )
            )
    return " ".join(sentences[:3])


def _won(preference: Preference, winner: str, result: InterleavingResult) -> str:
    """Return what a ranker won, with its interval and p."""
    value, low, high = preference.value, preference.low, preference.high
    if winner == preference.b:
        value, low, high = 1 - value, 1 - high, 1 - low
    interval = say(" (no interval can be given)")
    if bounds := write_bounds(preference, low, high):
        interval = f" ({say('{level} interval {bounds}', level=percent_level(result.level), bounds=bounds)})"
    return say(
        _WON[preference.analysis, result.credit.graded],
        ranker=line(winner, 40),
        share=write_share(value),
        interval=interval,
        p=f", {p_equals(preference.p_adjusted)}" if math.isfinite(preference.p_adjusted) else "",
        units=_units(preference, result.credit.graded),
    )


def _units(preference: Preference, graded: bool = False) -> str:
    """Count the users, sessions or searches that decide."""
    if preference.analysis == "user":
        return count(preference.n, "user")
    if preference.analysis == "session":
        return count(preference.n, "session")
    if graded:
        return count(preference.n, "search with a click", "searches with a click")
    return count(preference.n, "search with a winner", "searches with a winner")


def write_share(value: float) -> str:
    """Write a share in per cent with one decimal."""
    return DASH if math.isnan(value) else f"{localised(f'{100 * value:.1f}')} %"


def write_bounds(preference: Preference, low: float, high: float) -> str:
    """Write the interval of an analysis, or "" if there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    if preference.analysis == "paired":
        return span(low, high)
    least, most = (localised(f"{100 * bound:.1f}") for bound in (low, high))
    return f"{say('{least} to {most}', least=least, most=most)} %"


def _compared(check: FirstRank) -> str:
    """Set side by side what the method promises to be alike for both rankers."""
    a, b = line(check.a, 40), line(check.b, 40)
    if check.by_credit:
        return say(
            "a click by chance would credit {a} with {credit_a} and {b} with {credit_b} on average",
            a=a,
            b=b,
            credit_a=number(check.chance_a, 3),
            credit_b=number(check.chance_b, 3),
        )
    return say("{a} is first in {lists}, {b} in {n:,}", a=a, b=b, lists=count(check.of_a, "list"), n=check.of_b)


def unfair_sentence(check: FirstRank) -> str:
    """Say why the draft was not fair, and what to do."""
    compared = _compared(check)
    if check.by_credit:
        return say(
            "{compared}, which a fair draft would not do ({p}). A ranker then wins by clicks that have no reason: find "
            "what changes the lists or loses some of them, before you read any result.",
            compared=compared[0].upper() + compared[1:],
            p=p_equals(check.p),
        )
    return say(
        "{compared}, which a fair draft would not do ({p}). Users click more at the top, so the ranker that is first "
        "more often wins: find what changes the lists or loses some of them, before you read any result.",
        compared=compared,
        p=p_equals(check.p),
    )


def _first_ranks(result: InterleavingResult) -> Iterator[str]:
    """Say that the draft looks fair, with one sentence for all fair pairs."""
    fair = [check for check in result.first_ranks if check not in result.unfair]
    if len(fair) < 2 or len(fair) < len(result.first_ranks):
        yield from (_fair(check, result.credit.method) for check in fair)
        return
    lists_by_ranker = {name: n for check in fair for name, n in ((check.a, check.of_a), (check.b, check.of_b))}
    shares = [
        say("{ranker} is first in {lists}", ranker=line(name, 40), lists=count(n, "list"))
        for name, n in lists_by_ranker.items()
    ]
    finite = [check.p for check in fair if math.isfinite(check.p)]
    least = say(" (the least p of {n} pairs is {p})", n=len(fair), p=p_value(min(finite))) if finite else ""
    yield say("The draft looks fair: {lists}{least}.", lists=listed(shares, 8), least=least)


def _fair(check: FirstRank, method: str) -> str:
    compared = _compared(check)
    if not math.isfinite(check.p):
        return say("Not checked: {compared}; too few users to check that by chance.", compared=compared)
    sentence = say("The draft looks fair: {compared} ({p}).", compared=compared, p=p_equals(check.p))
    if check.by_credit:
        promise = say("{method} does not promise that both are first equally often.", method=method)
        return f"{sentence} {promise}"
    return sentence


def _looks(result: InterleavingResult) -> Iterator[str]:
    """Say what intervals for daily looks are worth, and which analyses are not looked at yet."""
    if result.looks != "daily":
        return
    yield say("These intervals and p hold at every look together: you may look each day, and stop when one decides.")
    early = [p.analysis for p in result.deciding if math.isnan(p.p) and p.n]
    if early:
        yield say(
            "There is no interval yet {analysis}: with fewer than {n} one does not look yet.",
            analysis=say(ANALYSIS_NAMES[early[0]]),
            n=FEWEST_USERS,
        )


def _few(result: InterleavingResult) -> Iterator[str]:
    fewest = min(result.deciding, key=lambda preference: preference.n)
    if result.unit != "search" and 0 < fewest.n < ENOUGH:
        facts = {"a": line(fewest.a, 30), "b": line(fewest.b, 30), "units": _units(fewest), "enough": ENOUGH}
        yield say(
            "Only {units} says anything about {a} and {b}: with fewer than {enough} an interval is a guess."
            if fewest.n == 1
            else "Only {units} say anything about {a} and {b}: with fewer than {enough} an interval is a guess.",
            **facts,
        )


def _searches_alone(result: InterleavingResult) -> Iterator[str]:
    """Say where searches as the unit would decide and users do not."""
    deciding = {(preference.a, preference.b): preference for preference in result.deciding}
    for preference in [] if result.unfair or result.unit == "search" else result.preferences:
        winner = preference.winner(result.level)
        if preference.analysis != "search" or not winner:
            continue
        if deciding[preference.a, preference.b].winner(result.level):
            continue
        yield say(
            "Search by search, {ranker} would be called better than {other} ({p}); but searches of one user are alike, "
            "and count as fewer observations."
            if result.unit == "user"
            else "Search by search, {ranker} would be called better than {other} ({p}); but searches of one session "
            "are alike, and count as fewer observations.",
            ranker=line(winner, 30),
            other=line(preference.b if winner == preference.a else preference.a, 30),
            p=p_equals(preference.p_adjusted),
        )


def _unused(result: InterleavingResult) -> Iterator[str]:
    unused = result.credit.left_out
    if n := unused.get("not_interleaved"):
        searches = count(n, "search", "searches")
        yield say("Not used: {searches} without teams, which were not interleaved.", searches=searches)
    if n := unused.get("no_team"):
        searches = count(n, "search", "searches")
        yield say(
            "Not used: {searches} whose documents are all of no team, which no ranker can win.", searches=searches
        )
    if n := unused.get("no_rankings"):
        searches = count(n, "search", "searches")
        yield say("Not used: {searches} of which the rankings do not say what the rankers returned.", searches=searches)
    if n := unused.get("repeated_clicks"):
        yield say("Counted once: {clicks} on a rank that had been clicked before.", clicks=count(n, "click"))
    if n := unused.get("no_team_clicks"):
        yield say("Credited to nobody: {clicks} on documents of no team.", clicks=count(n, "click"))


def lost_teams(result: InterleavingResult) -> Iterator[str]:
    """Doubt a log in which many clicks are on documents of no team: a ranker may have lost its teams."""
    n, clicks = result.credit.left_out.get("no_team_clicks", 0), int(result.credit.clicks.sum())
    if n > MANY_OF_NO_TEAM * clicks:
        yield say(
            "{n} of {clicks} ({share}) are on documents of no team and credit no ranker: if the log lost the teams of "
            "one ranker more often than of another, that decides the experiment. Log the teams of neraca.interleave as "
            "it returns them.",
            n=integer(n),
            clicks=count(clicks, "click"),
            share=percent(n / clicks),
        )
