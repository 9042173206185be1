"""Read a column of records as a field that questions can ask about, or say why none can."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from neraca.datasets.columns import fold
from neraca.datasets.constraint_columns import recognise_constraint
from neraca.generation.amount_units import has_unit, units_in
from neraca.generation.column_names import is_year
from neraca.generation.nouns_and_amounts import Currency, currencies, currency_in
from neraca.judges.rules.equals import truth
from neraca.judges.rules.fields import plain
from neraca.judges.rules.geo import LATITUDES, LONGITUDES
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.phrases import SPACELESS, Phrases, bare
from neraca.judges.rules.phrases import fold as folded

Kind = Literal["number", "count", "category", "words", "flag", "point", "year"]
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
#: The earliest and the latest year, and the least share of years in a column of years.
YEARS, MOST = (1000, 2100), 0.9
#: Why coordinates are not asked about.
NO_PLACE = "distances need coordinates, and a column with the names of places that records share"
_BETWEEN = re.compile(r"[;|؛،]|,\s")
_WORDS, _SPACELESS = re.compile(r"[^\W_]+"), re.compile(f"[{SPACELESS}]")


@dataclass(frozen=True)
class Field:
    """A column that questions can ask about.

    Attributes
    ----------
    name
        The column; also the name of the constraint.
    kind
        `number` (a size, a price), `count` (a small whole number), `category` (one of some texts), `words` (a list of
        texts), `flag` (true or false, yes or no), `point` (coordinates, as `Near` with the name of the place), `year`.
    role
        Its place in a sentence: `noun` (what a record is), `modifier` (a word after the noun: for sale), `place`,
        `estate` (a place in the place), `near` (landmarks), `distance` (from the middle of a place) or "".
    values
        The value of each record: a number, a text, a tuple of texts, True or False; None if there is
        none, if it cannot be read, or if no question may ask for it.
    currency
        The currency of its amounts, if the cells name it.
    unit
        The unit of its amounts, as most cells write it; "" if the cells name none.
    assumed
        The number of amounts without the unit or currency of the others.
    unread
        The cells in a column of numbers that cannot be read as a number.
    inside
        Text that no question asks for → a longer text of the column that has it in its words.
    hidden
        The number of records that have no other text than such.
    """

    name: str
    kind: Kind
    role: str
    values: Sequence[Any]
    currency: Currency | None = None
    unit: str = ""
    assumed: int = 0
    unread: tuple[str, ...] = ()
    inside: Mapping[str, str] = field(default_factory=dict)
    hidden: int = 0

    @property
    def missing(self) -> int:
        """The number of records without a value that can be read."""
        return sum(value is None for value in self.values) - self.hidden

    @cached_property
    def distinct(self) -> list[Any]:
        """Its different values, the commonest first, then in order."""
        texts = Counter(part for value in self.values if value is not None for part in _parts(value))
        return sorted(texts, key=lambda part: (-texts[part], str(part)))


def read_field(name: str, cells: Sequence[Any], language: str, by_role: Mapping[str, str]) -> Field | str:
    """Return the field in a column, or the reason why questions cannot ask about it."""
    filled = [cell for cell in cells if not _is_empty(cell)]
    if not filled:
        return "no record has a value"
    if fold(name) in {*LATITUDES, *LONGITUDES}:
        return NO_PLACE
    role = role_of(name, by_role)
    values: Sequence[Any]
    truths = [truth(cell) if isinstance(cell, bool | str) and not str(cell).isdigit() else None for cell in cells]
    if not role and sum(value is not None for value in truths) == len(filled) and len({*truths} - {None}) == 2:
        return Field(name, "flag", "", truths)
    units = units_in(filled, language)
    if numbers := _numbers(cells, filled, language):
        return numbers if isinstance(numbers, str) else _amounts(name, cells, numbers, units, language)
    if len(units) > 1 and sum(has_unit(cell, language) for cell in filled) >= READABLE * len(filled):
        return _in_several("units", units.values())
    if all(isinstance(cell, str) for cell in filled) and not any(
        mark in cell for cell in filled for mark in _SEPARATORS
    ):
        values = [None if _is_empty(cell) else cell.strip() for cell in cells]
        return _texts(name, "category", role, values)
    values = [None if _is_empty(cell) else tuple(_entries(cell)) or None for cell in cells]
    return _texts(name, "words", role if role == "near" else "", values)


def _amounts(
    name: str, cells: Sequence[Any], numbers: Sequence[float | None], units: Mapping[str, str], language: str
) -> Field | str:
    """Return a field of numbers, or the reason why they cannot be compared."""
    filled = [cell for cell in cells if not _is_empty(cell)]
    amounts = currencies(filled)
    if len(amounts) > 1:
        return _in_several("currencies", [amount.sign for amount in amounts])
    if len(units) > 1:
        return _in_several("units", units.values())
    pairs = [(cell, number) for cell, number in zip(cells, numbers, strict=True) if not _is_empty(cell)]
    named = [cell for cell, number in pairs if number is not None and (currency_in(cell) or has_unit(cell, language))]
    read = sum(number is not None for number in numbers)
    return Field(
        name,
        _number_kind(name, numbers),
        "",
        numbers,
        currency=amounts[0] if amounts else None,
        unit=next(iter(units.values()), ""),
        assumed=read - len(named) if amounts or units else 0,
        unread=tuple(str(cell) for cell, number in pairs if number is None),
    )


def _in_several(what: str, names: Iterable[str]) -> str:
    return f"its amounts are in several {what} ({', '.join(names)})"


def role_of(name: str, by_role: Mapping[str, str]) -> str:
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


def _number_kind(name: str, values: Sequence[float | None]) -> Kind:
    """Return the kind of numbers."""
    numbers = [value for value in values if value is not None]
    years = sum(number.is_integer() and YEARS[0] <= number <= YEARS[1] for number in numbers)
    if is_year(name) and years >= MOST * len(numbers):
        return "year"
    small = all(value.is_integer() and 0 <= value <= LARGEST_COUNT for value in numbers)
    return "count" if small else "number"


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
    return _plain_texts(name, kind, role, values)


def _plain_texts(name: str, kind: Kind, role: str, values: Sequence[Any]) -> Field | str:
    """Return a field of texts with one spelling each, the commonest.

    No question asks for a text that is words of another: "pool" would also be found in "pool table", and somebody who
    looks for a car may also want a sports car, so that there are no exact answers.
    """
    spellings = Counter(part for value in values if value is not None for part in _parts(value))
    usual = {folded(text): text for text in sorted(spellings, key=lambda text: (spellings[text], text))}
    inside = {usual[text]: usual[longer] for text, longer in _longer_texts(usual)}
    texts = [() if value is None else [usual[folded(part)] for part in _parts(value)] for value in values]
    clear = [tuple(dict.fromkeys(text for text in of_record if text not in inside)) or None for of_record in texts]
    if not any(clear):
        return "each of its values is a part of another one"
    hidden = sum(bool(before) and not after for before, after in zip(texts, clear, strict=True))
    plain_values = [value and value[0] for value in clear] if kind == "category" else clear
    return Field(name, kind, role, plain_values, inside=inside, hidden=hidden)


def _longer_texts(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each folded text that has its words in a longer one, and the first such text.

    >>> list(_longer_texts(["pool", "pool table", "whirlpool"]))
    [('pool', 'pool table')]
    """
    everything = sorted(texts)
    by_word: dict[str, list[str]] = {}
    for text in everything:
        for word in {*_WORDS.findall(text)}:
            by_word.setdefault(word, []).append(text)
    for text in everything:
        words = [] if _SPACELESS.search(text) else _WORDS.findall(text)
        possible = min((by_word[word] for word in words), key=len, default=everything)
        others = [other for other in possible if len(other) >= len(text) and other != text]
        phrase = Phrases([text]) if others else None  # a pattern takes long to compile
        if phrase and (longer := next(filter(phrase.first, others), "")):
            yield text, longer


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
