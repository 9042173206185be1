"""Read rows in memory: a list of dicts or texts, or a data frame of polars or pandas, which are not imported here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from neraca.datasets.cells import plain
from neraca.datasets.row_batch import Row, RowBatch
from neraca.errors import InputError
from neraca.translation import say

#: Name for rows that come from no file, in messages and in the manifest of a run.
NAME = "questions"
_FORM = 'bring a path, a list of dicts such as [{"question": "…", "reference": "…"}], a list of texts, or a data frame'


def read_rows(source: Any) -> RowBatch:
    """Return the rows as a table; a text is a question.  Raise `InputError` if the source holds no rows.

    >>> read_rows([{"question": "rooms?"}, "price?"]).rows
    [{'question': 'rooms?'}, {'question': 'price?'}]
    """
    rows = [_row(row, number) for number, row in enumerate(_entries(source), start=1)]
    columns = dict.fromkeys(name for row in rows for name in row)
    return RowBatch(tuple(columns), rows, Path(NAME), numbers=range(1, len(rows) + 1))


def _entries(source: Any) -> Iterable[Any]:
    frame = source.collect() if hasattr(source, "collect") else source
    if hasattr(frame, "columns") and hasattr(frame, "to_dicts"):  # polars
        return list(frame.to_dicts())
    if hasattr(frame, "columns") and hasattr(frame, "to_dict"):  # pandas
        return list(frame.to_dict("records"))
    if isinstance(frame, Iterable) and not isinstance(frame, str | bytes | Mapping):
        return frame
    raise InputError(say("{kind} holds no questions; {form}", kind=type(source).__name__, form=say(_FORM)))


def _row(row: Any, number: int) -> Row:
    if isinstance(row, str):
        return {"question": row}
    if not isinstance(row, Mapping):
        raise InputError(
            say(
                "{source} row {number}: {kind} is not a question; {form}",
                source=NAME,
                number=number,
                kind=type(row).__name__,
                form=say(_FORM),
            )
        )
    return {str(name): _value(value) for name, value in row.items()}


def _value(value: Any) -> Any:
    """Return a value as a table file would hold it: convert values of numpy and pandas; missing ones become None."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return plain(value.tolist() if hasattr(value, "tolist") else value)
