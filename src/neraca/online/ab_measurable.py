"""Find the metrics that a log cannot measure because it has no clicks, times or values, and say why."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from neraca.errors import InputError
from neraca.online.ab_metrics import OnlineMetric
from neraca.online.ab_sums import ExperimentSums
from neraca.online.log_contents import LogContents
from neraca.online.message import Message
from neraca.online.no_clicks import check_clicks
from neraca.online.search_log import SearchLog
from neraca.online.times import written_time
from neraca.stats.tests.delta_method import effective_users

#: Names of columns that may hold the value of a conversion.
_VALUES = re.compile(r"value|price|revenue|amount|total|cost", re.IGNORECASE)
#: An arm with at least this many searches and no click is doubtful.
DOUBTFUL = 100
#: The log is doubtful if at least this share of its searches is left out, or comes from one user; so are values.
WEIGHTY = 0.2
#: It is doubtful, too, if one user has this share of the searches and this multiple of a user's usual number.
UNUSUAL, MULTIPLE = 0.05, 20.0
#: Share of all searches above which the 2 % of users who search most make a test doubtful, and of users below which
#: their effective number does.
HALF = 0.5
#: Fewer users in an arm make a test doubtful.
FEWEST_USERS = 20
#: Fewer effective users in an arm make tests of ratios find too many differences (`benchmarks/ab_error_rates.py`).
FEWEST_EFFECTIVE = 100
#: Reformulations that an arm cannot lack by chance if another arm has as many.
FEWEST_EVENTS = 20
#: Shares of two arms that are further apart than this many standard errors differ by more than chance.
CHANCE = 3.0
#: Share of all events above which faults that may concern one arm alone make a test doubtful.
NOTABLE = 0.02
#: The log is doubtful if its last search is earlier; seconds since 1970 of today are far larger.
EARLIEST = 1e8
#: Reasons for which events are lost although their users took part; a faulty program of one arm is a usual cause.
FAULTS = ("no_user", "no_time", "no_rank", "bad_rank", "no_clicks", "no_search", "early", "not_shown", "no_arm_event")


def unmeasured_metrics(
    log: SearchLog,
    metrics: Sequence[OnlineMetric],
    required: Collection[str],
    contents: LogContents,
    two_rules: Message | None = None,
) -> dict[str, Message]:
    """Return the metrics that the log cannot measure, each with the reason.

    `two_rules` is the reason why reformulations of the arms cannot be compared, if there is one.

    Raises
    ------
    InputError
        A metric counts clicks and the log has none, or a metric that is `required` cannot be measured.
    """
    if any(metric.needs not in ("", "queries") for metric in metrics):
        check_clicks(log, contents, f"{metrics[0].name} cannot be measured")
    unmeasured = {}
    for metric in metrics:
        reason = _why_unmeasurable(log, metric, contents) or (two_rules if metric.needs == "queries" else None)
        if reason and metric.name in required:
            raise InputError(f"{metric.name} cannot be measured: {reason}")
        if reason:
            unmeasured[metric.name] = reason
    return unmeasured


def two_rules(sums: ExperimentSums, arms: Sequence[str]) -> Message | None:
    """Return why reformulations cannot be compared: the log names those of one arm, and queries reveal the others'."""
    searches = sum(sums.searches_by_arm.values())
    share = sum(sums.flagged_by_arm.values()) / max(1, searches)
    shares = [(sums.flagged_by_arm[arm] / max(1, sums.searches_by_arm[arm]), arm) for arm in arms]
    (least, other), (most, arm) = min(shares), max(shares)
    inverse = sum(1 / max(1, sums.searches_by_arm[name]) for name in (arm, other))
    if most - least > max(NOTABLE, CHANCE * math.sqrt(share * (1 - share) * inverse)):
        return Message(
            "the log says of {most:.0f} % of the searches of {arm} whether they were put in other words, but of "
            "{least:.0f} % of those of {other}, whose queries would have to tell: two rules are no comparison. Fill "
            "the column in every arm, or let the queries tell in all: --column reformulated=",
            most=100 * most,
            arm=arm,
            least=100 * least,
            other=other,
        )
    logged = [(sums.reformulations_by_arm[arm], arm) for arm in arms]
    (fewest, other), (n, arm) = min(logged), max(logged)
    if not fewest and n >= FEWEST_EVENTS:
        return Message(
            "{n:,} reformulations of {arm} are logged as events, and none of {other}, whose queries would have to "
            "tell: two rules are no comparison. Log them in every arm, or leave these events out of the log",
            n=n,
            arm=arm,
            other=other,
        )
    return None


def _why_unmeasurable(log: SearchLog, metric: OnlineMetric, contents: LogContents) -> Message | None:
    if metric.needs == "times" and not contents.names_hours:
        return Message("every time is a date without an hour; log when each event happened")
    if metric.needs == "times" and contents.untimed:
        if contents.untimed == contents.clicks:
            return Message(
                "no click has a time or a dwell time; name the column that holds them: --column clicked_at=FIELD or "
                "dwell=FIELD"
            )
        return Message(
            "not every click ({untimed:,} of them not) has a time or a dwell time; name the column that holds them: "
            "--column clicked_at=FIELD or dwell=FIELD",
            untimed=contents.untimed,
        )
    if metric.needs == "queries" and not contents.compared and contents.searches:
        return Message(
            "no search has a query, or says whether it was put in other words; name the column: --column query=FIELD "
            "or reformulated=FIELD"
        )
    if metric.needs == "ranks" and contents.unranked:
        return Message(
            "{unranked:,} of {clicks:,} clicks have no rank; log the rank, or the documents that were shown",
            unranked=contents.unranked,
            clicks=contents.clicks,
        )
    lost = next((exclusion for exclusion in log.exclusions if exclusion.reason == "no_arm_event"), None)
    if lost and metric.actions[0] == "conversion" and not contents.conversions:
        return Message(
            "no user of an arm has a conversion, and {n:,} events are of users in no arm ({example}); name users in "
            "the same way in all tables",
            n=lost.n,
            example=lost.example,
        )
    if metric.per_user == "value" and contents.conversions and contents.unvalued == contents.conversions:
        return _why_no_values(log, contents.conversions)
    return None


def _why_no_values(log: SearchLog, conversions: int) -> Message:
    field = next((name for name in log.unused if _VALUES.search(name)), "FIELD")
    if any(exclusion.reason == "bad_number" for exclusion in log.exclusions):
        return Message(
            "no conversion of {n:,} has a value that is a number; write 12.5, not 12,5 or $12.5, or name another: "
            "--column value={field}",
            n=conversions,
            field=field,
        )
    return Message(
        "no conversion of {n:,} has a value; name it with --column value={field}", n=conversions, field=field
    )


def doubts(
    sums: ExperimentSums, arms: Sequence[str], log: SearchLog, metrics: Sequence[OnlineMetric]
) -> tuple[Message, ...]:
    """Return sentences on what makes the log doubtful."""
    return (
        *_treated_history(log),
        *_odd_times(sums.contents),
        *_doubtful_arms(sums, arms),
        *_weighty_users(sums, metrics),
        *_few_effective_users(sums, arms, metrics),
        *_large_exclusions(log),
    )


def _treated_history(log: SearchLog) -> Iterator[Message]:
    """Say that events before `since` are no history if arms were served by then."""
    if not log.window.has_untreated_history:
        yield Message(
            "The experiment ran before --since: {n:,} earlier events have an arm. They are no history, so no metric is "
            "adjusted by what users did before.",
            n=log.window.exposed_before,
        )


def _odd_times(contents: LogContents) -> Iterator[Message]:
    """Doubt times that are no seconds or have no hour, sessions of one event, and clicks long after their search."""
    if contents.searches and contents.last < EARLIEST:
        yield Message(
            "The last search is of {date}: are these times seconds since 1970, and not minutes or days of a "
            "spreadsheet? Write seconds, or 2026-01-31T10:00:00Z.",
            date=written_time(contents.last, "%Y-%m-%d"),
        )
    if not contents.names_hours:
        yield Message(
            "Every time is a date without an hour: which searches follow each other is read from the order of the "
            "rows, and sessions and reformulations are a guess."
        )
    if contents.names_sessions and contents.soon >= FEWEST_EVENTS and not contents.soon_in_session:
        yield Message(
            "{n:,} times a user searched again within five minutes, and never in the same session: does the column of "
            "sessions hold an id of each event? Reformulations are found within a session only.",
            n=contents.soon,
        )
    if contents.late > max(FEWEST_EVENTS, NOTABLE * contents.clicks):
        yield Message(
            "{n:,} searches have a click more than half an hour later: if searches and clicks are timed by different "
            "clocks, or in different zones, times to a click are wrong.",
            n=contents.late,
        )


def _doubtful_arms(sums: ExperimentSums, arms: Sequence[str]) -> Iterator[Message]:
    """Doubt arms without clicks, arms with few users, and names that differ in capitals alone."""
    largest = max(sums.arms[arm].users for arm in arms)
    for arm in arms:
        n, users = int(sums.searches_by_arm[arm]), sums.arms[arm].users
        alike = [other for other in arms if other != arm and other.casefold() == arm.casefold()]
        if not sums.clicks_by_arm[arm] and sums.contents.clicks and n >= DOUBTFUL:
            yield Message(
                "No click is logged in {n:,} searches of {arm}: before you read any effect, find out whether its "
                "clicks reach the log.",
                n=n,
                arm=arm,
            )
        if alike and users <= sums.arms[alike[0]].users:
            yield Message(
                "The arms {arm} and {other} differ in capitals alone: if they are one, write it in one way.",
                arm=arm,
                other=alike[0],
            )
        elif users < 20 and largest >= DOUBTFUL:
            yield Message(
                "Users of {arm}: {users:,}, beside {largest:,} of another arm. If it is no arm of this test, name "
                "those that are (--arms A,B).",
                arm=arm,
                users=users,
                largest=largest,
            )
        elif users < FEWEST_USERS:
            yield Message(
                "Users of {arm}: {users:,}. Intervals and p-values assume many users; with so few they claim too much.",
                arm=arm,
                users=users,
            )


def _weighty_users(sums: ExperimentSums, metrics: Sequence[OnlineMetric]) -> Iterator[Message]:
    """Doubt searches and values of which one user, or 2 % of the users, have a large share."""
    total = sum(sums.searches_by_arm.values())
    of_searches = (
        i for i, metric in enumerate(metrics) if metric.sums and metric.share and "session" not in metric.name
    )
    searches = next((sums.sample[:, i, 1] for i in of_searches), np.zeros(0))
    most = float(searches.max()) if len(searches) >= 20 else 0.0
    few = float(np.sort(searches)[-(len(searches) // 50) :].sum()) if len(searches) >= 50 else 0.0
    few_have_half = few > HALF * searches.sum()
    is_unusual = most > UNUSUAL * total and most > MULTIPLE * searches.mean()
    if most > WEIGHTY * total or (is_unusual and not few_have_half):
        yield Message(
            "One user has {share:.0f} % of all searches ({n:,.0f}): a person or a program? --most-searches leaves out "
            "users with more searches in a day.",
            share=100 * most / total,
            n=most,
        )
    elif few_have_half:
        yield Message(
            "{heaviest:,} of {users:,} users have {share:.0f} % of all searches: people or programs? --most-searches "
            "leaves out users with more searches in a day.",
            heaviest=len(searches) // 50,
            users=len(searches),
            share=100 * few / float(searches.sum()),
        )
    for index, metric in enumerate(metrics):
        values = sums.sample[:, index, 0]
        if metric.per_user == "value" and (values > 0).sum() >= 20 and values.max() > WEIGHTY * values.sum():
            yield Message(
                "One user has {share:.0f} % of all {metric} ({value:,.0f}): find out whether that value is right.",
                share=100 * float(values.max() / values.sum()),
                metric=metric.name,
                value=float(values.max()),
            )


def _few_effective_users(
    sums: ExperimentSums, arms: Sequence[str], metrics: Sequence[OnlineMetric]
) -> Iterator[Message]:
    """Doubt tests of ratios that depend on a few users; see `neraca.stats.tests.delta_method.effective_users`."""
    ratios = [(index, metric.name) for index, metric in enumerate(metrics) if not metric.of_users]
    effective = {(name, arm): effective_users(sums.arms[arm].moments[index]) for index, name in ratios for arm in arms}
    few = {
        (name, arm): n
        for (name, arm), n in effective.items()
        if sums.arms[arm].users >= FEWEST_EFFECTIVE and 0 < n < min(FEWEST_EFFECTIVE, HALF * sums.arms[arm].users)
    }
    if few:
        _, arm = min(few, key=lambda key: few[key])
        yield Message(
            "{metrics}: a few users have so many of the events that {users:,} users of {arm} count like {n:,.0f}. "
            "With fewer than 100, tests at 5 % find a difference that does not exist in up to 10 % of experiments.",
            metrics=", ".join(dict.fromkeys(name for name, _ in few)),
            users=sums.arms[arm].users,
            arm=arm,
            n=min(few.values()),
        )


def _large_exclusions(log: SearchLog) -> Iterator[Message]:
    """Doubt a log if a large share of its searches or lines is left out."""
    for exclusion in log.exclusions:
        if exclusion.reason == "broken" and exclusion.n > WEIGHTY * (exclusion.n + log.events):
            yield Message(
                "{n:,} {what} are left out: what remains may not be like the rest.",
                n=exclusion.n,
                what=Message(exclusion.what),
            )
        elif exclusion.reason in FAULTS and exclusion.n > NOTABLE * (exclusion.n + log.events):
            yield Message(
                "{n:,} {what}: if this happens in one arm more often than in another, it can decide the test.",
                n=exclusion.n,
                what=Message(exclusion.what),
            )
        if exclusion.share >= WEIGHTY and exclusion.reason not in ("no_arm", "only_before"):
            yield Message(
                "{searches:,} searches, {share:.0f} % of all, are left out with {n:,} {what}: what remains may not be "
                "like the rest.",
                searches=exclusion.searches,
                share=100 * exclusion.share,
                n=exclusion.n,
                what=Message(exclusion.what),
            )
