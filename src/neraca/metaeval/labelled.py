"""Examples with labels: a table of questions, responses, contexts and references, each labelled right or wrong."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from neraca.datasets.cells import trimmed
from neraca.datasets.columns import NAMES, column_named, fold
from neraca.datasets.rater_table import ratings_of_column
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.datasets.trec.file_encoding import table_encoding
from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.records import Answer, Item
from neraca.scores.sources.answer_rows import AnswerRows
from neraca.scores.sources.judged_columns import judged_columns
from neraca.scores.sources.text_rows import TextRows
from neraca.stats.intervals.interval import Floats

#: The word that names the examples that come with Neraca, and their file.
SHIPPED: Final = "examples"
_FILE = Path(__file__).parents[1] / "judges" / "validation" / "examples.jsonl"
_LABEL, _KIND = "label", "kind"
_LABELLER = re.compile(r"label(\d{1,2}|[a-z])")


@dataclass(frozen=True)
class Labelled:
    """Labelled examples.

    Attributes
    ----------
    name, hash
        The name of the file, and a hash of its examples.
    shipped
        Whether these are the examples that come with Neraca.
    items, answers
        The question and the answer of each example.
    labels
        Shape (n,): 1 right, 0 wrong.
    ids
        The id of each example, or its place in the file.
    groups
        Tag (`kind`, `language`, `length`) → the value of each example.
    labellers
        Column of a labeller (`label_1`) → the label of each example, NaN for none.
    notes
        Rows that are left out, counted.
    """

    name: str
    hash: str
    shipped: bool
    items: tuple[Item, ...]
    answers: tuple[Answer, ...]
    labels: Floats
    ids: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    labellers: Mapping[str, Floats]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each example; "" for all if the table names none."""
        return self.groups.get(_KIND, ("",) * len(self))


def read_labelled(path: str | Path) -> Labelled:
    """Read labelled examples from a table, or those that come with Neraca for the word `examples`.

    Columns are found by their usual names: `question`, `response`, `contexts`, `reference` and `label`; perhaps `id`,
    `session`, `language`, `kind`, and a column for each labeller (`label_1`, `label_2`).  A label is 1 or 0, or yes or
    no.  Rows without a label are left out and counted.

    Raise `InputError` if the column of labels is missing, empty, or holds something else.
    """
    shipped = str(path) == SHIPPED and not Path(path).is_file()
    file = _FILE if shipped else Path(path)
    table = read_table(file, encoding=table_encoding(file))
    name = column_named([_LABEL], table.columns)
    if not name:
        raise InputError(
            f'{table.header}: no column "{_LABEL}" (found: {", ".join(table.columns) or "none"}); add one with 1 for '
            "right and 0 for wrong, or rename yours"
        )
    labels = _labels(table, name)
    rows = np.flatnonzero(~np.isnan(labels)).tolist()
    if not rows:
        raise InputError(f"{table.header}: no row has a label; write 1 for right and 0 for wrong into {name}")
    notes = () if len(rows) == len(table) else (f"rows without a label, left out: {len(table) - len(rows):,}",)
    return _examples(table.select(rows), labels[rows], SHIPPED if shipped else file.name, shipped, notes)


def _labels(table: RowBatch, name: str) -> Floats:
    """Return the labels in a column; raise `InputError` for one that is neither right nor wrong."""
    values, unread = ratings_of_column(table, name)
    if unread:
        raise InputError(f"{table.path}: {unread}; a label is 1 or 0, or yes or no")
    labels = np.array(values, dtype=np.float64)
    strange = np.flatnonzero(~np.isnan(labels) & ~np.isin(labels, (0.0, 1.0)))
    if len(strange):
        row = int(strange[0])
        raise InputError(
            f"{table.path} {table.place(row)}, column {name!r}: the label {labels[row]:g} is neither 1 nor 0; turn "
            "grades into right (1) and wrong (0) first"
        )
    return labels


def _examples(table: RowBatch, labels: Floats, name: str, shipped: bool, notes: tuple[str, ...]) -> Labelled:
    texts, answer_columns = judged_columns(table.columns, str(table.path))
    reader = TextRows(table.path, texts)
    read_items, answers, _ = AnswerRows(answer_columns).records(
        table, reader.read_cells, lambda role: reader.text_column(table, role)
    )
    groups = _groups(table, texts.language, answers, read_items)
    languages = groups.get("language", ("",) * len(table))
    sessions = _texts(table, column_named(NAMES["session"], table.columns))
    items = tuple(
        msgspec.structs.replace(item, tags={"language": language} if language else {}, session=session or None)
        for item, language, session in zip(read_items, languages, sessions, strict=True)
    )
    named = _texts(table, column_named(NAMES["id"], table.columns))
    content = [
        (item.query, item.references, answer.text, [hit.text for hit in answer.hits], label)
        for item, answer, label in zip(items, answers, labels.tolist(), strict=True)
    ]
    return Labelled(
        name=name,
        hash=fingerprint(content)[:6],
        shipped=shipped,
        items=items,
        answers=tuple(answers),
        labels=labels,
        ids=tuple(id_ or table.place(row) for row, id_ in enumerate(named)),
        groups=groups,
        labellers=_labellers(table),
        notes=notes,
    )


def _texts(table: RowBatch, column: str) -> list[str]:
    return list(map(trimmed, table.column(column))) if column else [""] * len(table)


def _groups(
    table: RowBatch, language: str, answers: Sequence[Answer], items: Sequence[Item]
) -> dict[str, tuple[str, ...]]:
    """Return tag → the value of each row; a row is long if it has more characters than half of the rows."""
    groups = {}
    for tag, column in ((_KIND, column_named([_KIND], table.columns)), ("language", language)):
        if column:
            groups[tag] = tuple(_texts(table, column))
    lengths = [
        len(answer.text) + sum(len(hit.text) for hit in answer.hits) + sum(map(len, item.references))
        for item, answer in zip(items, answers, strict=True)
    ]
    middle = math.floor(float(np.median(lengths)))
    words = f"up to {middle:,} characters", f"more than {middle:,}"
    groups["length"] = tuple(words[length > middle] for length in lengths)
    return groups


def _labellers(table: RowBatch) -> dict[str, Floats]:
    """Return the labels of each labeller who has a column, if there are at least two."""
    names = [name for name in table.columns if _LABELLER.fullmatch(fold(name))]
    columns: dict[str, Floats] = {name: np.array(ratings_of_column(table, name)[0]) for name in names}
    return columns if len(columns) > 1 else {}


def counted(values: Sequence[Any]) -> str:
    """Name each value with its number: `correct (60), relevant (60)`."""
    return ", ".join(f"{value or '–'} ({count:,})" for value, count in Counter(values).items())
