"""Find price ranges in free Indonesian and English text, and the words that make a number a bound."""

from __future__ import annotations

import re
from decimal import Decimal

from neraca.demo.words import UNITS, WORDS, Text, any_of

Bounds = tuple[int | None, int | None]
ABOUT = Decimal("0.1")


def _named_groups(cues: dict[str, list[str]]) -> str:
    return "|".join(f"(?P<{name}>{any_of(phrases)})" for name, phrases in cues.items())


UNIT = any_of(UNITS)
CUES = any_of(cue for cues in WORDS["cues"].values() for cue in cues)
_FILLERS = rf"(?:\s+(?:{any_of(WORDS['fillers'])}))*[\s.:]*"
_CUE_BEFORE = re.compile(rf"(?<![\w])(?:{_named_groups(WORDS['cues'])}){_FILLERS}$")
# In "3 lantai maksimal 2 M" the cue belongs to the next number.
_CUE_AFTER = re.compile(rf"\s*(?!(?:{CUES}){_FILLERS}[\d|])(?:{_named_groups(WORDS['cues_after'])})\b")
_NUMBER = r"\d+(?:[.,]\d+)*"
_AMOUNT = (
    rf"(?:(?P<rp{{0}}>\b(?:rp\.?|idr)\s*)|(?<![\w.,]))(?P<number{{0}}>{_NUMBER})\s*(?P<unit{{0}}>{UNIT})?"
    r"(?P<around{0}>(?<=[a-z])\s*-?\s*an(?!\w))?(?!\w)"
)
_SINGLE = re.compile(_AMOUNT.format(""))
TO = r"\s*(?:sampai dengan|sampai|hingga|s/d|sd|to|-|–)\s*"
_RANGE = re.compile(
    rf"(?:{_AMOUNT.format('1')}{TO}|(?:antara|between)\s+(?:harga\s+)?{_AMOUNT.format('2')}\s*(?:dan|and|{TO})\s*)"
    rf"(?:harga\s+)?{_AMOUNT.format('3')}"
)
_PER_MONTH = re.compile(r"\s*(?:/|per\s*|se|a\s+|tiap\s+)\s*(?:bulan|month)\b")
_SUM = re.compile(rf"(?<![\w.,])({_NUMBER})\s*({UNIT})\s+(\d{{1,3}})\s*({UNIT})(?=an\b|\b)")
# Down payments, instalments and prices per square metre.
_NO_PRICE = re.compile(
    rf"(?<!\w)(?:{any_of(WORDS['no_price']['before'])})(?:\s*(?:{CUES}|{any_of(WORDS['no_price']['between'])}))*{_FILLERS}"
    rf"(?:{_AMOUNT.format('1')}{TO})?{_AMOUNT.format('2')}(?:{_PER_MONTH.pattern})?"
    rf"|(?:{_AMOUNT.format('3')}{TO})?{_AMOUNT.format('4')}\s*(?:/|per\s*|se|a\s+)\s*"
    rf"(?:{any_of(WORDS['no_price']['per'])})(?!\w)"
)


def cue_of(text: str, end: int, *starts: int) -> tuple[str, bool]:
    """Return what the words around a number make of it, and whether they exclude the number itself.

    The words are searched after `end`, then before each of `starts`.  They make the number a `max`, a `min` or an
    `about`; "" if they do not say.  "Lebih dari" (more than) excludes the number.
    """
    if after := _CUE_AFTER.match(text, end):
        return after.lastgroup or "", False
    for start in starts:
        if before := _CUE_BEFORE.search(text[:start]):
            return before.lastgroup or "", before[before.lastgroup or 0] in WORDS["strict"]
    return "", False


def only_prices(text: str) -> str:
    """Write amounts in one form, and take out those that are not the whole price.

    Examples
    --------
    >>> only_prices("maksimal 1 miliar 250 juta, dp 50 juta"), only_prices("tanah 2 jt per meter")
    ('maksimal 1250 juta, |', 'tanah |')
    """
    return _NO_PRICE.sub("|", re.sub(rf"(?<=\d)\s*-?\s*an\s+({UNIT})\b", r" \1 an", _SUM.sub(_merge_amounts, text)))


def _merge_amounts(match: re.Match[str]) -> str:
    number, unit, more, small = match.groups()
    times = UNITS[unit] // UNITS[small]
    return match[0] if int(more) >= times else f"{(_number(number, unit) * times + int(more)).normalize():f} {small}"


def take_prices(text: Text) -> Bounds:
    """Take the price range out of a normalised text.

    Examples
    --------
    >>> take_prices(Text("rumah 1m an di johor")), take_prices(Text("800-900 juta"))
    ((1000000000, 1999999999), (800000000, 900000000))
    """
    message = text.left
    if (match := _RANGE.search(message)) and (ends := _range_bounds(match)):
        text.left = f"{message[: match.start()]}|{message[match.end() :]}"
        months = 12 if _PER_MONTH.match(message, match.end()) else 1
        return min(ends) * months, max(ends) * months
    low: int | None = None
    high: int | None = None
    for match in _SINGLE.finditer(message):
        if value := _price(match["number"], match["unit"], match["rp"]):
            bounds = _bounds(message, match, value * (12 if _PER_MONTH.match(message, match.end()) else 1))
            low, high = (new if new is not None else old for old, new in zip((low, high), bounds, strict=True))
            text.left = text.left.replace(match[0], "|", 1)
    return low, high


def _range_bounds(match: re.Match[str]) -> tuple[int, int] | None:
    first = "1" if match["number1"] else "2"
    high = _price(match["number3"], match["unit3"], match["rp3"])
    low = _price(match[f"number{first}"], match[f"unit{first}"] or match["unit3"], match[f"rp{first}"] or match["rp3"])
    return None if low is None or high is None else (int(low), int(high))


def _bounds(text: str, match: re.Match[str], value: Decimal) -> Bounds:
    cue, _ = cue_of(text, match.end(), match.start())
    budget = re.search(r"(?:budget|anggaran|dana|punya uang)\s*\w*\s*$", text[: match.start()])
    if match["around"] and (cue in ("", "about") or budget):
        # "800 jt an" means the eight hundreds: up to the next value of the last digit that is not 0.
        number = _number(match["number"], match["unit"])
        step = Decimal(10) ** int(number.normalize().as_tuple().exponent)
        return int(value), int(value / number * (number + step)) - 1
    if cue in ("max", "min"):
        return (None, int(value)) if cue == "max" else (int(value), None)
    return int(value * (1 - ABOUT)), int(value * (1 + ABOUT))


def _price(number: str, unit: str | None, rp: str | None) -> Decimal | None:
    amount = _number(number, unit)
    if unit:
        # No price is a hundred billion: "800m" is English for 800 million.
        return amount * (UNITS["million"] if unit == "m" and amount >= 100 else UNITS[unit])
    return amount if amount >= UNITS["ribu" if rp else "million"] else None


def _number(number: str, unit: str | None) -> Decimal:
    """Read `1,5`, `1.5`, `1.250.000.000` and `1.250` (thousands, but with M a fraction)."""
    parts = re.split(r"[.,]", number)
    grouped = len(parts) > 1 and all(len(part) == 3 for part in parts[1:])
    thousands = len(parts) > 2 or (grouped and unit not in ("m", "miliar", "billion", "bn"))
    return Decimal(("" if thousands else ".").join(parts))
