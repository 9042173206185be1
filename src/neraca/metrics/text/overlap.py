"""Precision, recall and F of the words that two texts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


def check_stat(stat: str) -> None:
    """Raise `SpecError` unless it is `f`, `p` or `r`."""
    if stat not in ("f", "p", "r"):
        raise SpecError(f"stat is f (F measure), p (precision) or r (recall), not {stat!r}")


def divided(xp: Any, part: Any, whole: Any) -> Any:
    """Return part / whole; 0 where the whole is 0.

    >>> import numpy as np
    >>> divided(np, np.array([1.0, 2.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    """
    nothing = whole == 0
    return xp.where(nothing, 0.0, part / xp.where(nothing, 1.0, whole))


def overlap(xp: Any, shared: Any, response: Any, reference: Any, stat: str) -> Floats:
    """Return precision (p), recall (r) or F (f) of the shared words.

    Parameters
    ----------
    shared, response, reference
        Counts, shape (p,).
    stat
        `f`, `p` or `r`; raises `SpecError` for another.
    """
    check_stat(stat)
    if stat == "p":
        return divided(xp, shared, response)  # type: ignore[no-any-return]
    if stat == "r":
        return divided(xp, shared, reference)  # type: ignore[no-any-return]
    return divided(xp, 2 * shared, response + reference)  # type: ignore[no-any-return]  # 2PR / (P + R)
