"""Turn the events of some users into searches: documents shown, clicks with times, and reformulations.

Every function takes all events of a user at once, so that a log can be divided by user and processed in parts.
"""

from __future__ import annotations

from re import escape
from typing import TYPE_CHECKING, NamedTuple

from neraca.online.exclusions import Exclusions
from neraca.online.log_options import LogOptions
from neraca.online.message import Message
from neraca.online.reformulation import reformulated
from neraca.online.time_window import TimeWindow
from neraca.online.times import written_time

if TYPE_CHECKING:
    import polars as pl

EVERY_TIME = TimeWindow()


class UserEvents(NamedTuple):
    """Searches and actions of some users, in order of user and time.

    Attributes
    ----------
    searches
        One row per search: `search user session query variant time shown teams clicked clicked_at unranked untimed
        dwell compared flagged reformulated`, `uid` (a hash of the user, for fast grouping) and the segments.  `clicked`
        lists the ranks of the clicks, `unranked` counts the clicks of unknown rank, and `untimed` those with neither a
        time nor a dwell time.  `clicked_at` lists the seconds of all clicks after the search, null if unknown, and
        `dwell` the seconds until the user's next event of the session, null after the last.  `compared` tells whether
        the log has the data to find a reformulation of the search, and `flagged` whether a column says if it is
        reformulated.
    actions
        One row per click and per event that is neither a search nor an impression: `uid user variant time action
        value`.
    """

    searches: pl.DataFrame
    actions: pl.DataFrame


def user_events(
    events: pl.DataFrame, options: LogOptions, excluded: Exclusions, window: TimeWindow = EVERY_TIME
) -> UserEvents:
    """Group the events of some users into searches.  Leave out unusable events and count them in `excluded`."""
    import polars as pl

    events = _with_cheap_empty_columns(_without_repeats(events, excluded))
    excluded.searches += int(events.select((pl.col("action") == "search").sum()).item())
    events = _drop(events, window.is_outside(options.since), "outside", excluded)
    events = events.with_columns(uid=pl.col("user").hash()).sort("uid", "time", maintain_order=True)
    events = _with_dwell(_with_sessions(events, options.session_gap, excluded))
    events = _without_bots(_with_arm(events, options, excluded), options, excluded)
    events, searches = _searches(events, excluded)
    clicks = _clicks(events, searches, excluded)
    after_search = pl.when(pl.col("timed").fill_null(True)).then(pl.col("time") - pl.col("searched"))
    lists = clicks.group_by("key", maintain_order=True).agg(
        clicked=pl.col("rank").drop_nulls(),
        unranked=pl.col("rank").null_count(),
        untimed=(~pl.col("timed") & pl.col("dwell").is_null()).sum(),
        clicked_at=after_search,
        dwell=pl.col("dwell"),
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
                ("shown", searches.schema["shown"]),
                ("teams", pl.List(pl.String)),
            )
        )
    )
    logged = events.filter(action="reformulation")["key"].unique()
    detected = reformulated(searches, options.reformulation_seconds)
    detected = detected | searches["key"].is_in(logged.implode())
    comparable = pl.col("query").is_not_null() | pl.col("reformulated").is_not_null() | detected
    searches = searches.with_columns(comparable.alias("compared"), flagged=pl.col("reformulated").is_not_null())
    excluded.add("no_query", int((~searches["compared"]).sum()))
    excluded.add("no_flag", int((searches["compared"] & ~searches["flagged"]).sum()))
    searches = searches.with_columns(
        pl.col("reformulated").fill_null(detected), pl.col("unranked", "untimed").fill_null(0)
    )
    other_events = events.filter(~pl.col("action").is_in(["search", "impression", "click"]))
    actions = pl.concat([other_events.select(_ACTION), clicks.select(_ACTION)])
    columns = ["search", "user", "session", "query", "variant", "time", "shown", "teams", "clicked", "clicked_at"]
    columns += ["unranked", "untimed", "compared", "flagged"]
    return UserEvents(searches.select(*columns, "dwell", "reformulated", "uid", *options.segments), actions)


_ACTION = ["uid", "user", "variant", "time", "action", "value"]


def _drop(frame: pl.DataFrame, bad: pl.Expr, reason: str, excluded: Exclusions, of: str = "") -> pl.DataFrame:
    """Leave out and count the rows that are bad.  With `of`, leave out all rows of a user who has a bad row."""
    bad_rows = frame.filter(bad)
    if not len(bad_rows):
        return frame
    example = _example(bad_rows, timed=reason == "outside")
    if not of:
        excluded.add(reason, len(bad_rows), example)
        return frame.filter(~bad)
    return _drop_users(frame, bad_rows[of].unique(), reason, excluded, example, of)


def _example(events: pl.DataFrame, *, timed: bool = False) -> Message:
    """Name the user, the search and, if it is `timed`, the time of the first event."""
    first = events.row(0, named=True)
    name = Message("user {user}", user=first["user"])
    if first["search"] is not None:
        name = Message("user {user} search {search}", user=first["user"], search=first["search"])
    if not timed:
        return name
    return Message("{name} at {time}", name=name, time=written_time(first["time"]))


def _drop_users(
    events: pl.DataFrame, users: pl.Series, reason: str, excluded: Exclusions, example: str = "", of: str = "uid"
) -> pl.DataFrame:
    """Leave out all events of some users, and count the users and their searches."""
    import polars as pl

    if not len(users):
        return events
    is_left_out = pl.col(of).is_in(users.implode())
    left_out = events.filter(is_left_out)
    excluded.add(reason, len(users), example or Message("user {user}", user=left_out["user"][0]))
    excluded.searches_by_reason[reason] += int((left_out["action"] == "search").sum())
    return events.filter(~is_left_out)


def _without_repeats(events: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Return the distinct events.  Two events are the same if all fields except those on documents shown are equal.

    Count the rows that are repeated, and not what stands in the cells of such a row.
    """
    import polars as pl

    fields = ("user", "time", "action", "search", "rank", "document", "query", "value", "nth")
    compared_fields = pl.struct(name for name in fields if events[name].null_count() < len(events) or name == "user")
    contents = events.select(compared_fields.hash()).to_series()
    if contents.n_unique() == len(events):
        return events
    is_first = contents.is_first_distinct()
    excluded.add("duplicate", int((~is_first & events["nth"].is_null()).sum()))
    return events.filter(is_first)


def _with_cheap_empty_columns(events: pl.DataFrame) -> pl.DataFrame:
    """Return the same events; columns without a value, of which a log has many, are one null and cost no copies."""
    import polars as pl

    empty = [pl.lit(None, dtype=kind).alias(name) for name, kind in events.schema.items() if _is_empty(events[name])]
    return events.with_columns(empty)


def _is_empty(column: pl.Series) -> bool:
    return column.null_count() == len(column) > 0


def _with_sessions(events: pl.DataFrame, gap: float, excluded: Exclusions) -> pl.DataFrame:
    """Assign sessions to events without one: a session ends after `gap` seconds without an event of the user."""
    import polars as pl

    if not (n := events["session"].null_count()):
        return events
    excluded.add("no_session", n)
    same_user = pl.col("uid") == pl.col("uid").shift(1)
    new = (~same_user | (pl.col("time") - pl.col("time").shift(1) > gap)).fill_null(True)
    name = pl.format("session {}", new.cum_sum())
    return events.with_columns(session=pl.coalesce("session", name))


def _with_dwell(events: pl.DataFrame) -> pl.DataFrame:
    """Fill missing dwell times with the seconds until the next event of the session."""
    import polars as pl

    same_session = (pl.col("uid") == pl.col("uid").shift(-1)) & (pl.col("session") == pl.col("session").shift(-1))
    same_session &= pl.col("timed").fill_null(True)
    following = pl.when(same_session).then(pl.col("time").shift(-1) - pl.col("time"))
    return events.with_columns(dwell=pl.coalesce("dwell", following))


def _with_arm(events: pl.DataFrame, options: LogOptions, excluded: Exclusions) -> pl.DataFrame:
    """Assign to all events of a user the arm that events within the experiment name (from `since` to `until`).

    Leave out events after the experiment, users with two arms, and users whose arm is not among `options.arms`.
    """
    import polars as pl

    inside = pl.col("time").is_between(options.since, options.until, closed="left")
    events = _drop(events, pl.col("time") >= options.until, "late", excluded)
    arm_by_user = events.filter(inside & pl.col("variant").is_not_null()).select("uid", "variant")
    # events of a user stand together, so equal neighbours suffice unless the arm of a user changes
    is_new = (pl.col("uid") != pl.col("uid").shift(1)) | (pl.col("variant") != pl.col("variant").shift(1))
    arm_by_user = arm_by_user.filter(is_new.fill_null(True)).unique()
    if not len(arm_by_user):
        return events
    users_in_both = arm_by_user.filter(pl.col("uid").is_duplicated())["uid"].unique()
    events = _drop_users(events, users_in_both, "both_arms", excluded)
    arm_by_user = arm_by_user.filter(~pl.col("uid").is_in(users_in_both.implode()))
    if options.arms:
        is_option = pl.col("variant").is_in(list(options.arms))
        unknown = arm_by_user.filter(~is_option)
        example = Message("arm {arm}", arm=unknown["variant"][0]) if len(unknown) else ""
        events = _drop_users(events, unknown["uid"], "unknown_arm", excluded, example)
        arm_by_user = arm_by_user.filter(is_option)
    return events.drop("variant").join(arm_by_user, on="uid", how="left", maintain_order="left")


def _without_bots(events: pl.DataFrame, options: LogOptions, excluded: Exclusions) -> pl.DataFrame:
    """Leave out test users, and users with more than `most_searches` searches in a day."""
    import polars as pl

    if options.test_users:
        patterns = [
            "".join(".*" if letter == "*" else escape(letter) for letter in name) for name in options.test_users
        ]
        is_test = pl.col("user").str.contains(f"^(?:{'|'.join(patterns)})$")
        events = _drop(events, is_test, "test_user", excluded, of="user")
    if options.most_searches:
        searched = events.filter(action="search").select("uid", "user", "time")
        busy = searched.group_by("uid").len().filter(pl.col("len") > options.most_searches)["uid"]
        day = (pl.col("time") // 86_400).alias("day")
        searches_by_day = searched.filter(pl.col("uid").is_in(busy.implode())).group_by("user", day).len()
        searches_by_day = searches_by_day.filter(pl.col("len") > options.most_searches)
        events = _drop_users(events, searches_by_day["user"].unique(), "bot", excluded, of="user")
    return events


def _searches(events: pl.DataFrame, excluded: Exclusions) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the other events, each with the id of its search, and the searches.

    If the log has no searches, make them from impressions.
    """
    import polars as pl

    searches = events.filter(action="search")
    if searches.schema["shown"] == pl.UInt32:
        zeros = pl.lit(0, pl.UInt8).repeat_by("shown").alias("shown")
        searches, events = searches.with_columns(zeros), events.with_columns(shown=pl.lit(None, pl.List(pl.UInt8)))
    if not len(searches):
        searches = events.filter(pl.col("action") == "impression", pl.col("search").is_not_null())
        searches = searches.unique(["user", "search"], keep="first", maintain_order=True).with_columns(
            action=pl.lit("search")
        )
        searches = searches.with_columns(
            shown=pl.lit(None, dtype=events.schema["shown"]), teams=pl.lit(None, pl.List(pl.String))
        )
    if searches["search"].null_count():
        new_id = pl.format("{} {}", "user", pl.int_range(pl.len()))
        searches = searches.with_columns(search=pl.coalesce("search", new_id))
    searches = _with_key(searches)
    searches = _drop(searches, ~pl.col("key").is_first_distinct(), "repeated_search", excluded)
    if not _is_empty(searches["teams"]):
        uneven = (pl.col("teams").list.len() > 0) & (pl.col("teams").list.len() != pl.col("shown").list.len())
        searches = _drop(searches, uneven.fill_null(False), "teams", excluded)
    other_events = events.filter(pl.col("action") != "search")
    without_search = other_events.filter(pl.col("search").is_null())
    if len(without_search):
        last = searches.select("user", "time", pl.col("search").alias("of")).sort("time")
        without_search = without_search.sort("time").join_asof(last, on="time", by="user", check_sortedness=False)
        without_search = without_search.with_columns(search=pl.col("of")).drop("of")
        other_events = pl.concat([other_events.filter(pl.col("search").is_not_null()), without_search]).sort(
            "user", "time"
        )
    other_events = _with_key(other_events)
    impressions = other_events.filter(action="impression")
    if len(impressions):
        searches = _with_impressions(searches, impressions, excluded)
    return other_events, searches


def _with_key(events: pl.DataFrame) -> pl.DataFrame:
    """Add the column `key`, a hash of user and search: ids of searches are unique only within a user."""
    import polars as pl

    return events.with_columns(key=pl.struct("uid", "search").hash(seed=1))


def _with_impressions(searches: pl.DataFrame, impressions: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Fill missing lists of documents shown and teams from impressions; a rank without an impression is ""."""
    import polars as pl

    keys = searches.select("key")
    lost = impressions.join(keys, on="key", how="anti")
    excluded.add("no_search", len(lost), Message("user {user}", user=lost["user"][0]) if len(lost) else "")
    matched = impressions.join(keys, on="key", how="semi")
    no_rank = pl.col("rank").is_null() | pl.col("document").is_null()
    matched = _drop(matched, no_rank, "no_rank", excluded).unique(["key", "rank"], keep="first", maintain_order=True)
    matched = matched.with_columns(teams=pl.col("teams").list.first())
    ranks = matched.group_by("key").agg(rank=pl.int_range(1, pl.col("rank").max() + 1)).explode("rank")
    filled = ranks.join(matched.select("key", "rank", "document", "teams"), on=["key", "rank"], how="left")
    lists = (
        filled.sort("key", "rank")
        .group_by("key", maintain_order=True)
        .agg(
            impression_shown=pl.col("document").fill_null(""),
            impression_teams=pl.col("teams").fill_null(""),
            any=pl.col("teams").count(),
        )
        .with_columns(impression_teams=pl.when(pl.col("any") > 0).then("impression_teams"))
        .drop("any")
    )
    joined = searches.join(lists, on="key", how="left", maintain_order="left")
    columns = [pl.coalesce(name, f"impression_{name}").alias(name) for name in ("shown", "teams")]
    return joined.with_columns(columns).drop("impression_shown", "impression_teams")


def _clicks(events: pl.DataFrame, searches: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Return the clicks of searches in the log, with a rank, the time of the search (`searched`) and the dwell."""
    import polars as pl

    clicks = events.filter(action="click").drop("shown", "teams", "query")
    lists = searches.select("key", "shown", pl.col("time").alias("searched"))
    clicks = clicks.join(lists, on="key", how="left", maintain_order="left")
    clicks = _drop(clicks, pl.col("searched").is_null(), "no_search", excluded)
    clicks = _drop(clicks, pl.col("time") < pl.col("searched"), "early", excluded)
    clicks = _with_ranks(clicks.with_row_index("n"), excluded)
    return clicks.drop("n", "shown")


def _with_ranks(clicks: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Correct the ranks of clicks by their documents.  Leave out clicks on documents that were not shown.

    Where the log does not tell what a search showed, its clicks count without a rank.
    """
    import polars as pl

    at_rank = pl.col("shown").list.get(pl.col("rank") - 1, null_on_oob=True).cast(pl.String)
    no_list = pl.col("shown").list.len().fill_null(0) == 0
    agrees = pl.when(pl.col("document").is_null()).then(at_rank.is_not_null()).otherwise(at_rank == pl.col("document"))
    from_count = pl.col("nth").is_not_null() & pl.col("rank").is_null() & pl.col("document").is_null()
    has_rank = no_list | agrees.fill_null(False) | from_count
    doubtful = clicks.filter(~has_rank)
    if not len(doubtful):
        return clicks
    listed = doubtful.filter(pl.col("document").is_not_null()).select("n", "document", "shown")
    ranks = pl.int_ranges(1, pl.col("shown").list.len() + 1).alias("place")
    placed = (
        listed.with_columns(ranks)
        .explode("shown", "place")
        .filter(pl.col("shown").cast(pl.String) == pl.col("document"))
    )
    placed = placed.select("n", "place").unique("n", keep="first", maintain_order=True)
    clicks = clicks.join(placed, on="n", how="left", maintain_order="left")
    unplaced = ~has_rank & pl.col("place").is_null()
    unranked = unplaced & pl.col("document").is_null() & pl.col("rank").is_null()
    clicks = _drop(clicks, unranked, "no_rank", excluded)
    clicks = _drop(clicks, unplaced, "not_shown", excluded)
    moved = clicks.filter(pl.col("rank") != pl.col("place"))
    excluded.add("moved", len(moved), Message("user {user}", user=moved["user"][0]) if len(moved) else "")
    return clicks.with_columns(rank=pl.coalesce("place", "rank")).drop("place")
