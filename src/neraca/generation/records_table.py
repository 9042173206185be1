"""Read a table of records, and tell which of its fields questions can ask about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neraca.datasets.cells import words
from neraca.datasets.columns import column_named
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.row_source import read_rows
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError, SpecError
from neraca.generation.column_names import other_currencies
from neraca.generation.distances import DISTANCE, located
from neraca.generation.record_fields import NO_PLACE, Field, read_field, role_of
from neraca.generation.words import checked_language, wordings
from neraca.judges.rules.fields import plain
from neraca.language_detection import CLEAR, Detected, find_language
from neraca.nearest import nearest
from neraca.records import Hit
from neraca.translation import say
from neraca.unicode_words import unicode_words

#: Roles of columns that a user can name, beside `COLUMN=` that leaves a column out.
ROLES = ("id", "noun", "place")
_IDS = ("id", "_id", "doc_id", "document_id", "docno", "record_id", "kode", "code", "sku", "ref")
_NOUNS = ("type", "kind", "category", "product_type", "jenis", "tipe", "kategori", "tipo", "categoria", "نوع")

#: A code, an address of a page or of e-mail: one word with a digit or a mark in it.
_CODE = re.compile(r"(?=.*[\d@:/_])\s*\S+\s*")

#: Words in Arabic script, and the letters of Persian, Urdu, Kurdish and others in that script.
_ARABIC = re.compile(r"[\u0600-\u06ff]+")
_NEIGHBOURS = re.compile("[پچژگکیٹڈڑےںھۆێڕڵەۇۋېڭټډړڼ]")


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
        raise InputError(say("{header}: no records; write at least one row", header=table.header))
    by_role, excluded = _chosen(table, columns or {})
    noun = column_named(_NOUNS, table.columns)
    if noun and not any(role_of(name, by_role) == "noun" for name in table.columns):
        by_role["noun"] = noun
    id_column = by_role.get("id") or column_named(_IDS, [name for name in table.columns if name not in excluded])
    code, detected = (checked_language(language), "") if language else _detected(table, id_column)
    ids = _ids(table, id_column)
    fields, unused = _fields(table, id_column, code, by_role, excluded)
    _check_roles(table, columns or {}, fields)
    if not fields:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in unused.items()) or "it has only ids"
        raise InputError(
            say(
                "{where}: no column can be asked about ({reasons}); questions need columns such as a price",
                where=where,
                reasons=reasons,
            )
        )
    rows = [{name: value for name, value in row.items() if name != id_column} for row in table.rows]
    hits = tuple(Hit(id=name, text=words(row.get("text")), fields=row) for name, row in zip(ids, rows, strict=True))
    fields = [*_one_of_each_role(fields)]
    if DISTANCE not in table.columns and (distances := _distances(hits, fields)):
        fields.append(distances)
        unused = {name: reason for name, reason in unused.items() if reason != NO_PLACE}
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
    cells = {name: table.column(name) for name in table.columns if name != id_column}
    reasons = {**other_currencies(cells), **dict.fromkeys(excluded, "left out as you said")}
    for name, column in cells.items():
        field = reasons.get(name) or read_field(name, column, language, by_role)
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
                say(
                    "--column {role}={column}: no such role; {advice}, or COLUMN= leaves one out",
                    role=role,
                    column=column,
                    advice=nearest(role, ROLES),
                )
            )
        name = column or role
        if name not in table.columns:
            raise InputError(
                say(
                    "{header}: no column {name!r} (found: {names})",
                    header=table.header,
                    name=name,
                    names=", ".join(table.columns) or "none",
                )
            )
        if column:
            by_role[role] = column
        else:
            excluded.add(role)
    return by_role, excluded


def _detected(table: RowBatch, id_column: str) -> tuple[str, str]:
    """Return the language of the texts, and how it was found."""
    texts = list(_texts_of(table, id_column))
    language = find_language(texts)
    if not isinstance(language, Detected):
        language = _arabic(texts) or language
    if isinstance(language, Detected):
        return checked_language(language.code), str(language)
    codes = ", ".join(wordings())
    raise SpecError(
        say(
            "{path}: the texts do not tell the language: {language}; say it with --language ({codes})",
            path=table.path,
            language=language,
            codes=codes,
        )
    )


def _arabic(texts: Sequence[str]) -> Detected | None:
    """Return Arabic if the script says so: names in cells hold few common words.  None if it may be another language.

    Arabic has its article or the letter ة in some word, and no letter that only its neighbours have.
    """
    spoken = [word for text in texts for word in unicode_words(text) if word.isalpha()]
    arabic = [word for word in spoken if _ARABIC.fullmatch(word)]
    own = sum(word.startswith("ال") or word.endswith("ة") for word in arabic)
    other = any(_NEIGHBOURS.search(text) for text in texts)
    if other or own < 2 or len(arabic) < CLEAR * len(spoken):
        return None
    return Detected("ar", len(arabic) / len(spoken), "", len(spoken))


def _texts_of(table: RowBatch, id_column: str) -> Iterator[str]:
    """Yield the texts in which the language is looked for: names of columns, and cells; ids and codes have none."""
    names = [name for name in table.columns if name != id_column]
    yield from (name.replace("_", " ") for name in names)
    for row in table.rows:
        texts = (part for name in names for part in plain(row.get(name)) if isinstance(part, str))
        yield from (text for text in texts if not _CODE.fullmatch(text))


def _check_roles(table: RowBatch, columns: Mapping[str, str], fields: Sequence[Field]) -> None:
    """Raise `InputError` if a column that the user named as noun or place has no names that records share."""
    kinds = {field.name: field.kind for field in fields}
    for role, column in columns.items():
        if column and role != "id" and kinds.get(column) != "category":
            raise InputError(
                say(
                    "{header}: --column {role}={column} needs a column of texts that records share",
                    header=table.header,
                    role=role,
                    column=column,
                )
            )


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
            raise InputError(
                say(
                    "{place}: a record has no id; fill it in, or number the records with --column {column}=",
                    place=place,
                    column=column,
                )
            )
        if first.setdefault(name, row) != row:
            raise InputError(
                say(
                    "{place}: {name!r} is also the id of {table}; every id must occur once",
                    place=place,
                    name=name,
                    table=table.place(first[name]),
                )
            )
        ids.append(name)
    return ids


def _distances(hits: Sequence[Hit], fields: Sequence[Field]) -> Field | None:
    """Return the field of coordinates, if records have some, and a place in whose middle a circle can be drawn."""
    place = next((field for field in fields if field.role == "place"), None)
    points = [] if place is None else located(hits, place.values)
    named = {point for point in points if point is not None and point.name}
    return Field(DISTANCE, "point", "distance", points) if len(named) > 1 else None


def _one_of_each_role(fields: Sequence[Field]) -> Iterator[Field]:
    """Yield the fields; of several with one role only the first keeps it."""
    taken: set[str] = set()
    for field in fields:
        yield replace(field, role="") if field.role in taken else field
        taken |= {field.role} - {""}
