"""Run queries on SQLite, DuckDB or PostgreSQL, without writing anything and within limits of time and size.

Each engine prevents writing by its own means, even if the query was checked before.
"""

from __future__ import annotations

import importlib
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Self
from urllib.parse import quote

from neraca.errors import InputError, MissingExtra, NeracaError, SpecError
from neraca.judges.sql.result_table import ResultTable
from neraca.targets.settings import Secrets

#: Most bytes of one value, and of the memory for one query.
_LONGEST, _MEMORY = 10_000_000, "2GB"


class QueryFailed(NeracaError):
    """A query cannot be run, or failed while it ran."""


def import_extra(name: str) -> ModuleType:
    """Import a module of the extra `sql`; raise `MissingExtra` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingExtra(f'the judge sql needs {package}: pip install "neraca[sql]"') from error


@dataclass(frozen=True)
class Limits:
    """Most seconds that a query may take, and most rows that it may return."""

    seconds: float = 30.0
    rows: int = 10_000

    def timeout_error(self) -> QueryFailed:
        """Return the error of a query that was stopped."""
        return QueryFailed(f"it did not end within {self.seconds:g} s (timeout)")

    def result(self, columns: Iterable[str], rows: list[Any]) -> ResultTable:
        """Return the fetched rows as a table; raise `QueryFailed` if there are too many."""
        if len(rows) > self.rows:
            raise QueryFailed(f"it returns more than {self.rows:,} rows (rows)")
        return ResultTable.of(columns, rows)


class Engine(ABC):
    """An open database.

    Attributes
    ----------
    dialect
        The name of its SQL dialect in sqlglot.
    """

    dialect: str
    _connection: Any

    @abstractmethod
    def run(self, query: str) -> ResultTable:
        """Run one query; raise `QueryFailed` if that fails."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def open_database(database: str, limits: Limits) -> Engine:
    """Open a database so that nothing can be written to it.

    Parameters
    ----------
    database
        A file of SQLite or DuckDB, told apart by their first bytes, or `postgresql://…`; `${NAME}` in it is taken
        from the environment.

    Raises
    ------
    InputError, SpecError, MissingExtra
        If it does not exist, cannot be opened, or its package is not installed.
    """
    if database.startswith(("postgresql://", "postgres://")):
        return Postgres(database, limits)
    path = Path(Secrets().fill(database, "judge sql: database"))
    if not path.is_file():
        raise InputError(f"judge sql: database: {path}: no such file (looked from {Path.cwd()})")
    with path.open("rb") as file:
        begins = file.read(16)
    if begins == b"SQLite format 3\0":
        return SQLite(path, limits)
    if begins[8:12] == b"DUCK":
        return DuckDB(path, limits)
    raise InputError(f"judge sql: database: {path} is neither an SQLite nor a DuckDB file")


class SQLite(Engine):
    """A file opened for reading; an authorizer lets a query read tables and call functions, and nothing else."""

    dialect = "sqlite"

    def __init__(self, path: Path, limits: Limits) -> None:
        self._limits = limits
        self._deadline = 0.0
        try:
            uri = f"file:{quote(str(path.resolve()))}?mode=ro"
            self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            self._connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        except sqlite3.Error as error:
            raise InputError(f"judge sql: database: {path} cannot be read: {error}") from error
        self._connection.text_factory = lambda content: content.decode("utf-8", "replace")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        self._connection.set_progress_handler(lambda: time.monotonic() > self._deadline, 10_000)
        self._connection.set_authorizer(_only_reads)

    def run(self, query: str) -> ResultTable:
        """Run one query; raise `QueryFailed` if that fails."""
        self._deadline = time.monotonic() + self._limits.seconds
        try:
            cursor = self._connection.execute(query)
            rows = cursor.fetchmany(self._limits.rows + 1)
            columns = [column[0] for column in cursor.description or ()]
            cursor.close()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise self._limits.timeout_error() if str(error) == "interrupted" else QueryFailed(str(error)) from error
        return self._limits.result(columns, rows)


_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
#: The actions by which SQLite opens a full-text table.  A query that tried them would fail: the file is read-only.
_FULL_TEXT = {(sqlite3.SQLITE_PRAGMA, "data_version"), (sqlite3.SQLITE_UPDATE, "sqlite_master")}


def _only_reads(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    banned = action == sqlite3.SQLITE_FUNCTION and second in ("load_extension", "fts3_tokenizer")
    allowed = action in _ALLOWED or (action, first) in _FULL_TEXT
    return sqlite3.SQLITE_OK if allowed and not banned else sqlite3.SQLITE_DENY


class DuckDB(Engine):
    """A file opened for reading, without access to other files, the network, settings or Python's variables."""

    dialect = "duckdb"

    def __init__(self, path: Path, limits: Limits) -> None:
        self._duckdb = import_extra("duckdb")
        self._limits = limits
        config = {"temp_directory": "", "memory_limit": _MEMORY}
        try:
            self._connection = self._duckdb.connect(str(path), read_only=True, config=config)
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        except self._duckdb.Error as error:
            raise InputError(f"judge sql: database: {path} cannot be read: {error}") from error

    def run(self, query: str) -> ResultTable:
        """Run one query; raise `QueryFailed` if that fails."""
        timer = threading.Timer(self._limits.seconds, self._connection.interrupt)
        timer.start()
        try:
            statements = self._connection.extract_statements(query)
            if [statement.type for statement in statements] != [self._duckdb.StatementType.SELECT]:
                raise QueryFailed("only one SELECT is run")
            cursor = self._connection.execute(query)
            rows = cursor.fetchmany(self._limits.rows + 1)
            columns = [column[0] for column in cursor.description or ()]
        except self._duckdb.InterruptException as error:
            raise self._limits.timeout_error() from error
        except self._duckdb.Error as error:
            raise QueryFailed(str(error).strip().partition("\n")[0]) from error
        finally:
            timer.cancel()
            timer.join()
        return self._limits.result(columns, rows)


class Postgres(Engine):
    """A connection whose every transaction is read only, has a time limit, and is rolled back."""

    dialect = "postgres"

    def __init__(self, url: str, limits: Limits) -> None:
        self._psycopg = import_extra("psycopg")
        self._limits = limits
        self._secrets = Secrets()
        try:
            parts: Mapping[str, Any] = import_extra("psycopg.conninfo").conninfo_to_dict(url)
            parts = {name: self._secrets.fill(str(value), "judge sql: database") for name, value in parts.items()}
            self._connection = self._psycopg.connect(**{"connect_timeout": "10", **parts})
        except self._psycopg.ProgrammingError as error:
            raise SpecError(f"judge sql: database: {self._secrets.hide(str(error)).strip()}") from None
        except self._psycopg.Error as error:
            raise InputError(f"judge sql: database: {self._secrets.hide(str(error)).strip()}") from None
        self._connection.read_only = True

    def run(self, query: str) -> ResultTable:
        """Run one query; raise `QueryFailed` if that fails, and `InputError` if the connection is lost."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = {max(1, round(self._limits.seconds * 1000))}")
                rows = []
                for row in cursor.stream(query):  # refuses a second statement, and fetches no more rows than needed
                    rows.append(row)
                    if len(rows) > self._limits.rows:
                        break
                columns = [column.name for column in cursor.description or ()] or self._columns(query)
        except self._psycopg.errors.QueryCanceled as error:
            raise self._limits.timeout_error() from error
        except self._psycopg.Error as error:
            reason = self._secrets.hide(str(error)).strip().partition("\n")[0]
            if self._connection.broken:
                raise InputError(f"judge sql: the connection to the database was lost: {reason}") from None
            raise QueryFailed(reason) from None
        finally:
            if not self._connection.broken:
                self._connection.rollback()
        return self._limits.result(columns, rows)

    def _columns(self, query: str) -> list[str]:
        """Return the columns of a query without rows, which a stream does not name."""
        connection = self._connection.pgconn
        connection.prepare(b"", query.encode())
        described = connection.describe_prepared(b"")
        return [described.fname(column).decode() for column in range(described.nfields)]
