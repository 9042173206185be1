"""Find price ranges in free Indonesian and English text, and the words that make a number a bound."""

from __future__ import annotations

import re
from decimal import Decimal

from neraca.demo.words import UNITS, WORDS, Text, pattern

Bounds = tuple[int | None, int | None]
ABOUT = Decimal("0.1")


def cue_of(text: str, end: int, *starts: int) -> tuple[str, bool]:
    """Return what the words around a number make of it, and whether they exclude the number itself.

    The words are searched after `end`, then before each of `starts`.  They make the number a `max`, a `min` or an
    `about`; "" if they do not say.  "Lebih dari" (more than) excludes the number.
    """
    if after := pattern("cue_after").match(text, end):
        return after.lastgroup or "", False
    for start in starts:
        if before := pattern("cue_before").search(text[:start]):
            return before.lastgroup or "", before[before.lastgroup or 0] in WORDS["strict"]
    return "", False


def only_prices(text: str) -> str:
    """Write amounts in one form, and take out amounts that are not the whole price.

    >>> only_prices("maksimal 1 miliar 250 juta, dp 50 juta"), only_prices("tanah 2 jt per meter")
    ('maksimal 1250 juta, |', 'tanah |')
    """
    return pattern("no_price").sub("|", pattern("around_unit").sub(r" \1 an", pattern("sum").sub(_merge_amounts, text)))


def _merge_amounts(match: re.Match[str]) -> str:
    number, unit, more, small = match.groups()
    times = UNITS[unit] // UNITS[small]
    return match[0] if int(more) >= times else f"{(_number(number, unit) * times + int(more)).normalize():f} {small}"


def take_prices(text: Text) -> Bounds:
    """Take the price range out of a normalised text.

    >>> take_prices(Text("rumah 1m an di johor")), take_prices(Text("800-900 juta"))
    ((1000000000, 1999999999), (800000000, 900000000))
    """
    message = text.remaining
    if (match := pattern("range").search(message)) and (ends := _range_bounds(match)):
        text.remaining = f"{message[: match.start()]}|{message[match.end() :]}"
        months = 12 if pattern("per_month").match(message, match.end()) else 1
        return min(ends) * months, max(ends) * months
    low: int | None = None
    high: int | None = None
    for match in pattern("amount").finditer(message):
        if value := _price(match["number"], match["unit"], match["rp"]):
            bounds = _bounds(message, match, value * (12 if pattern("per_month").match(message, match.end()) else 1))
            low, high = (new if new is not None else old for old, new in zip((low, high), bounds, strict=True))
            text.remaining = text.remaining.replace(match[0], "|", 1)
    return low, high


def _range_bounds(match: re.Match[str]) -> tuple[int, int] | None:
    first = "1" if match["number1"] else "2"
    high = _price(match["number3"], match["unit3"], match["rp3"])
    low = _price(match[f"number{first}"], match[f"unit{first}"] or match["unit3"], match[f"rp{first}"] or match["rp3"])
    return None if low is None or high is None else (int(low), int(high))


def _bounds(text: str, match: re.Match[str], value: Decimal) -> Bounds:
    cue, _ = cue_of(text, match.end(), match.start())
    budget = pattern("budget").search(text[: match.start()])
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
