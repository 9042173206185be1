"""Correlate offline metrics with the preferences of users over queries."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from neraca.errors import InputError
from neraca.metaeval.correlate import correlate
from neraca.metaeval.correlations import Correlations
from neraca.scores.scores import Scores

#: Name of the users' preference in the correlations.
USERS = "users"


def correlate_with_users(
    scores: Scores, preference: Mapping[str, float], *, method: str = "spearman", level: float = 0.95
) -> Correlations:
    """Correlate the difference of two runs in each metric with users' preference, over queries.

    Parameters
    ----------
    scores
        Scores of two runs on the same queries; the difference is the first minus the second.
    preference
        Id of a query → users' preference, above 0 for the first run: for example, its share of the credit in
        interleaved searches minus that of the second.
    method, level
        See `correlate`.

    Returns
    -------
    Correlations
        The correlation of each metric with `users`, highest first.

    Raises
    ------
    InputError
        If there are not two runs, or no query has both scores and a preference.

    Examples
    --------
    >>> from neraca.scores.sources.values import values
    >>> scores = values({"new": [0.9, 0.5, 0.4, 0.3], "old": [0.2, 0.2, 0.3, 0.6]})  # differences fall
    >>> correlate_with_users(scores, {"1": 0.8, "2": 0.5, "3": 0.1, "4": -0.6}).with_human[0].value
    1.0
    """
    if len(scores.runs) != 2:
        raise InputError(f"users preferred one of two rankers; there are {len(scores.runs)} runs")
    first, second = (run.name for run in scores.runs)
    columns = {}
    for metric in map(str, scores.metrics):
        a, b = scores.by_item(metric, first), scores.by_item(metric, second)
        columns[metric] = [a.get(query, math.nan) - b.get(query, math.nan) for query in preference]
    if not any(math.isfinite(value) for column in columns.values() for value in column):
        of_log, of_runs = (", ".join(map(repr, list(ids)[:3])) for ids in (preference, scores.by_item(metric, first)))
        raise InputError(
            f"no query of the log is scored: the log has {of_log}, the runs {of_runs}; where ids stand for words, say "
            "which: --topics FILE"
        )
    return correlate(columns, human={USERS: np.array(list(preference.values()))}, method=method, level=level)
