"""Write the text of CSV and TSV: the one writer of files and of commands that print CSV.

It imports nothing heavy, because a small TREC run prints CSV too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, Literal

from neraca.errors import InputError


def csv_text(
    records: Iterable[Iterable[Any]],
    delimiter: str = ",",
    *,
    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL,
    line_end: str = "\r\n",
) -> str:
    r"""Return records as the text of a CSV file; raise `InputError` if a cell holds a NUL character.

    None and NaN are empty cells, nested values JSON.

    >>> csv_text([["run", "AP"], ["a, b", float("nan")]], line_end="\n")
    'run,AP\n"a, b",\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=line_end)
    writer.writerows(map(_cell, cells) for cells in records)
    if "\0" in (whole := text.getvalue()):
        raise InputError("a cell holds a NUL character, which CSV and TSV cannot hold; write .jsonl or .parquet")
    return whole


def _cell(value: Any) -> Any:
    """Return the text of a value; leave a finite number as it is, because csv writes it with all its digits."""
    if type(value) in (str, int) or (type(value) is float and value == value):
        return value
    if value is None or value != value:
        return ""
    from neraca.datasets.cells import plain_text

    return plain_text(value)
