"""Read exported traces from files: JSON records one by one, with limits on size and depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from neraca.datasets.compressed import opened, suffix_of
from neraca.datasets.table_reader import TableReader
from neraca.errors import InputError
from neraca.traces.attributes import read_json
from neraca.traces.losses import Losses
from neraca.translation import say

#: Endings of the files that are read; each may be packed (.gz, .zst).
JSON, TABLES = (".json", ".jsonl", ".ndjson"), (".csv", ".tsv", ".parquet", ".arrow")
#: Bytes that one line may have, and that a file which is one JSON value may have.
LONGEST_LINE, LARGEST_VALUE = 64 << 20, 512 << 20
#: Levels of nesting that a record may have.
DEEPEST = 200


class Record(NamedTuple):
    """A JSON object of a file, and its place in words."""

    value: dict[str, Any]
    where: str


def files_in(paths: Iterable[str | Path], losses: Losses) -> list[Path]:
    """Return the files to read, in order; folders are searched.  Count the files of a folder that cannot be read.

    Raise `InputError` for a path that does not exist, a named file of another format, or nothing to read.
    """
    files: list[Path] = []
    named = [Path(path) for path in paths]
    for path in named:
        if path.is_dir():
            inner = sorted(each for each in path.rglob("*") if each.is_file() and not each.name.startswith("."))
            files += [each for each in inner if suffix_of(each) in (*JSON, *TABLES)]
            for each in inner:
                if suffix_of(each) not in (*JSON, *TABLES):
                    losses.add("other file", str(each), ", ".join((*JSON, *TABLES)))
        elif not path.exists():
            raise InputError(
                say("{path}: no such file or folder; give the files that your tracing tool exported", path=path)
            )
        elif suffix_of(path) not in (*JSON, *TABLES):
            endings = ", ".join((*JSON, *TABLES))
            raise InputError(
                f"{path}: traces are read from {endings} (also .gz, .zst); export one of these, or rename it"
            )
        else:
            files.append(path)
    if not files:
        raise InputError(
            say("{names}: no file of traces in it; export some first", names=", ".join(map(str, named)) or "no path")
        )
    return list(dict.fromkeys(files))


def read_records(path: Path, losses: Losses) -> Iterator[Record]:
    """Yield the JSON objects of a file: one a line, one or several indented ones, a list, or the rows of a table."""
    if suffix_of(path) in TABLES:
        for batch in TableReader(path):
            for index, row in enumerate(batch.rows):
                yield Record(dict(row), f"{path} {batch.place(index)}")
        return
    with opened(path) as file:
        yield from _of_value(path, file, losses) if suffix_of(path) == ".json" else _of_lines(path, file, losses)


def _of_lines(path: Path, file: IO[bytes], losses: Losses) -> Iterator[Record]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        where = f"{path} line {number}"
        if len(line) > LONGEST_LINE:
            raise InputError(f"{where}: over {LONGEST_LINE >> 20} MiB in one line; export smaller batches")
        if not line.strip():
            continue
        if number == 1 and line.strip() == b"{":
            following = iter(lambda: file.readline(LONGEST_LINE + 1), b"")
            yield from _of_indented(path, chain([line], following), losses)
            return
        try:
            yield from _objects(decode_json(line.removeprefix(b"\xef\xbb\xbf"), where), where)
        except InputError:
            if line.endswith(b"\n") or number == 1:
                raise
            losses.add("torn", where)


def _of_indented(path: Path, lines: Iterable[bytes], losses: Losses) -> Iterator[Record]:
    """Read indented objects one below the other, as `span.to_json()` writes them: each ends with a line `}`."""
    part, first = bytearray(), 0
    for number, line in enumerate(lines, start=1):
        if not part and not line.strip():
            continue
        first = first if part else number
        part += line.rstrip(b"\r\n") + b"\n"
        if len(part) > LONGEST_LINE:
            raise InputError(f"{path} line {first}: over {LONGEST_LINE >> 20} MiB in an object; export smaller batches")
        if line.rstrip() == b"}":
            yield from _objects(decode_json(bytes(part), f"{path} line {first}"), f"{path} line {first}")
            part.clear()
    if part and first == 1:  # one value, whose error says what is wrong with it
        yield from _objects(decode_json(bytes(part), str(path)), str(path))
    elif part:
        losses.add("torn", f"{path} line {first}")


def _of_value(path: Path, file: IO[bytes], losses: Losses) -> Iterator[Record]:
    """Read a file that is one JSON value.  Files with one value a line are often named .json, too."""
    data = bytearray()
    while block := file.read(1 << 20):
        data += block
        if len(data) > LARGEST_VALUE:
            raise InputError(f"{path}: over {LARGEST_VALUE >> 20} MiB of JSON in one value; export JSON Lines (.jsonl)")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        return
    lines = data.splitlines()
    if len(lines) > 1 and _is_whole(lines[0]):
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield from _objects(decode_json(bytes(line), f"{path} line {number}"), f"{path} line {number}")
    elif lines[0].strip() == b"{" and sum(line == b"}" for line in lines) > 1:
        yield from _of_indented(path, map(bytes, lines), losses)
    else:
        yield from _objects(decode_json(bytes(data), str(path)), str(path))


def _is_whole(line: bytes | bytearray) -> bool:
    """Return whether a first line is an object by itself."""
    if not line.strip().startswith(b"{"):
        return False
    try:
        msgspec.json.decode(bytes(line))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True


def decode_json(data: bytes, where: str) -> Any:
    """Decode JSON; raise `InputError` that says what is wrong with it."""
    try:
        value = read_json(data)
    except RecursionError:
        raise _too_deep(where) from None
    except UnicodeDecodeError as error:
        raise InputError(
            say("{where}: not UTF-8 (byte {start}); write the export as UTF-8", where=where, start=error.start)
        ) from error
    except (msgspec.DecodeError, ValueError) as error:
        raise InputError(
            say("{where}: not JSON: {error}; give the export as it was written, whole", where=where, error=error)
        ) from error
    _check_depth(value, where)
    return value


def _check_depth(value: Any, where: str) -> None:
    """Raise `InputError` if a value is nested too deeply; go through it level by level."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            part
            for each in level
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        ]
        if not level:
            return
    raise _too_deep(where)


def _too_deep(where: str) -> InputError:
    return InputError(f"{where}: nested deeper than {DEEPEST} levels, which no trace is; leave this record out")


def _objects(value: Any, where: str) -> Iterator[Record]:
    """Yield the objects of a value: itself, or the parts of a list or of the list in an envelope."""
    if isinstance(value, dict):
        for name in ("runs", "data", "spans", "traces", "observations", "records"):
            if _is_envelope(value, name):
                yield from _objects(value[name], where)
                return
        yield Record(value, where)
    elif isinstance(value, list):
        for number, part in enumerate(value, start=1):
            if not isinstance(part, dict):
                raise InputError(f"{where}, record {number}: not an object but {type(part).__name__}; export objects")
            yield Record(part, f"{where}, record {number}")
    else:
        raise InputError(f"{where}: not an object but {type(value).__name__}; export one JSON object a line")


def _is_envelope(value: dict[str, Any], name: str) -> bool:
    """Return whether an object only holds a list of records, and perhaps where the next page is."""
    inner: Sequence[Any] | Any = value.get(name)
    own = {"id", "trace_id", "traceId", "info", "context", "resourceSpans"}
    return isinstance(inner, list) and not own & value.keys()
