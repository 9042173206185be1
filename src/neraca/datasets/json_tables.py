"""Read and write JSON Lines (one object a line, as a stream) and JSON (a list of objects, held whole)."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import msgspec

from neraca.datasets.cells import shown
from neraca.datasets.compressed import opened, opened_with_share
from neraca.datasets.row_batch import OutputColumns, Row, RowBatch, TableFile, split_rows, take_batches
from neraca.datasets.text_encoding import remedies_for, text_encoding, undecodable
from neraca.errors import InputError
from neraca.translation import say

LINES_SUFFIXES = (".jsonl", ".ndjson")


def read_json_lines(file: TableFile) -> Iterator[RowBatch]:
    """Yield the rows in batches; a batch has the columns of its own objects.  Raise `InputError` for an empty file."""
    encoding = text_encoding(file.path, file.encoding)
    with _open_lines(file.path, encoding) as (lines, share):
        for numbers, rows in take_batches(_objects(file.path, encoding, lines), file):
            columns = tuple(dict.fromkeys(chain.from_iterable(rows)))
            yield RowBatch(columns, rows, file.path, "line", numbers, share=share())


@contextmanager
def _open_lines(path: Path, encoding: str) -> Iterator[tuple[Iterator[bytes | str], Callable[[], float]]]:
    """Open a file; yield its lines, as bytes if it is UTF-8, and a function that returns the share read so far."""
    with opened_with_share(path) as (file, share):
        if encoding == "utf-8-sig":
            _skip_mark(file)
            yield iter(file), share
        else:
            with io.TextIOWrapper(file, encoding, newline="\n") as text:
                yield iter(text), share


def _skip_mark(file: IO[bytes]) -> None:
    if file.read(3) != b"\xef\xbb\xbf":
        file.seek(0)


def _objects(path: Path, encoding: str, lines: Iterator[bytes | str]) -> Iterator[tuple[int, Row]]:
    """Yield each object with its line number; raise `InputError` for a malformed line or an empty file."""
    number = objects = 0
    try:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            row = _decode(line)
            if not isinstance(row, dict):
                raise InputError(
                    say(
                        "{file} line {number}: must be a JSON object, found {value}",
                        file=path,
                        number=number,
                        value=shown(row),
                    )
                )
            objects += 1
            yield number, row
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(
            say(
                "{file} line {number}: not a JSON object: {error}; write one object a line",
                file=path,
                number=number,
                error=error,
            )
        ) from error
    except UnicodeError as error:
        raise InputError(undecodable(path, encoding, error), remedies_for(path)) from error
    if not objects:
        raise InputError(say("{file}: the file is empty; write one JSON object a line", file=path))


def _decode(data: bytes | str) -> Any:
    """Decode JSON; read `NaN`, which is not JSON but is written by Python and pandas, as None."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        if not (b"NaN" in data if isinstance(data, bytes) else "NaN" in data):
            raise
        try:
            return json.loads(data, parse_constant={"NaN": None}.__getitem__)
        except (ValueError, KeyError):
            pass  # the first error has a better message
        raise


def read_json(file: TableFile) -> Iterator[RowBatch]:
    """Read a list of objects, or an object with one such list inside; yield the rows in batches."""
    path, encoding = file.path, text_encoding(file.path, file.encoding)
    with opened(path) as packed:
        _skip_mark(packed)
        data = packed.read()
    try:
        content = _decode(data if encoding == "utf-8-sig" else data.decode(encoding))
    except UnicodeError as error:
        raise InputError(undecodable(path, encoding, error), remedies_for(path)) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(
            say("{where}: not valid JSON: {error}", where=f"{path}{_line_of(error, data)}", error=error)
        ) from error
    rows = _only_list(path, content) if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise InputError(say("{file}: must be a list of objects, found {value}", file=path, value=shown(content)))
    columns: dict[str, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(
                say("{file} row {number}: must be an object, found {value}", file=path, number=number, value=shown(row))
            )
        columns.update(dict.fromkeys(row))
    yield from split_rows(file, tuple(columns), range(1, len(rows) + 1), rows)


def _line_of(error: Exception, data: bytes) -> str:
    _, mark, byte = str(error).rpartition("(byte ")
    if not mark:
        return ""
    hint = say(" (one object a line? then its name must end in .jsonl)") if "trailing" in str(error) else ""
    line = data.count(b"\n", 0, int(byte.rstrip(")"))) + 1
    return f" {say('line {number}', number=line)}{hint}"


def _only_list(path: Path, content: Mapping[str, Any]) -> list[Any]:
    lists = {
        key: value
        for key, value in content.items()
        if isinstance(value, list) and all(isinstance(row, dict) for row in value)
    }
    if len(lists) != 1:
        names = (
            say("found {names}", names=", ".join(lists))
            if lists
            else say("found {names}", names=", ".join(content) or say("nothing"))
        )
        raise InputError(
            say(
                '{file}: must be a list of objects, or have one such list inside ({{"data": [...]}}); {names}',
                file=path,
                names=names,
            )
        )
    return next(iter(lists.values()))


@contextmanager
def json_lines_writer(path: Path, columns: OutputColumns) -> Iterator[Callable[[RowBatch], object]]:
    """Write one object a line, with the columns of its row."""
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        yield lambda batch: file.write(encoder.encode_lines(batch.rows))


@contextmanager
def json_writer(path: Path, columns: OutputColumns) -> Iterator[Callable[[RowBatch], object]]:
    """Write a list of objects; hold the rows until the end."""
    rows: list[Row] = []
    yield lambda batch: rows.extend(batch.rows)
    objects = [{name: row[name] for name in columns.names if name in row} for row in rows]
    path.write_bytes(msgspec.json.format(msgspec.json.encode(objects), indent=2) + b"\n")
