"""Numbers written as text, read in the style of their language: `Rp 1,2 M`, `$1.2M`, `1.200.000 €`, `3,5 mil`.

A wrong number is worse than none: a text that means different amounts in different languages is read only if its
language is known.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from neraca.judges.rules.number_styles import (
    NumberStyle,
    currencies,
    folded,
    number_styles,
    spaceless_words,
    style_of,
    unit_sizes,
    unit_words,
    words_everywhere,
)
from neraca.number_format import exact
from neraca.unicode_words import without_invisible

SLACK = 1e-14  # relative error of float products (1.1 * 300 is 330.00000000000006); 13-digit ids differ by more
LONGEST = 64  # characters; longer text is prose
SHORT = 3  # letters; in an unknown language, a word of at most this length may mean something else
REMEDY = 'say the language: [dataset] language = "en" (or --language en)'
_TEXT = re.compile(
    r"(?P<minus>-)?(?P<digits>\d+(?:[.,٫٬'’]\d+| \d{3}(?!\d))*)(?:,[-–—]{1,2}(?!\d))?(?P<rest>.*)", re.ASCII
)
_SCIENTIFIC = re.compile(r"-?\d+(?:\.\d+)?e[+-]?\d{1,3}", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*", re.ASCII)
_LAKHS = re.compile(r"[1-9]\d?(?:,\d\d)+,\d{3}", re.ASCII)
_MARK = re.compile(r"\D")
_EXTRA = re.compile(r" ?\+ ?\d{1,2}(?![\d.,])", re.ASCII)


class NumberReading(NamedTuple):
    """The number in a text.

    Attributes
    ----------
    value
        The number; None if the text has no number, several numbers, or an ambiguous one.
    note
        The text and its language if the value depends on the language, or the other possible values; else "".
    """

    value: float | None
    note: str = ""


NO_NUMBER = NumberReading(None)


class _Parts(NamedTuple):
    """A text that begins with digits, or with a currency and digits."""

    text: str
    sign: str
    digits: str
    has_extra: bool
    words: tuple[str, ...]
    money: frozenset[str]


def read_number(value: object, language: str = "", units: frozenset[str] = frozenset()) -> NumberReading:
    """Read a number.

    Parameters
    ----------
    value
        A number, or text that is one number: a currency may stand before or after it, a scale and unit words after it.
    language
        The language of the text: `id`, `Spanish`, `es-MX`; "": unknown.  It decides the marks (`1.200` is 1,200 in
        Indonesian and 1.2 in English) and the words (`M` is 10^9 in Indonesian and 10^6 in English).  An unknown name
        raises `SpecError`.
    units
        Unit words (`folded`) beside the usual ones after which a number keeps its value.  Nothing is converted: neither
        units nor currencies.

    Notes
    -----
    - These mean the same in every language: digits alone; two different marks, the last of which is the decimal mark
      (`1.250,50`); one mark repeated between groups of three (`1.250.000`), or a comma as in India (`12,50,000`); a
      point before other than three digits (`2.5`, as programs write); apostrophes and Arabic marks.
    - In an unknown language a number is read if it is the same in every language that knows its words.
    - `3+1` rooms is 3: the room after the plus is the maid's.
    - A small `m` may be metres.  It means what `M` means only next to a currency, and never if `m` is in `units`.
    - Next to a currency three decimals are ambiguous: `Rp 850,000` is not read in Indonesian, where it would be 850.
    - A range (`2-3`, `1M an`), a date, a version, a share (`5 %`), an unknown word, NaN and infinity, a boolean: None.

    Examples
    --------
    >>> [read_number(text, "id").value for text in ("Rp 1.250.000.000", "1,2 M", "800 jt")]
    [1250000000.0, 1200000000.0, 800000000.0]
    >>> [read_number(text, "en").value for text in ("$1.2M", "1.5B", "120 m2", "2-3")]
    [1200000.0, 1500000000.0, 120.0, None]
    >>> read_number("1.2M").note.partition(";")[0]
    '"1.2M" is 1,200,000 in English and 1,200,000,000 in Indonesian'
    """
    if isinstance(value, str):
        return _read_text(value, language, units) if len(value) <= LONGEST else NO_NUMBER
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NO_NUMBER
    return _finite(value)


def _finite(number: float | str) -> NumberReading:
    try:
        value = float(number)
    except OverflowError:
        return NO_NUMBER
    return NumberReading(value) if math.isfinite(value) else NO_NUMBER


def unit_of(value: object) -> tuple[str, str] | None:
    """Return kind and size of the unit after a number, if its kind has several sizes; else None.

    >>> unit_of("512 GB SSD"), unit_of("1TB"), unit_of("3 kamar")
    (('data', 'gb'), ('data', 'tb'), None)
    """
    return _unit(value) if isinstance(value, str) and len(value) <= LONGEST else None


@functools.lru_cache(maxsize=1 << 16)
def _unit(text: str) -> tuple[str, str] | None:
    parts = _split(text)[1]
    return next((unit for word in parts.words if (unit := unit_sizes().get(folded(word)))), None) if parts else None


def _split(raw: str) -> tuple[str, _Parts | None]:
    """Return a text with its digits in ASCII, and its parts; None if it is not a number."""
    text = latin = " ".join(raw.split())
    if not raw.isascii():
        text = " ".join(unicodedata.normalize("NFKC", without_invisible(raw)).replace("\N{MINUS SIGN}", "-").split())
        latin = "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in text)
    return latin, _parts(text, latin)


@functools.lru_cache(maxsize=1 << 16)
def _read_text(text: str, language: str, units: frozenset[str]) -> NumberReading:
    latin, parts = _split(text)
    if _SCIENTIFIC.fullmatch(latin):
        return _finite(latin)
    if parts is None:
        return NO_NUMBER
    style = style_of(language)
    same_words = all(
        word in words_everywhere() or word in unit_words() or word in units for word in map(folded, parts.words)
    )
    if same_words and _plain_digits(parts.digits) is not None:
        values = _values(parts, style or number_styles()["en"], units)
        return NumberReading(min(values)) if values else NO_NUMBER
    return _in_language(parts, style, units) if style else _in_unknown_language(parts, units)


def _parts(text: str, latin: str) -> _Parts | None:
    """Split a text into its parts; `latin` is the text with digits in ASCII.  Return None if it is not a number."""
    outer, currency = "", ""
    if match := _currency_before().match(latin):
        outer, currency, latin = match["minus"] or "", folded(match["currency"]), latin[match.end() :]
    match = _TEXT.fullmatch(latin)
    if match is None or (outer and match["minus"]):
        return None
    after_digits = match["rest"].rstrip(".") or match["rest"]
    extra = None if currency or len(match["digits"]) > 2 else _EXTRA.match(after_digits)
    spaced = spaceless_words().sub(r" \g<0> ", after_digits[extra.end() :] if extra else after_digits)
    words = tuple(word.rstrip(".") for word in spaced.split())
    return _Parts(
        text=text,
        sign=outer or match["minus"] or "",
        digits=match["digits"].replace("’", "'").replace("٬", "'"),
        has_extra=extra is not None,
        words=words,
        money=frozenset({currency, *map(folded, words)} & currencies()),
    )


@functools.cache
def _currency_before() -> re.Pattern[str]:
    signs = "|".join(map(re.escape, sorted(currencies(), key=lambda sign: (-len(sign), sign))))
    return re.compile(rf"(?P<minus>-)?(?P<currency>{signs})\.? ?(?=-?\d)", re.ASCII | re.IGNORECASE)


def _in_language(parts: _Parts, style: NumberStyle, units: frozenset[str]) -> NumberReading:
    values = _values(parts, style, units)
    if not values:
        return NO_NUMBER
    if len(values) == 1:
        return NumberReading(min(values), f'"{parts.text}" in {style.name}')
    note = f'"{parts.text}" may be {_alternatives(values)} in {style.name}'
    if style.examples and _plain_digits(parts.digits) is None:
        note += "; say which: language = " + " or ".join(f'"{example}"' for example in style.examples)
    return NumberReading(None, note)


def _in_unknown_language(parts: _Parts, units: frozenset[str]) -> NumberReading:
    """Return the value on which all languages that know the words agree, else None and two that differ."""
    readings = {style.name: _values(parts, style, units) for style in number_styles().values()}
    values_by_language = {name: values for name, values in readings.items() if values is not None}
    language = next((name for name, values in values_by_language.items() if values), "")
    if not language:
        return NO_NUMBER
    values = values_by_language[language]
    shown_values = f'"{parts.text}" is {_alternatives(values)} in {language}'
    differing = next((name for name, possible in values_by_language.items() if possible != values), "")
    if differing:
        differing_value = _alternatives(values_by_language[differing]) or "no number"
        return NumberReading(None, f"{shown_values} and {differing_value} in {differing}; {REMEDY}")
    doubtful = any(len(word) <= SHORT and word.isascii() for word in parts.words if folded(word) not in unit_words())
    if doubtful or len(values) > 1:
        return NumberReading(None, f"{shown_values}, or something else; {REMEDY}")
    return NumberReading(min(values))


def _alternatives(values: Iterable[float]) -> str:
    return " or ".join(map(exact, sorted(values)))


def _values(parts: _Parts, style: NumberStyle, units: frozenset[str]) -> frozenset[float] | None:
    """Return the possible values of a number in a language; None if the language does not know a word after it."""
    powers = _powers(parts, style, units)
    if not powers or (parts.has_extra and powers != (0,)):
        return None
    price = bool(parts.money) and powers == (0,)
    digits = _digits(parts.digits, style.marks_of(parts.money), price=price)
    readings = (_finite(f"{parts.sign}{number}e{power}").value for number in digits for power in powers)
    return frozenset(value for value in readings if value is not None)


def _powers(parts: _Parts, style: NumberStyle, units: frozenset[str]) -> tuple[int, ...]:
    """Return the powers of ten that the words after a number may mean; none if one of the words is unknown."""
    money, words = bool(parts.money), parts.words
    if not words or (folded(words[0]) in units and words[0] not in style.capitals):
        powers: tuple[int, ...] = ()
    else:
        powers = style.powers(words[0], money=money)
    unread_words = words[1:] if powers else words
    if len(powers) == 1 and unread_words:  # `mil millones`, `lakh crore`, `千万`
        second = style.powers(unread_words[0], money=money)
        if len(second) == 1 and second >= powers:
            powers, unread_words = (powers[0] + second[0],), unread_words[1:]
    all_units = all(folded(word) in unit_words() or folded(word) in units for word in unread_words)
    return (powers or (0,)) if all_units else ()


def _digits(digits: str, possible_marks: Iterable[str], *, price: bool) -> frozenset[str]:
    """Return the digits in Python's notation, under each of the possible marks.

    A price never has three decimals: `Rp 850,000` was probably written by a program in English style.
    """
    plain = _plain_digits(digits)
    if plain is not None:
        return frozenset({plain} - {""})
    mark, grouped = _MARK.findall(digits)[0], _ungroup(digits)
    numbers = set()
    for marks in possible_marks:
        if mark == marks[0]:
            numbers |= {digits.replace(mark, "."), grouped if price else ""}
        elif mark in marks:
            numbers.add(grouped)
        elif mark == ".":  # neither: between thousands as in other countries, or a program's decimal point
            numbers |= {grouped, digits}
    return frozenset(numbers - {""})


def _plain_digits(digits: str) -> str | None:
    """Return the digits in Python's notation; "" if they are no number, None if it depends on the language."""
    marks = _MARK.findall(digits)
    if not marks:
        return digits
    last = marks[-1]
    if last != "٫" and len(set(marks)) == 1 and (len(marks) > 1 or last == "'"):
        return _ungroup(digits)
    if marks.count(last) == 1 and (last == "٫" or (last in ".," and len(set(marks)) == 2)):
        whole, _, fraction = digits.rpartition(last)
        return f"{whole_digits}.{fraction}" if (whole_digits := _ungroup(whole)) else ""
    if len(marks) > 1:
        return ""
    return digits if last == "." and not _ungroup(digits) else None


def _ungroup(digits: str) -> str:
    """Return the digits without the marks between thousands or lakhs; "" if a mark is in another position."""
    valid = digits.isdigit() or _THOUSANDS.fullmatch(digits) or _LAKHS.fullmatch(digits)
    return _MARK.sub("", digits) if valid else ""
