"""People's scores of the responses in a table, as scores like those of any metric."""

from __future__ import annotations

import numpy as np

from neraca.scores.scores import Scores
from neraca.scores.sources.values import values
from neraca.stats.intervals.interval import Floats

HUMAN_SCORE = "HumanScore"


def scores_of_people(scores: Scores) -> Scores | None:
    """Return the scores that people gave the responses of a table: `HumanScore` of each system; None without any.

    Of one system with several columns of people's scores each column stands alone, by its name; these are several
    people's words on the same responses, and no systems to be compared.

    Parameters
    ----------
    scores
        The scores of a table of texts, with people's scores among its facts.
    """
    columns: dict[str, Floats] = scores.facts.get("human", {})
    if not columns:
        return None
    if len(scores.runs) > 1:  # those of each system stand below each other
        pooled = np.split(next(iter(columns.values())), len(scores.runs))
        columns = {run.name: part for run, part in zip(scores.runs, pooled, strict=True)}
    first = scores.runs[0]
    sessions = list(map(str, first.clusters.tolist()))
    tags = {name: [column[row] for row in range(len(column))] for name, column in first.tags.items()}
    return values(columns, HUMAN_SCORE, sessions=sessions, tags=tags, level=scores.level, intervals=scores.intervals)
