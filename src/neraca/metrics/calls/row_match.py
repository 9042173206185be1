"""RowMatch and ColumnMatch: how much the results of two queries have in common."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, reasoned

ROWS = "no row was returned, or none is expected: there is nothing to divide by"
COLUMNS = "no column was returned, or none is expected: there is nothing to divide by"


def _rate(verdicts: JudgeVerdicts, unit: str, stat: str, by: str) -> Reasoned:
    """Return precision, recall or F1 of the `rows` or `columns` that the judge counted."""
    if stat not in ("f", "p", "r"):
        raise SpecError(f"{unit}: stat is f, p or r, not {stat!r}")
    counts = [verdicts.rating(f"{unit}_{part}", by) for part in ("matched", "returned", "expected")]
    (matched, returned, expected), reasons = zip(*counts, strict=True)
    whole = {"p": returned, "r": expected, "f": (returned + expected) / 2}[stat]
    values = np.divide(matched, whole, out=np.full(len(matched), np.nan), where=whole > 0)
    return reasoned(values, *reasons)


@metric(
    "RowMatch",
    why_undefined=ROWS,
    not_for="where the order of rows was asked for, or columns may be named otherwise",
    described={
        "stat=p": "Precision of the rows that a query returned: the share that the expected query returns too.",
        "stat=r": "Recall of the rows that a query returned: the share of those of the expected query.",
    },
    judge="sql",
)
def row_match(verdicts: JudgeVerdicts, *, stat: str = "f", by: str = "") -> Reasoned:
    r"""F1 of the rows that a query returned, against those of the expected query; their order does not matter.

    $$ P = \frac{m}{r}, \quad R = \frac{m}{e}, \quad F_1 = \frac{2m}{r + e} $$

    with r rows returned, e expected, and m in both, as the judge `sql` counted them.  A row is in both if it holds all
    values of an expected row; each expected row counts once, and additional columns only lower `ColumnMatch`.  With key
    columns (the judge's setting `key`) a row is in both if its key is.  `stat` is f, p or r.  0 to 1; over questions
    the mean.

    A failed answer or a query that cannot be run returned no row: R = F = 0.  P is undefined if nothing was returned, R
    if nothing is expected, F if both; `SQLEquivalent` is defined there.  Otherwise unscored as `SQLEquivalent`.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> two_of_three = judged(rows_matched=2, rows_returned=3, rows_expected=4)
    >>> row_match(two_of_three).values, row_match(two_of_three, stat="r").values
    (array([0.57142857]), array([0.5]))
    """
    return _rate(verdicts, "rows", stat, by)


@metric(
    "ColumnMatch",
    described={
        "stat=p": "Precision of the columns that a query returned: the share that the expected query returns too.",
        "stat=r": "Recall of the columns that a query returned: the share of those of the expected query.",
    },
    why_undefined=COLUMNS,
    not_for="where other columns answer as well, or rows matter: `RowMatch`, `SQLEquivalent`",
    judge="sql",
)
def column_match(verdicts: JudgeVerdicts, *, stat: str = "f", by: str = "") -> Reasoned:
    r"""F1 of the columns that a query returned, against those of the expected query.

    $$ P = \frac{m}{r}, \quad R = \frac{m}{e}, \quad F_1 = \frac{2m}{r + e} $$

    with r columns returned, e expected, and m in both.

    A column is in both if it holds exactly the same values equally often, whatever its name and place.  With key
    columns it must agree in all rows whose key is in both, so that a missing row only lowers `RowMatch`.  `stat` and
    undefined values are as in `RowMatch`.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> one_of_two = judged(columns_matched=1, columns_returned=2, columns_expected=1)
    >>> column_match(one_of_two).values, column_match(one_of_two, stat="p").values
    (array([0.66666667]), array([0.5]))
    """
    return _rate(verdicts, "columns", stat, by)
