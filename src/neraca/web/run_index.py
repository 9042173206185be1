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
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from stat import S_ISLNK
from typing import ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace

from neraca.errors import InputError, NeracaError
from neraca.files import write_atomic
from neraca.metrics.metric import Metric
from neraca.runs.run import MANIFEST, Run
from neraca.runs.study_record import FILE as STUDY
from neraca.web.kept_files import KeptFiles
from neraca.web.measures import Measures
from neraca.web.run_entry import Entry, read_entry, scored_entry
from neraca.web.study_places import StudyPlace, StudyPlaces
from neraca.web.worker_process import WorkerProcess

P = ParamSpec("P")
T = TypeVar("T")
INDEX = ".neraca-index.json"
VERSION = 5
#: Versions of a system are asked at least so many seconds after one another; methods to compare often in one go.
APART = 60
FILES = (MANIFEST, "items.jsonl", "answers.jsonl", "verdicts.jsonl")
_RESCAN_AFTER = 0.5
#: Long computations for pages that run at the same time.
AT_ONCE = 2


class _IndexFile(msgspec.Struct):
    v: int
    runs: list[Entry]


def _seconds_between(earlier: Entry, later: Entry) -> float:
    """Return the seconds from the end of a run to the start of the next; infinite where a time is not known."""
    end = max(earlier.started, earlier.ended)
    if not end or not later.started:
        return math.inf
    return (datetime.fromisoformat(later.started) - datetime.fromisoformat(end)).total_seconds()


class RunIndex:
    """The runs below a folder.

    Parameters
    ----------
    folder
        The folder to search.  The index is stored in it if it is writable.
    primary
        The primary metric of all pages; "": that of each study, and otherwise the default one.

    Attributes
    ----------
    kept
        The files that are made from runs.
    studies
        The studies that the runs belong to.

    Raises
    ------
    InputError
        If there is no such folder.
    """

    def __init__(self, folder: str | Path, primary: str = "") -> None:
        self.primary = str(Metric.of(primary)) if primary else ""
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise InputError(f"{folder}: no such folder; name the one that holds the runs, such as `runs`")
        self._lock = threading.Lock()
        self.kept, self.studies = KeptFiles(self.folder), StudyPlaces(self.folder)
        self._worker, self._requests = WorkerProcess(), [WorkerProcess() for _ in range(AT_ONCE)]
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
            scoring = self._worker.submit(scored_entry, self.folder / entry.path, entry, self.measures([entry.path]))
            scoring.add_done_callback(partial(self._store, entry))
        return entries

    def were_compared(self, paths: Sequence[str]) -> bool:
        """Return whether runs, the oldest first, are no versions of one another, but were compared.

        That is so if two are of one phase of a study, or one began less than `APART` seconds after another ended.
        """
        places = [place for path in paths if (place := self.place(path))]
        phases = {(place.folder, place.phase_number) for place in places}
        pairs = pairwise(map(self.entry, paths))
        return len(phases) < len(places) or any(_seconds_between(*pair) < APART for pair in pairs)

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

    def close(self) -> None:
        """Stop scoring, and all calls of `begin`."""
        self._worker.close()
        for process in self._requests:
            process.close()

    def place(self, path: str) -> StudyPlace | None:
        """Return the place of a run in its study; None if it belongs to none."""
        return self.studies.of(path)

    def study_file(self, path: str) -> bytes:
        """Return a report that a study wrote; raise `InputError` if no study below the folder has this file."""
        reports = (
            "/".join(filter(None, (folder, file)))
            for folder, study in self.studies.studies.items()
            for file in (*study.files, *(file for phase in study.parts for file in phase.files))
            if file.endswith(".html")
        )
        file = self.folder / path
        if path not in reports or file.is_symlink() or not file.resolve().is_relative_to(self.folder):
            raise InputError("no study below this folder has this report; it may have been moved")
        return file.read_bytes()

    def measures(self, paths: Sequence[str]) -> Measures:
        """Return the metrics of these runs: those of their study if it is the same for all, and the primary one."""
        if not math.isfinite(self._scanned_at):
            self.entries()  # it reads the studies
        return self._measures(paths)

    def _measures(self, paths: Sequence[str]) -> Measures:
        places = [self.studies.of(path) for path in paths]
        phases = {(place.phase.metrics, place.phase.primary) if place else ((), "") for place in places}
        metrics, primary = phases.pop() if len(phases) == 1 else ((), "")
        return Measures(metrics, self.primary or primary)

    def begin(self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> Future[T]:
        """Submit a call to the less busy of `AT_ONCE` processes, apart from scoring; see `WorkerProcess.submit`."""
        process = min(self._requests, key=lambda process: process.calls)
        return process.submit(function, *arguments, **keywords)

    @property
    def queued(self) -> int:
        """Number of calls of `begin` that have not begun."""
        return sum(max(0, process.calls - 1) for process in self._requests)

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
        run_folders, study_folders = _search(self.folder)
        self.studies.read(study_folders)
        for folder in run_folders:
            path = folder.relative_to(self.folder).as_posix()
            try:
                stamp = _stamp(self.folder, folder)
            except InputError as error:
                entries[path] = Entry(path=path, stamp="", name=folder.name, problem=str(error), scored=True)
                continue
            old, measures = self._entries.get(path), repr(self._measures([path]))
            is_current = old is not None and (old.stamp, old.measures) == (stamp, measures)
            entries[path] = old if old and is_current else read_entry(folder, path, stamp, measures)
        self._entries = entries
        new = [entry for entry in entries.values() if entry.waits and entry.path not in self._waiting]
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


def _search(root: Path) -> tuple[list[Path], list[Path]]:
    """Return the folders of runs and of studies below a folder.

    Links and hidden folders are skipped, and everything inside a run.
    """
    runs, studies, pending = [], [], [root]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as inside:
                files = list(inside)
        except OSError:  # treat an unreadable folder as empty
            continue
        names = {file.name for file in files}
        if MANIFEST in names:
            runs.append(folder)
            continue
        studies += [folder] if STUDY in names else []
        pending += [
            Path(file.path) for file in files if not file.name.startswith(".") and file.is_dir(follow_symlinks=False)
        ]
    return runs, studies


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
