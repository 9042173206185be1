"""Every reply that was paid for, in one SQLite file: cache, resume, audit and cost log at once."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import msgspec

from neraca.errors import InputError
from neraca.models.cost import Spent
from neraca.models.endpoint import public

_VERSION = 1
_PAGE = 500
#: Seconds to wait for other processes that write.
_WAITS = 60.0
_COLUMNS = "run, model, url, mode, reply, seconds, input_tokens, output_tokens, cost"
_TABLES = """
CREATE TABLE IF NOT EXISTS calls (
    key BLOB PRIMARY KEY, at TEXT, run TEXT, model TEXT, url TEXT, mode TEXT, request BLOB, reply BLOB,
    seconds REAL, input_tokens INTEGER, output_tokens INTEGER, cost REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wasted (
    at TEXT, run TEXT, model TEXT, url TEXT, why TEXT, input_tokens INTEGER, output_tokens INTEGER, cost REAL
);
CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS calls_of_run ON calls (run);
CREATE INDEX IF NOT EXISTS wasted_of_run ON wasted (run);
"""


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a model, with its reply, time and cost.

    Attributes
    ----------
    run, model, url, mode
        The run, the model, the base URL (without user name, password and query), and the mode in which the form of the
        reply was demanded.
    request, reply
        JSON: the whole request without keys, and the reply in the demanded form.
    why
        What was wrong with a reply that was paid for but useless; "" for a good one.
    """

    run: str = ""
    model: str = ""
    url: str = ""
    mode: str = ""
    request: bytes = b""
    reply: bytes = b""
    why: str = ""
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


def key_of(value: Any) -> bytes:
    """Return the SHA-256 of a value that can be written as JSON; the order of keys in objects does not matter.

    >>> key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1}) != key_of({"a": 1, "b": 3})
    True
    """
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).digest()


def default_path() -> Path:
    """Return `neraca/models.sqlite` under `$XDG_CACHE_HOME`, or under `~/.cache` if that is not set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "neraca" / "models.sqlite"


def logged_request(request: dict[str, Any], correction: str) -> dict[str, Any]:
    """Return a request for the log, without headers and the query of the URL, which may contain keys."""
    request = {**request, "correction": correction} if correction else request
    extra = {name: value for name, value in request["extra"].items() if name != "extra_headers"}
    return {**request, "extra": extra, "url": public(request["url"])}


class Cache:
    """The file of replies.  Several processes may share it; entries are whole or absent, even after SIGKILL.

    Parameters
    ----------
    path
        The file.  If it does not exist, it is made, readable by its owner only, because prompts hold the user's data.

    Raises
    ------
    InputError
        The file cannot be opened, or is not a cache of this version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(path, timeout=_WAITS, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        self._use_wal()
        # A commit survives the death of the process; a power cut may lose the last few replies.
        self._db.execute("PRAGMA synchronous = NORMAL")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise InputError(f"{self.path}: written by a newer Neraca; choose another cache file, or delete this one")
        self._db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;")

    def _use_wal(self) -> None:
        """Let processes read while one writes.

        Where several processes change a new file so at once, SQLite fails without waiting for `timeout`.
        """
        until = monotonic() + _WAITS
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or monotonic() > until:
                    raise
                sleep(0.02)

    def close(self) -> None:
        """Close the file; closing twice does nothing."""
        self._db.close()

    def reply(self, key: bytes) -> CallRecord | None:
        """Return the good call with this key, without its request; None if there is none."""
        with self._explained():
            row = self._db.execute(f"SELECT {_COLUMNS} FROM calls WHERE key = ?", (key,)).fetchone()
        return row and CallRecord(**dict(zip(_COLUMNS.split(", "), row, strict=True)))

    def keep_reply(self, key: bytes, record: CallRecord) -> None:
        """Store a good call; once this returns, every process finds it."""
        self._insert("calls", f"key, at, request, {_COLUMNS}", key, record)

    def log_wasted(self, record: CallRecord) -> None:
        """Store a call whose reply was useless: it counts as cost, and is not used again."""
        self._insert("wasted", "at, run, model, url, why, input_tokens, output_tokens, cost", b"", record)

    def _insert(self, table: str, columns: str, key: bytes, record: CallRecord) -> None:
        values = {**msgspec.structs.asdict(record), "key": key, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        names = columns.split(", ")
        statement = f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})"
        with self._explained():
            self._db.execute(statement, [values[name] for name in names])

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values stored under these keys; keys without a value are left out."""
        all_keys = list(keys)
        values: dict[bytes, bytes] = {}
        with self._explained():
            for start in range(0, len(all_keys), _PAGE):
                page = all_keys[start : start + _PAGE]
                marks = ",".join("?" * len(page))
                values.update(self._db.execute(f"SELECT key, value FROM kept WHERE key IN ({marks})", page))
        return values

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Store embeddings, or values computed from replies.  After a kill, all of them are stored or none."""
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", values.items())
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def spent(self, run: str) -> Spent:
        """Return the total cost of the calls logged under this run name, over all processes."""
        total = Spent()
        for table, is_good in (("calls", 1), ("wasted", 0)):
            sums = "count(*), total(input_tokens), total(output_tokens), total(cost), count(cost)"
            with self._explained():
                row = self._db.execute(f"SELECT {sums} FROM {table} WHERE run = ?", (run,)).fetchone()
            count, read_tokens, written_tokens, cost, priced_count = row
            total += Spent(
                calls=count * is_good,
                wasted=count * (1 - is_good),
                input_tokens=int(read_tokens),
                output_tokens=int(written_tokens),
                cost=cost if priced_count == count else None,
            )
        return total

    @contextmanager
    def _explained(self) -> Any:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self.path}: not usable as a cache of model calls ({error}); choose another file, or delete this one"
            ) from None
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror or error}; choose another file for the cache") from None
