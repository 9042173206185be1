"""The judged hits of a TREC run of millions of lines, block by block, so that memory does not grow with the file.

Only where the lines of a query are scattered over a file is it read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, Self, cast

import numpy as np

from neraca.datasets.fields import PAD, Floats, Ints, Lines, Words
from neraca.datasets.judged import RankedJudgments
from neraca.datasets.judged_rows import Finder
from neraca.datasets.qrels import Qrels
from neraca.datasets.trec import BOM, RUN, SIZE, LineBlock, opened


class RunLines:
    """Lines of a TREC run as rows.

    Attributes
    ----------
    block
        Where they stand in the file.
    lines, starts, queries
        See `Rows`.
    """

    def __init__(self, block: LineBlock, lines: Lines, starts: Ints, queries: list[str]) -> None:
        self.block, self.lines, self.starts, self.queries = block, lines, starts, queries

    @classmethod
    def of(cls, path: Path, data: bytes | bytearray, first: int, end: int, number: int) -> Self:
        """The whole lines in `data[first:end]`, of which the first has this number; raises `InputError`."""
        if np.frombuffer(data, np.uint8, end - first, first).max() > 127:
            LineBlock(path, bytes(data[first:end]), number).text()  # complains where it is not UTF-8
        lines = Lines.of(data, first, end, len(RUN))
        if lines is not None:
            made = cls._of_lines(LineBlock(path, b"", number), lines)
            if not any(query.startswith("#") for query in made.queries):
                return made
        block = LineBlock(path, bytes(data[first:end]).replace(b"\r\n", b"\n"), number).tidy(RUN)
        whole = bytes(PAD) + block.data + bytes(PAD)
        return cls._of_lines(block, cast(Lines, Lines.of(whole, PAD, len(whole) - PAD, len(RUN))))

    @classmethod
    def _of_lines(cls, block: LineBlock, lines: Lines) -> Self:
        starts = lines.changes(0)
        return cls(block, lines, starts, [name.decode() for name in lines.texts(0, starts)])

    def before(self, row: int) -> Self:
        """The rows before the last query, which starts at `row`."""
        lines = Lines(self.lines.data, self.lines.first, self.lines.ends[:row])
        return type(self)(self.block, lines, self.starts[:-1], self.queries[:-1])

    def __len__(self) -> int:
        return len(self.lines)

    def documents(self, rows: Ints) -> list[bytes]:
        """See `Rows`."""
        return self.lines.texts(2, rows)

    def hashes(self) -> Words:
        """See `Rows`."""
        return self.lines.hashes(2)

    def scores(self) -> Floats:
        """See `Rows`."""
        try:
            found = self.lines.numbers(4)
            if not np.isnan(found).any():
                return found
        except ValueError:
            pass
        texts = [text.decode() for text in self.lines.texts(4)]
        return np.array(self.block.read(float, texts, "score"))

    def fail(self, query: str, first: int, again: int) -> NoReturn:
        """See `Rows`."""
        [document] = self.lines.texts(2, slice(again, again + 1))
        line = self.block.line(first)
        self.block.fail(again, f"query {query!r} has the document {document.decode()!r} already in line {line}")


def judged_lines(path: Path, qrels: Qrels, single: bool = False) -> RankedJudgments:
    """Read a run; raises `InputError`."""
    judged = Lines.of_texts(qrels.documents)
    hashes, documents = judged.hashes(0), judged.texts(0)
    finder = Finder(qrels, hashes, documents, single)
    for rows in _whole_queries(path):
        if not finder.add(rows):
            with opened(path) as file:
                data = bytes(PAD) + file.read().removeprefix(BOM).rstrip(b"\n") + b"\n" + bytes(PAD)
            return finder.of_scattered(RunLines.of(path, data, PAD, len(data) - PAD, 1))
    return finder.judged()


def _whole_queries(path: Path) -> Iterator[RunLines]:
    """The lines in blocks that end where a query ends.  A block is good until the next one is asked for."""
    data, have, number, enough = bytearray(PAD + 2 * SIZE + PAD), 0, 1, 0
    with opened(path) as file:
        while True:
            if PAD + have + SIZE + PAD > len(data):
                data = data + bytes(len(data))
            read = file.readinto(memoryview(data)[PAD + have : PAD + have + SIZE])  # type: ignore[attr-defined]
            have += read
            if read and have < enough:  # one long query: its lines are not looked at again and again
                continue
            if not read and have and data[PAD + have - 1] != 10:
                data[PAD + have] = 10
                have += 1
            first = PAD + (len(BOM) if number == 1 and data.startswith(BOM, PAD) else 0)
            end = data.rfind(b"\n", first, PAD + have) + 1
            if end <= first:
                if not read:
                    return
                continue
            rows = RunLines.of(path, data, first, end, number)
            last = int(rows.starts[-1]) if len(rows) else 0
            if not read:
                yield rows
                return
            enough = 0 if last else 2 * have
            if last:
                line = rows.block.line(last)
                yield rows.before(last)
                regular = rows.lines.data is data
                place = int(rows.lines.ends[last - 1, -1]) + 1 if regular else _line_start(data, first, line - number)
                del rows
                left = data[place : PAD + have]
                data[PAD : PAD + len(left)] = left
                have, number = len(left), line


def _line_start(data: bytearray, first: int, lines: int) -> int:
    """Where a line starts, so many after the one at `first`."""
    for _ in range(lines):
        first = data.index(b"\n", first) + 1
    return first
