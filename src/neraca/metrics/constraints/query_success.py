"""Success of whole questions: hits that keep the constraints, and no hits where nothing fits."""

from __future__ import annotations

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

    with h hits, c their PassRatio and t the threshold `at`; the second where nothing is expected.  A bracket is 1
    where it is true.

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
    """Counts per question: TP, FP, FN, TN; shape (n, 4), NaN where it cannot be told.

    TP expected results and success; FP expected none and something came (or the target failed); FN expected
    results and no success; TN expected none and none came, or the answer declined.

    Examples
    --------
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
    """TP / (TP + FP) of summed counts (TP, FP, FN, TN); NaN where nothing is positive."""
    return _divide(sums[..., 0], sums[..., 0] + sums[..., 1])


def recall_total(sums: Floats) -> Floats:
    """TP / (TP + FN) of summed counts."""
    return _divide(sums[..., 0], sums[..., 0] + sums[..., 2])


def f1_total(sums: Floats) -> Floats:
    """2 TP / (2 TP + FP + FN) of summed counts."""
    return _divide(2 * sums[..., 0], 2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def accuracy_total(sums: Floats) -> Floats:
    """(TP + TN) / all of summed counts."""
    return _divide(sums[..., 0] + sums[..., 3], sums.sum(axis=-1))


def _divide(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.asarray(part / whole)
    return result


@metric(
    "QueryPrecision",
    total=precision_total,
    why_undefined="what the question expects is not said",
    not_for="alone: returning rarely raises it; look at `QueryRecall`",
    judge="rules",
)
def query_precision(checks: Checks, *, at: float = 0.6) -> Floats:
    r"""Precision of the confusion matrix of questions, TP / (TP + FP); its counts per question.

    $$ \frac{TP}{TP + FP} $$

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> right, wrong, empty = checks([[1, 1]]), checks([[0, 1]]), checks([], expects="none")
    >>> round(float(precision_total(sum(query_precision(view)[0] for view in (right, right, wrong, empty)))), 4)
    1.0
    """
    return query_confusion(checks, at)


@metric(
    "QueryRecall",
    total=recall_total,
    why_undefined="what the question expects is not said",
    not_for="alone: returning always raises it; look at `QueryPrecision`",
    judge="rules",
)
def query_recall(checks: Checks, *, at: float = 0.6) -> Floats:
    r"""Recall of the confusion matrix of questions, TP / (TP + FN); its counts per question.

    $$ \frac{TP}{TP + FN} $$

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> right, wrong, empty = checks([[1, 1]]), checks([[0, 1]]), checks([], expects="none")
    >>> round(float(recall_total(sum(query_recall(view)[0] for view in (right, right, wrong, empty)))), 4)
    0.6667
    """
    return query_confusion(checks, at)


@metric(
    "QueryF1",
    total=f1_total,
    why_undefined="what the question expects is not said",
    not_for="where rightly returning nothing matters: it leaves out TN",
    judge="rules",
)
def query_f1(checks: Checks, *, at: float = 0.6) -> Floats:
    r"""F1 of the confusion matrix of questions, 2 TP / (2 TP + FP + FN); its counts per question.

    $$ \frac{2\, TP}{2\, TP + FP + FN} $$

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> right, wrong, empty = checks([[1, 1]]), checks([[0, 1]]), checks([], expects="none")
    >>> round(float(f1_total(sum(query_f1(view)[0] for view in (right, right, wrong, empty)))), 4)
    0.8
    """
    return query_confusion(checks, at)


@metric(
    "QueryAccuracy",
    total=accuracy_total,
    why_undefined="what the question expects is not said",
    not_for="where nearly all questions expect results: always returning something looks right",
    judge="rules",
)
def query_accuracy(checks: Checks, *, at: float = 0.6) -> Floats:
    r"""Accuracy of the confusion matrix of questions, (TP + TN) / all; its counts per question.

    $$ \frac{TP + TN}{TP + FP + FN + TN} $$

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> right, wrong, empty = checks([[1, 1]]), checks([[0, 1]]), checks([], expects="none")
    >>> round(float(accuracy_total(sum(query_accuracy(view)[0] for view in (right, right, wrong, empty)))), 4)
    0.75
    """
    return query_confusion(checks, at)
