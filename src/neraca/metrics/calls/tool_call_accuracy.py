"""ToolCallAccuracy: how much of what a system did is what it should have done, in the right order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from neraca.errors import SpecError
from neraca.metrics.calls.calls import UNSAID, Calls
from neraca.metrics.metric import metric
from neraca.stats.intervals.interval import Floats


def in_common(expected: Sequence[Any], made: Sequence[Any]) -> int:
    """Return the number of calls in both lists, each as often as it is in both.

    >>> in_common(["a", "a", "b"], ["a", "c", "a", "a"])
    2
    """
    return sum((Counter(expected) & Counter(made)).values())


def _in_order(expected: Sequence[Any], made: Sequence[Any]) -> int:
    from rapidfuzz.distance import LCSseq

    numbers: dict[Any, int] = {}  # rapidfuzz compares hashes, which of two numbers are never the same by chance
    due, done = ([numbers.setdefault(call, len(numbers)) for call in calls] for calls in (expected, made))
    return LCSseq.similarity(due, done)


@metric("ToolCallAccuracy", why_undefined=UNSAID, not_for="where other calls reach the goal as well: `GoalReached`")
def tool_call_accuracy(
    calls: Calls, *, order: str = "strict", arguments: str = "exact", unsaid: str = "skip"
) -> Floats:
    r"""Calls that are right / calls expected, or calls made where these are more.

    $$ \frac{r}{\max(e, m)} $$

    with e calls expected, m made, and r right: with `order=strict` the longest sequence of calls that stands in both
    in the same order (gaps allowed), with `order=free` the calls in both, whatever their order; a call made twice
    counts twice.  So missing, further, wrong and (strict) misplaced calls all cost; one wrong call in the place of
    a right one costs once.  0 to 1.

    A call is right if its tool and all its arguments are: by value, so that 1 and 1.0 are equal, the order of keys
    plays no part, and 1, "1" and true are three values.  `arguments=ignore` compares the tools alone.

    A failed answer made no call: 0.  A question that expects no call (an empty list) gives 1 if none was made, else
    0 (also if the answer failed).  A question that does not say which calls it expects has no value; with
    `unsaid=none` it expects none.  A call that has no name, or its arguments twice, leaves the answer unscored.

    References
    ----------
    The sequence: Hunt, J. W. and Szymanski, T. G. (1977). Communications of the ACM 20(5), 350-353.

    Examples
    --------
    >>> from neraca.metrics.calls.example import calls
    >>> tool_call_accuracy(calls("search filter book", "search book filter pay"))  # search, book of four
    array([0.5])
    >>> tool_call_accuracy(calls("search filter book", "search book filter pay"), order="free")
    array([0.75])
    """
    if order not in ("strict", "free"):
        raise SpecError(f"ToolCallAccuracy: order is strict or free, not {order!r}")
    right = _in_order if order == "strict" else in_common
    return calls.each(lambda e, m: right(e, m) / max(len(e), len(m)), arguments, unsaid)
