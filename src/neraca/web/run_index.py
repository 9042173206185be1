"""An index of all runs below a folder, kept in a file of this folder that may be deleted at any time.

A run is read again only if the size or time of one of its files has changed.  Scores are computed in the background;
until then, and while the run is being asked, its entry has none.  Nothing outside the folder is read: links to folders
are not followed, and a run with a file that links outside is not opened.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from stat import S_ISLNK
from typing import ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace

from neraca.comparisons.compare import primary_of
from neraca.errors import InputError, NeracaError
from neraca.files import write_atomic
from neraca.reports.blocks.run_summary import summarise_run
from neraca.runs.run import MANIFEST, Run
from neraca.scores.score import score
from neraca.web.worker_process import WorkerProcess

P = ParamSpec("P")
T = TypeVar("T")
INDEX = ".neraca-index.json"
VERSION = 1
FILES = (MANIFEST, "items.jsonl", "answers.jsonl", "verdicts.jsonl")
#: Seconds after its last change in which an unfinished run counts as being asked now.
RECENT = 120.0
_RESCAN_AFTER = 0.5


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of the index.

    Attributes
    ----------
    path
        Its folder, relative to that of the index, with `/`.
    stamp
        Time and size of each of its files; if it changes, the run is read again.
    answers, asked
        Number of answers so far, and when the run is complete.
    metric, value, low, high, n
        The primary metric of the run alone, with its interval; "" and None if there is none yet.
    cost
        Sum over the answers; None if no answer has a cost.
    tags
        The kind of target, and its settings with short texts, as `name=value`.
    problem
        The reason why it cannot be read or scored; "" if it can.
    scored
        Whether scores were computed, or could not be.
    """

    path: str
    stamp: str
    name: str = ""
    dataset: str = ""
    answers: int = 0
    asked: int = 0
    failed: int = 0
    started: str = ""
    ended: str = ""
    metric: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    cost: float | None = None
    tags: tuple[str, ...] = ()
    problem: str = ""
    scored: bool = False

    @property
    def folder(self) -> str:
        """The parent folder, such as the phase of a study; "" is the folder of the index."""
        return self.path.rpartition("/")[0]

    @property
    def changed(self) -> float:
        """Time of the last change of its files, in seconds since 1970."""
        return max((int(part.split(":")[0]) for part in self.stamp.split() if ":" in part), default=0) / 1e9

    @property
    def live(self) -> bool:
        """Whether it is being asked now."""
        return not self.ended and not self.problem and time.time() - self.changed < RECENT


class _IndexFile(msgspec.Struct):
    v: int
    runs: list[Entry]


class RunIndex:
    """The runs below a folder.

    Parameters
    ----------
    folder
        The folder to search.  The index is stored in it if it is writable.

    Raises
    ------
    InputError
        If there is no such folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise InputError(f"{folder}: no such folder; name the one that holds the runs, such as `runs`")
        self._lock = threading.Lock()
        self._worker, self._requests = WorkerProcess(), WorkerProcess()
        self._waiting: set[str] = set()
        self._entries = {entry.path: entry for entry in self._load()}
        self._scanned_at = -math.inf

    def entries(self) -> list[Entry]:
        """Return all runs, the newest first; read those whose files have changed again."""
        with self._lock:
            unscored = []
            if time.monotonic() - self._scanned_at > _RESCAN_AFTER:
                unscored = self._scan()
                self._scanned_at = time.monotonic()
            entries = sorted(self._entries.values(), key=lambda entry: (entry.started, entry.path), reverse=True)
        for entry in unscored:  # not under the lock, which `_store` may need at once
            scoring = self._worker.submit(_scored, self.folder / entry.path, entry)
            scoring.add_done_callback(partial(self._store, entry))
        return entries

    def entry(self, path: str) -> Entry:
        """Return the entry of this path; raise `InputError` if the index has none."""
        with self._lock:
            cached = self._entries.get(path) if math.isfinite(self._scanned_at) else None
        if cached and _is_stamp_of(cached.stamp, self.folder, path):
            return cached
        current = next((entry for entry in self.entries() if entry.path == path), None)
        if current is None:
            raise InputError(f"there is no run {path!r} below this folder; it may have been moved")
        return current

    def run(self, path: str) -> Run:
        """Open a run of the index; raise `InputError` if there is none or a file links outside the folder."""
        folder = self.folder / self.entry(path).path
        _stamp(self.folder, folder)
        return Run(folder)

    @property
    def waiting(self) -> int:
        """Number of runs that are still to be scored."""
        return len(self._waiting)

    def close(self) -> None:
        """Stop scoring, and all calls of `begin`."""
        self._worker.close()
        self._requests.close()

    def begin(self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> Future[T]:
        """Submit a call to a second process, apart from scoring; see `WorkerProcess.submit`.  `close` ends it."""
        return self._requests.submit(function, *arguments, **keywords)

    def _load(self) -> list[Entry]:
        try:
            stored = msgspec.json.decode((self.folder / INDEX).read_bytes(), type=_IndexFile)
        except (OSError, msgspec.DecodeError):  # there is none yet, or it is damaged: start with an empty index
            return []
        return [entry for entry in stored.runs if not entry.problem] if stored.v == VERSION else []

    def _save(self) -> None:
        with self._lock:
            data = msgspec.json.encode(_IndexFile(VERSION, list(self._entries.values())))
        with suppress(OSError, InputError):  # in a read-only folder, the index stays in memory
            write_atomic(self.folder / INDEX, data)

    def _scan(self) -> list[Entry]:
        """Read runs that have changed; return finished ones that must be scored and are not yet in the queue."""
        entries = {}
        for folder in _run_folders(self.folder):
            path = folder.relative_to(self.folder).as_posix()
            try:
                stamp = _stamp(self.folder, folder)
            except InputError as error:
                entries[path] = Entry(path=path, stamp="", name=folder.name, problem=str(error), scored=True)
                continue
            old = self._entries.get(path)
            entries[path] = old if old and old.stamp == stamp else _read_entry(folder, path, stamp)
        self._entries = entries
        new = [e for e in entries.values() if not e.scored and e.ended and e.path not in self._waiting]
        self._waiting.update(entry.path for entry in new)
        return new

    def _store(self, entry: Entry, scoring: Future[Entry]) -> None:
        """Store the scored entry; if its process ended too early, store this as its problem."""
        if scoring.cancelled():
            return
        try:
            scored = scoring.result()
        except NeracaError as error:
            scored = replace(entry, problem=str(error), scored=True)
        with self._lock:
            if entry.path in self._entries and self._entries[entry.path].stamp == entry.stamp:
                self._entries[entry.path] = scored
            self._waiting.discard(entry.path)
        if len(self._waiting) % 50 == 0:
            self._save()


def _run_folders(root: Path) -> Iterator[Path]:
    """Yield the run folders below a folder; skip links, hidden folders, and everything inside a run."""
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as inside:
                files = list(inside)
        except OSError:  # treat an unreadable folder as empty
            continue
        if any(file.name == MANIFEST for file in files):
            yield folder
            continue
        pending += [
            Path(file.path) for file in files if not file.name.startswith(".") and file.is_dir(follow_symlinks=False)
        ]


def _stamp(root: Path, folder: Path) -> str:
    """Return the times and sizes of a run's files; raise `InputError` if one of them is outside the root."""
    parts = []
    for name in FILES:
        file = folder / name
        try:
            status = file.lstat()
            if S_ISLNK(status.st_mode):
                if not file.resolve().is_relative_to(root):
                    raise InputError(f"{name} is a link to a file outside the folder, and is not read")
                status = file.stat()
        except OSError:
            parts.append("-")
            continue
        parts.append(f"{status.st_mtime_ns}:{status.st_size}")
    return " ".join(parts)


def _is_stamp_of(stamp: str, root: Path, path: str) -> bool:
    """Return whether a run's files are unchanged and inside the root."""
    with suppress(InputError):
        return bool(stamp) and _stamp(root, root / path) == stamp
    return False


def _read_entry(folder: Path, path: str, stamp: str) -> Entry:
    """Return the entry of a run, without scores."""
    try:
        run = Run(folder)
        manifest = run.manifest
        answers = sum(manifest.statuses.values()) if manifest.ended else _lines(folder / "answers.jsonl")
    except (NeracaError, OSError) as error:
        return Entry(path=path, stamp=stamp, name=folder.name, problem=str(error), scored=True)
    asked = manifest.items * manifest.trials
    failed = sum(n for status, n in manifest.statuses.items() if status not in ("complete", "suspect"))
    tags = [str(manifest.target.get("kind", ""))]
    tags += [f"{key}={value}" for key, value in manifest.target.items() if key != "kind" and _is_word(value)]
    return Entry(
        path=path,
        stamp=stamp,
        name=run.name,
        dataset=manifest.dataset,
        answers=min(answers, asked),
        asked=asked,
        failed=failed,
        started=manifest.started,
        ended=manifest.ended,
        tags=tuple(filter(None, tags)),
    )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 40 and "(hidden" not in value


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with file.open("rb") as opened:
        return sum(piece.count(b"\n") for piece in iter(lambda: opened.read(1 << 20), b""))


def _scored(folder: Path, entry: Entry) -> Entry:
    """Return the entry with the primary metric of the run alone."""
    try:
        scores = score([folder])
        primary = str(primary_of(scores.metrics))
        result = next(result for result in scores.overall() if result.metric == primary)
        cost = dict(summarise_run(scores.runs[0]).usage).get("cost")
    except (NeracaError, OSError) as error:
        return replace(entry, problem=str(error), scored=True)
    value, low, high = (number if math.isfinite(number) else None for number in (result.value, result.low, result.high))
    return replace(entry, metric=primary, value=value, low=low, high=high, n=result.n, cost=cost, scored=True)
