"""Read a table with a column of grades for each rater: `penilai1`, `penilai2`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from neraca.datasets.cells import blank, plain_text, shown, trimmed
from neraca.datasets.columns import NAMES, fold
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.datasets.value_table import IDS, numbers_of_column
from neraca.errors import InputError
from neraca.records import Item, Verdict
from neraca.translation import say

#: The list of usual names of raters' columns by language.
FILE = Path(__file__).with_name("rater_headings.json")
#: The aspect of the verdicts: the table does not say what was rated.
ASPECT = "rating"
#: Columns, folded, that tell the rows of a question apart, as in the tables of `neraca pool`.
_DOCUMENTS = frozenset(map(fold, ("document_id", "doc_id", "docid", "document", "docno")))
#: Words for yes and no, in cells of raters who decide between two.
_WORDS: Mapping[str, float] = {
    **dict.fromkeys(("yes", "y", "true", "ya", "iya", "si", "oui", "sim", "vrai", "نعم"), 1.0),
    **dict.fromkeys(("no", "n", "false", "tidak", "tak", "non", "nao", "faux", "لا"), 0.0),
}


@dataclass(frozen=True)
class RaterTable:
    """The ratings in a table, one row for each thing that was rated.

    Attributes
    ----------
    items
        An item for each row, with its session and, as tags, its other columns of text.
    verdicts
        The ratings as verdicts of `human:COLUMN`.
    raters
        The columns of the raters.
    others
        Columns of numbers that were not taken for a rater.
    notes
        Cells that hold no rating, counted.
    """

    items: tuple[Item, ...]
    verdicts: tuple[Verdict, ...]
    raters: tuple[str, ...]
    others: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_rater_table(path: Path, raters: Sequence[str] = (), **table_format: str | None) -> RaterTable:
    """Read the columns of these raters.

    Without names, the raters are the columns called `rater1`, `penilai A`, `Evaluador 2` and the like, if there are
    two; else all columns of numbers.  A question may stand in several rows, one for each answer; then these rows are
    one session, unless the table has a column of sessions.

    Raise `InputError` if a column is missing or fewer than two hold ratings.
    """
    table = read_table(path, **table_format)
    if unknown := [name for name in raters if name not in table.columns]:
        raise InputError(
            say(
                '{where}: no column "{name}" (found: {names})',
                where=table.header,
                name=unknown[0],
                names=", ".join(table.columns) or say("none"),
            )
        )
    folded = {fold(name): name for name in reversed(table.columns) if name not in raters}
    id_column = next((folded[fold(name)] for name in IDS if fold(name) in folded), "")
    session = next((folded[fold(name)] for name in NAMES["session"] if fold(name) in folded), "")
    free = [name for name in table.columns if name not in (id_column, session)]
    numeric = [name for name in free if _is_rated(table, name)]
    named = [name for name in numeric if _names_rater(name)]
    chosen = tuple(raters or (named if len(named) > 1 else numeric))
    if len(chosen) < 2:
        raise InputError(
            say(
                "{where}: two columns of ratings are needed, one for each rater, as numbers or yes and no; "
                "found {chosen} among {columns}; name them with --judges COLUMN --judges COLUMN",
                where=table.header,
                chosen=", ".join(chosen) or say("none"),
                columns=", ".join(table.columns) or say("no columns"),
            )
        )
    columns = {name: ratings_of_column(table, name) for name in chosen}
    items = _items(table, id_column, session, [name for name in free if name not in numeric and name not in chosen])
    verdicts = verdicts_of([item.id for item in items], {name: values for name, (values, _) in columns.items()})
    notes = tuple(note for _, note in columns.values() if note)
    return RaterTable(items, verdicts, chosen, tuple(name for name in numeric if name not in chosen), notes)


def verdicts_of(ids: Sequence[str], columns: Mapping[str, Iterable[float]]) -> tuple[Verdict, ...]:
    """Return the ratings in columns (rater → a value for each id, NaN for none) as verdicts on answers."""
    return tuple(
        Verdict(item=name, about="answer", aspect=ASPECT, by=f"human:{rater}", value=float(value))
        for rater, values in columns.items()
        for name, value in zip(ids, values, strict=True)
        if not math.isnan(value)
    )


def language_of_columns(columns: Sequence[str]) -> str:
    """Return the code of the language in which two or more columns have the usual names of raters; "" without one.

    >>> language_of_columns(["id", "Penilai 1", "Penilai 2"]), language_of_columns(["rater1", "rater2", "penilai"])
    ('id', 'en')
    """
    sizes = {code: sum(_rater_name(code).fullmatch(fold(name)) is not None for name in columns) for code in _names()}
    code = max(sizes, key=lambda code: sizes[code])
    return code if sizes[code] > 1 else ""


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Return the code of each language, and its usual names of raters' columns."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, tuple[str, ...]])


@cache
def _rater_name(language: str = "") -> re.Pattern[str]:
    """Return the pattern of the folded names of raters' columns in a language; "": in any."""
    names_by_language = {language: _names()[language]} if language else _names()
    words = sorted({fold(name) for names in names_by_language.values() for name in names}, key=len, reverse=True)
    return re.compile(rf"({'|'.join(map(re.escape, words))})s?(\d{{1,3}}|[a-z]|[ivx]{{1,4}})?")


def _names_rater(column: str) -> bool:
    """Return whether a column has the usual name of a rater.

    >>> _names_rater("Penilai 1"), _names_rater("evaluadora_B"), _names_rater("score")
    (True, True, False)
    """
    return _rater_name().fullmatch(fold(column)) is not None


def _is_rated(table: RowBatch, column: str) -> bool:
    """Return whether most cells that are not empty hold a rating."""
    filled = sum(not blank(plain_text(cell)) for cell in table.column(column))
    return 2 * int((~np.isnan(ratings_of_column(table, column)[0])).sum()) > filled


def ratings_of_column(table: RowBatch, column: str) -> tuple[list[float], str]:
    """Return the ratings in a column, NaN for none, and a note on cells that hold something else."""
    cells: Sequence[Any] = table.column(column)
    numbers, _ = numbers_of_column(table, column)
    values = [
        number if not math.isnan(number) else _WORDS.get(fold(plain_text(cell)), math.nan)
        for cell, number in zip(cells, numbers.tolist(), strict=True)
    ]
    unread = [row for row, cell in enumerate(cells) if math.isnan(values[row]) and not blank(plain_text(cell))]
    if not unread:
        return values, ""
    example = f"{shown(cells[unread[0]])} ({table.place(unread[0])})"
    return values, say(
        "{column}: cells without a rating, left out: {n:,}, such as {example}",
        column=column,
        n=len(unread),
        example=example,
    )


def _items(table: RowBatch, id_column: str, session: str, texts: Sequence[str]) -> tuple[Item, ...]:
    names = list(map(trimmed, table.column(id_column))) if id_column else [""] * len(table)
    repeated = len(set(filter(None, names))) < sum(map(bool, names))
    sessions = list(map(trimmed, table.column(session))) if session else names if repeated else [""] * len(table)
    labels = {column: list(map(trimmed, table.column(column))) for column in texts}
    question = next((column for column in texts if any(fold(column) == fold(name) for name in NAMES["query"])), "")
    queries = labels.pop(question, names)
    document = next((column for column in labels if fold(column) in _DOCUMENTS), "") if repeated else ""
    documents = labels.pop(document, [""] * len(table))
    counts: dict[str, int] = {}
    items = []
    for row, name in enumerate(names):
        name = ", ".join(filter(None, (name, documents[row]))) or f"row {row + 1}"
        counts[name] = counts.get(name, 0) + 1
        items.append(
            Item(
                id=name if counts[name] == 1 else f"{name} ({counts[name]})",
                query=queries[row] or names[row] or name,
                session=sessions[row] or None,
                tags={column: cells[row] for column, cells in labels.items() if cells[row]},
            )
        )
    return tuple(items)
