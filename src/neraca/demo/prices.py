"""Find amounts of money and price ranges in free Indonesian and English text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
UNITS: dict[str, int] = WORDS["units"]
ABOUT = Decimal("0.1")
MONTHS = 12


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern that matches any of the phrases, the longest first."""
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in sorted(phrases, key=len, reverse=True))


def _named_groups(cues: dict[str, list[str]]) -> str:
    return "|".join(f"(?P<{name}>{any_of(phrases)})" for name, phrases in cues.items())


CUES = any_of(cue for cues in WORDS["cues"].values() for cue in cues)
FILLERS = rf"(?:\s+(?:{any_of(WORDS['fillers'])}))*[\s.:]*"
CUE_BEFORE = re.compile(rf"(?<![\w])(?:{_named_groups(WORDS['cues'])}){FILLERS}$")
# In "3 lantai maksimal 2 M" the cue belongs to the next number.
CUE_AFTER = re.compile(rf"\s*(?!(?:{CUES}){FILLERS}[\d|])(?:{_named_groups(WORDS['cues_after'])})\b")
NUMBER = r"\d+(?:[.,]\d+)*"
AMOUNT = (
    rf"(?:(?P<rp{{0}}>\b(?:rp\.?|idr)\s*)|(?<![\w.,]))(?P<number{{0}}>{NUMBER})\s*(?P<unit{{0}}>{any_of(UNITS)})?"
    r"(?P<around{0}>(?<=[a-z])\s*-?\s*an(?!\w))?(?!\w)"
)
SINGLE = re.compile(AMOUNT.format(""))
TO = r"\s*(?:sampai dengan|sampai|hingga|s/d|sd|to|-|–)\s*"
RANGE = re.compile(
    rf"(?:{AMOUNT.format('1')}{TO}|(?:antara|between)\s+(?:harga\s+)?{AMOUNT.format('2')}\s*(?:dan|and|{TO})\s*)"
    rf"(?:harga\s+)?{AMOUNT.format('3')}"
)
PER_MONTH = re.compile(r"\s*(?:/|per\s*|se|a\s+|tiap\s+)\s*(?:bulan|month)\b")
UNIT = any_of(UNITS)
SUM = re.compile(rf"(?<![\w.,])({NUMBER})\s*({UNIT})\s+(\d{{1,3}})\s*({UNIT})(?=an\b|\b)")
AN_UNIT = re.compile(rf"(?<=\d)\s*-?\s*an\s+({UNIT})\b")
# Down payments, instalments and prices per square metre.
BETWEEN = rf"(?:\s*(?:{CUES}|{any_of(WORDS['no_price']['between'])}))*{FILLERS}"
NO_PRICE = re.compile(
    rf"(?<!\w)(?:{any_of(WORDS['no_price']['before'])}){BETWEEN}"
    rf"(?:{AMOUNT.format('1')}{TO})?{AMOUNT.format('2')}(?:{PER_MONTH.pattern})?"
    rf"|(?:{AMOUNT.format('3')}{TO})?{AMOUNT.format('4')}\s*(?:/|per\s*|se|a\s+)\s*"
    rf"(?:{any_of(WORDS['no_price']['per'])})(?!\w)"
)


@dataclass(frozen=True)
class Prices:
    """A price range in a text, and `rest`, the text without it."""

    low: int | None
    high: int | None
    rest: str


def only_prices(text: str) -> str:
    """Write amounts in one form, and take out those that are not the whole price.

    Examples
    --------
    >>> only_prices("maksimal 1 miliar 250 juta, dp 50 juta")
    'maksimal 1250 juta, |'
    >>> only_prices("tanah 2 jt per meter"), only_prices("700 an juta")
    ('tanah |', '700 juta an')
    """
    return NO_PRICE.sub("|", AN_UNIT.sub(r" \1 an", SUM.sub(_merge_amounts, text)))


def _merge_amounts(match: re.Match[str]) -> str:
    number, unit, more, small = match.groups()
    times = UNITS[unit] // UNITS[small]
    if int(more) >= times:
        return match[0]
    return f"{(_number(number, unit) * times + int(more)).normalize():f} {small}"


def is_strict(text: str, position: int) -> bool:
    """Return whether the words before a number exclude the number itself, as "lebih dari" (more than) does."""
    cue = CUE_BEFORE.search(text[:position])
    return bool(cue and cue[cue.lastgroup or 0] in WORDS["strict"])


def cue_before(text: str, position: int) -> str | None:
    """Return whether the words before a number make it a `max`, a `min` or an `about`; None if they do not say."""
    cue = CUE_BEFORE.search(text[:position])
    return cue.lastgroup if cue else None


def find_prices(text: str) -> Prices:
    """Find the price range that a normalised text asks for.

    Examples
    --------
    >>> find_prices("rumah 1m an di johor")
    Prices(low=1000000000, high=1999999999, rest='rumah | di johor')
    >>> find_prices("800-900 juta").high
    900000000
    """
    low: int | None = None
    high: int | None = None
    match = RANGE.search(text)
    if match and (ends := _range_bounds(match)):
        months = MONTHS if PER_MONTH.match(text, match.end()) else 1
        rest = text[: match.start()] + "|" + text[match.end() :]
        return Prices(ends[0] * months, ends[1] * months, rest)
    rest = text
    for match in SINGLE.finditer(text):
        value = _price(match["number"], match["unit"], match["rp"])
        if value is None:
            continue
        month = PER_MONTH.match(text, match.end())
        bounds = _bounds(text, match, value * (MONTHS if month else 1))
        low, high = (current if bound is None else bound for current, bound in zip((low, high), bounds, strict=True))
        rest = rest.replace(text[match.start() : match.end()], "|", 1)
    return Prices(low, high, rest)


def _range_bounds(match: re.Match[str]) -> tuple[int, int] | None:
    first = "1" if match["number1"] else "2"
    unit = match["unit3"]
    high = _price(match["number3"], unit, match["rp3"])
    low = _price(match[f"number{first}"], match[f"unit{first}"] or unit, match[f"rp{first}"] or match["rp3"])
    if low is None or high is None:
        return None
    return min(int(low), int(high)), max(int(low), int(high))


def _bounds(text: str, match: re.Match[str], value: Decimal) -> tuple[int | None, int | None]:
    after = CUE_AFTER.match(text, match.end())
    cue = after.lastgroup if after else cue_before(text, match.start())
    budget = re.search(r"(?:budget|anggaran|dana|punya uang)\s*\w*\s*$", text[: match.start()])
    if match["around"] and (cue in (None, "about") or budget):
        # "800 jt an" means the eight hundreds: up to the next value of the last digit that is not 0.
        number = _number(match["number"], match["unit"])
        step = Decimal(10) ** int(number.normalize().as_tuple().exponent)
        return int(value), int(value / number * (number + step)) - 1
    if cue == "max":
        return None, int(value)
    if cue == "min":
        return int(value), None
    return int(value * (1 - ABOUT)), int(value * (1 + ABOUT))


def _price(number: str, unit: str | None, rp: str | None) -> Decimal | None:
    amount = _number(number, unit)
    if not amount:
        return None
    if unit:
        # No price is a hundred billion: "800m" is English for 800 million.
        return amount * (UNITS["million"] if unit == "m" and amount >= 100 else UNITS[unit])
    return amount if (rp and amount >= UNITS["ribu"]) or amount >= UNITS["million"] else None


def _number(number: str, unit: str | None) -> Decimal:
    """Read `1,5`, `1.5`, `1.250.000.000` and `1.250` (thousands, but with M a fraction)."""
    parts = re.split(r"[.,]", number)
    grouped = len(parts) > 1 and all(len(part) == 3 for part in parts[1:])
    if len(parts) > 2 or (grouped and unit not in ("m", "miliar", "billion", "bn")):
        return Decimal("".join(parts))
    return Decimal(".".join(parts))
