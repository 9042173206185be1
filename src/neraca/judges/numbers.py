"""Numbers written as text, in Indonesian and in English style: `Rp 1.250.000.000`, `1,2 M`, `800 jt`, `1.5B`.

A wrong number is worse than none: what can be read in two ways without a rule below is not read.
"""

from __future__ import annotations

import math
import re
import unicodedata
from functools import lru_cache
from typing import Literal

Style = Literal["id", "en"]

SLACK = 1e-14  # share by which sums of floats miss (1.1 * 300 is 330.00000000000006), yet 13-digit ids differ
LONGEST = 64  # characters; longer text is prose
SCALES: dict[str, int] = {
    **dict.fromkeys(("k", "rb", "ribu", "thousand"), 3),
    **dict.fromkeys(("jt", "juta", "million", "mn", "mln"), 6),
    **dict.fromkeys(("miliar", "milyar", "milliar", "mlyr", "b", "bn", "billion"), 9),
    **dict.fromkeys(("triliun", "trilyun", "trillion", "tn"), 12),
}
_UNIT_WORDS = (
    "m2 sqm meter metre meters metres square persegi km kilometer kilometers kilometre kilometres "
    "lantai tingkat floor floors storey storeys story stories level levels "
    "kamar tidur mandi kt bedroom bedrooms bathroom bathrooms room rooms bed beds bath baths "
    "unit units buah pcs item items orang people person persons mobil car cars carport carports "
    "rupiah idr usd dollar dollars dolar eur euro euros $ € watt"
)
UNITS = frozenset(_UNIT_WORDS.split())
_TEXT = re.compile(
    r"(?P<minus>-)?(?P<money>(?:rp|idr|usd|us\$|\$|eur|€|gbp|£)\.? ?)?(?P<inner>-)?"
    r"(?P<digits>\d+(?:[.,]\d+)*)(?:,-{1,2}(?!\d))?(?P<rest>.*)",
    re.ASCII | re.IGNORECASE,
)
_SCIENTIFIC = re.compile(r"-?\d+(?:\.\d+)?e[+-]?\d{1,3}", re.ASCII | re.IGNORECASE)
_GROUPS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+", re.ASCII)
_EXTRA = re.compile(r" ?\+ ?\d{1,2}(?![\d.,])", re.ASCII)


def parse_number(value: object, style: Style = "id", units: frozenset[str] = frozenset()) -> float | None:
    """Read a number, or None where there is none or more than one; never raises.

    Parameters
    ----------
    value
        A number, or text that is one number: a currency before it, a scale and unit words after it may stand.
    style
        Settles what is ambiguous.  A capital `M` is miliar (10^9) in `id` and million in `en`.  Before a scale, one
        separator and three digits, as in `1,250 M`: the comma is the decimal mark in `id`, the point in `en`.
    units
        Unit words (lower case) beside `UNITS` after which a number keeps its value.  Nothing is converted: neither
        units nor currencies.

    Notes
    -----
    - Two different separators: the last is the decimal mark.  One, repeated: thousands.  One, once, with exactly
      three digits after it (and one to three before it, not beginning with 0): thousands; otherwise decimal.
    - `3+1` rooms is 3: the one after the plus is the maid's.
    - A small `m` may be metres and is read as the capital only beside a currency.
    - A range (`2-3`, `1M an`), a date, a version, a share (`5 %`), an unknown word, NaN and infinity, a boolean: None.

    Examples
    --------
    >>> parse_number("Rp 1.250.000.000"), parse_number("1,2 M"), parse_number("800 jt")
    (1250000000.0, 1200000000.0, 800000000.0)
    >>> parse_number("1.2 M", style="en"), parse_number("120 m2"), parse_number("2-3")
    (1200000.0, 120.0, None)
    """
    if isinstance(value, str):
        return _parse(value, style, units) if len(value) <= LONGEST else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


@lru_cache(maxsize=1 << 16)
def _parse(text: str, style: Style, units: frozenset[str]) -> float | None:
    tidy = " ".join(unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").split())
    if _SCIENTIFIC.fullmatch(tidy):
        return _finite(tidy)
    found = _TEXT.fullmatch(tidy)
    if not found or (found["minus"] and found["inner"]):
        return None
    rest = found["rest"]
    extra = _EXTRA.match(rest) if len(found["digits"]) <= 2 and not found["money"] else None
    if extra:
        rest = rest[extra.end() :]
    power = _power(rest, style, units, money=bool(found["money"]))
    if power is None or (extra and power):
        return None
    digits = _plain(found["digits"], style, scaled=power > 0)
    if digits is None:
        return None
    sign = "-" if found["minus"] or found["inner"] else ""
    return _finite(f"{sign}{digits}e{power}")


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _power(rest: str, style: Style, units: frozenset[str], *, money: bool) -> int | None:
    """The power of ten that the words after a number stand for; None when one of them is not known."""
    words = rest.split()
    if not words:
        return 0
    first = words[0].casefold()
    power = SCALES.get(first)
    if words[0] == "M" or (first == "m" and money):
        power = 9 if style == "id" else 6
    elif words[0] == "T" or (first == "t" and money):
        power = 12
    after = words if power is None else words[1:]
    if all(word.casefold() in UNITS or word.casefold() in units for word in after):
        return power or 0
    return None


def _plain(digits: str, style: Style, *, scaled: bool) -> str | None:
    """Digits with separators as Python writes them: `1.250,50` is `1250.50`; None when they are no one number."""
    marks = re.sub(r"\d", "", digits)
    if not marks:
        return digits
    decimal = marks[-1]
    if len(set(marks)) == 1:
        groups = _GROUPS.fullmatch(digits) is not None
        if len(marks) > 1:
            return digits.replace(decimal, "") if groups else None
        styled = "," if style == "id" else "."
        if groups and not (scaled and decimal == styled):
            return digits.replace(decimal, "")
        return digits.replace(decimal, ".")
    whole, _, fraction = digits.rpartition(decimal)
    if marks.count(decimal) > 1 or not _GROUPS.fullmatch(whole):
        return None
    return f"{re.sub('[.,]', '', whole)}.{fraction}"


def write_number(number: float) -> str:
    """Write a number for people: thousands by comma, at most six decimals, no needless zeros.

    >>> write_number(1250000000.0), write_number(2.70), write_number(-0.5)
    ('1,250,000,000', '2.7', '-0.5')
    """
    if abs(number) >= 1e15 or 0 < abs(number) < 1e-6:
        return f"{number:g}"
    return f"{number + 0.0:,.6f}".rstrip("0").rstrip(".")
