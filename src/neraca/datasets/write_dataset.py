"""Write a data set to a table of any format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neraca.datasets import cells
from neraca.datasets.columns import is_recognised
from neraca.datasets.constraint_columns import recognise_constraint
from neraca.datasets.dataset import Dataset
from neraca.datasets.table_writer import write_table
from neraca.errors import InputError
from neraca.records import Item

#: Columns that follow `id` and `query`, in this order, before all others.
_FIRST = ("session", "references", "relevant", "expects", "constraints", "expected_calls", "category")


def write_dataset(path: Path | str, dataset: Dataset) -> None:
    """Write questions so that `read_dataset` returns equal ones, in any format of `write_table`.

    Tags and extras that are text get columns of their own.  The others become objects in the columns `tags` and
    `extra`.

    Raises
    ------
    InputError
        If a question could not be read back, because its text is empty or has space around it.
    """
    texts = set(dataset.items[0].extra) if len(dataset) else set()
    for item in dataset:
        _check_writable(item)
        texts &= {name for name, value in item.extra.items() if isinstance(value, str) and value}
    extra_columns = {name for name in texts if _is_trimmed(name) and not _has_role(name)}
    rows = [_row(item, extra_columns) for item in dataset]
    names = dict.fromkeys(name for row in rows for name in row)
    first = (name for name in _FIRST if name in names)
    write_table(path, rows, list(dict.fromkeys(["id", "query", *first, *names])))


def _check_writable(item: Item) -> None:
    texts = {"id": item.id, "question": item.query, **({} if item.session is None else {"session": item.session})}
    for field, text in texts.items():
        if not _is_trimmed(text):
            problem = "is empty, has space around it or is a mark such as NaN"
            raise InputError(f"question {item.id!r}: its {field} {problem}: {cells.shown(text)}")
    if any(cells.blank(reference) for reference in item.references):
        raise InputError(f"question {item.id!r}: a reference is empty")


def _is_trimmed(text: str) -> bool:
    """Return whether a text is not empty, has no space around it, and is no mark for a missing value."""
    return bool(text) and text == cells.trimmed(text)


def _has_role(name: str) -> bool:
    """Return whether a column of this name would be read as more than an extra."""
    return is_recognised(name) or recognise_constraint(name) is not None


def _row(item: Item, extra_columns: set[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": item.id, "query": item.query}
    if item.references:
        first = item.references[0].strip(cells.EDGE)
        is_text = len(item.references) == 1 and not first.startswith("[") and not cells.marked(first)
        row["references"] = item.references[0] if is_text else list(item.references)
    if item.relevant is not None:
        row["relevant"] = item.relevant
    if item.expected_calls is not None:
        row["expected_calls"] = list(item.expected_calls)
    for role in ("session", "expects", "constraints"):
        if getattr(item, role):
            row[role] = getattr(item, role)
    tags = {name: text for name, text in item.tags.items() if _is_trimmed(name) and _is_trimmed(text)}
    row.update({name if name == "category" else f"tag:{name}": text for name, text in tags.items()})
    for role, columns, values in (("tags", tags.keys(), item.tags), ("extra", extra_columns, item.extra)):
        if without_column := {name: value for name, value in values.items() if name not in columns}:
            row[role] = without_column
    row.update({name: value for name, value in item.extra.items() if name in extra_columns})
    return row
