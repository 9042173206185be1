"""Options of the commands that read the log of a live system: files, fields, days, and accounts to leave out."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from neraca.cli import options, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from pathlib import Path

    from neraca.online.search_log import SearchLog
    from neraca.reports.blocks.block import Document

Events = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EVENTS...",
        help="The log: CSV, TSV, JSON Lines, Parquet or Arrow files, an SQLite file, or postgresql://…; tables in the "
        "UBI format need no options.",
        show_default=False,
    ),
]
To = options.OptionalReportFile
#: Setting of the allocator of polars, read when polars is imported: it returns memory to the system after five seconds,
#: not half a second, because the next block of a log needs it again.
MEMORY = "_RJEM_MALLOC_CONF", "narenas:2,dirty_decay_ms:5000"
Looks = Annotated[
    str, typer.Option(help="Looks at the result: daily (at any time) or once (only at an end planned beforehand).")
]
TunedFor = Annotated[
    int,
    typer.Option(help="Number of users at which intervals of daily looks are narrowest; choose it before the start."),
]


class Log(NamedTuple):
    """Settings that read a log, and leave out some of its events."""

    since: Annotated[
        str, typer.Option(help="Start of the experiment: 2026-01-31 or 2026-01-31T10:00:00Z.", show_default=False)
    ] = ""
    until: Annotated[
        str, typer.Option(help="End of the experiment; later events are left out.", show_default=False)
    ] = ""
    column: Annotated[
        list[str],
        typer.Option(
            help="Field for a role, such as variant=query_attributes.experiment or user=visitor.", show_default=False
        ),
    ] = []
    query: Annotated[
        str, typer.Option(help="With a database: the query whose rows are the log.", show_default=False)
    ] = ""
    delimiter: Annotated[str, typer.Option(help="Delimiter of a CSV file.", show_default=False)] = ""
    test_users: Annotated[
        list[str],
        typer.Option(
            "--test-users", help="Accounts that are no users, such as qa-*; they are left out.", show_default=False
        ),
    ] = []
    most_searches: Annotated[
        int, typer.Option(help="Leave out users with more searches in one day: they are bots; 0: no limit.", min=0)
    ] = 500
    first_rank: Annotated[
        int | None,
        typer.Option(
            help="Number of the first rank in the log; by default the ranks tell.", min=0, max=1, show_default=False
        ),
    ] = None


def open_log(sources: list[str] | None, log: Log, arms: str = "", segments: Sequence[str] = ()) -> SearchLog:
    """Open the log that the options of a command describe.

    Raises
    ------
    InputError, SpecError
        A source does not exist, or an option cannot be read.
    """
    from neraca.online.log_options import LogOptions
    from neraca.online.search_log import search_log

    os.environ.setdefault(*MEMORY)
    if not sources:
        raise SpecError("name a log of events: a file, an SQLite file or postgresql://…")
    log_options = LogOptions(
        columns=options.pairs(log.column, "--column"),
        segments=tuple(segments),
        query=log.query,
        delimiter=log.delimiter,
        arms=tuple(arms.replace(",", " ").split()),
        since=moment(log.since, "--since", -math.inf),
        until=moment(log.until, "--until", math.inf),
        test_users=tuple(log.test_users),
        most_searches=log.most_searches,
        first_rank=log.first_rank,
    )
    return search_log([*sources], log_options)


def moment(word: str, option: str, default: float) -> float:
    """Return the time in an option as seconds since 1970; a time without a zone is UTC.

    >>> moment("1970-01-02", "--since", 0), moment("", "--since", -1.0)
    (86400.0, -1.0)
    """
    from datetime import UTC, datetime

    if not word:
        return default
    try:
        time = datetime.fromisoformat(word)
    except ValueError as error:
        raise SpecError(f"cannot read {option} {word!r}; write 2026-01-31 or 2026-01-31T10:00:00Z") from error
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def speak_log(log: SearchLog) -> None:
    """Print on stderr what was read from the log, and which events were left out."""
    from neraca.reports.online.log_contents import contents_sentences
    from neraca.reports.online.log_section import exclusion_sentences

    for sentence in (
        *contents_sentences(log.contents, log.exclusions, log.unused),
        *exclusion_sentences(log.exclusions),
    ):
        speak(sentence)


def write_document(report: Document, to: Path | None) -> None:
    """Write the report of `--to`, if it was asked for."""
    if to is None:
        return
    for sentence in report.save(to):
        speak(sentence)
    speak(f"{to}: the report")
