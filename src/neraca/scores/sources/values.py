"""Ready values as scorables: numbers of several systems on the same items, computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from neraca.categorical import Categorical
from neraca.datasets.value_table import ValueTable
from neraca.errors import InputError
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable, constant
from neraca.scores.scores import Scores
from neraca.scores.scoring import check_level, run_scores, score_parts, scores_of
from neraca.scores.unit import AUTO, clusters_of

VALUE = "Value"


def values(
    systems: Mapping[str, ArrayLike],
    metric: str | Metric = VALUE,
    *,
    ids: Sequence[str] | None = None,
    sessions: Sequence[str] | None = None,
    tags: Mapping[str, Sequence[str]] | None = None,
    level: float = 0.95,
    intervals: str = "t",
    unit: str = AUTO,
) -> Scores:
    """Take values of systems on the same items, to compare, test and report them as any other scores.

    Parameters
    ----------
    systems
        Name → a number for each item, shape (n,); NaN: unscored.
    metric
        `Value`, or `Value(better=lower)` where less is better.
    ids
        The ids of the items; default their numbers from 1.
    sessions
        The session of each item; "" for one that is alone.
    tags
        Name → a value for each item, to group by.
    level, intervals, unit
        As in `score`.

    Raises
    ------
    InputError
        There is no system, or a column does not have one value for each item.

    Examples
    --------
    >>> scores = values({"old": [0.2, 0.4, 0.3], "new": [0.3, 0.6, 0.5]})
    >>> round(scores.mean("Value", "new"), 3)
    0.467
    """
    if not systems:
        raise InputError("there is no system; give at least one with its values, such as {'old': [0.2, 0.4]}")
    columns = {name: np.asarray(system_values, dtype=np.float64) for name, system_values in systems.items()}
    n = len(next(iter(columns.values())))
    table = ValueTable(list(ids or map(str, range(1, n + 1))), columns, tags or {}, sessions, {})
    return scores_of_values(table, metric, level=level, intervals=intervals, unit=unit)


def scores_of_values(
    table: ValueTable, metric: str | Metric = VALUE, *, level: float = 0.95, intervals: str = "t", unit: str = AUTO
) -> Scores:
    """Score a table of values; raise `InputError` if a column does not have one value for each item."""
    check_level(level)
    n = len(table.ids)
    lengths = {name: len(column) for name, column in table.systems.items()}
    lengths |= {name: len(column) for name, column in table.tags.items()}
    lengths |= {} if table.sessions is None else {"sessions": len(table.sessions)}
    if wrong := [name for name, length in lengths.items() if length != n]:
        raise InputError(f"{wrong[0]}: {lengths[wrong[0]]:,} values for {n:,} items; there must be one for each")
    sessions = table.sessions or [""] * n
    more: dict[str, Callable[[], Any]] = {
        "item_ids": lambda: table.ids,
        "ids": lambda: table.ids,
        "clusters": lambda: clusters_of(sessions),
        "tags": lambda: {name: Categorical.of(column) for name, column in table.tags.items()},
    }
    metrics = Metric.several(metric)
    parts = [
        Scorable(name, n, more | {"values": constant(column)}, holds="ready values")
        for name, column in table.systems.items()
    ]
    group = score_parts(parts, metrics)
    facts: dict[str, Any] = {
        "no_numbers": {name: (*cells, False) for name, cells in table.no_numbers.items()},
        "session": table.session,
        "taken": table.taken,
    }
    scored = [run_scores(part, metrics) for part in parts]
    return scores_of(scored, metrics, group, unit=unit, facts=facts, level=level, intervals=intervals)
