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

from neraca.datasets.cells import blank, plain_text, shown, trimmed
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
from neraca.translation import say

#: The word that names the examples that come with Neraca, and their file.
SHIPPED: Final = "examples"
_FILE = Path(__file__).parents[1] / "judges" / "validation" / "examples.jsonl"
_LABEL, _KIND = "label", "kind"
#: Words for right and wrong, folded, beside those for yes and no.
_WORDS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("right", "correct", "correcto", "correcta", "benar"), 1.0),
    **dict.fromkeys(("wrong", "incorrect", "incorrecto", "incorrecta", "salah"), 0.0),
}
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
        Rows that are left out or repeated, counted.
    columns
        The columns of the table.
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
    columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each example; "" for all if the table names none."""
        return self.groups.get(_KIND, ("",) * len(self))


def read_labelled(path: str | Path) -> Labelled:
    """Read labelled examples from a table, or those that come with Neraca for the word `examples`.

    Columns are found by their usual names: `question`, `response`, `contexts`, `reference` and `label`; perhaps `id`,
    `session`, `language`, `kind`, and a column for each labeller (`label_1`, `label_2`).  A label is 1 or 0, right
    or wrong, or yes or no.  Rows without a label are left out and counted.

    Rows that repeat an earlier one are counted in a note.

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
    """Return the labels in a column; raise `InputError` if there are others than right and wrong, and count these."""
    labels = _read_labels(table, name)
    strange = np.flatnonzero(_filled(table, name) & ~np.isin(labels, (0.0, 1.0)))
    if not len(strange):
        return labels
    row = int(strange[0])
    raise InputError(
        say(
            "{where}, column {column!r}: {n:,} of {all:,} rows have a label that is neither right nor wrong, the first "
            "{value} ({place}); write 1 (right, yes, true) or 0 (wrong, no, false), also instead of grades, or leave "
            "the cell empty",
            where=table.path,
            column=name,
            n=len(strange),
            all=len(table),
            value=shown(table.column(name)[row]),
            place=table.place(row),
        )
    )


def _filled(table: RowBatch, name: str) -> np.ndarray[Any, Any]:
    return np.array([not blank(plain_text(cell)) for cell in table.column(name)])


def _read_labels(table: RowBatch, name: str) -> Floats:
    """Return the labels in a column, NaN for cells that are empty or hold neither a number nor one of the words."""
    words = (_WORDS.get(fold(plain_text(cell)), math.nan) for cell in table.column(name))
    values, _ = ratings_of_column(table, name)
    return np.array([word if math.isnan(value) else value for value, word in zip(values, words, strict=True)])


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
    labellers, unread = _labellers(table)
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
        labellers=labellers,
        notes=(*notes, *_repeated(items, answers, labels), *unread),
        columns=tuple(table.columns),
    )


def _repeated(items: Sequence[Item], answers: Sequence[Answer], labels: Floats) -> list[str]:
    """Return a note on rows that repeat an earlier one, if there are any."""
    rows = [
        (item.query, item.references, answer.text, [(hit.text, hit.fields) for hit in answer.hits], label)
        for item, answer, label in zip(items, answers, labels.tolist(), strict=True)
    ]
    repeated = len(rows) - len(set(map(msgspec.json.encode, rows)))
    template = (
        "rows that repeat an earlier one (question, response, contexts, reference and label): {n:,}; they count as "
        "examples of their own, so the intervals are too narrow: delete them"
    )
    return [say(template, n=repeated)] if repeated else []


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


def _labellers(table: RowBatch) -> tuple[dict[str, Floats], list[str]]:
    """Return the labels of each labeller who has a column, if there are at least two, and notes on unread cells."""
    names = [name for name in table.columns if _LABELLER.fullmatch(fold(name))]
    if len(names) < 2:
        return {}, []
    columns = {name: _read_labels(table, name) for name in names}
    unread = {name: int((_filled(table, name) & np.isnan(labels)).sum()) for name, labels in columns.items()}
    template = "{column}: cells without a label, left out: {n:,}"
    return columns, [say(template, column=name, n=n) for name, n in unread.items() if n]


def counted(values: Sequence[Any]) -> str:
    """Name each value with its number: `correct (60), relevant (60)`."""
    return ", ".join(f"{value or '–'} ({count:,})" for value, count in Counter(values).items())
