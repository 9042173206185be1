"""All runs below a folder: what a list of them shows, kept in a file beside them that may be deleted at any time.

A run is read anew only when one of its files has another size or time.  Its scores are computed in the background;
until then, and while the run is being asked, its entry has none.  Nothing outside the folder is read: links to folders
are not followed, and a run of which a file is a link that leads out is not opened.
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
from neraca.reports.run_summary import card
from neraca.runs.run import MANIFEST, Run
from neraca.scores.score import score
from neraca.web.worker_process import WorkerProcess

P = ParamSpec("P")
T = TypeVar("T")
INDEX = ".neraca-index.json"
VERSION = 1
FILES = (MANIFEST, "items.jsonl", "answers.jsonl", "verdicts.jsonl")
#: A run without an end whose files changed in so many seconds is being asked now.
RECENT = 120.0
_WAIT = 0.5


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of the list.

    Attributes
    ----------
    path
        Of its folder, below that of the index, with `/`.
    stamp
        Time and size of each of its files; another one means that the run is to be read anew.
    answers, asked
        Answers that are there, and how many there will be.
    metric, value, low, high, n
        The primary metric of the run alone, with its interval; "" and None while there is none.
    cost
        Sum over the answers; None where nothing says it.
    tags
        Kind of target, and all settings of it that are short words, as `name=value`.
    problem
        Why it cannot be read or scored.
    scored
        Whether scores were computed, or cannot be.
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
        """The folder in which the run lies, such as the phase of a study; "" is that of the index."""
        return self.path.rpartition("/")[0]

    @property
    def changed(self) -> float:
        """When one of its files changed last, in seconds since 1970."""
        return max((int(part.split(":")[0]) for part in self.stamp.split() if ":" in part), default=0) / 1e9

    @property
    def live(self) -> bool:
        """Whether it is being asked now."""
        return not self.ended and not self.problem and time.time() - self.changed < RECENT


class _Kept(msgspec.Struct):
    v: int
    runs: list[Entry]


class RunIndex:
    """The runs below a folder.

    Parameters
    ----------
    folder
        Where to look; the index is kept in it where it can be written to.

    Raises
    ------
    InputError
        When there is no such folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise InputError(f"{folder}: no such folder; name the one that holds the runs, such as `runs`")
        self._turn = threading.Lock()
        self._worker, self._asked = WorkerProcess(), WorkerProcess()
        self._waiting: set[str] = set()
        self._entries = {entry.path: entry for entry in self._kept()}
        self._looked = -math.inf

    def entries(self) -> list[Entry]:
        """Return all runs, the newest first; those whose files changed are read anew."""
        with self._turn:
            unscored = []
            if time.monotonic() - self._looked > _WAIT:
                unscored = self._look()
                self._looked = time.monotonic()
            found = sorted(self._entries.values(), key=lambda entry: (entry.started, entry.path), reverse=True)
        for entry in unscored:  # outside of the turn, which `_take` needs, and may need at once
            scoring = self._worker.submit(_scored, self.folder / entry.path, entry)
            scoring.add_done_callback(partial(self._take, entry))
        return found

    def entry(self, path: str) -> Entry:
        """Return the run of this path; raises `InputError` where the list has none, whatever else lies there."""
        with self._turn:
            known = self._entries.get(path) if math.isfinite(self._looked) else None
        if known and _is_stamp_of(known.stamp, self.folder, path):
            return known
        found = next((entry for entry in self.entries() if entry.path == path), None)
        if found is None:
            raise InputError(f"{path!r} is no run below this folder; it may have been moved")
        return found

    def run(self, path: str) -> Run:
        """Open a run of the list; raises `InputError` where it is none or leads out of the folder."""
        folder = self.folder / self.entry(path).path
        _stamp(self.folder, folder)
        return Run(folder)

    @property
    def waiting(self) -> int:
        """How many runs are still to be scored."""
        return len(self._waiting)

    def close(self) -> None:
        """Stop scoring, and what was begun."""
        self._worker.close()
        self._asked.close()

    def begin(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """Begin a call beside the scoring of the runs, as `WorkerProcess.submit` does; it ends with the index."""
        return self._asked.submit(function, *arguments, **named)

    def _kept(self) -> list[Entry]:
        try:
            kept = msgspec.json.decode((self.folder / INDEX).read_bytes(), type=_Kept)
        except (OSError, msgspec.DecodeError):  # none yet, or not whole: it is made anew
            return []
        return [entry for entry in kept.runs if not entry.problem] if kept.v == VERSION else []

    def _keep(self) -> None:
        with self._turn:
            data = msgspec.json.encode(_Kept(VERSION, list(self._entries.values())))
        with suppress(OSError, InputError):  # a folder that is only for reading: the index stays in memory
            write_atomic(self.folder / INDEX, data)

    def _look(self) -> list[Entry]:
        """Read anew what changed; returns what is to be scored and does not wait for it yet."""
        found = {}
        for folder in _run_folders(self.folder):
            path = folder.relative_to(self.folder).as_posix()
            try:
                stamp = _stamp(self.folder, folder)
            except InputError as error:
                found[path] = Entry(path=path, stamp="", name=folder.name, problem=str(error), scored=True)
                continue
            old = self._entries.get(path)
            found[path] = old if old and old.stamp == stamp else _read(folder, path, stamp)
        self._entries = found
        new = [e for e in found.values() if not e.scored and e.ended and e.path not in self._waiting]
        self._waiting.update(entry.path for entry in new)
        return new

    def _take(self, entry: Entry, scoring: Future[Entry]) -> None:
        """Keep what was found of an entry; where its process ended, that is its problem."""
        if scoring.cancelled():
            return
        try:
            scored = scoring.result()
        except NeracaError as error:
            scored = replace(entry, problem=str(error), scored=True)
        with self._turn:
            if entry.path in self._entries and self._entries[entry.path].stamp == entry.stamp:
                self._entries[entry.path] = scored
            self._waiting.discard(entry.path)
        if len(self._waiting) % 50 == 0:
            self._keep()


def _run_folders(root: Path) -> Iterator[Path]:
    """Every run folder below a folder; nothing inside a run, behind a link, or with a name that begins with a dot."""
    left = [root]
    while left:
        folder = left.pop()
        try:
            with os.scandir(folder) as inside:
                files = list(inside)
        except OSError:  # may not be read: as if it were empty
            continue
        if any(file.name == MANIFEST for file in files):
            yield folder
            continue
        left += [
            Path(file.path) for file in files if not file.name.startswith(".") and file.is_dir(follow_symlinks=False)
        ]


def _stamp(root: Path, folder: Path) -> str:
    """Time and size of a run's files; raises `InputError` where one of them lies outside the root."""
    parts = []
    for name in FILES:
        file = folder / name
        try:
            status = file.lstat()
            if S_ISLNK(status.st_mode):
                if not file.resolve().is_relative_to(root):
                    raise InputError(f"{name} is a link that leads out of the folder, and is not read")
                status = file.stat()
        except OSError:
            parts.append("-")
            continue
        parts.append(f"{status.st_mtime_ns}:{status.st_size}")
    return " ".join(parts)


def _is_stamp_of(stamp: str, root: Path, path: str) -> bool:
    """Whether a run's files are as they were; not where one of them leads out of the root."""
    with suppress(InputError):
        return bool(stamp) and _stamp(root, root / path) == stamp
    return False


def _read(folder: Path, path: str, stamp: str) -> Entry:
    """What is known of a run without its scores."""
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
    """The entry with the primary metric of the run alone."""
    try:
        scores = score([folder])
        primary = str(primary_of(scores.metrics))
        found = next(one for one in scores.overall() if one.metric == primary)
        cost = dict(card(scores.runs[0]).usage).get("cost")
    except (NeracaError, OSError) as error:
        return replace(entry, problem=str(error), scored=True)
    value, low, high = (number if math.isfinite(number) else None for number in (found.value, found.low, found.high))
    return replace(entry, metric=primary, value=value, low=low, high=high, n=found.n, cost=cost, scored=True)
