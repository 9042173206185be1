"""Options of the commands that read logs of a live system: which file, which fields, which days, who is no user."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.online.search_log import SearchLog

Events = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EVENTS...",
        help="The log: CSV, TSV, JSON Lines, Parquet or Arrow files, an SQLite file, or postgresql://…; the tables of "
        "UBI need no options.",
        show_default=False,
    ),
]
Columns = Annotated[
    list[str],
    typer.Option(
        "--column",
        help="Which field is what, such as variant=query_attributes.experiment or user=visitor.",
        show_default=False,
    ),
]
Segments = Annotated[
    list[str], typer.Option("--segment", help="A field to report by as well, such as device.", show_default=False)
]
Query = Annotated[str, typer.Option(help="Of a database: the query whose rows are the log.", show_default=False)]
Delimiter = Annotated[str, typer.Option(help="Of a CSV file.", show_default=False)]
Arms = Annotated[str, typer.Option(help="The arms, the control first: A,B; others are left out.", show_default=False)]
Since = Annotated[
    str,
    typer.Option(help="When the experiment began: 2026-01-31 or 2026-01-31T10:00:00Z.", show_default=False),
]
Until = Annotated[str, typer.Option(help="When it ended; later events are left out.", show_default=False)]
TestUsers = Annotated[
    list[str], typer.Option("--test-users", help="Users that are none, such as qa-*.", show_default=False)
]
MostSearches = Annotated[int, typer.Option(help="A user with more in one day is no person; 0: all are.", min=0)]
FirstRank = Annotated[int, typer.Option(help="What the log calls the first rank.", min=0, max=1)]
To = Annotated[
    Path | None, typer.Option("--to", help="Write the report: FILE.html, .md, .tex, .docx, .pdf …", show_default=False)
]


def open_log(sources: list[str] | None, params: Mapping[str, Any]) -> SearchLog:
    """Open the log that the options of a command describe; what is not given has its default.

    Raises
    ------
    InputError, SpecError
        It is not there, or an option makes no sense.
    """
    from neraca.online.log_options import LogOptions
    from neraca.online.search_log import search_log

    if not sources:
        raise SpecError("name a log of events: a file, an SQLite file or postgresql://…")
    known = LogOptions(
        columns=options.pairs(params.get("column") or [], "--column"),
        segments=tuple(params.get("segment") or ()),
        query=params.get("query") or "",
        delimiter=params.get("delimiter") or "",
        arms=tuple(filter(None, (params.get("arms") or "").replace(",", " ").split())),
        since=moment(params.get("since") or "", "--since", -math.inf),
        until=moment(params.get("until") or "", "--until", math.inf),
        test_users=tuple(params.get("test_users") or ()),
        most_searches=params.get("most_searches", 500),
        first_rank=params.get("first_rank", 1),
    )
    return search_log([*sources], known)


def moment(word: str, option: str, without: float) -> float:
    """A time of an option as seconds since 1970; one without a zone is UTC.

    >>> moment("1970-01-02", "--since", 0), moment("", "--since", -1.0)
    (86400.0, -1.0)
    """
    from datetime import UTC, datetime

    if not word:
        return without
    try:
        read = datetime.fromisoformat(word)
    except ValueError as error:
        raise SpecError(f"cannot read {option} {word!r}; write 2026-01-31 or 2026-01-31T10:00:00Z") from error
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def tell_exclusions(log: SearchLog) -> None:
    """Say on stderr what of the log was left out."""
    from neraca.reports.online.exclusions import sentences

    for sentence in sentences(log.exclusions):
        speak(sentence)
