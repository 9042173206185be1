"""Read the columns of a table that say what an answer must contain, match or be: `must_contain`, `max_words`, ….

The columns stay in `Item.extra`, as the user wrote them, and are read from there when answers are scored.  A cell with
several values has one on each line, or separates them by `|`, or is a JSON list of texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from neraca.datasets.cells import EDGE, blank, marked, plain_text, shown, words
from neraca.datasets.columns import fold
from neraca.datasets.json_schema import check_schema
from neraca.errors import InputError
from neraca.translation import say

#: The list of names of columns: kind of check → names.
FILE = Path(__file__).with_name("expectation_columns.json")
#: Names of the column with the tolerance of `number`; it is read only beside such a column.
TOLERANCES = tuple(map(fold, ("must_equal_number_tolerance", "tolerance", "tolerancia", "toleransi")))
#: The most characters of a cell, of a regular expression too.
LONGEST = 10_000
_YES = frozenset(map(fold, ("yes", "true", "1", "x", "sí", "si", "ya", "oui", "sim", "نعم")))
_NO = frozenset(map(fold, ("no", "false", "0", "tidak", "non", "não", "لا")))
_WITHIN = re.compile(r"\s*(?:±|\+/-|\+-)\s*")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?|-?\d+,\d{1,2}", re.ASCII)
_GROUPED = re.compile(r"(-?[1-9]\d{0,2}(?:([.,' ])\d{3})(?:\2\d{3})*)(?:([.,])(\d+))?", re.ASCII)

#: The beginning of a list of texts, whether it is whole or not.
_LIST = re.compile(r"\s*\[\s*(?:[\"'“]|-?\d[\d.]*\s*,\s*[\"'“])")


class Bound(NamedTuple):
    """A number, and how far a number of the answer may be from it."""

    value: float
    tolerance: float = 0.0


class Expectation(NamedTuple):
    """A check of an answer.

    Attributes
    ----------
    column
        The column, as the user called it.
    kind
        A kind of check: a key of `FILE` without its `not` and `any`.
    values
        Texts, regular expressions, `Bound`s, a number of words, or a JSON schema.
    any, negated
        Whether one of the values is enough; whether they must not be there.
    """

    column: str
    kind: str
    values: tuple[Any, ...]
    any: bool = False
    negated: bool = False


def expectation_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that hold checks of answers, and the tolerance of numbers.

    >>> expectation_columns(["query", "Must contain", "icontains", "max_words", "tolerance"])
    ('Must contain', 'icontains', 'max_words')
    """
    names = tuple(columns)
    columns_with_checks = {name for name in names if fold(name) in _kinds()}
    if any(_kinds()[fold(name)] == "number" for name in columns_with_checks):
        columns_with_checks |= {name for name in names if fold(name) in TOLERANCES}
    return tuple(name for name in names if name in columns_with_checks)


@cache
def check_names() -> dict[str, str]:
    """Return the names of columns with checks: folded → as the guide writes it."""
    by_kind = msgspec.json.decode(FILE.read_bytes(), type=dict[str, tuple[str, ...]])
    return {fold(name): name for names in by_kind.values() for name in names}


def without_expectations(cells: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the cells of a row that are no checks of its answer: a target may see these."""
    names = _columns_of(tuple(cells))
    return {name: value for name, value in cells.items() if name not in names} if names else cells


def read_expectations(cells: Mapping[str, Any], problems: dict[str, str] | None = None) -> tuple[Expectation, ...]:
    """Return the checks in the cells of a row, by name of the column.

    With `problems`, a cell that cannot be read is put there (column → problem); else it raises `InputError`.
    """
    checks: list[Expectation] = []
    names = _columns_of(tuple(cells))
    tolerance = next((name for name in names if fold(name) in TOLERANCES), "")
    for name in names:
        if name == tolerance or blank(cells[name]) or marked(cells[name]):
            continue
        try:
            check = _read(name, cells[name])
            if check is not None and check.kind == "number" and tolerance and not blank(cells[tolerance]):
                check = check._replace(values=_with_tolerance(check.values, cells[tolerance]))
        except InputError as error:
            if problems is None:
                raise InputError(say("column {name!r}: {error}", name=name, error=error)) from error
            problems[name] = str(error)
            continue
        checks += [check] if check else []
    return tuple(checks)


@lru_cache(maxsize=256)
def _columns_of(names: tuple[str, ...]) -> tuple[str, ...]:
    return expectation_columns(names)


@cache
def _kinds() -> dict[str, str]:
    """Return folded name of a column → its kind."""
    by_kind = msgspec.json.decode(FILE.read_bytes(), type=dict[str, tuple[str, ...]])
    return {fold(name): kind for kind, names in by_kind.items() for name in names}


def _read(column: str, cell: Any) -> Expectation | None:
    if isinstance(cell, str) and len(cell) > LONGEST:
        raise InputError(say("holds {n:,} characters; write at most {most:,}", n=len(cell), most=LONGEST))
    if isinstance(cell, Mapping | list | tuple):  # nested in JSON Lines or Parquet
        cell = plain_text(cell)
    return _read_cell(column, words(cell) if isinstance(cell, bool | int | float) else cell)


@lru_cache(maxsize=1 << 14)
def _read_cell(column: str, cell: str) -> Expectation | None:
    full_kind = _kinds()[fold(column)]
    negated, kind = full_kind.startswith("not "), full_kind.removeprefix("not ")
    one_is_enough, kind = kind.endswith(" any") or negated, kind.removesuffix(" any")
    values: Sequence[Any]
    if kind == "matches":
        values = list(map(_pattern, _json_list(cell) or [cell.strip(EDGE)]))
    elif kind == "number":
        values = list(map(_bound, _listed(cell)))
    elif kind.endswith("words"):
        values = [_whole_number(cell)]
    elif kind in ("json", "json inside"):
        schema = _schema(cell)
        if schema is False:
            return None
        values = [schema]
    elif kind == "cites" and fold(cell) in _YES | _NO:
        if fold(cell) in _NO:
            return None
        values = [""]
    elif kind in ("equals", "starts"):
        values = _texts_of_list(cell) or [cell.strip(EDGE)]
        one_is_enough = True
    else:
        values = _listed(cell, commas="any" in full_kind or fold(column).endswith("all"))
    return Expectation(column, kind, tuple(values), one_is_enough, negated)


def _json_list(cell: str) -> list[str] | None:
    """Return the texts in a JSON list, or None if the cell is something else."""
    if not cell.strip(EDGE).startswith("["):
        return None
    try:
        values = msgspec.json.decode(cell, type=list[str | int | float])
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values):
        return None if len(texts) else [words(value) for value in values] if len(values) > 1 else None
    return _not_empty(texts, cell)


def _texts_of_list(cell: str) -> list[str] | None:
    """Return the texts in a JSON list; None for a plain text; raise `InputError` for a list that cannot be read."""
    values = _json_list(cell)
    if values is None and _LIST.match(cell):
        raise InputError(
            say(
                'looks like a JSON list of texts, but cannot be read as one: {value}; write ["a", "b"] with '
                "every quote and bracket closed, or one text on each line; a text that begins so is written "
                'as ["[\\"…"]',
                value=shown(cell),
            )
        )
    return values


def _listed(cell: str, commas: bool = False) -> list[str]:
    """Return the values in a cell: a JSON list, else one on each line or between `|`, else (if so) between commas.

    >>> _listed("48 horas | 2 días"), _listed('["a|b"]'), _listed("a, b", commas=True)
    (['48 horas', '2 días'], ['a|b'], ['a', 'b'])
    """
    if (values := _texts_of_list(cell)) is not None:
        return values
    mark = "|" if set(cell) & set("|\n\r") else "," if commas else "|"
    parts = cell.replace("\r", "|").replace("\n", "|").split(mark)
    return _not_empty([text for part in parts if (text := part.strip(EDGE))], cell)


def _not_empty(values: list[str], cell: str) -> list[str]:
    if not values or not all(value.strip(EDGE) for value in values):
        raise InputError(say("holds an empty value: {value}; write a text, or leave the cell empty", value=shown(cell)))
    return values


def _pattern(text: str) -> str:
    """Return a regular expression if it can be read; any text is matched in a time that grows with its length."""
    import polars as pl  # its engine has no backtracking
    from polars.exceptions import ComputeError

    try:
        pl.Series([""]).str.contains(text, literal=False, strict=True)
    except ComputeError as error:
        lines = [line for line in str(error).splitlines() if line.strip() and set(line.strip()) != {"^"}]
        reason = next((line for line in lines if line.startswith("error: ")), lines[0])
        reason = reason.removeprefix("error: ").removeprefix("regex error: ")
        remedy = say("write it without (?=…), (?!…), (?<=…) and \\1; must_not_match says what must not be there")
        if "look-around" not in reason and "escape sequence" not in reason:
            remedy = say("a sign such as ( [ * + ? . that is meant as it stands needs a \\ before it")
        raise InputError(
            say(
                "{value} is no regular expression that can be used: {reason}; {remedy}",
                value=shown(text),
                reason=reason,
                remedy=remedy,
            )
        ) from None
    return text


def _bound(text: str) -> Bound:
    number, *tolerance = _WITHIN.split(text, maxsplit=1)
    value = _number(number)
    return Bound(value, _tolerance(tolerance[0], value) if tolerance else 0.0)


def _with_tolerance(bounds: Iterable[Bound], cell: Any) -> tuple[Bound, ...]:
    return tuple(
        bound if bound.tolerance else Bound(bound.value, _tolerance(words(cell), bound.value)) for bound in bounds
    )


def _tolerance(text: str, value: float) -> float:
    """Return the tolerance in a text: a number, or a share of the value such as 5 %."""
    number, percent, _ = text.partition("%")
    tolerance = _number(number) * (abs(value) / 100 if percent else 1)
    if tolerance < 0:
        raise InputError(say("the tolerance is not negative, found {value}; write ± 2, or ± 5 %", value=shown(text)))
    return tolerance


def _number(text: str) -> float:
    """Return the number in a text; raise `InputError` if there is none, or if its mark leaves two readings.

    >>> _number("1.234,5"), _number("1,234,567"), _number("3,5"), _number("2.5")
    (1234.5, 1234567.0, 3.5, 2.5)
    """
    text = text.strip(EDGE).replace("−", "-").replace("\u00a0", " ").rstrip("% ").strip()
    grouped = _GROUPED.fullmatch(text)
    if grouped and grouped[2] in ".," and grouped[1].count(grouped[2]) == 1 and not grouped[3]:
        plain, decimal = text.replace(grouped[2], ""), f"{text.replace(grouped[2], '.')}0"
        raise InputError(
            say(
                "{value} may be {plain} or {decimal}; write the one that is meant",
                value=shown(text),
                plain=plain,
                decimal=decimal,
            )
        )
    if grouped and grouped[3] != grouped[2]:
        return float(re.sub(r"[.,' ]", "", grouped[1]) + (f".{grouped[4]}" if grouped[4] else ""))
    if _PLAIN.fullmatch(text):
        return float(text.replace(",", "."))
    try:
        value = float(text)  # 1e6
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(say("must be a number such as 48, 48 ± 2 or 48 ± 5 %, found {value}", value=shown(text)))
    return value


def _whole_number(cell: str) -> int:
    text = cell.strip(EDGE)
    if not re.fullmatch(r"0*[1-9]\d{0,8}", text, re.ASCII):
        raise InputError(
            say(
                "must be a whole number of words such as 60, at least 1, found {value}; leave the cell empty "
                "if any number will do",
                value=shown(cell),
            )
        )
    return int(text)


def _schema(cell: str) -> Any:
    """Return the JSON schema in a cell; True: any JSON; False: no check."""
    if fold(cell) in _YES:
        return True
    if fold(cell) in _NO:
        return False
    try:
        schema = msgspec.json.decode(cell.strip(EDGE))
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise InputError(
            say("must be yes, or a JSON schema; not valid JSON: {error}: {value}", error=error, value=shown(cell))
        ) from error
    if not isinstance(schema, dict):
        raise InputError(
            say('must be yes, or a JSON schema such as {{"type": "object"}}; found {value}', value=shown(cell))
        )
    check_schema(schema, _pattern)
    return schema
