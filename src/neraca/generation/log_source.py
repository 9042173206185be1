"""Read what people asked from the log of a search system, and tell such logs from tables of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from neraca.datasets.columns import ALL, column_named
from neraca.datasets.compressed import opened
from neraca.datasets.log_reader import DelimitedLog, LogTable
from neraca.datasets.log_tables import log_tables
from neraca.errors import InputError, NeracaError, SpecError
from neraca.nearest import nearest
from neraca.online.event_columns import ACTIONS, ROLES, event_fields
from neraca.online.exclusions import REASONS
from neraca.online.log_options import LogOptions
from neraca.online.search_log import search_log
from neraca.runs.run import MANIFEST
from neraca.translation import say

#: Names of a column of questions, which a table of records does not have.
QUESTIONS = ("user_query", "query_text", "search_query", "search_term", "search_terms", "top_queries", *ALL["query"])
#: Names of a column that says how often a question was asked.
COUNTS = ("count", "frequency", "searches", "search_count", "impressions", "volume", "times", "jumlah", "frecuencia")
#: Reasons for which a search of a log of events is left out; others concern clicks, or only a part of a search.
_OF_SEARCHES = ("broken", "no_action", "no_user", "no_time", "outside", "duplicate", "repeated_search")
#: Roles of a log of events that the output names, if the log has them.
_SAID = ("query", "user", "session", "time", "action")
WITHOUT, NO_COUNT = "searches without a question", "rows whose count is not a number from 1"
OF_BOTS = "searches of users with more of them in a day than a person makes"


class Asked(NamedTuple):
    """The questions of a log.

    Attributes
    ----------
    counts
        Wording → the number of searches with it.
    left_out
        Reason → the number of searches that were left out.
    how
        Which columns were read.
    """

    counts: Counter[str]
    left_out: Counter[str]
    how: str


def is_run(source: Path | str) -> bool:
    """Return whether a source is the folder of a run."""
    return (Path(source) / MANIFEST).is_file()


def is_log(source: Path | str) -> bool:
    """Return whether a source is a log: a file of a log's format, or a database, that has a column of questions."""
    if Path(source).is_dir():
        return False
    try:
        return any(column_named(QUESTIONS, table.columns) for table in _tables(source))
    except NeracaError:
        return False


def read_asked(source: Path | str, columns: Mapping[str, str] | None = None) -> Asked:
    """Read the questions of a log.

    A log of events (with a user and a time, as in UBI) is read as in A/B tests: repeated events and bots are left
    out.  If no field says what happened, each row is a search.  Any other table needs a column of questions, and may
    have one of counts, or an action that is a search.

    Parameters
    ----------
    source
        A file or database that `log_tables` accepts.
    columns
        Role → column, for columns that are not recognised: `query`, `count`, or a role of a log of events.

    Raises
    ------
    InputError
        If the source cannot be read, or has no column of questions.
    SpecError
        If a role or column does not exist.
    """
    columns = dict(columns or {})
    if unknown := [role for role in columns if role not in (*ROLES, "count")]:
        raise SpecError(
            say(
                "--column {unknown}: there is no such role; {advice}",
                unknown=unknown[0],
                advice=nearest(unknown[0], (*ROLES, "count")),
            )
        )
    tables = [table for table in _tables(source) if _question_column(table, columns)]
    if not tables:
        raise InputError(
            say("{source}: no column holds what people asked; name it: --column query=NAME", source=source)
        )
    if "count" not in columns and all(_is_event_log(table, columns) for table in tables):
        return _of_events(source, {**columns, "query": _question_column(tables[0], columns)})
    asked = Asked(Counter(), Counter(), "")
    for table in tables:
        asked = _of_list(table, columns, asked)
    return asked


def _tables(source: Path | str) -> list[LogTable]:
    """Return the tables of a log; a file of one column has no delimiter."""
    tables = log_tables(source)
    if len(tables) == 1 and isinstance(tables[0], DelimitedLog):
        with opened(tables[0].path) as file:
            head = file.readline().decode("utf-8-sig", "replace").strip()
        if column_named([head], QUESTIONS):
            return [DelimitedLog(tables[0].path, ",")]
    return tables


def _question_column(table: LogTable, columns: Mapping[str, str]) -> str:
    """Return the column of questions, "" if the table has none; raise `SpecError` if a column was named wrongly."""
    for role, column in columns.items():
        if column and column not in table.columns:
            raise SpecError(
                say(
                    "{name}: no field is called {column!r} (for {role}); {advice}",
                    name=table.name,
                    column=column,
                    role=role,
                    advice=nearest(column, table.columns),
                )
            )
    return columns["query"] if "query" in columns else column_named((*QUESTIONS, *ROLES["query"]), table.columns)


def _is_event_log(table: LogTable, columns: Mapping[str, str]) -> bool:
    """Return whether a table says who searched and when.

    Without a field that says what happened, a recognised column of counts makes the table a list, unless the caller
    names the user or the time.  Raise `InputError` if the caller names only one of them and the other has no field.
    """
    is_named = any(columns.get(role) for role in ("user", "session", "time"))
    try:
        fields = event_fields(table.columns, columns, table.name, "search").fields
    except InputError:
        if is_named:
            raise
        return False
    if "query" not in fields or not {"user", "session", "search"} & fields.keys():
        return False
    if is_named or _says_what_happened(table, columns):
        return True
    counts = column_named(COUNTS, [name for name in table.columns if name not in fields.values()])
    return not counts and bool({"user", "session"} & fields.keys())


def _says_what_happened(table: LogTable, columns: Mapping[str, str]) -> bool:
    try:
        return bool(event_fields(table.columns, columns, table.name))
    except InputError:
        return False


def _of_events(source: Path | str, columns: Mapping[str, str]) -> Asked:
    """Read the searches of a log of events; each has a user and a time."""
    log = search_log(source, LogOptions(columns={"variant": "", **columns}, rows="search"))
    counts: Counter[str] = Counter()
    without = 0
    for part in log.parts(lists=False):
        for query, count in part.searches.group_by("query").len().iter_rows():
            if query is None:
                without += count
            else:
                counts[str(query)] += count
    left_out = Counter(
        {exclusion.what: exclusion.n for exclusion in log.exclusions if exclusion.reason in _OF_SEARCHES}
    )
    left_out[OF_BOTS] += sum(exclusion.searches for exclusion in log.exclusions if exclusion.reason == "bot")
    left_out[WITHOUT] += without
    fields = {role: name for _, event in log.fields for role, name in event.fields.items()}
    how = ", ".join(f"{role}: {fields[role]}" for role in _SAID if role in fields)
    return Asked(counts, +left_out, how)


def _of_list(table: LogTable, columns: Mapping[str, str], asked: Asked) -> Asked:
    """Read a list of questions, in which nothing says who asked, or when."""
    import polars as pl

    fields = {"query": _question_column(table, columns)}
    for role, names in (("count", COUNTS), ("action", ROLES["action"])):
        others = [name for name in table.columns if name not in fields.values()]
        if column := columns.get(role, column_named(names, others)):
            fields[role] = column
    counts, left_out = asked.counts.copy(), asked.left_out.copy()
    for block in table.blocks(fields):
        frame = block.frame.with_columns(pl.col("query").cast(pl.String))
        left_out[REASONS["broken"][1]] += block.broken
        if "action" in fields:
            is_search = pl.col("action").cast(pl.String).str.to_lowercase().is_in(list(ACTIONS["search"]))
            frame = frame.filter(is_search)
        number = pl.col("count").cast(pl.String).str.replace_all(",", "").cast(pl.Int64, strict=False)
        frame = frame.with_columns(count=number if "count" in fields else pl.lit(1, dtype=pl.Int64))
        left_out[NO_COUNT] += int((frame["count"].fill_null(0) < 1).sum())
        for query, count in frame.filter(pl.col("count") > 0).group_by("query").agg(pl.col("count").sum()).iter_rows():
            if query is None:
                left_out[WITHOUT] += count
            else:
                counts[query] += count
    how = ", ".join(f"{role}: {name}" for role, name in fields.items())
    return Asked(counts, +left_out, how)
