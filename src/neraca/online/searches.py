"""From the events of some users to their searches: what was shown, what was clicked and when, what followed.

Everything here works on whole users, so that a log can be divided by user and done part by part.
"""

from __future__ import annotations

from re import escape
from typing import TYPE_CHECKING, NamedTuple

from neraca.online.exclusions import Exclusions
from neraca.online.log_options import LogOptions
from neraca.online.reformulation import reformulated

if TYPE_CHECKING:
    import polars as pl


class UserEvents(NamedTuple):
    """What some users did, user after user, each in order of time.

    Attributes
    ----------
    searches
        One row a search: `search user session query variant time shown teams clicked clicked_at dwell reformulated`,
        `uid` (a number of the user, quicker to group by) and the segments.  `dwell` has for each click the seconds
        until the user's next event of the session, null where there is none.
    actions
        Every other event and every click: `uid variant time action value`.
    """

    searches: pl.DataFrame
    actions: pl.DataFrame


def user_events(events: pl.DataFrame, options: LogOptions, excluded: Exclusions) -> UserEvents:
    """Make searches of the events of some users; what cannot be used is left out and counted."""
    import polars as pl

    events = _without_repeats(events, excluded)
    events = events.with_columns(uid=pl.col("user").hash()).sort("uid", "time", maintain_order=True)
    events = _with_dwell(_with_sessions(events, options.session_gap))
    events = _people(_of_one_arm(events, options, excluded), options, excluded)
    events, searches = _searches(events, excluded)
    clicks = _clicks(events, searches, excluded)
    lists = clicks.group_by("key", maintain_order=True).agg(
        clicked=pl.col("rank"), clicked_at=pl.col("time") - pl.col("searched"), dwell=pl.col("dwell")
    )
    searches = (
        searches.drop("dwell")
        .join(lists, on="key", how="left", maintain_order="left")
        .with_columns(
            pl.col(name).fill_null(pl.lit([], dtype=kind))
            for name, kind in (
                ("clicked", pl.List(pl.Int64)),
                ("clicked_at", pl.List(pl.Float64)),
                ("dwell", pl.List(pl.Float64)),
                ("shown", pl.List(pl.String)),
                ("teams", pl.List(pl.String)),
            )
        )
    )
    told = events.filter(action="reformulation")["key"].unique()
    found = reformulated(searches, options.reformulation_seconds)
    searches = searches.with_columns(reformulated=found | searches["key"].is_in(told.implode()))
    others = events.filter(~pl.col("action").is_in(["search", "impression", "click"]))
    actions = pl.concat([others.select(_ACTION), clicks.select(_ACTION)])
    columns = ["search", "user", "session", "query", "variant", "time", "shown", "teams", "clicked", "clicked_at"]
    return UserEvents(searches.select(*columns, "dwell", "reformulated", "uid", *options.segments), actions)


_ACTION = ["uid", "variant", "time", "action", "value"]


def _drop(frame: pl.DataFrame, bad: pl.Expr, reason: str, excluded: Exclusions, of: str = "") -> pl.DataFrame:
    """Leave out the rows that are bad, and count them; or the users (`of`) that have one."""
    import polars as pl

    out = frame.filter(bad)
    if not len(out):
        return frame
    example = " ".join(f"{name} {out[name][0]}" for name in ("user", "search") if out[name][0] is not None)
    if not of:
        excluded.add(reason, len(out), example)
        return frame.filter(~bad)
    users = out[of].unique()
    excluded.add(reason, len(users), example)
    return frame.filter(~pl.col(of).is_in(users.implode()))


def _without_repeats(events: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """The events, each once: two that have all but what was shown in common are one."""
    import polars as pl

    same = pl.struct("user", "time", "action", "search", "rank", "document", "query", "value")
    first = events.select(same.hash().is_first_distinct()).to_series()
    excluded.add("duplicate", int((~first).sum()))
    return events.filter(first)


def _with_sessions(events: pl.DataFrame, gap: float) -> pl.DataFrame:
    """Give events without a session one: it ends where the user does nothing for so many seconds."""
    import polars as pl

    if not events["session"].null_count():
        return events
    same_user = pl.col("uid") == pl.col("uid").shift(1)
    new = (~same_user | (pl.col("time") - pl.col("time").shift(1) > gap)).fill_null(True)
    made = pl.format("session {}", new.cum_sum())
    return events.with_columns(session=pl.coalesce("session", made))


def _with_dwell(events: pl.DataFrame) -> pl.DataFrame:
    """Give events that do not say how long the user stayed the seconds until the next event of the session."""
    import polars as pl

    same = (pl.col("uid") == pl.col("uid").shift(-1)) & (pl.col("session") == pl.col("session").shift(-1))
    following = pl.when(same).then(pl.col("time").shift(-1) - pl.col("time"))
    return events.with_columns(dwell=pl.coalesce("dwell", following))


def _of_one_arm(events: pl.DataFrame, options: LogOptions, excluded: Exclusions) -> pl.DataFrame:
    """Give all events of a user the one arm that the user is in; those before the experiment have none.

    An arm counts where an event names it within the experiment (`since`, `until`).
    """
    import polars as pl

    inside = pl.col("time").is_between(options.since, options.until, closed="left")
    late = pl.col("time") >= options.until
    excluded.add("before", int(events.select(late.sum()).item()))
    events = events.filter(~late)
    named = events.filter(inside & pl.col("variant").is_not_null()).select("uid", "variant").unique()
    if not len(named):
        return events
    both = named.filter(pl.col("uid").is_duplicated())["uid"].unique()
    if len(both):
        in_both = pl.col("uid").is_in(both.implode())
        excluded.add("both_arms", len(both), f"user {events.filter(in_both)['user'][0]}")
        events, named = events.filter(~in_both), named.filter(~in_both)
    if options.arms:
        known = pl.col("variant").is_in(list(options.arms))
        strange = named.filter(~known)
        excluded.add("unknown_arm", len(strange), f"arm {strange['variant'][0]}" if len(strange) else "")
        events = events.filter(~pl.col("uid").is_in(strange["uid"].implode()))
        named = named.filter(known)
    return events.drop("variant").join(named, on="uid", how="left", maintain_order="left")


def _people(events: pl.DataFrame, options: LogOptions, excluded: Exclusions) -> pl.DataFrame:
    """Leave out test users, and those who search more than a person does."""
    import polars as pl

    if options.test_users:
        words = ["".join(".*" if letter == "*" else escape(letter) for letter in one) for one in options.test_users]
        is_test = pl.col("user").str.contains(f"^(?:{'|'.join(words)})$")
        events = _drop(events, is_test, "test_user", excluded, of="user")
    if options.most_searches:
        searched = events.filter(action="search").select("uid", "user", "time")
        busy = searched.group_by("uid").len().filter(pl.col("len") > options.most_searches)["uid"]
        day = (pl.col("time") // 86_400).alias("day")
        of_day = searched.filter(pl.col("uid").is_in(busy.implode())).group_by("user", day).len()
        of_day = of_day.filter(pl.col("len") > options.most_searches)
        bots = of_day["user"].unique()
        excluded.add("bot", len(bots), f"user {bots[0]}" if len(bots) else "")
        events = events.filter(~pl.col("user").is_in(bots.implode()))
    return events


def _searches(events: pl.DataFrame, excluded: Exclusions) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The events, each with the id of its search, and the searches; of impressions alone searches are made."""
    import polars as pl

    own = events.filter(action="search")
    if not len(own):
        own = events.filter(pl.col("action") == "impression", pl.col("search").is_not_null())
        own = own.unique(["user", "search"], keep="first", maintain_order=True).with_columns(action=pl.lit("search"))
        own = own.with_columns(shown=pl.lit(None, dtype=pl.List(pl.String)), teams=pl.lit(None, pl.List(pl.String)))
    if own["search"].null_count():
        made = pl.format("{} {}", "user", pl.int_range(pl.len()))
        own = own.with_columns(search=pl.coalesce("search", made))
    own = _with_key(own)
    own = _drop(own, ~pl.col("key").is_first_distinct(), "repeated_search", excluded)
    wrong = (pl.col("teams").list.len() > 0) & (pl.col("teams").list.len() != pl.col("shown").list.len())
    own = _drop(own, wrong.fill_null(False), "teams", excluded)
    rest = events.filter(pl.col("action") != "search")
    nameless = rest.filter(pl.col("search").is_null())
    if len(nameless):
        last = own.select("user", "time", pl.col("search").alias("of")).sort("time")
        nameless = nameless.sort("time").join_asof(last, on="time", by="user", check_sortedness=False)
        nameless = nameless.with_columns(search=pl.col("of")).drop("of")
        rest = pl.concat([rest.filter(pl.col("search").is_not_null()), nameless]).sort("user", "time")
    rest = _with_key(rest)
    impressions = rest.filter(action="impression")
    if len(impressions):
        own = _with_impressions(own, impressions, excluded)
    return rest, own


def _with_key(events: pl.DataFrame) -> pl.DataFrame:
    """Events with a number for their search: an id is only its user's."""
    import polars as pl

    return events.with_columns(key=pl.struct("uid", "search").hash(seed=1))


def _with_impressions(searches: pl.DataFrame, impressions: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Searches that do not say what they showed, with what their impressions say; a rank without one is ""."""
    import polars as pl

    known = searches.select("key")
    lost = impressions.join(known, on="key", how="anti")
    excluded.add("no_search", len(lost), f"user {lost['user'][0]}" if len(lost) else "")
    seen = impressions.join(known, on="key", how="semi")
    no_rank = pl.col("rank").is_null() | pl.col("document").is_null()
    seen = _drop(seen, no_rank, "no_rank", excluded).unique(["key", "rank"], keep="first", maintain_order=True)
    seen = seen.with_columns(teams=pl.col("teams").list.first())
    places = seen.group_by("key").agg(rank=pl.int_range(1, pl.col("rank").max() + 1)).explode("rank")
    whole = places.join(seen.select("key", "rank", "document", "teams"), on=["key", "rank"], how="left")
    lists = (
        whole.sort("key", "rank")
        .group_by("key", maintain_order=True)
        .agg(
            own_shown=pl.col("document").fill_null(""),
            own_teams=pl.col("teams").fill_null(""),
            any=pl.col("teams").count(),
        )
        .with_columns(own_teams=pl.when(pl.col("any") > 0).then("own_teams"))
        .drop("any")
    )
    joined = searches.join(lists, on="key", how="left", maintain_order="left")
    both = [pl.coalesce(name, f"own_{name}").alias(name) for name in ("shown", "teams")]
    return joined.with_columns(both).drop("own_shown", "own_teams")


def _clicks(events: pl.DataFrame, searches: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Clicks of searches in the log, with a rank, the time of their search, and how long the user stayed."""
    import polars as pl

    clicks = events.filter(action="click").drop("shown", "teams", "query")
    known = searches.select("key", "shown", pl.col("time").alias("searched"))
    clicks = clicks.join(known, on="key", how="left", maintain_order="left")
    clicks = _drop(clicks, pl.col("searched").is_null(), "no_search", excluded)
    clicks = _drop(clicks, pl.col("time") < pl.col("searched"), "early", excluded)
    clicks = _with_ranks(clicks.with_row_index("n"), excluded)
    return clicks.drop("n", "shown")


def _with_ranks(clicks: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Clicks with the rank of their document; those on what their search did not show are left out."""
    import polars as pl

    there = pl.col("shown").list.get(pl.col("rank") - 1, null_on_oob=True)
    unknown = pl.col("shown").list.len().fill_null(0) == 0
    right = pl.when(pl.col("document").is_null()).then(there.is_not_null()).otherwise(there == pl.col("document"))
    sure = (unknown & pl.col("rank").is_not_null()) | right.fill_null(False)
    doubtful = clicks.filter(~sure)
    if not len(doubtful):
        return clicks
    listed = doubtful.filter(pl.col("document").is_not_null()).select("n", "document", "shown")
    ranks = pl.int_ranges(1, pl.col("shown").list.len() + 1).alias("found")
    placed = listed.with_columns(ranks).explode("shown", "found").filter(pl.col("shown") == pl.col("document"))
    placed = placed.select("n", "found").unique("n", keep="first", maintain_order=True)
    clicks = clicks.join(placed, on="n", how="left", maintain_order="left")
    lacking = ~sure & pl.col("found").is_null()
    nowhere = lacking & (unknown | (pl.col("document").is_null() & pl.col("rank").is_null()))
    clicks = _drop(clicks, nowhere, "no_rank", excluded)
    clicks = _drop(clicks, lacking, "not_shown", excluded)
    return clicks.with_columns(rank=pl.coalesce("found", "rank")).drop("found")
