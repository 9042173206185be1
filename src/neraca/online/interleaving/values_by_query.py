"""Share of the credit for clicks that each ranker has, query by query."""

from __future__ import annotations

from typing import Any

import numpy as np

from neraca.online.interleaving.click_credit import ClickCredit


def values_by_query(credit: ClickCredit, least: int = 1) -> list[dict[str, Any]]:
    """Return each ranker's share of the credit for each query, for comparison with offline metrics.

    Parameters
    ----------
    credit
        The result of `click_credit`.
    least
        Fewest searches with credit that a query needs; other queries are left out.

    Returns
    -------
    list
        Rows of `query`, `searches`, and for each ranker its share of all credit of the query.
    """
    n = len(credit.query_words)
    total = np.stack([np.bincount(credit.queries, weights=column, minlength=n) for column in credit.credit.T], axis=1)
    searches = np.bincount(credit.queries, weights=credit.credit.sum(axis=1) > 0, minlength=n)
    rows: list[dict[str, Any]] = []
    for query in np.flatnonzero(searches >= max(1, least)):
        shares: list[float] = (total[query] / total[query].sum()).tolist()
        share_by_ranker = dict(zip(credit.rankers, shares, strict=True))
        rows.append({"query": credit.query_words[query], "searches": int(searches[query]), **share_by_ranker})
    return rows
