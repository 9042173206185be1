"""Read a table of records, and tell which of its fields questions can ask about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from neraca.datasets.cells import words
from neraca.datasets.columns import column_named, fold
from neraca.datasets.constraint_columns import recognise_constraint
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.row_source import read_rows
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError, SpecError, nearest
from neraca.generation.distances import DISTANCE, located
from neraca.generation.nouns_and_amounts import Currency, currencies
from neraca.generation.words import checked_language, wordings
from neraca.judges.rules.equals import truth
from neraca.judges.rules.fields import plain
from neraca.judges.rules.geo import LATITUDES, LONGITUDES
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.phrases import Phrases, bare
from neraca.judges.rules.phrases import fold as folded
from neraca.language_detection import Detected, find_language
from neraca.records import Hit

Kind = Literal["number", "count", "category", "words", "flag", "point"]
#: Roles of columns that a user can name, beside `COLUMN=` that leaves a column out.
ROLES = ("id", "noun", "place")
_IDS = ("id", "_id", "doc_id", "document_id", "docno", "record_id", "kode", "code", "sku", "ref")
_NOUNS = ("type", "kind", "category", "product_type", "jenis", "tipe", "kategori", "tipo", "categoria", "نوع")
#: Texts that say that there is no value.
_NOTHING = frozenset({"nan", "none", "null", "n/a", "#n/a", "na", "inf", "-inf"})
#: The roles in a sentence of attributes that `constraint_columns` recognises.
_ROLE_OF_ATTRIBUTE = {
    **{"property_type": "noun", "listing_type": "modifier"},
    **dict.fromkeys(("location", "district", "city"), "place"),
}
#: Usual names of columns with landmarks near a record, and with the estate or building that it is part of.
_NEARBY = (
    "nearby",
    "near",
    "close_to",
    "landmarks",
    "landmark",
    "surroundings",
    "dekat",
    "sekitar",
    "cerca",
    "cerca_de",
)
_ESTATES = (
    "complex",
    "project",
    "estate",
    "development",
    "building",
    "kompleks",
    "perumahan",
    "proyek",
    "urbanizacion",
)
#: The least share of the values of a column that are numbers, and of records that share their text with another.
READABLE, REPEATED = 0.6, 0.5
#: Numbers that are whole and at most this large are counts, such as bedrooms.
LARGEST_COUNT = 30
LONGEST_NAME = 40
_SEPARATORS = (";", "|", "؛")
#: Why coordinates are not asked about.
_NO_PLACE = "distances need coordinates, and a column with the names of places that records share"
_BETWEEN = re.compile(r"[;|؛،]|,\s")


@dataclass(frozen=True)
class Field:
    """A column that questions can ask about.

    Attributes
    ----------
    name
        The column; also the name of the constraint.
    kind
        `number` (a size, a price), `count` (a small whole number), `category` (one of some texts), `words` (a list of
        texts), `flag` (true or false, yes or no), `point` (coordinates, as `Near` with the name of the place).
    role
        Its place in a sentence: `noun` (what a record is), `modifier` (a word after the noun: for sale), `place`,
        `estate` (a place in the place), `near` (landmarks), `distance` (from the middle of a place) or "".
    values
        The value of each record: a number, a text, a tuple of texts, True or False; None if none can be read.
    currency
        The currency of its amounts, if the cells name it.
    """

    name: str
    kind: Kind
    role: str
    values: Sequence[Any]
    currency: Currency | None = None

    @property
    def missing(self) -> int:
        """The number of records without a value that can be read."""
        return sum(value is None for value in self.values)

    @cached_property
    def distinct(self) -> list[Any]:
        """Its different values, the commonest first, then in order."""
        texts = Counter(part for value in self.values if value is not None for part in _parts(value))
        return sorted(texts, key=lambda part: (-texts[part], str(part)))


@dataclass(frozen=True, kw_only=True)
class Records:
    """A table of records.

    Attributes
    ----------
    source
        The file, for messages.
    hits
        Each record as a target would return it: its id and its fields.
    fields
        The fields that questions can ask about.
    unused
        Column → why no question asks about it.
    language
        The language of the numbers in its texts, and of the questions.
    detected
        How the language was found in the texts; "" if it was named.
    numbered
        Whether the records have no ids and are numbered from 1.
    """

    source: str
    hits: tuple[Hit, ...]
    fields: tuple[Field, ...]
    unused: Mapping[str, str]
    language: str
    detected: str
    numbered: bool

    def __len__(self) -> int:
        return len(self.hits)


def read_records(path: Any, language: str = "", columns: Mapping[str, str] | None = None) -> Records:
    """Read a table of records.

    Parameters
    ----------
    path
        A file as in `read_table`, a list of dicts, or a data frame.
    language
        The language of the questions, in which the table writes its numbers too: `1.250` is 1,250 in Indonesian.
        "": found in the texts of the table.
    columns
        Role → column: `id`, `noun` (what a record is: house), `place`; and column → "" for one that no question may
        ask about.

    Raises
    ------
    InputError
        If there is no record, a column does not exist, an id is missing or occurs twice, or no column can be asked
        about.
    SpecError
        If no questions are written in the language, or it is not named and the texts do not tell it.
    """
    table = read_table(path) if isinstance(path, str | Path) else read_rows(path)
    where = str(table.path)
    if not table.rows:
        raise InputError(f"{table.header}: no records; write at least one row")
    code, detected = (checked_language(language), "") if language else _detected(table)
    by_role, excluded = _chosen(table, columns or {})
    noun = column_named(_NOUNS, table.columns)
    if noun and not any(_role_of(name, by_role) == "noun" for name in table.columns):
        by_role["noun"] = noun
    id_column = by_role.get("id") or column_named(_IDS, [name for name in table.columns if name not in excluded])
    ids = _ids(table, id_column)
    fields, unused = _fields(table, id_column, code, by_role, excluded)
    _check_roles(table, columns or {}, fields)
    if not fields:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in unused.items()) or "it has only ids"
        raise InputError(f"{where}: no column can be asked about ({reasons}); questions need columns such as a price")
    rows = [{name: value for name, value in row.items() if name != id_column} for row in table.rows]
    hits = tuple(Hit(id=name, text=words(row.get("text")), fields=row) for name, row in zip(ids, rows, strict=True))
    fields = [*_one_of_each_role(fields)]
    if DISTANCE not in table.columns and (distances := _distances(hits, fields)):
        fields.append(distances)
        unused = {name: reason for name, reason in unused.items() if reason != _NO_PLACE}
    return Records(
        source=where,
        hits=hits,
        fields=tuple(fields),
        unused=unused,
        language=code,
        detected=detected,
        numbered=not id_column,
    )


def _fields(
    table: RowBatch, id_column: str, language: str, by_role: Mapping[str, str], excluded: set[str]
) -> tuple[list[Field], dict[str, str]]:
    """Return the fields in the columns, and why questions cannot ask about the other columns."""
    fields: list[Field] = []
    unused: dict[str, str] = {}
    for name in (name for name in table.columns if name != id_column):
        field = "left out as you said" if name in excluded else _field(name, table.column(name), language, by_role)
        if isinstance(field, Field):
            fields.append(field)
        else:
            unused[name] = field
    return fields, unused


def _chosen(table: RowBatch, columns: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """Return role → column, and the columns to leave out, as the user named them."""
    by_role: dict[str, str] = {}
    excluded: set[str] = set()
    for role, column in columns.items():
        if column and role not in ROLES:
            raise InputError(
                f"--column {role}={column}: no such role; {nearest(role, ROLES)}, or COLUMN= leaves one out"
            )
        name = column or role
        if name not in table.columns:
            raise InputError(f"{table.header}: no column {name!r} (found: {', '.join(table.columns) or 'none'})")
        if column:
            by_role[role] = column
        else:
            excluded.add(role)
    return by_role, excluded


def _detected(table: RowBatch) -> tuple[str, str]:
    """Return the language of the texts, and how it was found."""
    language = find_language(_texts_of(table))
    if isinstance(language, Detected):
        return checked_language(language.code), str(language)
    codes = ", ".join(wordings())
    raise SpecError(f"{table.path}: the texts do not tell the language: {language}; say it with --language ({codes})")


def _texts_of(table: RowBatch) -> Iterator[str]:
    """Yield the texts in which the language is looked for: names of columns, and cells."""
    yield from (name.replace("_", " ") for name in table.columns)
    for row in table.rows:
        yield from (part for cell in row.values() for part in plain(cell) if isinstance(part, str))


def _check_roles(table: RowBatch, columns: Mapping[str, str], fields: Sequence[Field]) -> None:
    """Raise `InputError` if a column that the user named as noun or place has no names that records share."""
    kinds = {field.name: field.kind for field in fields}
    for role, column in columns.items():
        if column and role != "id" and kinds.get(column) != "category":
            raise InputError(f"{table.header}: --column {role}={column} needs a column of texts that records share")


def _ids(table: RowBatch, column: str) -> list[str]:
    """Return the id of each record; their numbers from 1 without a column of ids."""
    if not column:
        return [str(number + 1) for number in range(len(table))]
    ids: list[str] = []
    first: dict[str, int] = {}
    for row, value in enumerate(table.column(column)):
        name = "" if value is None else str(value).strip()
        place = f"{table.path} {table.place(row)}, column {column}"
        if not name:
            raise InputError(f"{place}: a record has no id; fill it in, or number the records with --column {column}=")
        if first.setdefault(name, row) != row:
            raise InputError(
                f"{place}: {name!r} is also the id of {table.place(first[name])}; every id must occur once"
            )
        ids.append(name)
    return ids


def _field(name: str, cells: Sequence[Any], language: str, by_role: Mapping[str, str]) -> Field | str:
    """Return the field in a column, or the reason why questions cannot ask about it."""
    filled = [cell for cell in cells if not _is_empty(cell)]
    if not filled:
        return "no record has a value"
    if fold(name) in {*LATITUDES, *LONGITUDES}:
        return _NO_PLACE
    attribute, role = recognise_constraint(name), _role_of(name, by_role)
    values: Sequence[Any]
    truths = [truth(cell) if isinstance(cell, bool | str) and not str(cell).isdigit() else None for cell in cells]
    if not role and sum(value is not None for value in truths) == len(filled) and len({*truths} - {None}) == 2:
        return Field(name, "flag", "", truths)
    if numbers := _numbers(cells, filled, language):
        if isinstance(numbers, str):
            return numbers
        amounts = currencies(filled)
        if len(amounts) > 1:
            return f"its amounts are in several currencies ({', '.join(amount.sign for amount in amounts)})"
        kind = _number_kind(numbers, attribute is not None and attribute.name == "year")
        return Field(name, kind, "", numbers, *amounts)
    if all(isinstance(cell, str) for cell in filled) and not any(
        mark in cell for cell in filled for mark in _SEPARATORS
    ):
        values = [None if _is_empty(cell) else cell.strip() for cell in cells]
        return _texts(name, "category", role, values)
    values = [None if _is_empty(cell) else tuple(_entries(cell)) or None for cell in cells]
    return _texts(name, "words", role if role == "near" else "", values)


def _role_of(name: str, by_role: Mapping[str, str]) -> str:
    """Return the role of a column in a sentence: the one the user named, else that of its usual name."""
    attribute = recognise_constraint(name)
    usual = _ROLE_OF_ATTRIBUTE.get(attribute.name, "") if attribute else ""
    usual = usual or ("near" if fold(name) in _NEARBY else "estate" if fold(name) in _ESTATES else "")
    return next((role for role in ("noun", "place") if by_role.get(role) == name), "" if usual in by_role else usual)


def _numbers(cells: Sequence[Any], filled: Sequence[Any], language: str) -> list[float | None] | str:
    """Return the numbers in a column; a reason if they are codes; [] if most values are no numbers."""
    if any(isinstance(cell, bool) or not isinstance(cell, str | int | float) for cell in filled):
        return []
    values = [None if _is_empty(cell) else read_number(cell, language).value for cell in cells]
    if sum(value is not None for value in values) < READABLE * len(filled):
        return []
    if any(isinstance(cell, str) and len(cell) > 1 and cell.strip().isdigit() and cell[0] == "0" for cell in filled):
        return "its numbers begin with 0, as codes do"
    if len({value for value in values if value is not None}) < 2:
        return "all records have the same value"
    return values


def _number_kind(values: Sequence[float | None], is_year: bool) -> Kind:
    """Return the kind of numbers; years are as exact as counts."""
    numbers = [value for value in values if value is not None]
    small = all(value.is_integer() and 0 <= value <= LARGEST_COUNT for value in numbers)
    return "count" if small or is_year else "number"


def _texts(name: str, kind: Kind, role: str, values: Sequence[Any]) -> Field | str:
    """Return a field of texts, or the reason why its texts are no names of groups."""
    counts = Counter(folded(part) for value in values if value is not None for part in {*_parts(value)})
    number = sum(value is not None for value in values)
    if len(counts) < 2:
        return "all records have the same value"
    if max(map(len, counts)) > LONGEST_NAME:
        return f"its texts are long (over {LONGEST_NAME} characters)"
    shared = sum(any(counts[folded(part)] > 1 for part in _parts(value)) for value in values if value is not None)
    if shared < REPEATED * number:
        return "most of its values occur once, as names and codes do"
    return Field(name, kind, role, _plain_texts(kind, values))


def _plain_texts(kind: Kind, values: Sequence[Any]) -> list[Any]:
    """Return the values with one spelling each, the commonest; without parts that are words of another part.

    "pool" would also be found in "pool table", so that no question about it has exact answers.
    """
    spellings = Counter(part for value in values if value is not None for part in _parts(value))
    usual = {folded(text): text for text in sorted(spellings, key=lambda text: (spellings[text], text))}
    if kind == "category":
        return [None if value is None else usual[folded(value)] for value in values]
    clear = {text for text in usual if not any(other != text and Phrases([text]).first(other) for other in usual)}
    parts = [() if value is None else [usual[key] for key in map(folded, value) if key in clear] for value in values]
    return [tuple(dict.fromkeys(texts)) or None for texts in parts]


def _distances(hits: Sequence[Hit], fields: Sequence[Field]) -> Field | None:
    """Return the field of coordinates, if records have some, and a place in whose middle a circle can be drawn."""
    place = next((field for field in fields if field.role == "place"), None)
    points = [] if place is None else located(hits, place.values)
    return Field(DISTANCE, "point", "distance", points) if len({*points} - {None}) > 1 else None


def _one_of_each_role(fields: Sequence[Field]) -> Iterator[Field]:
    """Yield the fields; of several with one role only the first keeps it."""
    taken: set[str] = set()
    for field in fields:
        yield replace(field, role="") if field.role in taken else field
        taken |= {field.role} - {""}


def _is_empty(cell: Any) -> bool:
    if isinstance(cell, str):
        return not bare(cell) or folded(cell) in _NOTHING
    return cell is None or cell != cell or cell in ([], {})


def _entries(cell: Any) -> Iterator[str]:
    """Yield the texts of a list, or of a text that lists several."""
    for part in plain(cell):
        for entry in _BETWEEN.split(part) if isinstance(part, str) else [str(part)]:
            if bare(entry):
                yield entry.strip()


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
