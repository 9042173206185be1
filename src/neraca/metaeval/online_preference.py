"""Correlations over queries of offline metrics with the preferences of users."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from neraca.errors import InputError
from neraca.metaeval.correlate import correlate
from neraca.metaeval.correlations import Correlations
from neraca.scores.scores import Scores

#: What users' preference is called beside the metrics.
USERS = "users"


def correlate_with_users(
    scores: Scores, preference: Mapping[str, float], *, method: str = "spearman", level: float = 0.95
) -> Correlations:
    """Correlate the differences of two runs in each metric with what users preferred, query by query.

    Parameters
    ----------
    scores
        Of two runs on the same queries; the first less the second.
    preference
        Id of a query → what users preferred, above 0 the first run, such as its share of the credit of interleaved
        searches less that of the second.
    method, level
        As of `correlate`.

    Returns
    -------
    Correlations
        With each metric beside `users`, the one that agrees most first.

    Raises
    ------
    InputError
        There are not two runs, or no query is both scored and preferred.

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
        of_first, of_second = scores.by_item(metric, first), scores.by_item(metric, second)
        columns[metric] = [of_first.get(query, math.nan) - of_second.get(query, math.nan) for query in preference]
    if not any(math.isfinite(value) for column in columns.values() for value in column):
        ours, theirs = (", ".join(map(repr, list(names)[:3])) for names in (preference, scores.by_item(metric, first)))
        raise InputError(
            f"no query of the log is scored: the log has {ours}, the runs {theirs}; where ids stand for words, say "
            "which: --topics FILE"
        )
    return correlate(columns, human={USERS: np.array(list(preference.values()))}, method=method, level=level)
