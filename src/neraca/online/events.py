"""Convert blocks of any log to one schema of events: user, time, action, search, document and rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neraca.datasets.log_reader import LogBlock
from neraca.errors import InputError
from neraca.online.event_columns import ACTIONS, OUTCOMES, ROLES, EventFields
from neraca.online.exclusions import Exclusions
from neraca.online.list_cells import filled
from neraca.online.message import Message
from neraca.online.rank_numbering import RANKED, RankNumbering
from neraca.online.search_rows import FROM_SEARCH, flags, items, outcomes
from neraca.online.times import YearLastDates, parse_times, read_compact_dates, to_seconds

if TYPE_CHECKING:
    import polars as pl

LISTS = ("shown", "teams")
#: Words that programs write where an arm is missing, and besides those where a user or a session is.
NO_NAME = r"^(?i)(?:null|\(null\)|undefined|nan|n/a|\(not set\)|)$"
NO_USER = r"^(?i)(?:null|\(null\)|undefined|nan|n/a|\(not set\)|na|none|nil|anonymous|unknown|guest|)$"
#: Texts that programs write where a query is missing; a user may type the others.
NO_QUERY = ("", "null", "NULL", "(null)", "undefined", "nan", "NaN", "None")
#: A column with more different values than these is cleaned cell by cell.
FEW_VALUES = 1000


def schema(segments: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the columns of events and their types.

    `nth` is the place of an event in a cell of its search, null for an event with a row of its own; `timed` is false if
    the time is that of its search.
    """
    import polars as pl

    outside = ("event", *(role for role in OUTCOMES if role != "reformulated"))
    types: dict[str, Any] = {role: pl.String for role in ROLES if role not in outside}
    types |= {"time": pl.Float64, "rank": pl.Int64, "dwell": pl.Float64, "value": pl.Float64}
    types |= {"reformulated": pl.Boolean, "nth": pl.Int32, "timed": pl.Boolean}
    return types | dict.fromkeys(LISTS, pl.List(pl.String)) | dict.fromkeys(segments, pl.String)


def events_of(
    block: LogBlock,
    table: EventFields,
    excluded: Exclusions,
    *,
    segments: tuple[str, ...] = (),
    ranks: RankNumbering,
    dates: YearLastDates | None = None,
    lengths_only: bool = False,
) -> pl.DataFrame:
    """Convert a block of a log to events, with the columns of `schema`.

    With `lengths_only`, `shown` is the number of documents shown in place of their list.  Ranks stay as the log counts
    them, and `ranks` notes those that are 0; see `rank_numbering.from_one`.  `dates` tells the order of dates with the
    year last.  Leave out and count rows that cannot be events: rows without action, user or time, rows with an invalid
    rank, and rows that repeat an event id of the block.
    """
    import polars as pl

    types = schema(segments)
    excluded.add("broken", block.broken)
    excluded.add("not_utf8", block.undecodable)
    frame = block.frame.with_row_index("line", block.first)
    if table.rows:
        frame = frame.with_columns(action=pl.lit(table.rows))
    present = [name for name in types if name in frame.columns]
    cells = [name for name in (*OUTCOMES, "value", "dwell") if table.rows == "search" and name in frame.columns]
    casts = [_cast(name, frame.schema[name]) for name in present if name not in cells]
    if lengths_only:
        types["shown"] = pl.UInt32
        casts = [_length(cast, frame.schema["shown"]) if cast.meta.output_name() == "shown" else cast for cast in casts]
    extra = [pl.col(name) for name in ("line", "event", "clicked") if name in frame.columns and name not in cells]
    raw_cells = [pl.col(name).alias(f"cell {name}") for name in cells]
    missing = [pl.lit(None, dtype=types[name]).alias(name) for name in types if name not in present or name in cells]
    raw_rank = (_has_rank(frame.schema["rank"]) if "rank" in present else pl.lit(False)).alias("has_rank")
    _check_time(frame.schema.get("time"), table.fields.get("time", ""))
    if "time" in present and not frame.schema["time"].is_numeric():
        frame = _with_times(frame, excluded, dates)
    if "time" in present:
        frame = frame.with_columns(read_compact_dates(frame["time"]))
    _count_bad_numbers(frame, [name for name in ("value", "dwell") if name not in cells], excluded)
    frame = frame.select(*casts, *extra, *missing, *raw_cells, raw_rank)
    only_session = pl.col("user").is_null() & pl.col("session").is_not_null()
    excluded.add("session_for_user", int(frame.select(only_session.sum()).item()))
    frame = frame.with_columns(pl.coalesce("user", "session").alias("user"))
    if table.rows == "impression":
        frame = _with_clicks(frame)
    frame = _without_bad_rows(frame, ranks, excluded)
    if cells:
        field = table.fields.get("clicked", "")
        return _with_outcomes(frame, [*types], cells, excluded, clicked_field=field, ranks=ranks)
    return frame.select(*types)


def with_whole_ids(frame: pl.DataFrame, excluded: Exclusions) -> pl.DataFrame:
    """Return the rows with ids such as 12.0 as 12, and count them.

    Programs write 12.0 in a table where other rows have no id, so that events of one user would have two names.
    """
    import polars as pl

    for name in ("user", "session", "search"):
        kind = frame.schema.get(name, pl.Null)
        if kind != pl.String and not kind.is_float():
            continue
        texts = frame[name].cast(pl.String)
        if texts.str.ends_with(".0").any():
            whole = texts.str.replace(r"^(-?\d+)\.0$", "${1}")
            changed = texts.filter((whole != texts).fill_null(False))
            excluded.add("float_id", len(changed), changed[0] if len(changed) else "")
            frame = frame.with_columns(whole)
    return frame


def _without_bad_rows(frame: pl.DataFrame, ranks: RankNumbering, excluded: Exclusions) -> pl.DataFrame:
    """Leave out and count rows that cannot be events."""
    import polars as pl

    invalid_rank = pl.col("has_rank") & (pl.col("rank").is_null() | (pl.col("rank") < ranks.lowest))
    for reason, bad in (
        ("no_action", pl.col("action").is_null()),
        ("no_user", pl.col("user").is_null()),
        ("no_time", pl.col("time").is_null() | ~pl.col("time").is_finite()),
        ("bad_rank", invalid_rank.fill_null(False) & pl.col("action").is_in(RANKED)),
    ):
        frame = _without(frame, bad, reason, excluded)
    ranks.note_zeros(frame)
    if "event" in frame.columns:
        repeated = pl.col("event").is_not_null() & ~pl.struct("event", "action").is_first_distinct()
        frame = _without(frame, repeated, "duplicate", excluded)
    return frame


def _check_time(kind: Any, field: str) -> None:
    """Raise `InputError` if a type of columns cannot hold times."""
    import polars as pl

    if kind == pl.Float32:
        raise InputError(
            f"{field!r} holds numbers of 32 bits, which tell times two minutes apart at best; write them with 64 bits "
            "(double)"
        )
    if kind in (pl.Duration, pl.Time):
        raise InputError(
            f"{field!r} holds spans or hours without a date; write when each event happened, with its date"
        )


def _with_times(frame: pl.DataFrame, excluded: Exclusions, dates: YearLastDates | None) -> pl.DataFrame:
    """Return the rows with their times in seconds; remember the first text that is no time, for messages."""
    import polars as pl

    times = parse_times(frame["time"], dates)
    if times.null_count() > frame["time"].null_count():
        text = pl.col("time").cast(pl.String).str.strip_chars()
        unread = frame.select("line", text).filter(times.is_null() & (text != ""))
        if len(unread):
            line, cell = unread.row(0)
            excluded.examples.setdefault(
                "no_time", Message("row {row:,}: {column} {cell}", row=line, column="time", cell=cell)
            )
    return frame.with_columns(times)


def _count_bad_numbers(frame: pl.DataFrame, names: Sequence[str], excluded: Exclusions) -> None:
    """Count the cells with a text that is not a finite number."""
    import polars as pl

    for name in names:
        if name in frame.columns:
            text = pl.col(name).cast(pl.String).str.strip_chars()
            number = text.cast(pl.Float64, strict=False)
            has_text = text.is_not_null() & (text != "")
            bad = frame.select("line", name).filter(has_text & ~number.is_finite().fill_null(False))
            if len(bad):
                line, cell = bad.row(0)
                example = Message("row {row:,}: {column} {cell}", row=line, column=name, cell=cell)
                excluded.add("bad_number", len(bad), example)


def _with_outcomes(
    frame: pl.DataFrame,
    names: Sequence[str],
    cells: Sequence[str],
    excluded: Exclusions,
    *,
    clicked_field: str,
    ranks: RankNumbering,
) -> pl.DataFrame:
    """Return the searches, and the clicks and orders in their cells as events of their own."""
    import polars as pl

    searches = frame.select(*names)
    cells_by_role = frame.select(pl.col(f"cell {name}").alias(name) for name in cells)
    if "reformulated" in cells:
        searches = searches.with_columns(reformulated=flags(cells_by_role["reformulated"]))
    content = pl.struct("user", "session", "time", "query").hash(seed=3).cast(pl.String)
    whose = pl.struct("user", "session", "query").hash(seed=3)
    is_reused = pl.col("search").is_not_null() & (whose.n_unique().over("search") > 1)
    excluded.add("reused_id", int(searches.select(is_reused.sum()).item()))
    searches = searches.with_columns(search=pl.when(is_reused).then(content).otherwise(pl.coalesce("search", content)))
    outcome = outcomes(cells_by_role, searches["shown"], clicked_field, 1 if ranks.option is None else ranks.option)
    excluded.add("uneven_cells", outcome.uneven)
    excluded.add("contradicted", outcome.contradicted)
    excluded.add("no_clicks", outcome.without_cell)
    shared = {"user", "session", "search", "variant", "time", *(name for name in names if name not in schema())}
    of_search = searches.with_columns(
        pl.lit(None, dtype=kind).alias(name) for name, kind in searches.schema.items() if name not in shared
    )
    after, date = pl.col("at").is_between(0, FROM_SEARCH), pl.col("at") > FROM_SEARCH
    bad_rank = (pl.col("rank") != pl.col("rank").floor()) | (pl.col("rank") < ranks.lowest)
    clicks = outcome.clicks.with_columns(line=frame["line"].gather(outcome.clicks["row"]), action=pl.lit("click"))
    clicks = _without(clicks, bad_rank.fill_null(False), "bad_rank", excluded)
    ranks.note_zeros(clicks)
    times = pl.when(after).then(pl.col("time") + pl.col("at")).when(date).then(to_seconds(pl.col("at")))
    of_clicks = of_search[clicks["row"]].drop("document", "rank", "dwell", "nth")
    of_clicks = of_clicks.with_columns(clicks.select("document", pl.col("rank").cast(pl.Int64), "dwell", "nth", "at"))
    of_clicks = of_clicks.with_columns(
        action=pl.lit("click"), timed=pl.col("at").is_not_null(), time=times.otherwise("time")
    )
    orders = outcome.orders.with_columns(line=frame["line"].gather(outcome.orders["row"]))
    _count_bad_numbers(orders, ["value"], excluded)
    of_orders = of_search[orders["row"]].with_columns(
        orders.select(_cast("value", pl.String), "nth"), action=pl.lit("conversion")
    )
    return pl.concat([searches, of_clicks.select(*names), of_orders.select(*names)])


def _without(frame: pl.DataFrame, bad: pl.Expr, reason: str, excluded: Exclusions) -> pl.DataFrame:
    excluded_rows = frame.filter(bad)
    if not len(excluded_rows):
        return frame
    excluded.add(reason, len(excluded_rows), Message("row {row:,}", row=excluded_rows["line"][0]))
    return frame.filter(~bad)


def _cast(name: str, kind: Any) -> pl.Expr:
    """Return the column cast to the type of its role."""
    import polars as pl

    column = pl.col(name)
    if name == "time":
        return to_seconds(column.cast(pl.Float64))
    if name in LISTS:
        lists = column.map_batches(lambda cells: filled(items(cells)), return_dtype=pl.List(pl.String))
        return lists.list.eval(pl.element().str.strip_chars()) if name == "teams" else lists
    if name in ("rank", "dwell", "value"):
        number = column.cast(pl.Float64, strict=False)
        number = pl.when(number.is_finite()).then(number)
        whole = pl.when(number == number.floor()).then(number).cast(pl.Int64, strict=False)
        return whole.alias(name) if name == "rank" else number
    text = column.cast(pl.String)
    if name == "query":
        return pl.when(~text.is_in([*NO_QUERY])).then(text)
    if name == "action":
        return text.map_batches(lambda cells: _by_value(cells, _actions), return_dtype=pl.String)
    if name == "variant":
        return text.map_batches(lambda cells: _by_value(cells, _names), return_dtype=pl.String)
    if name in ("user", "session"):
        return text.map_batches(lambda cells: _names(cells, NO_USER), return_dtype=pl.String)
    return _empty_to_null(text.str.strip_chars())


def _by_value(cells: pl.Series, clean: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Clean each different text of a column once; most columns of actions and arms have few."""
    values = cells.unique()
    if len(values) > FEW_VALUES:
        return clean(cells)
    cleaned = clean(values)
    changed = values.ne_missing(cleaned)
    return cells.replace(values.filter(changed), cleaned.filter(changed)) if changed.any() else cells


def _actions(cells: pl.Series) -> pl.Series:
    """Return the usual name of each action, null for an empty cell."""
    action_by_name = {action_name: action for action, names in ACTIONS.items() for action_name in names}
    word = cells.str.strip_chars().str.to_lowercase().replace(action_by_name)
    return word.set((word == "").fill_null(False), None)


def _names(cells: pl.Series, no_name_pattern: str = NO_NAME) -> pl.Series:
    """Return the names of users, sessions or arms, null where programs write that there is none."""
    text = cells.str.strip_chars()
    no_name = text.str.contains(no_name_pattern).fill_null(False)
    return text.set(no_name, None) if no_name.any() else text


def _length(lists: pl.Expr, kind: Any) -> pl.Expr:
    """Return the number of documents shown."""
    import polars as pl

    return (pl.col("shown") if isinstance(kind, pl.List) else lists).list.len().alias("shown")


def _has_rank(kind: Any) -> pl.Expr:
    """Return whether a cell holds something, which NaN is not."""
    import polars as pl

    rank = pl.col("rank")
    if kind.is_float():
        return rank.is_not_null() & rank.is_not_nan()
    return rank.is_not_null() & (rank.str.to_lowercase() != "nan") if kind == pl.String else rank.is_not_null()


def _empty_to_null(column: pl.Expr) -> pl.Expr:
    """Return the text, or null if it is empty."""
    import polars as pl

    return pl.when(column.str.len_bytes() > 0).then(column)


def _with_clicks(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn rows of impressions with a `clicked` field into impressions and clicks."""
    import polars as pl

    clicked = pl.col("clicked").cast(pl.String).str.to_lowercase().is_in(["1", "1.0", "true", "yes", "y", "t"])
    clicks = frame.filter(clicked).with_columns(action=pl.lit("click"), event=pl.lit(None, dtype=pl.String))
    impressions = frame.with_columns(event=pl.lit(None, dtype=pl.String))
    return pl.concat([impressions, clicks])


def renamed(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the segments of a mapping: the names that are not roles."""
    return {name: column for name, column in mapping.items() if name not in ROLES}
