"""Name the aspects of preferences between two runs, which are written as verdicts to both run folders."""

from __future__ import annotations

_PREFERRED = "preferred:"
_SHOWN_FIRST = "preferred_first:"


def preferred_over(other: str) -> str:
    """Return the aspect whose value says whether an answer is better (1), even (0.5) or worse (0) than the other run's.

    >>> preferred_over("baseline")
    'preferred:baseline'
    """
    return f"{_PREFERRED}{other}"


def preferred_first(other: str) -> str:
    """Return the aspect of the same decision, made while this answer was shown first or on the left.

    The decision made while the other answer was shown first is a verdict in the other run's folder.  The two show the
    effect of the position.

    >>> preferred_first("baseline")
    'preferred_first:baseline'
    """
    return f"{_SHOWN_FIRST}{other}"


def run_preferred_over(aspect: str) -> str:
    """Return the name of the other run of an aspect of `preferred_over`; "" if it is another aspect.

    >>> run_preferred_over("preferred:baseline"), run_preferred_over("valid")
    ('baseline', '')
    """
    return aspect.removeprefix(_PREFERRED) if aspect.startswith(_PREFERRED) else ""


def run_shown_second(aspect: str) -> str:
    """Return the name of the other run of an aspect of `preferred_first`; "" if it is another aspect.

    >>> run_shown_second("preferred_first:baseline"), run_shown_second("preferred:baseline")
    ('baseline', '')
    """
    return aspect.removeprefix(_SHOWN_FIRST) if aspect.startswith(_SHOWN_FIRST) else ""


def is_of_one_order(aspect: str) -> bool:
    """Return whether an aspect is of one order of the answers only, and thus not a decision by itself.

    >>> is_of_one_order(preferred_first("baseline")), is_of_one_order(preferred_over("baseline"))
    (True, False)
    """
    return aspect.startswith(_SHOWN_FIRST)
