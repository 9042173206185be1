"""Add turns near the end of a run without reading again all that is there: what it costs depends on what is new.

The last questions of the run are in memory.  The hash of all before them, and the bytes that they take, do not change.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path

from neraca.datasets.dataset import canonical_json
from neraca.files import replacing
from neraca.journal import Journal
from neraca.records import Item
from neraca.runs.run import Run, now
from neraca.traces.trace_run import Pair, place_in_time

#: The number of last questions among which a new one may still be put.
TAIL = 10_000
_BLOCK = 1 << 20


class GrowingRun:
    """The state of a run that turns are added to; its questions are read once.

    Parameters
    ----------
    folder
        The run folder.
    most
        The number of last questions that are kept in memory.

    Raises
    ------
    InputError
        If a question cannot be read.
    """

    def __init__(self, folder: Path, most: int = TAIL) -> None:
        self._folder, self._most = folder, most
        self._items = Journal(folder / "items.jsonl", Item)
        self._hash = hashlib.sha256(b"[")
        self._settled, self._bytes, self._last_settled = 0, 0, (-1, "")
        self._tail: deque[tuple[int, Item]] = deque()  # with the offset of each line
        self.manifest = Run(folder).manifest
        for offset, item in self._items.with_offsets(Item):
            self._tail.append((offset, item))
            self._settle()

    def _settle(self) -> None:
        """Move what is beyond the tail to the part that does not change."""
        while len(self._tail) > self._most:
            _, item = self._tail.popleft()
            self._hash.update((b"," if self._settled else b"") + canonical_json(item))
            self._settled, self._bytes, self._last_settled = self._settled + 1, self._tail[0][0], place_in_time(item)

    def add(self, pairs: Sequence[Pair]) -> bool:
        """Write turns of traces of which the run has none; return whether that was possible.

        It is not if one of them belongs into the part that does not change, or if somebody else changed the questions;
        then nothing is written.  Raise `RunError` if somebody else is writing to the run.
        """
        if any(place_in_time(item) < self._last_settled for item, _ in pairs):
            return False
        run = Run(self._folder)
        with run.writing():
            if (run.manifest.run, run.manifest.fingerprint) != (self.manifest.run, self.manifest.fingerprint):
                return False
            items = sorted([*(item for _, item in self._tail), *(item for item, _ in pairs)], key=place_in_time)
            lines = [self._items.line(item) for item in items]
            self._write(lines)
            whole = self._hash.copy()
            whole.update((b"," if self._settled and items else b"") + b",".join(map(canonical_json, items)) + b"]")
            run.update(items=self._settled + len(items), fingerprint=whole.hexdigest()[:16], ended="")
            run.answers_journal.append(*(answer for _, answer in pairs))
            statuses = Counter(run.manifest.statuses) + Counter(answer.status for _, answer in pairs)
            run.update(statuses=dict(statuses), ended=now())
        self.manifest, self._tail, offset = run.manifest, deque(), self._bytes
        for line, item in zip(lines, items, strict=True):
            self._tail.append((offset, item))
            offset += len(line)
        self._settle()
        return True

    def _write(self, lines: Sequence[bytes]) -> None:
        """Replace the questions of the tail by these lines."""
        path = self._items.path
        with replacing(path) as temporary, temporary.open("wb") as file, path.open("rb") as earlier:
            missing = self._bytes
            while missing and (block := earlier.read(min(missing, _BLOCK))):
                missing -= file.write(block)
            file.writelines(lines)
