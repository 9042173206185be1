"""The append-only log of ratings in SQLite or PostgreSQL; each rating is on disk before it is acknowledged."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Self

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from neraca.errors import InputError, SpecError
from neraca.people.rating import Rating
from neraca.runs.hidden_secrets import hide_secrets
from neraca.runs.run import now
from neraca.targets.settings import Secrets
from neraca.web.rating_settings import RatingSettings

VERSION = 1
_METADATA = MetaData()
_SETS = Table(
    "rated_sets",
    _METADATA,
    Column("id", String(64), primary_key=True),
    Column("v", Integer, nullable=False),
    Column("settings", Text, nullable=False),
    Column("begun", String(40), nullable=False),
)
_RATERS = Table(
    "raters",
    _METADATA,
    Column("set_id", String(64), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("token", String(64), nullable=False, unique=True),
)
_RATINGS = Table(
    "ratings",
    _METADATA,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("set_id", String(64), nullable=False),
    Column("rater", String(200), nullable=False),
    Column("id", String(100), nullable=False),
    Column("task", String(100), nullable=False),
    Column("about", String(200), nullable=False),
    Column("value", Text, nullable=False),
    Column("at", String(40), nullable=False),
    Column("received", String(40), nullable=False),
    UniqueConstraint("set_id", "rater", "id"),
)
_QUESTIONS = Table(
    "own_questions",
    _METADATA,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("set_id", String(64), nullable=False),
    Column("rater", String(200), nullable=False),
    Column("id", String(100), nullable=False),
    Column("content", Text, nullable=False),
    Column("received", String(40), nullable=False),
    UniqueConstraint("set_id", "rater", "id"),
)


class RatingsDatabase:
    """The ratings and raters of any number of sets of tasks.

    Parameters
    ----------
    url
        `sqlite:///FILE`, the name of such a file, or `postgresql://USER:PASSWORD@HOST/NAME`; `${NAME}` is read from
        the environment.
    make
        Whether to create the file of an SQLite database if it does not exist.

    Raises
    ------
    SpecError
        If it is another kind of database.
    InputError
        If it cannot be opened.
    """

    def __init__(self, url: str, *, make: bool = True) -> None:
        self.shown = str(hide_secrets(url))
        self._engine = _engine(Secrets().fill(url, "--db"), self.shown)
        file = self._engine.url.database or ""
        if not make and self._engine.dialect.name == "sqlite" and not Path(file).is_file():
            raise InputError(f"{file}: no such file; name the database of `neraca rate` by --db")
        self._insert: Any = postgresql.insert if self._engine.dialect.name == "postgresql" else sqlite.insert
        # SQLite has one writer: a lock serves waiting writers at once, where SQLite would make them poll.
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._write_lock: AbstractContextManager[object] = threading.Lock() if is_sqlite else nullcontext()
        try:
            if is_sqlite:  # only its owner may read the file, because it holds the tokens
                os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
            _METADATA.create_all(self._engine)
        except (SQLAlchemyError, OSError) as error:
            self.close()
            raise InputError(f"{self.shown}: the database cannot be opened: {_reason(error)}") from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sets(self) -> dict[str, RatingSettings]:
        """Return id of a set → its settings, in the order of their first starts."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(_SETS).order_by(_SETS.c.begun, _SETS.c.id)).all()
        for row in rows:
            if row.v > VERSION:
                raise InputError(f"{self.shown}: written by a newer Neraca (version {row.v}); update yours")
        return {row.id: msgspec.json.decode(row.settings, type=RatingSettings) for row in rows}

    def begin(self, set_id: str, settings: RatingSettings) -> RatingSettings:
        """Store the settings of a set unless it has some; return the stored settings."""
        row = {"id": set_id, "v": VERSION, "settings": msgspec.json.encode(settings).decode(), "begun": now()}
        self._add(_SETS, [row])
        return self.sets()[set_id]

    def raters(self, set_id: str, names: Iterable[str] = ()) -> dict[str, str]:
        """Return name → token of all raters of a set; new `names` get a lasting token of 192 random bits."""
        self._add(_RATERS, [{"set_id": set_id, "name": name, "token": secrets.token_urlsafe(24)} for name in names])
        with self._engine.connect() as connection:
            rows = connection.execute(select(_RATERS).where(_RATERS.c.set_id == set_id).order_by(_RATERS.c.name)).all()
        return {row.name: row.token for row in rows}

    def append(self, set_id: str, rater: str, ratings: Sequence[Rating]) -> list[Rating]:
        """Add ratings to the log, except those whose id this rater has used before.

        Return the ratings that are now on disk: new ones, and repeated ones that equal the stored rating in all but
        their time.
        """
        sender = {"set_id": set_id, "rater": rater, "received": now()}
        rows = [_row(rating) for rating in ratings]
        c = _RATINGS.c
        of_rater = select(c.id, c.task, c.about, c.value).where(c.set_id == set_id, c.rater == rater)
        with self._write_lock, self._engine.begin() as connection:
            if rows:
                connection.execute(self._insert(_RATINGS).on_conflict_do_nothing(), [sender | row for row in rows])
            stored = {tuple(row) for row in connection.execute(of_rater.where(c.id.in_([row["id"] for row in rows])))}
        return [
            rating
            for rating, row in zip(ratings, rows, strict=True)
            if (row["id"], row["task"], row["about"], row["value"]) in stored
        ]

    def ratings(self, set_id: str, rater: str) -> list[Rating]:
        """Return all ratings of a rater, sorted by their time and, for equal times, by arrival."""
        query = select(_RATINGS).where(_RATINGS.c.set_id == set_id, _RATINGS.c.rater == rater)
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(_RATINGS.c.number)).all()
        ratings = [
            Rating(id=row.id, task=row.task, on=row.about, value=msgspec.json.decode(row.value), at=row.at)
            for row in rows
        ]
        return sorted(ratings, key=lambda rating: rating.at)

    def add_question(self, set_id: str, rater: str, name: str, content: str) -> None:
        """Store a rater's own question with its answer, as JSON; it is on disk when this returns."""
        row = {"set_id": set_id, "rater": rater, "id": name, "content": content, "received": now()}
        self._add(_QUESTIONS, [row])

    def questions(self, set_id: str) -> list[tuple[str, str, str]]:
        """Return (rater, name, content) of each question of a set, in the order asked."""
        query = select(_QUESTIONS).where(_QUESTIONS.c.set_id == set_id).order_by(_QUESTIONS.c.number)
        with self._engine.connect() as connection:
            return [(row.rater, row.id, row.content) for row in connection.execute(query)]

    def _add(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            with self._write_lock, self._engine.begin() as connection:
                connection.execute(self._insert(table).on_conflict_do_nothing(), rows)


def _row(rating: Rating) -> dict[str, Any]:
    value = msgspec.json.encode(rating.value).decode()
    return {"id": rating.id, "task": rating.task, "about": rating.on, "value": value, "at": rating.at}


def _engine(url: str, public_url: str) -> Engine:
    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
    except ArgumentError as error:
        raise SpecError(f"--db {public_url}: write sqlite:///FILE or postgresql://USER@HOST/NAME") from error
    if parsed.drivername in ("postgresql", "postgres"):
        engine = create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
        event.listen(engine, "connect", _sync_postgresql)
        return engine
    if parsed.drivername != "sqlite" or not parsed.database or parsed.database == ":memory:":
        raise SpecError(f"--db {public_url}: write sqlite:///FILE or postgresql://USER@HOST/NAME")
    engine = create_engine(parsed, connect_args={"timeout": 30})
    event.listen(engine, "connect", _sync_sqlite)
    return engine


def _sync_sqlite(connection: Any, _: object) -> None:
    """Log ahead and sync every commit, so that acknowledged ratings survive a kill and a loss of power."""
    for setting in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {setting}").close()


def _sync_postgresql(connection: Any, _: object) -> None:
    connection.execute("SET synchronous_commit = on")
    connection.commit()


def _reason(error: SQLAlchemyError | OSError) -> str:
    original = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
    return str(original).strip().splitlines()[0]
