"""People's scores of the responses in a table, as `Scores` of the metric `HumanScore`."""

from __future__ import annotations

import numpy as np

from neraca.scores.scores import Scores
from neraca.scores.sources.values import values
from neraca.stats.intervals.interval import Floats

HUMAN_SCORE = "HumanScore"


def scores_of_people(scores: Scores) -> Scores | None:
    """Return `HumanScore` of each system, from people's scores in the table; None if it has no such scores.

    If one system has several columns of people's scores, each column becomes a run of its own, under its name.  These
    are ratings of the same responses by different people, and not systems to compare.

    Parameters
    ----------
    scores
        The scores of a table of texts, with people's scores among its facts.
    """
    columns: dict[str, Floats] = scores.facts.get("human", {})
    if not columns:
        return None
    if len(scores.runs) > 1:  # one column holds the scores of all systems, one system after the other
        pooled = np.split(next(iter(columns.values())), len(scores.runs))
        columns = {run.name: part for run, part in zip(scores.runs, pooled, strict=True)}
    first = scores.runs[0]
    sessions = list(map(str, first.clusters.tolist()))
    tags = {name: [column[row] for row in range(len(column))] for name, column in first.tags.items()}
    return values(columns, HUMAN_SCORE, sessions=sessions, tags=tags, level=scores.level, intervals=scores.intervals)
