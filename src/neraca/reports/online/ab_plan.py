"""The plan of an A/B test in words."""

from __future__ import annotations

import math

from neraca.number_format import DASH, integer, number, percent
from neraca.online.ab_plan import AbPlan
from neraca.reports.counts_and_lists import count
from neraca.result import Table

#: A longer test runs into other seasons, deleted cookies and new versions.
LONG = 60


def table(plan: AbPlan) -> Table:
    """Return the users and days for each metric, with one look and with daily looks."""
    columns = ["metric", "now", "users, one look", "days", "users, daily looks", "days"]
    rows = [
        [
            p.metric.name + ("*" if p.cuped else ""),
            number(p.value),
            *(_users(p.users), _days(p.days), _users(p.users_daily), _days(p.days_daily)),
        ]
        for p in plan.plans
    ]
    return Table(columns, rows, f"To find a change of {effect(plan)} with a chance of {percent(plan.power)}")


def effect(plan: AbPlan) -> str:
    """Write the relative change in per cent.

    >>> effect(AbPlan(0.05, 0.05, 0.8, 0, (), ()))
    '5 %'
    """
    return f"{100 * plan.effect:.3g} %"


def sentences(plan: AbPlan) -> list[str]:
    """Say what the plan rests on, and what it means."""
    days = len(plan.by_day)
    texts = [
        f"Both arms together, half of the users in each. The log has {count(plan.users, 'user')} in "
        f"{count(days, 'day')}; days beyond it assume the pace of its second half.",
        "With one look the test ends on a day that is fixed before the start. With daily looks it may end earlier: "
        "large effects show sooner. Give that number of users as --tuned-for to neraca ab, so that its intervals are "
        "narrowest there.",
    ]
    if any(p.cuped for p in plan.plans):
        texts.append(
            "* takes what users did before into account (CUPED), as much as the first half of the log explains of the "
            "second."
        )
    if days < 14:
        texts.append(
            f"{count(days, 'day')} of log are few: weekdays differ, and users come again. Bring two weeks or more."
        )
    if any(math.isfinite(p.days_daily) and p.days_daily > days for p in plan.plans):
        texts.append(
            "Plans that end after more days than the log has are rough: users may vary more by then, and the power be "
            "less. Bring a log that is as long as the test."
        )
    long = [p for p in plan.plans if not p.days <= LONG]
    if long:
        names = ", ".join(dict.fromkeys(p.metric.name for p in long))
        texts.append(
            f"More than {LONG} days ({names}): look for a larger effect, a metric "
            "that varies less, or compare rankings by interleaving, which takes far fewer users (neraca interleave)."
        )
    return texts


def _users(users: int | None) -> str:
    return integer(users) if users is not None else DASH


def _days(days: float) -> str:
    return integer(days) if math.isfinite(days) else DASH
