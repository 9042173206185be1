"""How numbers are written for people: one way for every sentence, table and picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.plain_table import p_value as p_value
from neraca.reports.translation import say

DASH = "–"
MINUS = "−"


def number(value: float | None, digits: int = 3) -> str:
    """Write a value with three decimals, fewer where it is large; a dash where there is none.

    >>> number(0.71234), number(-0.5), number(1234.5), number(float("nan"))
    ('0.712', '−0.500', '1,234', '–')
    """
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    size = abs(value)
    if size >= 1e15:
        return f"{value:.3g}".replace("-", MINUS)
    text = f"{value:,.{digits if size < 10 else max(0, digits - 2) if size < 1000 else 0}f}"
    return text.replace("-", MINUS) if float(text.replace(",", "")) else text.lstrip("-")


def signed(value: float) -> str:
    """Write a difference with its sign.

    >>> signed(0.03), signed(-0.03), signed(0.0)
    ('+0.030', '−0.030', '0.000')
    """
    text = number(value)
    return text if text[0] in f"{MINUS}{DASH}" or not text.strip("0.,") else f"+{text}"


def span(low: float, high: float, digits: int = 3) -> str:
    """Write an interval, or nothing where there is none.

    >>> span(0.6, 0.81), span(float("nan"), 1)
    ('0.600 to 0.810', '')
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    return say("{low} to {high}", low=number(low, digits), high=number(high, digits))


def percent(share: float | None) -> str:
    """Write a share; what is not quite all or nothing is not written as 100 % or 0 %.

    >>> percent(0.5), percent(0.999), percent(1), percent(None)
    ('50 %', '> 99 %', '100 %', '–')
    """
    if share is None or math.isnan(share):
        return DASH
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        return "> 99 %"
    return "< 1 %" if rounded == 0 and share > 0 else f"{rounded} %"


def percent_level(level: float) -> str:
    """Write a confidence: 0.95 is `95 %`."""
    return f"{100 * level:g} %"


def seconds(value: float | None) -> str:
    """Write a duration.

    >>> seconds(0.0123), seconds(3.21), seconds(250), seconds(None)
    ('12 ms', '3.2 s', '250 s', '–')
    """
    if value is None or math.isnan(value):
        return DASH
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def count(n: int, one: str, many: str = "") -> str:
    """Write a number of things.

    >>> count(1, "question"), count(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{n:,} {form(n, one, many)}"


def form(n: int, one: str, many: str = "") -> str:
    """Choose between the words for one thing and for several; in English the latter end in s if they are not named.

    >>> form(1, "is", "are"), form(2, "question")
    ('is', 'questions')
    """
    return say(one if n == 1 else many or f"{one}s")


def correlation(value: float) -> str:
    """Write a correlation with two decimals, more where these would make it 1; a dash where there is none.

    >>> correlation(0.714), correlation(-0.5), correlation(0.998), correlation(1), correlation(float("nan"))
    ('0.71', '−0.50', '0.998', '1.00', '–')
    """
    digits = 2
    while digits < 12 and abs(value) < 1 and abs(round(value, digits)) == 1:
        digits += 1
    return number(value, digits)


def about(n: int) -> str:
    """Round a planned number of questions up to two digits, because it is no more exact than that.

    >>> about(34), about(311), about(12345)
    ('34', '320', '13,000')
    """
    step = 10 ** max(0, len(str(n)) - 2)
    return f"{-(-n // step) * step:,}"


def some(named: Sequence[str], what: str = "pair", joint: str = "; ", at_most: int = 6) -> str:
    """Join the first of many, and say how many are left out and where they are.

    >>> some(["a", "b"]), some(["a", "b", "c"], at_most=2)
    ('a; b', 'a; b; and 1 more pair (see the table)')
    """
    more = (
        [say("and {more} (see the table)", more=count(len(named) - at_most, f"more {what}"))]
        if len(named) > at_most
        else []
    )
    return joint.join([*named[:at_most], *more])


def listed(names: list[str] | tuple[str, ...], at_most: int = 6) -> str:
    """Join names as a sentence does.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], at_most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    shown = list(names[:at_most])
    if len(names) > at_most:
        shown.append(say("{n:,} more", n=len(names) - at_most))
    return (
        shown[0]
        if len(shown) == 1
        else say("{first} and {last}", first=", ".join(shown[:-1]), last=shown[-1])
        if shown
        else ""
    )
