"""Read logs of events from SQLite files and PostgreSQL, without changing them, some thousand rows at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from neraca.datasets.log_reader import SAMPLE, LogBlock, nested_fields, pick
from neraca.errors import InputError, MissingExtra

if TYPE_CHECKING:
    import polars as pl

ROWS = 50_000
_POSTGRES = ("postgresql://", "postgres://")
_SQLITE = "sqlite:///"
_UBI = ("ubi_queries", "ubi_events")


def is_database(source: Path | str) -> bool:
    """Return whether a source is a database, by its address or by the first bytes of the file."""
    word = str(source)
    if word.startswith((*_POSTGRES, _SQLITE)):
        return True
    path = Path(word)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


@dataclass(frozen=True)
class DatabaseLog:
    """The rows of one query."""

    source: str
    query: str
    table: str = ""

    @property
    def name(self) -> str:
        """The database without its password, and the table."""
        place = urlsplit(self.source)
        public = f"postgresql://{place.hostname}{place.path}" if self.source.startswith(_POSTGRES) else self.source
        return f"{public} {self.table or 'query'}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, and of the fields of JSON values in them."""
        names, rows = next(self._batches(SAMPLE))
        inside = (name for row in rows for name in nested_fields(dict(zip(names, map(_text, row), strict=True))))
        return tuple(dict.fromkeys([*names, *inside]))

    def blocks(self, fields: Mapping[str, str]) -> Iterator[LogBlock]:
        """Yield its rows in blocks."""
        first = 1
        for names, rows in self._batches(ROWS):
            yield LogBlock(pick(_frame(names, rows), fields), first)
            first += len(rows)

    def _batches(self, size: int) -> Iterator[tuple[Sequence[str], list[Any]]]:
        """Yield the names of the columns and some rows, at least once."""
        yield from (_read_postgres if self.source.startswith(_POSTGRES) else _read_sqlite)(self, size)


def _frame(names: Sequence[str], rows: list[Any]) -> pl.DataFrame:
    import polars as pl

    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.DataFrame(
        {name: pl.Series(name, [*map(_text, values)], pl.String) for name, values in zip(names, columns, strict=True)}
    )


def _text(value: Any) -> str | None:
    """Return a value as text that can be parsed again; lists and objects as JSON."""
    import msgspec

    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return msgspec.json.encode(value, enc_hook=str).decode() if isinstance(value, list | dict) else str(value)


def _read_sqlite(log: DatabaseLog, size: int) -> Iterator[tuple[Sequence[str], list[Any]]]:
    path = Path(log.source.removeprefix(_SQLITE))
    try:
        with closing(_open_sqlite(path)) as connection:
            cursor = connection.execute(log.query)
            names = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchmany(size)
            yield names, rows
            while rows := cursor.fetchmany(size):
                yield names, rows
    except sqlite3.Error as error:
        raise InputError(f"{path}: {error}; the query was: {log.query}") from error


def _open_sqlite(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)


def _read_postgres(log: DatabaseLog, size: int) -> Iterator[tuple[Sequence[str], list[Any]]]:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra('a log in PostgreSQL needs psycopg: pip install "neraca[sql]"') from error
    try:
        with psycopg.connect(log.source) as connection:
            connection.read_only = True
            with connection.cursor("neraca_log") as cursor:
                cursor.itersize = size
                cursor.execute(log.query.encode())
                names = [column.name for column in cursor.description or ()]
                rows = cursor.fetchmany(size)
                yield names, rows
                while rows := cursor.fetchmany(size):
                    yield names, rows
    except psycopg.Error as error:
        raise InputError(f"{log.name}: {str(error).strip()}; the query was: {log.query}") from error


def database_tables(source: Path | str, query: str = "") -> list[DatabaseLog]:
    """Return the tables of a log: the query's result, the tables of UBI, `events`, or the only table.

    Raise `InputError` if the database cannot be read, or has several other tables.
    """
    word = str(source)
    if query:
        return [DatabaseLog(word, query)]
    listing = (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false))"
        if word.startswith(_POSTGRES)
        else "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    )
    names = sorted(row[0] for _, rows in DatabaseLog(word, listing)._batches(SAMPLE) for row in rows)
    chosen = [name for name in _UBI if name in names] or [name for name in names if name == "events"]
    if not chosen and len(names) == 1:
        chosen = names
    if not chosen:
        tables = f"it has: {', '.join(names)}" if names else "it has no table"
        raise InputError(f'{word}: which table is the log? {tables}; name it: --query "SELECT * FROM …"')  # noqa: S608 - advice
    quoted = (name.replace('"', '""') for name in chosen)
    queries = [f'SELECT * FROM "{name}"' for name in quoted]  # noqa: S608 - the name is quoted
    return [DatabaseLog(word, query, name) for query, name in zip(queries, chosen, strict=True)]
