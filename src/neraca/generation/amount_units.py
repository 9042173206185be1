"""Find the units after the amounts in cells: `500 g`, `2 ha`, `Rp 5 juta/bulan`."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

from neraca.generation.nouns_and_amounts import currency_code
from neraca.judges.rules.number_styles import NumberStyle, folded, number_styles, style_of, unit_sizes

_AMOUNT = re.compile(r"\s*(?P<before>[^\W\d]{0,3}[$€£¥₹₩₽/.]?)\s*-?\d(?:[\d.,'’٫٬ ]*\d)?\s*(?P<rest>\S.*)")
#: Units that `unit_sizes` lacks: name → words.
_FURTHER = {
    "ha": "ha hektar hectare hectares hectárea hectáreas هكتار",
    "acre": "acre acres",
    "are": "are tumbak ubin",
    "sqft": "sqft",
    "mile": "mi mile miles",
    "/month": "pcm",
    "/week": "pw",
}
#: Periods of a price: name → words.
_PERIODS = {
    "/month": "month mo bulan bln mes شهر",
    "/year": "year yr annum tahun thn año سنة",
    "/week": "week wk minggu semana أسبوع",
    "/day": "day hari día يوم night malam noche",
    "/hour": "hour hr jam hora ساعة",
}
_PER = ("per", "por", "al")
_LENGTHS = {"cm", "km", "meter", "inch", "ft", "mile"}


def units_in(cells: Iterable[object], language: str) -> dict[str, str]:
    """Return the units of the amounts in some cells, the commonest first: name → how most cells write it.

    A small `m` is a metre only beside another unit of length, because it may be a million.

    >>> units_in(["500 g", "1.2 kg", "2 KG", "2 kg", "3 rooms", 7], "en")
    {'kg': 'kg', 'g': 'g'}
    >>> units_in(["1,5 km", "500 m"], "id"), units_in(["Rp 5 jt/bulan", "Rp 60 jt/tahun"], "id"), units_in(["2m"], "en")
    ({'km': 'km', 'meter': 'm'}, {'/month': '/bulan', '/year': '/tahun'}, {})
    """
    style = style_of(language) or number_styles()["en"]
    units = Counter(unit for cell in cells if isinstance(cell, str) and (unit := _unit(cell, style)))
    written: dict[str, str] = {}
    for (name, text), _ in units.most_common():
        written.setdefault(name, text)
    if ("meter", "m") in units and not _LENGTHS & ({name for name, text in units if text != "m"}):
        del written["meter"]
    return written


def has_unit(cell: object, language: str) -> bool:
    """Return whether a cell is an amount with a unit."""
    return isinstance(cell, str) and _unit(cell, style_of(language) or number_styles()["en"]) is not None


def _unit(cell: str, style: NumberStyle) -> tuple[str, str] | None:
    """Return the name of the unit after an amount, and how it is written; None if there is none."""
    text = cell.strip()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in text)
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    words = match["rest"].split()
    for place, raw in enumerate(words):
        word = raw.strip(".,()")
        following = words[place + 1].strip(".,()") if place + 1 < len(words) else ""
        form = folded(word)
        if "/" in word and form not in unit_sizes():
            period = word.partition("/")[2] or following
            return _period(period)
        if form in _PER and following:
            return _period(following)
        if form in ("sq", "square") and following:
            return ("sqft" if folded(following) in ("ft", "feet", "foot") else "m2", f"{word} {following}")
        if word == "m" and not match["before"]:
            return "meter", "m"
        if form in unit_sizes():
            return unit_sizes()[form][1], word
        if form in _further_units():
            return _further_units()[form], word
        if not style.powers(word, money=True) and not currency_code(word):
            return None
    return None


def _period(word: str) -> tuple[str, str] | None:
    name = _periods().get(folded(word))
    return None if name is None else (name, f"/{word}")


@cache
def _further_units() -> dict[str, str]:
    return {folded(word): name for name, words in _FURTHER.items() for word in words.split()}


@cache
def _periods() -> dict[str, str]:
    return {folded(word): name for name, words in _PERIODS.items() for word in words.split()}
