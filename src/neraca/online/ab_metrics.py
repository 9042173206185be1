"""Metrics of an A/B test: each is a ratio of two sums over the searches or events of users.

The denominator of a metric counts searches, events or users.  Sums are kept for each user: users are assigned to arms,
and the searches of one user are correlated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.online.event_columns import ACTIONS
from neraca.online.message import Message
from neraca.online.searches import UserEvents

if TYPE_CHECKING:
    import polars as pl

#: A click is a success if the user stays away for at least this many seconds.
STAYED = 30.0
DAY = 86_400.0


@dataclass(frozen=True)
class OnlineMetric:
    """A metric of what users do.

    Attributes
    ----------
    name
        The name on the command line.
    words
        A description for readers.
    higher_is_better
        None for a diagnostic, where neither direction is better.
    sums
        For a metric of searches: makes the numerator and the denominator, as expressions over `UserEvents.searches`.
        None for a metric of other events.
    actions
        For a metric of other events: the actions counted in the numerator and the denominator; "" counts users.
    per_user
        What each user adds to the numerator: `count` (events), `value` (the sum of their values) or `any` (1 if the
        user has such an event).
    share
        Whether it lies between 0 and 1, because each part of the denominator adds at most 1 to the numerator.
    needs
        What it needs of the log: `clicks`, their `times` (or dwell times), their `ranks`, the `queries`, or "".
    """

    name: str
    words: str
    higher_is_better: bool | None
    sums: Callable[[], tuple[pl.Expr, pl.Expr]] | None = None
    actions: tuple[str, str] = ("", "")
    per_user: str = "count"
    share: bool = False
    needs: str = ""

    @property
    def limits_of_difference(self) -> tuple[float, float]:
        """The least and the largest difference of two arms; infinite if there is none."""
        return (-1.0, 1.0) if self.share else (-math.inf, math.inf)

    @property
    def of_users(self) -> bool:
        """Whether its denominator is the number of users."""
        return self.sums is None and not self.actions[1]


def _one_per_search() -> pl.Expr:
    import polars as pl

    return pl.lit(1.0)


def _has_click() -> pl.Expr:
    import polars as pl

    return (pl.col("clicked").list.len() + pl.col("unranked") > 0).cast(pl.Float64)


def _seconds_to_first_click() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    first = pl.col("clicked_at").list.min()
    return first.fill_null(0.0), first.is_not_null().cast(pl.Float64)


def _has_success() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    stayed = pl.col("dwell").list.eval(pl.element().fill_null(STAYED)).list.max() >= STAYED
    return stayed.fill_null(False).cast(pl.Float64), _one_per_search()


def _sessions_with_click() -> tuple[pl.Expr, pl.Expr]:
    """Count each session at its first search, as 1 if any of its searches has a click."""
    import polars as pl

    first = (pl.int_range(pl.len()) == 0).over("uid", "session").cast(pl.Float64)
    return first * _has_click().max().over("uid", "session"), first


def _count_clicks() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return (pl.col("clicked").list.len() + pl.col("unranked")).cast(pl.Float64), _one_per_search()


def _is_reformulated() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return pl.col("reformulated").cast(pl.Float64), _one_per_search()


def _shows_nothing() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return (pl.col("shown").list.len() == 0).cast(pl.Float64), _one_per_search()


def _clicks_at_rank(rank: int) -> Callable[[], tuple[pl.Expr, pl.Expr]]:
    def sums() -> tuple[pl.Expr, pl.Expr]:
        import polars as pl

        shows_rank = (pl.col("shown").list.len() >= rank).cast(pl.Float64)
        return pl.col("clicked").list.contains(rank).cast(pl.Float64) * shows_rank, shows_rank

    return sums


METRICS = {
    metric.name: metric
    for metric in (
        OnlineMetric(
            "click_through",
            "searches with a click",
            True,
            lambda: (_has_click(), _one_per_search()),
            share=True,
            needs="clicks",
        ),
        OnlineMetric("clicks", "clicks per search", True, _count_clicks, needs="clicks"),
        OnlineMetric(
            "session_click_through", "sessions with a click", True, _sessions_with_click, share=True, needs="clicks"
        ),
        OnlineMetric(
            "success",
            Message("searches with a click after which the user stays {seconds:g} s", seconds=STAYED),
            True,
            _has_success,
            share=True,
            needs="times",
        ),
        OnlineMetric(
            "reformulation",
            "searches that are put in other words",
            False,
            _is_reformulated,
            share=True,
            needs="queries",
        ),
        OnlineMetric(
            "abandonment",
            "searches without a click",
            False,
            lambda: (1.0 - _has_click(), _one_per_search()),
            share=True,
            needs="clicks",
        ),
        OnlineMetric(
            "time_to_first_click", "seconds until the first click", False, _seconds_to_first_click, needs="times"
        ),
        OnlineMetric("no_results", "searches that showed nothing", False, _shows_nothing, share=True),
        OnlineMetric("searches", "searches per user", None, actions=("search", "")),
        OnlineMetric("sessions", "sessions with a search per user", True, actions=("session", "")),
        OnlineMetric("conversion", "users who converted", True, actions=("conversion", ""), per_user="any", share=True),
        OnlineMetric("conversions", "conversions per user", True, actions=("conversion", "")),
        OnlineMetric("revenue", "revenue per user", True, actions=("conversion", ""), per_user="value"),
    )
}
#: Metrics reported by default; those of `OF_CONVERSIONS` only if the log has conversions.
USUAL = ("click_through", "reformulation", "success", "time_to_first_click", "searches")
OF_CONVERSIONS = ("conversion", "revenue")
_RANK = re.compile(r"click_through@([1-9]\d{0,2})", re.IGNORECASE)
_RATIO = re.compile(r"([+-]?)([\w.:-]+)/([\w.:-]+)")


def online_metric(name: str) -> OnlineMetric:
    """Return the metric with this name: a name in `METRICS`, `click_through@3` (clicks on rank 3), or a ratio.

    A ratio such as `add_to_cart/search` divides the number of one event by that of another; `/user` divides by users.
    With a minus in front, as in `-complaint/user`, lower is better.

    Raises
    ------
    SpecError
        No metric has this name.

    Examples
    --------
    >>> online_metric("add_to_cart/search").words, online_metric("-refund/user").higher_is_better
    ('add_to_cart events per search', False)
    """
    if name in METRICS:
        return METRICS[name]
    if match := _RANK.fullmatch(name):
        rank = int(match[1])
        return OnlineMetric(
            name,
            Message("searches with a click on rank {rank}, of those that show it", rank=rank),
            None,
            _clicks_at_rank(rank),
            share=True,
            needs="ranks",
        )
    if match := _RATIO.fullmatch(name):
        sign, numerator, denominator = match.groups()
        action_by_name = {action_name: action for action, names in ACTIONS.items() for action_name in names}
        numerator, denominator = (
            action_by_name.get(event.lower(), event.lower()) for event in (numerator, denominator)
        )
        actions = numerator, "" if denominator in ("user", "users") else denominator
        description = Message("{events} events per user", events=numerator)
        if actions[1]:
            description = Message("{events} events per {unit}", events=numerator, unit=denominator)
        return OnlineMetric(name, description, sign != "-", actions=actions)
    raise SpecError(
        f"no online metric is called {name!r}; {nearest(name, METRICS)}, click_through@1, or a/b of two events"
    )


def online_metrics(names: Sequence[str]) -> list[OnlineMetric]:
    """Return the metrics with these names, without repeats.  A text may hold several names, with spaces or commas."""
    return [online_metric(name) for name in dict.fromkeys(" ".join(names).replace(",", " ").split())]


def day_sums(part: UserEvents, metrics: Sequence[OnlineMetric], by: str = "day") -> pl.DataFrame:
    """Sum the numerator and the denominator of each metric for each user and day.

    Parameters
    ----------
    part
        Searches and actions of some users.
    by
        `day`, or "" for one row per user.

    Returns
    -------
    pl.DataFrame
        `uid`, `day` (days since 1970, UTC), and for metric number m its numerator `x{m}` and denominator `y{m}`; in
        order of user and day.  For a metric per user `y` is 1 on the first day of a user, else 0.
    """
    import polars as pl

    day = (pl.col("time") / DAY).floor().cast(pl.Int64).alias("day") if by else pl.lit(0, pl.Int64).alias("day")
    columns = []
    for number, metric in enumerate(metrics):
        if metric.sums:
            x, y = metric.sums()
            columns += [x.alias(f"x{number}"), y.alias(f"y{number}")]
    if any("session" in metric.actions for metric in metrics):
        columns.append((pl.int_range(pl.len()) == 0).over("uid", "session").cast(pl.Float64).alias("is_session"))
    of_searches = part.searches.select("uid", day, *columns, is_search=_one_per_search())
    search_sums = sum_neighbours(of_searches, ["uid", "day"])
    counted_actions = {action for metric in metrics for action in metric.actions if action} - {"search", "session"}
    has_no_search = ~pl.col("uid").is_in(part.searches["uid"].unique().implode())
    actions = part.actions.filter(pl.col("action").is_in(sorted(counted_actions)) | has_no_search)
    actions = actions.select("uid", day, "action", pl.col("value").fill_null(0.0))
    sums = [
        summed
        for number, action in enumerate(sorted(counted_actions))
        for summed in (
            (pl.col("action") == action).sum().cast(pl.Float64).alias(f"n{number}"),
            pl.col("value").filter(pl.col("action") == action).sum().alias(f"v{number}"),
        )
    ]
    if not len(actions):
        zeros = [pl.lit(0.0).alias(f"{kind}{number}") for number in range(len(counted_actions)) for kind in "nv"]
        return _with_action_metrics(search_sums.with_columns(zeros), metrics, sorted(counted_actions))
    action_sums = actions.group_by("uid", "day").agg(sums)
    joined = search_sums.join(action_sums, on=["uid", "day"], how="full", coalesce=True)
    joined = joined.with_columns(pl.exclude("uid", "day").fill_null(0.0)).sort("uid", "day")
    return _with_action_metrics(joined, metrics, sorted(counted_actions))


def sum_neighbours(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Sum the other columns over rows with equal keys, which stand together.

    >>> import polars as pl
    >>> sum_neighbours(pl.DataFrame({"uid": [3, 3, 5], "x": [1.0, 2.0, 4.0]}), ["uid"]).rows()
    [(3, 3.0), (5, 4.0)]
    """
    import polars as pl

    is_first = pl.any_horizontal((pl.col(key) != pl.col(key).shift(1)).fill_null(True) for key in keys)
    starts = np.flatnonzero(frame.select(is_first).to_series().to_numpy())
    if not len(starts):
        return frame
    values = frame.select(pl.exclude(keys))
    sums = [pl.Series(column.name, np.add.reduceat(column.to_numpy(), starts)) for column in values]
    return frame.select(keys)[starts].hstack(sums)


def _with_action_metrics(
    sums: pl.DataFrame, metrics: Sequence[OnlineMetric], counted_actions: Sequence[str]
) -> pl.DataFrame:
    """Add the columns of the metrics that count actions."""
    import polars as pl

    def count(action: str) -> pl.Expr:
        of_searches = {"search": "is_search", "session": "is_session"}
        return pl.col(of_searches[action] if action in of_searches else f"n{counted_actions.index(action)}")

    is_first = (pl.col("uid") != pl.col("uid").shift(1)).fill_null(True)
    first = is_first.cast(pl.Float64)
    columns = []
    for number, metric in enumerate(metrics):
        if metric.sums:
            continue
        numerator, denominator = metric.actions
        x = count(numerator)
        if metric.per_user == "value":
            x = pl.col(f"v{counted_actions.index(numerator)}")
        elif metric.per_user == "any":
            before = pl.when(is_first).then(x.cum_sum() - x).forward_fill()
            so_far = x.cum_sum() - before
            x = ((so_far > 0) & (so_far - x == 0)).cast(pl.Float64)
        columns += [x.alias(f"x{number}"), (count(denominator) if denominator else first).alias(f"y{number}")]
    names = [f"{axis}{number}" for number in range(len(metrics)) for axis in "xy"]
    return sums.with_columns(columns).select("uid", "day", *names)
