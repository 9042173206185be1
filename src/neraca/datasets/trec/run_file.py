"""Find the judged documents of a TREC run file block by block, so that memory does not grow with the file.

A file is read whole only if the lines of a query are not together.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self, cast

import numpy as np

from neraca.datasets.trec.line_blocks import BLOCK_SIZE, BOM, RUN, LineBlock, opened
from neraca.datasets.trec.line_fields import PAD, LineFields
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import JudgedFinder, RankedJudgments
from neraca.errors import InputError

if TYPE_CHECKING:
    from neraca.datasets.trec.line_fields import Floats, Ints, Words


class RunLines:
    """Lines of a TREC run as rows.

    Attributes
    ----------
    block
        The block of the file that holds them.
    fields
        Their fields.
    starts, queries
        As in `Rows`.
    """

    def __init__(self, block: LineBlock, fields: LineFields, starts: Ints, queries: list[str]) -> None:
        self.block, self.fields, self.starts, self.queries = block, fields, starts, queries

    @classmethod
    def of(cls, path: Path, data: bytes | bytearray, first: int, end: int, number: int, surplus: bool = False) -> Self:
        """Take the whole lines in `data[first:end]`; `number` is the number of the first line.  Raise `InputError`.

        With `surplus`, fields after the tag are ignored.
        """
        if np.frombuffer(data, np.uint8, end - first, first).max(initial=0) > 127:
            LineBlock(path, bytes(data[first:end]), number).text()  # raises if it is not UTF-8
        fields = LineFields.of(data, first, end, len(RUN))
        if fields is not None:
            lines = cls._of_fields(LineBlock(path, b"", number), fields)
            if not any(query.startswith("#") for query in lines.queries):
                return lines
        block = LineBlock(path, bytes(data[first:end]).replace(b"\r\n", b"\n"), number).tidy(RUN, surplus)
        padded = bytes(PAD) + block.data + bytes(PAD)
        return cls._of_fields(block, cast(LineFields, LineFields.of(padded, PAD, len(padded) - PAD, len(RUN))))

    @classmethod
    def _of_fields(cls, block: LineBlock, fields: LineFields) -> Self:
        starts = fields.changes(0)
        return cls(block, fields, starts, [name.decode() for name in fields.texts(0, starts)])

    def before(self, row: int) -> Self:
        """Return the rows before the last query, which starts at `row`."""
        fields = LineFields(self.fields.data, self.fields.first, self.fields.ends[:row])
        return type(self)(self.block, fields, self.starts[:-1], self.queries[:-1])

    def __len__(self) -> int:
        return len(self.fields)

    def documents(self, rows: Ints) -> list[bytes]:
        """See `Rows`."""
        return self.fields.texts(2, rows)

    def hashes(self) -> Words:
        """See `Rows`."""
        return self.fields.hashes(2)

    def scores(self) -> Floats:
        """See `Rows`."""
        try:
            scores = self.fields.numbers(4)
            if not np.isnan(scores).any():
                return scores
        except ValueError:
            pass  # the error below names the line
        texts = [text.decode() for text in self.fields.texts(4)]
        return np.array(self.block.read(float, texts, "score"))

    def fail(self, query: str, first: int, again: int) -> NoReturn:
        """See `Rows`."""
        [document] = self.fields.texts(2, slice(again, again + 1))
        line = self.block.line(first)
        self.block.fail(again, f"query {query!r} has the document {document.decode()!r} already in line {line}")


def read_run_file(
    path: Path,
    qrels: Qrels,
    single: bool = False,
    block_size: int = BLOCK_SIZE,
    *,
    surplus: bool = False,
    rising: bool = False,
) -> RankedJudgments:
    """Read a TREC run.

    Parameters
    ----------
    path
        A text file, which may be packed with gzip or Zstandard.
    single
        Whether to round scores to single precision (float32) before ranking, as pytrec_eval does.
    block_size
        Number of bytes to read at a time.
    surplus
        Whether to ignore fields after the tag, as trec_eval does.
    rising
        Whether to rank equal scores by rising document id, not by falling.

    Raises
    ------
    InputError
        If the file cannot be read, a line is malformed, or there is no document; names the line.
    """
    documents = list(map(str.encode, qrels.documents))
    finder = JudgedFinder(qrels, LineFields.of_texts(documents).hashes(0), documents, single, rising)
    judgments = None
    for lines in whole_queries(path, block_size, surplus):
        if not finder.add(lines):
            with opened(path) as file:
                data = bytes(PAD) + file.read().removeprefix(BOM).rstrip(b"\n") + b"\n" + bytes(PAD)
            judgments = finder.scattered(RunLines.of(path, data, PAD, len(data) - PAD, 1, surplus))
            break
    judgments = judgments or finder.judgments()
    if not judgments.unjudged_queries and not judgments.returned.any():
        raise InputError(f"{path}: there is no document in it")
    return judgments


def whole_queries(path: Path, block_size: int, surplus: bool) -> Iterator[RunLines]:
    """Yield the lines in blocks that end with the end of a query.  A block is valid until the next one is read."""
    data, filled, number, enough = bytearray(PAD + 2 * block_size + PAD), 0, 1, 0
    with opened(path) as file:
        while True:
            if PAD + filled + block_size + PAD > len(data):
                data = data + bytes(len(data))
            space = memoryview(data)[PAD + filled : PAD + filled + block_size]
            n_bytes = file.readinto(space)  # type: ignore[attr-defined]
            del space
            filled += n_bytes
            if n_bytes and filled < enough:  # one long query: do not parse its lines again and again
                continue
            first = PAD + (len(BOM) if number == 1 and data.startswith(BOM, PAD) else 0)
            if not n_bytes and number == 1 and PAD + filled <= first:
                raise InputError(f"{path}: the file is empty")
            if not n_bytes and filled and data[PAD + filled - 1] != 10:
                data[PAD + filled] = 10
                filled += 1
            end = data.rfind(b"\n", first, PAD + filled) + 1
            if end <= first:
                if not n_bytes:
                    return
                continue
            lines = RunLines.of(path, data, first, end, number, surplus)
            last = int(lines.starts[-1]) if len(lines) else 0
            if not n_bytes:
                yield lines
                return
            enough = 0 if last else 2 * filled
            if last:
                line = lines.block.line(last)
                yield lines.before(last)
                regular = lines.fields.data is data
                start = int(lines.fields.ends[last - 1, -1]) + 1 if regular else _line_start(data, first, line - number)
                del lines
                tail = data[start : PAD + filled]
                data[PAD : PAD + len(tail)] = tail
                filled, number = len(tail), line


def _line_start(data: bytearray, first: int, lines: int) -> int:
    """Return the start of the line that comes `lines` lines after the line at `first`."""
    for _ in range(lines):
        first = data.index(b"\n", first) + 1
    return first
