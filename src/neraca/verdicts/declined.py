"""Answers that decline, by the effective verdict: a person's, otherwise a model's, otherwise the phrases'."""

from __future__ import annotations

import numpy as np

from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts

#: The aspect of verdicts on whether an answer declines to answer.
DECLINES = "declines"


def declined(verdicts: AnswerVerdicts) -> Floats:
    """Return for each answer 1 if it declines, 0 if it does not, NaN if nobody decided; shape (n,)."""
    table, values = verdicts.table, np.full(verdicts.n, np.nan)
    if DECLINES not in table.aspect.words:
        return values
    rows = verdicts.rows[verdicts.answer[verdicts.rows] >= 0]
    rows = rows[(table.about.isin(["answer"]) & table.aspect.isin([DECLINES]))[rows]]
    values[verdicts.answer[rows]] = table.value[rows]
    return values
