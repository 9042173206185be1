"""The exports that a receiver accepted, as they came, in a folder that only its owner can read.

They are in files of limited size, which are removed one by one when the run holds all that they say.  `.totals.json`
has the counts of what was removed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from neraca.errors import InputError
from neraca.files import Lock, sync_folder, write_atomic
from neraca.journal import Journal
from neraca.traces.otlp_export import Export

#: Bytes and seconds after which a new file is begun.
LARGEST_FILE, LONGEST_TIME = 64 << 20, 60.0
_TOTALS = ".totals.json"


class Place(NamedTuple):
    """The place of an export: the number of the file, and the offset in bytes."""

    file: int
    offset: int


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the exports that were removed.

    Attributes
    ----------
    removed
        Numbers of the files that were removed, or are about to be.
    forgotten
        Id of a trace that was removed in part → the numbers of the files that still hold some of its spans.
    requests
        The number of exports in the removed files.
    counts, losses
        See `TraceCounts` and `Losses`.
    is_over
        Whether all files are removed, because the run was ended.
    """

    removed: tuple[int, ...] = ()
    forgotten: Mapping[str, tuple[int, ...]] = {}
    requests: int = 0
    counts: Mapping[str, Any] = {}
    losses: Sequence[Mapping[str, Any]] = ()
    is_over: bool = False


class ExportJournal:
    """The files of accepted exports.  As a context it holds the folder's lock, so that one receiver writes to it.

    Parameters
    ----------
    folder
        The folder; it is made when the context is entered.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.totals = Totals()
        self._files = contextlib.ExitStack()
        self._current: Journal[Export] | None = None
        self._number, self._bytes, self._since = 0, 0, 0.0

    def __enter__(self) -> Self:
        """Lock the folder, and finish a removal that was interrupted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        sync_folder(self.folder.parent)
        self._files.enter_context(Lock(self.folder))
        self.totals = self._read_totals()
        self._unlink(self.totals.removed)
        if self.totals.is_over:
            (self.folder / _TOTALS).unlink()
            self.totals = Totals()
        self._number = max([0, *self.numbers(), *self.totals.removed])  # a number is used once
        return self

    def __exit__(self, *raised: object) -> None:
        self._close_file()
        self._files.close()

    def _read_totals(self) -> Totals:
        file = self.folder / _TOTALS
        if not file.is_file():
            return Totals()
        try:
            return msgspec.json.decode(file.read_bytes(), type=Totals)
        except msgspec.DecodeError as error:
            raise InputError(f"{file}: cannot be read: {error}; remove it, its counts are lost") from error

    def numbers(self) -> list[int]:
        """Return the numbers of the files, the oldest first."""
        return sorted(int(path.stem.rpartition("-")[2]) for path in self.folder.glob("exports-*.jsonl"))

    def _journal(self, number: int) -> Journal[Export]:
        return Journal(self.folder / f"exports-{number:06d}.jsonl", Export)

    def append(self, exports: Sequence[Export], now: float) -> list[Place]:
        """Write exports, and return their places when they are on disk; `now` is in seconds."""
        self.end_file(now)
        if self._current is None:
            self._number, self._bytes, self._since = self._number + 1, 0, now
            journal = self._journal(self._number)
            journal.path.touch(mode=0o600)
            self._current = journal.__enter__()
            sync_folder(self.folder)
        offsets = self._current.append(*exports)
        self._bytes += sum(len(export.data) for export in exports)
        return [Place(self._number, offset) for offset in offsets]

    def end_file(self, now: float) -> None:
        """Let the next export begin a new file if the open one is large or old, so that it can be removed one day."""
        if self._current is not None and (self._bytes > LARGEST_FILE or now - self._since > LONGEST_TIME):
            self._close_file()

    def _close_file(self) -> None:
        if self._current is not None:
            self._current.__exit__()
            self._current = None

    @property
    def open_file(self) -> int:
        """The number of the file that is being written; 0: none is."""
        return self._number if self._current is not None else 0

    def replay(self) -> Iterator[tuple[Place, Export]]:
        """Yield all exports with their places, in the order in which they came."""
        for number in self.numbers():
            for offset, export in self._journal(number).with_offsets(Export):
                yield Place(number, offset), export

    def read(self, places: Iterable[Place]) -> Iterator[tuple[Place, Export]]:
        """Yield the exports at these places, one after the other."""
        for place in sorted(set(places)):
            yield place, self._journal(place.file).at([place.offset])[0]

    def remove(self, totals: Totals) -> None:
        """Keep the totals, then remove the files that they count; after a kill the removal is finished."""
        write_atomic(self.folder / _TOTALS, msgspec.json.encode(totals), mode=0o600)
        self.totals = totals
        self._unlink(totals.removed)

    def clear(self) -> None:
        """Remove everything: the run holds all that the exports say."""
        self._close_file()
        self.remove(Totals(removed=tuple(self.numbers()), is_over=True))
        (self.folder / _TOTALS).unlink()

    def _unlink(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._journal(number).path.unlink(missing_ok=True)
