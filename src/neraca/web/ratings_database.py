"""The log of ratings in SQLite or PostgreSQL: only added to, and on disk before anybody is told so."""

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
from neraca.runs.run import hide_secrets, now
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
    """The log and the raters, of any number of sets of tasks.

    Parameters
    ----------
    url
        `sqlite:///FILE`, the name of such a file, or `postgresql://USER:PASSWORD@HOST/NAME`; `${NAME}` is taken from
        the environment.
    make
        Make the file of an SQLite database where there is none.

    Raises
    ------
    SpecError
        For another kind of database.
    InputError
        When it cannot be opened.
    """

    def __init__(self, url: str, *, make: bool = True) -> None:
        self.shown = str(hide_secrets(url))
        self._engine = _engine(Secrets().fill(url, "--db"), self.shown)
        file = self._engine.url.database or ""
        if not make and self._engine.dialect.name == "sqlite" and not Path(file).is_file():
            raise InputError(f"{file}: no such file; name the database of `neraca rate` by --db")
        self._insert: Any = postgresql.insert if self._engine.dialect.name == "postgresql" else sqlite.insert
        # SQLite has one writer; those who wait here are let in in turn, and not when they next look.
        one = self._engine.dialect.name == "sqlite"
        self._turn: AbstractContextManager[object] = threading.Lock() if one else nullcontext()
        try:
            if one:  # it holds the tokens, so that nobody else may read it
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
        """Id of a set → its settings, in the order in which they were begun."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(_SETS).order_by(_SETS.c.begun, _SETS.c.id)).all()
        for row in rows:
            if row.v > VERSION:
                raise InputError(f"{self.shown}: written by a newer Neraca (version {row.v}); update yours")
        return {row.id: msgspec.json.decode(row.settings, type=RatingSettings) for row in rows}

    def begin(self, set_id: str, settings: RatingSettings) -> RatingSettings:
        """Note the settings of a set, unless there are some; returns those that stand there."""
        row = {"id": set_id, "v": VERSION, "settings": msgspec.json.encode(settings).decode(), "begun": now()}
        self._add(_SETS, [row])
        return self.sets()[set_id]

    def raters(self, set_id: str, names: Iterable[str] = ()) -> dict[str, str]:
        """Return each rater's token; `names` that have none get one of 192 random bits, which they keep."""
        self._add(_RATERS, [{"set_id": set_id, "name": name, "token": secrets.token_urlsafe(24)} for name in names])
        with self._engine.connect() as connection:
            rows = connection.execute(select(_RATERS).where(_RATERS.c.set_id == set_id).order_by(_RATERS.c.name)).all()
        return {row.name: row.token for row in rows}

    def append(self, set_id: str, rater: str, ratings: Sequence[Rating]) -> list[Rating]:
        """Add ratings to the log; those with an id that this rater has used before are not added.

        Returns those that are in the log, now on disk: added now, or sent once more and equal to what is there but for
        the time.
        """
        whose = {"set_id": set_id, "rater": rater, "received": now()}
        rows = [_row(rating) for rating in ratings]
        c = _RATINGS.c
        mine = select(c.id, c.task, c.about, c.value).where(c.set_id == set_id, c.rater == rater)
        with self._turn, self._engine.begin() as connection:
            if rows:
                connection.execute(self._insert(_RATINGS).on_conflict_do_nothing(), [whose | row for row in rows])
            there = {tuple(row) for row in connection.execute(mine.where(c.id.in_([row["id"] for row in rows])))}
        return [
            rating
            for rating, row in zip(ratings, rows, strict=True)
            if (row["id"], row["task"], row["about"], row["value"]) in there
        ]

    def ratings(self, set_id: str, rater: str) -> list[Rating]:
        """All that a rater said, by the time at which it was said; of one time as it arrived."""
        which = select(_RATINGS).where(_RATINGS.c.set_id == set_id, _RATINGS.c.rater == rater)
        with self._engine.connect() as connection:
            rows = connection.execute(which.order_by(_RATINGS.c.number)).all()
        given = [
            Rating(id=row.id, task=row.task, on=row.about, value=msgspec.json.decode(row.value), at=row.at)
            for row in rows
        ]
        return sorted(given, key=lambda rating: rating.at)

    def add_question(self, set_id: str, rater: str, name: str, content: str) -> None:
        """Keep a question of a rater's own with its answer, as JSON; on disk when this returns."""
        row = {"set_id": set_id, "rater": rater, "id": name, "content": content, "received": now()}
        self._add(_QUESTIONS, [row])

    def questions(self, set_id: str) -> list[tuple[str, str, str]]:
        """Return (rater, name, content) of each question of a set, in the order in which they were asked."""
        which = select(_QUESTIONS).where(_QUESTIONS.c.set_id == set_id).order_by(_QUESTIONS.c.number)
        with self._engine.connect() as connection:
            return [(row.rater, row.id, row.content) for row in connection.execute(which)]

    def _add(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            with self._turn, self._engine.begin() as connection:
                connection.execute(self._insert(table).on_conflict_do_nothing(), rows)


def _row(rating: Rating) -> dict[str, Any]:
    value = msgspec.json.encode(rating.value).decode()
    return {"id": rating.id, "task": rating.task, "about": rating.on, "value": value, "at": rating.at}


def _engine(url: str, shown: str) -> Engine:
    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
    except ArgumentError as error:
        raise SpecError(f"--db {shown}: write sqlite:///FILE or postgresql://USER@HOST/NAME") from error
    if parsed.drivername in ("postgresql", "postgres"):
        engine = create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
        event.listen(engine, "connect", _sync_postgresql)
        return engine
    if parsed.drivername != "sqlite" or not parsed.database or parsed.database == ":memory:":
        raise SpecError(f"--db {shown}: write sqlite:///FILE or postgresql://USER@HOST/NAME")
    engine = create_engine(parsed, connect_args={"timeout": 30})
    event.listen(engine, "connect", _sync_sqlite)
    return engine


def _sync_sqlite(connection: Any, _: object) -> None:
    """Write ahead, and sync every commit: what was acknowledged survives a kill, and a loss of power."""
    for setting in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {setting}").close()


def _sync_postgresql(connection: Any, _: object) -> None:
    connection.execute("SET synchronous_commit = on")
    connection.commit()


def _reason(error: SQLAlchemyError | OSError) -> str:
    original = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
    return str(original).strip().splitlines()[0]
