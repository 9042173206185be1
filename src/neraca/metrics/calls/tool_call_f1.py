"""ToolCallF1: precision and recall of the tool calls in one number, whatever their order."""

from __future__ import annotations

from neraca.metrics.calls.calls import UNSAID, Calls
from neraca.metrics.calls.tool_call_accuracy import in_common
from neraca.metrics.metric import metric
from neraca.stats.intervals.interval import Floats


@metric(
    "ToolCallF1",
    why_undefined=UNSAID,
    not_for="where the order of calls matters, or other calls reach the goal as well",
)
def tool_call_f1(calls: Calls, *, arguments: str = "exact", unsaid: str = "skip") -> Floats:
    r"""Harmonic mean of precision (right / made) and recall (right / expected) of the calls.

    $$ F_1 = \frac{2 r}{e + m} $$

    with e calls expected, m made, and r in both, each as often as it occurs in both, in any order.  0 to 1; over
    questions the mean.  Parameters, equality of calls and answers without calls are as in `ToolCallAccuracy`.

    References
    ----------
    van Rijsbergen, C. J. (1979). Information Retrieval, 2nd ed., ch. 7.

    Examples
    --------
    >>> from neraca.metrics.calls.example import calls
    >>> tool_call_f1(calls("search search book", "book search pay"))  # 2 in both, 3 expected, 3 made
    array([0.66666667])
    """
    return calls.rates(lambda e, m: 2 * in_common(e, m) / (len(e) + len(m)), arguments, unsaid)
