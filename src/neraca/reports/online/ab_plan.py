"""The report of an A/B test's plan: the users and days that it takes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.number_format import DASH, exact, integer, number, percent
from neraca.online.ab_plan import AbPlan, MetricPlan
from neraca.reports.blocks.block import Block, Document, Heading, Sentences
from neraca.reports.online.ab_sentences import unmeasured_sentences
from neraca.reports.online.log_contents import contents_sentences
from neraca.reports.online.log_section import log_blocks
from neraca.result import Table
from neraca.translation import say, say_all, written_in

#: A longer test runs into other seasons, deleted cookies and new versions.
LONG = 60


def ab_plan_document(plan: AbPlan, language: str = "en") -> Document:
    """Make the blocks of a plan's report in a language of `LANGUAGES`."""
    with written_in(language):
        return Document(say("Plan of an A/B test"), tuple(_blocks(plan)), language)


def _blocks(plan: AbPlan) -> Iterator[Block]:
    contents = contents_sentences(plan.log.contents, plan.log.exclusions, plan.log.unused)
    yield Sentences((_lead(plan),), "lead")
    yield Sentences((contents[0],), "words")
    yield Heading(say("Users and days"), "plan", say("Plan"))
    yield _table(plan)
    yield Sentences(tuple(_notes(plan)))
    yield from log_blocks(plan.log.events, plan.log.exclusions, contents[1:])


def _lead(plan: AbPlan) -> str:
    """Say what the plan of the first metric is; that with history, if it needs fewer users."""
    name = plan.plans[0].metric.name
    first = min((p for p in plan.plans if p.metric.name == name), key=lambda p: p.users or math.inf)
    facts = {"effect": effect(plan), "metric": _name(first), "power": percent(plan.power)}
    if first.users is None:
        return say("No number of users is known that finds a change of {effect} in {metric}.", **facts)
    return say(
        "To find a change of {effect} in {metric} with a chance of {power} takes {users}{days} with one look at the "
        "end, and {daily}{days_daily} with daily looks.",
        users=count(first.users, "user"),
        days=_in_days(first.days),
        daily=_users(first.users_daily),
        days_daily=_in_days(first.days_daily),
        **facts,
    )


def _table(plan: AbPlan) -> Table:
    """Return the users and days for each metric, with one look and with daily looks."""
    columns = say_all("metric", "now", "users, one look", "days", "users, daily looks", "days")
    title = say("To find a change of {effect} with a chance of {power}", effect=effect(plan), power=percent(plan.power))
    return Table(columns, [_row(p) for p in plan.plans], title, name="plan")


def _row(p: MetricPlan) -> list[str]:
    return [_name(p), number(p.value), _users(p.users), _days(p.days), _users(p.users_daily), _days(p.days_daily)]


def _name(p: MetricPlan) -> str:
    return p.metric.name + ("*" if p.cuped else "")


def effect(plan: AbPlan) -> str:
    """Write the relative change in per cent."""
    return f"{exact(float(f'{100 * plan.effect:.3g}'))} %"


def _notes(plan: AbPlan) -> Iterator[str]:
    """Say what the plan rests on, and what it means."""
    days = len(plan.by_day)
    yield say(
        "Both arms together, half of the users in each. The log has {users} in {days}; days beyond it assume the pace "
        "of its second half.",
        users=count(plan.users, "user"),
        days=count(days, "day"),
    )
    yield say(
        "With one look the test ends on a day that is fixed before the start. With daily looks it may end earlier: "
        "large effects show sooner. Give that number of users as --tuned-for to neraca ab, so that its intervals are "
        "narrowest there."
    )
    yield from unmeasured_sentences(plan.unmeasured)
    if any(p.cuped for p in plan.plans):
        yield say(
            "* takes what users did before into account (CUPED), as much as the first half of the log explains of the "
            "second. It holds if the log of the test has as many days before its start; without them, the row without "
            "* holds."
        )
    if days < 14:
        yield say(
            "{days} of log are few: weekdays differ, and users come again. Bring two weeks or more.",
            days=count(days, "day"),
        )
    if any(math.isfinite(p.days_daily) and p.days_daily > days for p in plan.plans):
        yield say(
            "Plans that end after more days than the log has are rough: users may vary more by then, and the power be "
            "less. Bring a log that is as long as the test."
        )
    if any(p.users is not None and not math.isfinite(p.days_daily) for p in plan.plans):
        yield say("Where days are –, the log does not tell how many new users come a day.")
    if any(p.users is None for p in plan.plans):
        yield say("Where users are –, no number is known: users of the log do not vary, or it is above a billion.")
    too_long = [_name(p) for p in plan.plans if not p.days <= LONG]
    if too_long:
        yield say(
            "More than {days:,} days ({metrics}): look for a larger effect, a metric that varies less, or compare "
            "rankings by interleaving, which takes far fewer users (neraca interleave).",
            days=LONG,
            metrics=", ".join(dict.fromkeys(too_long)),
        )


def _in_days(days: float) -> str:
    return f" ({count(int(days), 'day')})" if math.isfinite(days) else ""


def _users(users: int | None) -> str:
    return integer(users) if users is not None else DASH


def _days(days: float) -> str:
    return integer(days) if math.isfinite(days) else DASH
