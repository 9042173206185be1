"""What is measured of users in an experiment: each metric is a ratio of two sums over what a user did.

A metric of searches has searches below the line, one of users has users.  The sums are kept for each user, because
users are assigned to arms and not searches: what one user does hangs together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neraca.errors import SpecError, nearest
from neraca.online.event_columns import ACTIONS
from neraca.online.searches import UserEvents

if TYPE_CHECKING:
    import polars as pl

#: A click after which the user stays away for so many seconds was a success.
STAYED = 30.0
DAY = 86_400.0


@dataclass(frozen=True)
class OnlineMetric:
    """A metric of what users do.

    Attributes
    ----------
    name
        As on the command line.
    words
        What it is, for people.
    higher_is_better
        None for a diagnostic, of which neither direction is better.
    sums
        Of searches the numerator and the denominator, as expressions over `UserEvents.searches`; None for others.
    actions
        Of other events: the two that are counted; "" is the users.
    per_user
        What each user adds to the numerator: `count`, `value` (their sum) or `any` (1 where there is one).
    share
        Whether it lies between 0 and 1, because each part of the denominator adds at most 1 to the numerator.
    """

    name: str
    words: str
    higher_is_better: bool | None
    sums: Callable[[], tuple[pl.Expr, pl.Expr]] | None = None
    actions: tuple[str, str] = ("", "")
    per_user: str = "count"
    share: bool = False

    @property
    def limits_of_difference(self) -> tuple[float, float]:
        """The least and the largest difference of two arms; infinite if there is none."""
        return (-1.0, 1.0) if self.share else (-math.inf, math.inf)

    @property
    def of_users(self) -> bool:
        """Whether its denominator is the number of users."""
        return self.sums is None and not self.actions[1]


def _one() -> pl.Expr:
    import polars as pl

    return pl.lit(1.0)


def _clicked() -> pl.Expr:
    import polars as pl

    return (pl.col("clicked").list.len() > 0).cast(pl.Float64)


def _first_click() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return pl.col("clicked_at").list.first().fill_null(0.0), _clicked()


def _success() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    stayed = pl.col("dwell").list.eval(pl.element().fill_null(STAYED)).list.max() >= STAYED
    return stayed.fill_null(False).cast(pl.Float64), _one()


def _sessions() -> tuple[pl.Expr, pl.Expr]:
    """Each session counts at its first search; whether it had a click is looked up over all of its searches."""
    import polars as pl

    first = (pl.int_range(pl.len()) == 0).over("uid", "session").cast(pl.Float64)
    return first * _clicked().max().over("uid", "session"), first


def _clicks() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return pl.col("clicked").list.len().cast(pl.Float64), _one()


def _reformulated() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return pl.col("reformulated").cast(pl.Float64), _one()


def _nothing() -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return (pl.col("shown").list.len() == 0).cast(pl.Float64), _one()


def _at_rank(rank: int) -> Callable[[], tuple[pl.Expr, pl.Expr]]:
    def sums() -> tuple[pl.Expr, pl.Expr]:
        import polars as pl

        shown = (pl.col("shown").list.len() >= rank).cast(pl.Float64)
        return pl.col("clicked").list.contains(rank).cast(pl.Float64) * shown, shown

    return sums


METRICS = {
    metric.name: metric
    for metric in (
        OnlineMetric("click_through", "searches with a click", True, lambda: (_clicked(), _one()), share=True),
        OnlineMetric("clicks", "clicks per search", True, _clicks),
        OnlineMetric("session_click_through", "sessions with a click", True, _sessions, share=True),
        OnlineMetric(
            "success", f"searches with a click after which the user stays {STAYED:g} s", True, _success, share=True
        ),
        OnlineMetric("reformulation", "searches that are put in other words", False, _reformulated, share=True),
        OnlineMetric("abandonment", "searches without a click", False, lambda: (1.0 - _clicked(), _one()), share=True),
        OnlineMetric("time_to_first_click", "seconds until the first click", False, _first_click),
        OnlineMetric("no_results", "searches that showed nothing", False, _nothing, share=True),
        OnlineMetric("searches", "searches per user", None, actions=("search", "")),
        OnlineMetric("conversion", "users who converted", True, actions=("conversion", ""), per_user="any", share=True),
        OnlineMetric("conversions", "conversions per user", True, actions=("conversion", "")),
        OnlineMetric("revenue", "revenue per user", True, actions=("conversion", ""), per_user="value"),
    )
}
#: What is reported where nothing is named; those of conversions where the log has some.
USUAL = ("click_through", "reformulation", "success", "time_to_first_click", "searches")
OF_CONVERSIONS = ("conversion", "revenue")
_RANK = re.compile(r"click_through@([1-9]\d{0,2})", re.IGNORECASE)
_RATIO = re.compile(r"([+-]?)([\w.:-]+)/([\w.:-]+)")


def online_metric(name: str) -> OnlineMetric:
    """Find a metric by its name: of `METRICS`, `click_through@3` (of one rank), or a ratio of two events.

    A ratio such as `add_to_cart/search` counts events of a user; `/user` is per user.  With a minus in front, as in
    `-complaint/user`, lower is better.

    Raises
    ------
    SpecError
        There is no such metric.

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
            name, f"searches with a click on rank {rank}, of those that show it", None, _at_rank(rank), share=True
        )
    if match := _RATIO.fullmatch(name):
        sign, above, below = match.groups()
        usual = {word: action for action, words in ACTIONS.items() for word in words}
        above, below = usual.get(above.lower(), above.lower()), usual.get(below.lower(), below.lower())
        actions = above, "" if below in ("user", "users") else below
        per = "user" if not actions[1] else below
        return OnlineMetric(name, f"{above} events per {per}", sign != "-", actions=actions)
    raise SpecError(
        f"no online metric is called {name!r}; {nearest(name, METRICS)}, click_through@1, or a/b of two events"
    )


def online_metrics(names: Sequence[str]) -> list[OnlineMetric]:
    """Find several metrics, each once; names may stand in one text, divided by spaces or commas."""
    words = " ".join(names).replace(",", " ").split()
    return [online_metric(name) for name in dict.fromkeys(words)]


def day_sums(part: UserEvents, metrics: Sequence[OnlineMetric], by: str = "day") -> pl.DataFrame:
    """Add up numerators and denominators for each user and day.

    Parameters
    ----------
    part
        What some users did.
    by
        `day`, or "" for one row a user.

    Returns
    -------
    pl.DataFrame
        `uid`, `day` (days since 1970, UTC), and for the metric number m `x{m}` and `y{m}`; in order of user and day.
        Of metrics per user `y` is 1 on the first day of a user, else 0.
    """
    import polars as pl

    day = (pl.col("time") / DAY).floor().cast(pl.Int64).alias("day") if by else pl.lit(0, pl.Int64).alias("day")
    columns = []
    for number, metric in enumerate(metrics):
        if metric.sums:
            x, y = metric.sums()
            columns += [x.alias(f"x{number}"), y.alias(f"y{number}")]
    of_searches = part.searches.select("uid", day, *columns, is_search=_one())
    searches = of_searches.group_by("uid", "day").agg(pl.all().sum())
    actions = part.actions.select("uid", day, "action", pl.col("value").fill_null(0.0))
    counted = {action for metric in metrics for action in metric.actions if action} - {"search"}
    sums = [
        summed
        for number, action in enumerate(sorted(counted))
        for summed in (
            (pl.col("action") == action).sum().cast(pl.Float64).alias(f"n{number}"),
            pl.col("value").filter(pl.col("action") == action).sum().alias(f"v{number}"),
        )
    ]
    others = actions.group_by("uid", "day").agg(sums)
    joined = searches.join(others, on=["uid", "day"], how="full", coalesce=True)
    joined = joined.with_columns(pl.exclude("uid", "day").fill_null(0.0)).sort("uid", "day")
    return _of_actions(joined, metrics, sorted(counted))


def _of_actions(sums: pl.DataFrame, metrics: Sequence[OnlineMetric], counted: Sequence[str]) -> pl.DataFrame:
    """The sums with the columns of metrics of other events."""
    import polars as pl

    def count(action: str) -> pl.Expr:
        return pl.col("is_search") if action == "search" else pl.col(f"n{counted.index(action)}")

    first = pl.col("uid").is_first_distinct().cast(pl.Float64)
    columns = []
    for number, metric in enumerate(metrics):
        if metric.sums:
            continue
        above, below = metric.actions
        x = count(above)
        if metric.per_user == "value":
            x = pl.col(f"v{counted.index(above)}")
        elif metric.per_user == "any":
            so_far = x.cum_sum().over("uid")
            x = ((so_far > 0) & (so_far - x == 0)).cast(pl.Float64)
        columns += [x.alias(f"x{number}"), (count(below) if below else first).alias(f"y{number}")]
    wanted = [f"{axis}{number}" for number in range(len(metrics)) for axis in "xy"]
    return sums.with_columns(columns).select("uid", "day", *wanted)
