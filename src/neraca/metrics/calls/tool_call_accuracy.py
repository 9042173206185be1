"""ToolCallAccuracy: how many of the expected tool calls a system made, in the right order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from neraca.errors import SpecError
from neraca.metrics.calls.calls import UNSAID, Calls
from neraca.metrics.metric import metric
from neraca.stats.intervals.interval import Floats


def in_common(expected: Sequence[Any], made: Sequence[Any]) -> int:
    """Count the calls in both lists, each as often as it occurs in both.

    >>> in_common(["a", "a", "b"], ["a", "c", "a", "a"])
    2
    """
    return sum((Counter(expected) & Counter(made)).values())


def _in_order(expected: Sequence[Any], made: Sequence[Any]) -> int:
    from rapidfuzz.distance import LCSseq

    numbers: dict[Any, int] = {}  # rapidfuzz compares hashes, and different small numbers never collide
    expected_numbers, made_numbers = (
        [numbers.setdefault(call, len(numbers)) for call in calls] for calls in (expected, made)
    )
    return LCSseq.similarity(expected_numbers, made_numbers)


@metric("ToolCallAccuracy", why_undefined=UNSAID, not_for="where other calls reach the goal as well: `GoalReached`")
def tool_call_accuracy(
    calls: Calls, *, order: str = "strict", arguments: str = "exact", unsaid: str = "skip"
) -> Floats:
    r"""Right calls / the larger number of expected calls and calls made.

    $$ \frac{r}{\max(e, m)} $$

    with e calls expected, m made, and r right.  With `order=strict`, r is the length of the longest sequence of calls
    that occurs in both lists in the same order, with gaps.  With `order=free`, r counts the calls in both lists in any
    order.  So missing, additional, wrong and (strict) misplaced calls lower the value; a wrong call in place of a right
    one counts once.  0 to 1.

    A call is right if its tool and all arguments are equal by value: 1 and 1.0 are equal, the order of keys does not
    matter, and 1, "1" and true differ.  `arguments=ignore` compares the tools alone.

    A failed answer made no call: 0.  If a question expects no call (an empty list), the value is 1 if none was made,
    otherwise 0, also for a failed answer.  If a question does not say which calls it expects, the value is undefined;
    with `unsaid=none` it expects none.  A call without a name, or with its arguments twice, leaves the answer unscored.

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
    return calls.rates(lambda e, m: right(e, m) / max(len(e), len(m)), arguments, unsaid)
