"""Answers that decline, by the verdict that counts: a person's, else a model's, else that of phrases."""

from __future__ import annotations

import numpy as np

from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts

#: The aspect of an answer that says that it cannot answer.
DECLINES = "declines"


def declined(verdicts: AnswerVerdicts) -> Floats:
    """Return for each answer 1 if it declines, 0 if it does not, NaN if nobody decided; shape (n,)."""
    table, values = verdicts.table, np.full(verdicts.n, np.nan)
    if DECLINES not in table.aspect.words:
        return values
    rows = verdicts.rows[verdicts.answer[verdicts.rows] >= 0]
    whole = table.about.where([about == "answer" for about in table.about.words])[rows]
    rows = rows[whole & table.aspect.where([name == DECLINES for name in table.aspect.words])[rows]]
    values[verdicts.answer[rows]] = table.value[rows]
    return values
