"""Read constraints from a table that has one column for each: `Lokasi`, `Harga Maksimum`, `Kamar Minimum`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from neraca.datasets.cells import EDGE, blank, shown, words
from neraca.datasets.columns import Columns, fold
from neraca.errors import InputError
from neraca.translation import say

#: The roles of such columns in a mapping: `constraint:NAME` or `constraint:NAME.KIND`.
PREFIX = "constraint:"
#: Kinds that a column can have; `equals` and `contains_any` take text, the others a number.
KINDS = ("equals", "contains_any", "min", "max", "exact", "about")
NUMERIC = ("min", "max", "exact", "about")
#: The list of usual names: attributes and the words for bounds, by language.
FILE = Path(__file__).with_name("constraint_headings.json")

_PLAIN = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_GROUPED = re.compile(r"-?[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})+", re.ASCII)
_AMBIGUOUS = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
_CURRENCY = re.compile(
    r"^(?:rp\.?|idr|us\$|usd|eur|mxn|brl|r\$|[$€£])\s*|\s*(?:idr|usd|eur|mxn|brl|[$€£])$", re.IGNORECASE
)
_DASHES = frozenset("-–—")


class ConstraintColumn(NamedTuple):
    """A column that holds one part of one constraint.

    `name` is the attribute of a hit, `kind` one of `KINDS`, and `fields` are further names of the attribute in hits.
    """

    column: str
    name: str
    kind: str
    fields: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The constraint as a note shows it: `price max`."""
        return f"{self.name} {self.kind}"

    def part(self, cell: Any) -> Any:
        """Return what the cell requires; None if it is empty or a dash."""
        if blank(cell) or (isinstance(cell, str) and cell.strip(EDGE) in _DASHES):
            return None
        if self.kind in NUMERIC:
            return _number(cell)
        if isinstance(cell, bool | int | float):
            return cell if self.kind == "equals" else [words(cell)]
        parts = [part for raw in words(cell).replace("|", ";").split(";") if (part := raw.strip(EDGE))]
        if not parts:
            raise InputError(say("holds no value: {value}; leave it empty if nothing is required", value=shown(cell)))
        return parts[0] if len(parts) == 1 and self.kind == "equals" else parts


class _Headings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `FILE`: attribute → language → names, and kind of bound → language → words."""

    attributes: dict[str, dict[str, tuple[str, ...]]]
    bounds: dict[str, dict[str, tuple[str, ...]]]


class ConstraintPlan(NamedTuple):
    """The columns that are read as constraints, and the columns that only look like one."""

    read: tuple[ConstraintColumn, ...] = ()
    possible: tuple[ConstraintColumn, ...] = ()


def plan_constraints(
    columns: Sequence[str], taken: Collection[str], mapping: Columns, where: str, has_constraints: bool
) -> ConstraintPlan:
    """Return which columns are read as constraints.

    A column is read if the user maps it.  Others are recognised by name, unless the table has a column of constraints
    in JSON: a bound (`Harga Maksimum`) by itself, a plain attribute (`Lokasi`) only beside another constraint, because
    a single one may describe the question.

    Parameters
    ----------
    columns
        The names in the file.
    taken
        Columns that have another role.
    mapping
        The user's names: `constraint:NAME.KIND` → column, "" for none.  `constraint:NAME` has the kind `equals`, and
        with "" all kinds.
    where
        File and line of the header, for messages.
    has_constraints
        Whether the table has a column of constraints in JSON.
    """
    mapped = {role: str(column) for role, column in mapping.items() if role.startswith(PREFIX)}
    read = [_mapped(role, column, columns, where) for role, column in mapped.items() if column]
    excluded = {_name_and_kind(role, where) for role, column in mapped.items() if not column}
    used = {*taken, *(column.column for column in read)}
    pairs = {column[1:3] for column in read}
    recognised = []
    for name in columns:
        column = None if name in used else recognise_constraint(name)
        if column is None or column[1:3] in pairs or {column[1:3], (column.name, "")} & excluded:
            continue
        pairs.add(column[1:3])
        recognised.append(column)
    if has_constraints:
        return ConstraintPlan(tuple(read))
    certain = len(read) + len(recognised) > 1 or any(column.kind != "equals" for column in recognised)
    return ConstraintPlan((*read, *recognised)) if certain else ConstraintPlan(tuple(read), tuple(recognised))


def without_constraints(mapping: Columns) -> Columns:
    """Return the user's names of columns without those of constraints."""
    return {role: column for role, column in mapping.items() if not role.startswith(PREFIX)}


def recognise_constraint(name: str) -> ConstraintColumn | None:
    """Return the constraint that a column of this name usually holds; None if it has no such name.

    >>> recognise_constraint("Harga Maksimum").text, recognise_constraint("precio_min").text
    ('price max', 'price min')
    >>> recognise_constraint("Lokasi").text, recognise_constraint("note")
    ('location equals', None)
    """
    usual = _usual_headings().get(fold(name))
    return usual and usual._replace(column=name)


@cache
def bound_headings() -> dict[str, str]:
    """Return the usual names of columns with a bound of a constraint: folded → in words."""
    return {name: column.column for name, column in _usual_headings().items() if column.kind != "equals"}


@cache
def _headings() -> _Headings:
    return msgspec.json.decode(FILE.read_bytes(), type=_Headings)


@cache
def _usual_headings() -> dict[str, ConstraintColumn]:
    """Return folded heading → constraint: each attribute alone, and with each bound of its language, in either order.

    Hits often have the attribute under the word that the heading uses, so its names in that language are fields too.
    """
    headings = _headings()
    usual: dict[str, ConstraintColumn] = {}
    for attribute, names_by_language in headings.attributes.items():
        for language, names in names_by_language.items():
            fields = tuple(dict.fromkeys([attribute, *names]))
            for name in (attribute, *names):
                usual.setdefault(fold(name), ConstraintColumn(name, attribute, "equals", fields))
                for kind, words_by_language in headings.bounds.items():
                    for word in (*words_by_language["en"], *words_by_language[language]):
                        for heading in (f"{name} {word}", f"{word} {name}"):
                            usual.setdefault(fold(heading), ConstraintColumn(heading, attribute, kind, fields))
    return usual


def attribute_word(name: str, language: str) -> str:
    """Return the usual word for an attribute in a language; "" if the name or the language has none.

    >>> attribute_word("luas_tanah", "en"), attribute_word("price", "id"), attribute_word("note", "en")
    ('land size', 'harga', '')
    """
    attribute = recognise_constraint(name)
    if attribute is None:
        return ""
    names = _headings().attributes[attribute.name].get(language, ("",))
    return names[0].replace("_", " ")


def _mapped(role: str, column: str, columns: Sequence[str], where: str) -> ConstraintColumn:
    if column not in columns:
        raise InputError(
            say(
                '{where}: columns.{role}: no column "{column}" (found: {names})',
                where=where,
                role=role,
                column=column,
                names=", ".join(columns) or say("none"),
            )
        )
    name, kind = _name_and_kind(role, where)
    return ConstraintColumn(column, name, kind or "equals")


def _name_and_kind(role: str, where: str) -> tuple[str, str]:
    """Return attribute and kind ("": not named) in a role; a point inside a name is part of it."""
    text = role.removeprefix(PREFIX)
    name, point, kind = text.rpartition(".")
    if not point or kind not in KINDS:
        name, kind = text, ""
    if not name:
        raise InputError(
            say(
                "{where}: columns.{role}: name the attribute, as constraint:price.max ({kinds})",
                where=where,
                role=role,
                kinds=", ".join(KINDS),
            )
        )
    return name, kind


def _number(cell: Any) -> float:
    """Return the number in a cell; raise `InputError` if there is none, or if `.` and `,` leave two readings."""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    text = _CURRENCY.sub("", words(cell)).strip()
    if _GROUPED.fullmatch(text):
        return float(re.sub(r"[^\d-]", "", text))
    if _AMBIGUOUS.fullmatch(text):
        digits = re.sub(r"\D", "", text)
        raise InputError(
            say(
                "{value} may be {digits} or a number with a decimal mark; write it with digits alone",
                value=shown(cell),
                digits=digits,
            )
        )
    if not _PLAIN.fullmatch(text):
        raise InputError(say("must be one number such as 500000000, or empty; found {value}", value=shown(cell)))
    return float(text)
