"""Write numbers and intervals for people: one way for every table, sentence and picture.

Estimates are rounded (`number`), settings of the user keep their digits (`exact`), and an interval is written as
`0.600 to 0.810` (`span`).  Inside `numbers_in`, decimals and thousands have the marks of a language.  JSON, CSV and
Parquet, which machines read, do not use this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

DASH = "–"
#: Values below this size are rounded by their first twelve digits, larger ones by all.
_TWELVE_DIGITS_BELOW = 1e9
MINUS = "−"


class NumberMarks(NamedTuple):
    """The marks of numbers in a language.

    Attributes
    ----------
    decimal, thousands
        The mark before decimals, and the mark between groups of three digits.
    to
        The word between the ends of an interval.
    ungrouped
        Whole parts with at most this number of digits are not grouped.
    """

    decimal: str
    thousands: str
    to: str
    ungrouped: int = 3


#: Code of a language → its marks, as in the Unicode Common Locale Data Repository (CLDR).
MARKS = {
    "en": NumberMarks(".", ",", "to"),
    "id": NumberMarks(",", ".", "sampai"),
    "es": NumberMarks(",", ".", "a", ungrouped=4),
}
_marks: ContextVar[NumberMarks] = ContextVar("marks of numbers", default=MARKS["en"])


@contextmanager
def numbers_in(language: str) -> Iterator[None]:
    """Write the numbers inside the `with` block with the marks of a language of `MARKS`.

    >>> with numbers_in("es"):
    ...     print(number(0.8091), integer(1200), integer(12000), span(-0.5, 0.25), p_value(0.0004))
    0,809 1200 12.000 −0,500 a 0,250 < 0,001
    """
    token = _marks.set(MARKS[language])
    try:
        yield
    finally:
        _marks.reset(token)


def localised(text: str) -> str:
    """Return the text of an English number with the marks of the language of `numbers_in`.

    >>> with numbers_in("id"):
    ...     print(localised("1,234.5"))
    1.234,5
    """
    marks = _marks.get()
    if marks is MARKS["en"]:
        return text
    whole_part, point, decimals = text.partition(".")
    digits = sum(map(str.isdigit, whole_part))
    thousands = "" if digits <= marks.ungrouped else marks.thousands
    return whole_part.replace(",", thousands) + (marks.decimal if point else "") + decimals


def number_of(text: str) -> float | None:
    """Return the value of a number written with the marks of `numbers_in`; None for all other texts.

    >>> number_of("1,234.5"), number_of("−0.500"), number_of("+3"), number_of("0.7 to 0.9"), number_of("–")
    (1234.5, -0.5, 3.0, None, None)
    """
    marks = _marks.get()
    plain = text.replace(marks.thousands, "").replace(marks.decimal, ".").replace(MINUS, "-")
    return float(plain) if re.fullmatch(r"[+-]?\d+(\.\d+)?", plain, re.ASCII) else None


def share_of(text: str) -> float | None:
    """Return a share written in percent, and else the value of a number as `number_of`.

    >>> share_of("60 %"), share_of("0.6"), share_of("< 1 %")
    (0.6, 0.6, None)
    """
    if text.endswith(" %") and (whole := number_of(text.removesuffix(" %"))) is not None:
        return whole / 100
    return number_of(text)


def parts_of_interval(text: str) -> tuple[str, str, str] | None:
    """Return the value, "" without one, and the ends of a written interval; None for any other text.

    >>> parts_of_interval("0.712 (0.600 to 0.810)"), parts_of_interval("60 % to > 99 %")
    (('0.712', '0.600', '0.810'), ('', '60 %', '> 99 %'))
    >>> parts_of_interval("2026-10-05 to 2026-10-18"), parts_of_interval("0.712")
    (None, None)
    """
    value, _, interval = text.removesuffix(")").rpartition(" (") if text.endswith(")") else ("", "", text)
    low, middle, high = interval.partition(f" {_marks.get().to} ")
    ends = (share_of(end.removeprefix("< ").removeprefix("> ")) for end in (low, high))
    return (value, low, high) if middle and None not in ends else None


def number(value: float | None, digits: int = 3) -> str:
    """Write an estimate: `digits` decimals below 10, two fewer below 1,000, none above; a dash if there is no value.

    >>> number(0.71234), number(-0.5), number(27.46), number(1234.5), number(float("nan"))
    ('0.712', '−0.500', '27.5', '1,235', '–')
    """
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    size = abs(value)
    if size >= 1e15:
        return localised(f"{value:.3g}".replace("-", MINUS))
    decimals = digits if size < 10 else max(0, digits - 2) if size < 1000 else 0
    text = f"{rounded(value, decimals):,.{decimals}f}"
    return localised(text.replace("-", MINUS) if float(text.replace(",", "")) else text.lstrip("-"))


def rounded(value: float, decimals: int) -> Decimal:
    """Return an estimate rounded half away from zero, by its first twelve digits.

    Sums of the same numbers in another order differ beyond these digits, and must not be written differently.

    >>> rounded(0.11549999999999999, 3), rounded(-0.1155, 3), rounded(0.1155000001, 3), rounded(2.5, 0)
    (Decimal('0.116'), Decimal('-0.116'), Decimal('0.116'), Decimal('3'))
    """
    digits = Decimal(f"{value:.12g}" if abs(value) < _TWELVE_DIGITS_BELOW else value)
    return digits.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def signed(value: float) -> str:
    """Write a difference with its sign.

    >>> signed(0.03), signed(-0.03), signed(0.0)
    ('+0.030', '−0.030', '0.000')
    """
    text = number(value)
    return text if text[0] in f"{MINUS}{DASH}" or not text.strip("0.,") else f"+{text}"


def span(low: float, high: float, digits: int = 3) -> str:
    """Write an interval, or "" if there is none.

    >>> span(0.6, 0.81), span(-0.524, -0.27), span(float("nan"), 1)
    ('0.600 to 0.810', '−0.524 to −0.270', '')
    """
    return _interval(low, high, lambda end: number(end, digits))


def percent_span(low: float, high: float) -> str:
    """Write an interval of a share, or "" if there is none.

    >>> percent_span(0.6, 0.81)
    '60 % to 81 %'
    """
    return _interval(low, high, percent)


def correlation_span(low: float, high: float) -> str:
    """Write an interval of a correlation, or "" if there is none.

    >>> correlation_span(-0.2, 0.999)
    '−0.20 to 0.999'
    """
    return _interval(low, high, correlation)


def with_interval(value: str, interval: str) -> str:
    """Return a written value and, if there is one, its interval in parentheses.

    >>> with_interval("0.712", span(0.6, 0.81)), with_interval("0.712", "")
    ('0.712 (0.600 to 0.810)', '0.712')
    """
    return f"{value} ({interval})" if interval else value


def _interval(low: float, high: float, write: Callable[[float], str]) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"{write(low)} {_marks.get().to} {write(high)}"


def exact(value: float) -> str:
    """Write a setting of the user: at most six decimals, no trailing zeros, the sign as it is typed.

    >>> exact(1250000000.0), exact(2.70), exact(-0.5)
    ('1,250,000,000', '2.7', '-0.5')
    """
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-6:
        return localised(f"{value:g}")
    return localised(f"{value + 0.0:,.6f}".rstrip("0").rstrip("."))


def integer(value: float) -> str:
    """Write a count with its thousands.

    >>> integer(1200), integer(0)
    ('1,200', '0')
    """
    return localised(f"{value:,.0f}")


def p_value(p: float, alpha: float = 0.05) -> str:
    """Write a p-value with enough decimals to show whether it is below the level `alpha`.

    >>> p_value(0.011), p_value(0.00002), p_value(0.04996), p_value(float("nan"))
    ('0.011', '< 0.001', '0.04996', '–')
    """
    if math.isnan(p):
        return DASH
    if p < 0.001:
        return f"< {localised('0.001')}"
    digits = 3
    while digits < 12 and (round(p, digits) < alpha) != (p < alpha):
        digits += 1
    return localised(f"{p:.{digits}f}")


def p_equals(p: float, alpha: float = 0.05) -> str:
    """Write a p-value inside a sentence.

    >>> p_equals(0.011), p_equals(0.00002)
    ('p = 0.011', 'p < 0.001')
    """
    value = p_value(p, alpha)
    return f"p {value}" if value.startswith("<") else f"p = {value}"


def percent(share: float | None) -> str:
    """Write a share in percent; only 1 is written as 100 %, and only 0 as 0 %.

    >>> percent(0.5), percent(0.999), percent(1), percent(None)
    ('50 %', '> 99 %', '100 %', '–')
    """
    if share is None or math.isnan(share):
        return DASH
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "> 99 %"
    return "< 1 %" if whole == 0 and share > 0 else f"{whole} %"


def percent_level(level: float) -> str:
    """Write a level of confidence in percent.

    >>> percent_level(0.95), percent_level(0.995)
    ('95 %', '99.5 %')
    """
    return localised(f"{100 * level:g} %")


def seconds(value: float | None) -> str:
    """Write a duration.

    >>> seconds(0.0123), seconds(3.21), seconds(250), seconds(None)
    ('12 ms', '3.2 s', '250 s', '–')
    """
    if value is None or math.isnan(value):
        return DASH
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return localised(f"{value:.1f} s" if value < 100 else f"{value:,.0f} s")


def seconds_on_axis(value: float, largest: float) -> str:
    """Write a duration on an axis of durations up to `largest`: all have its unit and enough decimals to differ.

    >>> [seconds_on_axis(value, 0.00011) for value in (0.0, 0.00005, 0.0001)]
    ['0 µs', '50 µs', '100 µs']
    >>> seconds_on_axis(0.0005, 0.002), seconds_on_axis(0.5, 3.2), seconds_on_axis(0.2, 0.25)
    ('0.5 ms', '0.5 s', '200 ms')
    """
    factor, unit = (1.0, "s") if largest >= 1 else (1e3, "ms") if largest >= 1e-3 else (1e6, "µs")
    size = factor * largest
    decimals = max(0, 1 - math.floor(math.log10(size))) if size > 0 else 0
    return localised(f"{factor * value:,.{decimals}f} {unit}")


def dollars(amount: float) -> str:
    """Write US dollars with two decimals; less than a dollar with two digits that count.

    >>> dollars(12.5), dollars(0.5), dollars(0.00042), dollars(0), dollars(float("nan"))
    ('$12.50', '$0.50', '$0.00042', '$0', '–')
    """
    if math.isnan(amount):
        return DASH
    if amount == 0:
        return "$0"
    decimals = 2 if abs(amount) >= 1 else max(2, 1 - math.floor(math.log10(abs(amount))))
    return localised(f"${amount:,.{decimals}f}")


def correlation(value: float) -> str:
    """Write a correlation with two decimals, or more if two would show a value below 1 as 1.

    >>> correlation(0.714), correlation(-0.5), correlation(0.998), correlation(1), correlation(float("nan"))
    ('0.71', '−0.50', '0.998', '1.00', '–')
    """
    digits = 2
    while digits < 12 and abs(value) < 1 and abs(round(value, digits)) == 1:
        digits += 1
    return number(value, digits)


def about(n: int) -> str:
    """Write a planned number rounded up to two digits, because a plan is no more exact.

    >>> about(34), about(311), about(12345)
    ('34', '320', '13,000')
    """
    step = 10 ** max(0, len(str(n)) - 2)
    return integer(-(-n // step) * step)
