"""Put counts and lists of names into words, in the language of the report."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.number_format import integer
from neraca.reports.translation import say


def count(n: int, one: str, many: str = "") -> str:
    """Write a count and the word for what is counted.

    >>> count(1, "question"), count(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{integer(n)} {form(n, one, many)}"


def form(n: int, one: str, many: str = "") -> str:
    """Choose the singular or the plural; the English plural is the singular and an s unless `many` is given.

    >>> form(1, "is", "are"), form(2, "question")
    ('is', 'questions')
    """
    return say(one if n == 1 else many or f"{one}s")


def some(named: Sequence[str], what: str = "pair", joint: str = "; ", at_most: int = 6) -> str:
    """Join the first `at_most` texts; if some are left out, say how many and where to find them.

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
    """Join names as a sentence does; say how many are left out after the first `at_most`.

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
