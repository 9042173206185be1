"""Preferences between the answers of two runs, written as verdicts to the folders of both."""

from __future__ import annotations

_PREFERRED = "preferred:"
_SHOWN_FIRST = "preferred_first:"


def preferred_over(other: str) -> str:
    """The aspect under which an answer is better (1), even (0.5) or worse (0) than that of the run `other`.

    >>> preferred_over("baseline")
    'preferred:baseline'
    """
    return f"{_PREFERRED}{other}"


def preferred_first(other: str) -> str:
    """The aspect of the same decision as it was taken while this answer stood first, or left.

    The one that was taken while the other stood first is a verdict in the other's folder.  So it can be told how much
    the place decides.

    >>> preferred_first("baseline")
    'preferred_first:baseline'
    """
    return f"{_SHOWN_FIRST}{other}"


def is_of_one_order(aspect: str) -> bool:
    """Whether an aspect is that of one order alone, and no decision by itself.

    >>> is_of_one_order(preferred_first("baseline")), is_of_one_order(preferred_over("baseline"))
    (True, False)
    """
    return aspect.startswith(_SHOWN_FIRST)
