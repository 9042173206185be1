"""Success of whole questions: hits that satisfy the constraints, or no hits if nothing fits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neraca.metrics.constraints.checks import Checks
from neraca.metrics.constraints.pass_ratio import pass_ratio
from neraca.metrics.metric import metric
from neraca.stats.intervals.interval import Floats


@metric(
    "QuerySuccess",
    why_undefined="what the question expects is not said, or none of its hits was judged",
    not_for="to see small changes: it is yes or no at one threshold; `PassRatio`",
    binary=True,
    judge="rules",
)
def query_success(checks: Checks, *, at: float = 0.6) -> Floats:
    r"""Expects results: has hits and PassRatio >= at; expects none: has no hits or declines, and did not fail.

    $$ [h > 0]\,[c \ge t] \quad \text{or} \quad [h = 0 \text{ or it declines}] $$

    with h hits, c their PassRatio and t the threshold `at`.  A bracket is 1 if it is true.  The second form applies if
    nothing is expected.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> query_success(checks([[1, 1, 0]])), query_success(checks([], expects="none"))
    (array([1.]), array([1.]))
    """
    has_hits = np.bincount(checks.owner, minlength=checks.n) > 0
    sums = pass_ratio(checks)
    good = np.divide(sums[:, 0], sums[:, 1])
    success = np.where(has_hits, np.where(np.isnan(good), np.nan, good >= at - 1e-9), 0.0)
    values = np.where(checks.expects == "results", success, np.nan)
    return np.where(checks.expects == "none", (~has_hits | checks.declined) & ~checks.failed, values)


def query_confusion(checks: Checks, at: float = 0.6) -> Floats:
    """Return TP, FP, FN and TN of each question, shape (n, 4); NaN if its cell is unknown.

    TP: results expected, and success.  FP: none expected, and something was returned or the target failed.  FN:
    results expected, and no success.  TN: none expected, and none returned, or the answer declined.

    >>> from neraca.metrics.rag.example import checks
    >>> query_confusion(checks([[1, 1, 0]]))
    array([[1., 0., 0., 0.]])
    """
    success = query_success(checks, at=at)
    results = checks.expects == "results"
    table = np.column_stack(
        [results & (success == 1), ~results & (success == 0), results & (success == 0), ~results & (success == 1)]
    )
    unscored = np.isnan(success) | np.array([bool(why) for why in checks.unscored], dtype=bool)
    return np.where(unscored[:, None], np.nan, table.astype(np.float64))


def precision_total(sums: Floats) -> Floats:
    """Return TP / (TP + FP) of summed counts (TP, FP, FN, TN); NaN if nothing is positive."""
    return _divide(sums[..., 0], sums[..., 0] + sums[..., 1])


def recall_total(sums: Floats) -> Floats:
    """Return TP / (TP + FN) of summed counts."""
    return _divide(sums[..., 0], sums[..., 0] + sums[..., 2])


def f1_total(sums: Floats) -> Floats:
    """Return 2 TP / (2 TP + FP + FN) of summed counts."""
    return _divide(2 * sums[..., 0], 2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def accuracy_total(sums: Floats) -> Floats:
    """Return (TP + TN) / all of summed counts."""
    return _divide(sums[..., 0] + sums[..., 3], sums.sum(axis=-1))


def _divide(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.asarray(part / whole)
    return result


_DOCUMENTATION = r"""{word} of the confusion matrix of questions, {part} / ({whole}); its counts per question.

    $$ \frac{{{part}}}{{{whole}}} $$

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> right, wrong, empty = checks([[1, 1]]), checks([[0, 1]]), checks([], expects="none")
    >>> round(float({total}(sum({name}(view)[0] for view in (right, right, wrong, empty)))), 4)
    {value}
    """


def _of_confusion(
    word: str, total: Callable[[Floats], Floats], ratio: tuple[str, str], value: float, not_for: str
) -> Callable[..., Floats]:
    """Register the metric `QueryWORD`, whose total is a ratio of sums; `value` is the result of its example."""

    def counts(checks: Checks, *, at: float = 0.6) -> Floats:
        return query_confusion(checks, at)

    counts.__name__ = counts.__qualname__ = name = f"query_{word.lower()}"
    counts.__doc__ = _DOCUMENTATION.format(
        word=word, part=ratio[0], whole=ratio[1], total=total.__name__, name=name, value=value
    )
    why = "what the question expects is not said"
    declare = metric(f"Query{word}", total=total, why_undefined=why, not_for=not_for, judge="rules")
    return declare(counts)


query_precision = _of_confusion(
    "Precision",
    precision_total,
    ("TP", "TP + FP"),
    1.0,
    "alone: returning rarely raises it; look at `QueryRecall`",
)
query_recall = _of_confusion(
    "Recall",
    recall_total,
    ("TP", "TP + FN"),
    0.6667,
    "alone: returning always raises it; look at `QueryPrecision`",
)
query_f1 = _of_confusion(
    "F1",
    f1_total,
    ("2 TP", "2 TP + FP + FN"),
    0.8,
    "where rightly returning nothing matters: it leaves out TN",
)
query_accuracy = _of_confusion(
    "Accuracy",
    accuracy_total,
    ("TP + TN", "TP + FP + FN + TN"),
    0.75,
    "where nearly all questions expect results: always returning something looks right",
)
