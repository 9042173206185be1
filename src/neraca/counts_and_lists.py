"""Put counts and lists of names into words, in the language of the report."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.number_format import integer
from neraca.translation import say


def count(n: int, singular: str, plural: str = "") -> str:
    """Write a count and the word for what is counted.

    >>> count(1, "question"), count(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{integer(n)} {form(n, singular, plural)}"


def form(n: int, singular: str, plural: str = "") -> str:
    """Choose the singular or the plural; by default the English plural is the singular and an s.

    >>> form(1, "is", "are"), form(2, "question")
    ('is', 'questions')
    """
    return say(singular if n == 1 else plural or f"{singular}s")


def some(texts: Sequence[str], noun: str = "pair", joint: str = "; ", at_most: int = 6) -> str:
    """Join the first `at_most` texts; if some are left out, say how many and where to find them.

    >>> some(["a", "b"]), some(["a", "b", "c"], at_most=2)
    ('a; b', 'a; b; and 1 more pair (see the table)')
    """
    ending = (
        [say("and {more} (see the table)", more=count(len(texts) - at_most, f"more {noun}"))]
        if len(texts) > at_most
        else []
    )
    return joint.join([*texts[:at_most], *ending])


def listed(names: list[str] | tuple[str, ...], at_most: int = 6) -> str:
    """Join names as a sentence does; after the first `at_most`, give the number of those left out.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], at_most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    parts = list(names[:at_most])
    if len(names) > at_most:
        parts.append(say("{n:,} more", n=len(names) - at_most))
    return (
        parts[0]
        if len(parts) == 1
        else say("{first} and {last}", first=", ".join(parts[:-1]), last=parts[-1])
        if parts
        else ""
    )
