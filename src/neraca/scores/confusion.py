"""Counts that are more than one number: confusion matrices of hits and of questions, outcomes of answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from neraca.metrics.constraints.checks import Checks
from neraca.metrics.constraints.query_success import query_confusion
from neraca.metrics.rag import refusal
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts
from neraca.metrics.ranking.hits import hit_confusion, unjudged_hits
from neraca.metrics.ranking.outcome import OUTCOMES, Outcomes
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.declined import declined


@dataclass(frozen=True, slots=True)
class Confusion:
    """A two by two table of counts.

    Attributes
    ----------
    tp, fp, fn, tn
        Counts over all answers (every trial counts).
    unscored
        Answers that are in none of the cells.
    unjudged
        Hits of the scored answers that are in no cell, because they are unjudged or undecided.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    unscored: int
    unjudged: int = 0

    @property
    def empty(self) -> bool:
        """Whether nothing is in any cell."""
        return not (self.tp or self.fp or self.fn or self.tn)

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP), or None."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN), or None."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN), or None."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float | None:
        """(TP + TN) / all, or None."""
        return _share(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _confusion(counts: Floats) -> Confusion:
    unscored = np.isnan(counts).any(axis=1)
    tp, fp, fn, tn = (int(cell) for cell in counts[~unscored].sum(axis=0))
    return Confusion(tp, fp, fn, tn, int(unscored.sum()))


def hits(part: Scorable) -> Confusion:
    """Count the hits of a run: relevant or not, returned or not, within the judged pool."""
    ranking = part.view(Ranking)
    return replace(_confusion(hit_confusion(ranking)), unjudged=int(np.nansum(unjudged_hits(ranking))))


def questions(part: Scorable, at: float = 0.6) -> Confusion:
    """Count the questions of a run: results expected or not, success or not (PassRatio >= at)."""
    return _confusion(query_confusion(part.view(Checks), at))


def outcomes(part: Scorable) -> dict[str, int]:
    """Count the answers that ended in each outcome, in the order of `OUTCOMES`, then `unscored`."""
    names = part.view(Outcomes).names().tolist()
    return {name: names.count(name) for name in OUTCOMES} | {"unscored": names.count("")}


def outcomes_in_words(part: Scorable) -> dict[str, int]:
    """Count the answers in words that ended in each outcome, in the order of `ANSWER_OUTCOMES`.

    Empty if nobody decided of any answer whether it declines, or no question says whether anything answers it.
    """
    verdicts = part.view(JudgeVerdicts)
    names = refusal.outcomes_in_words(verdicts)
    if np.isnan(declined(verdicts.verdicts)).all() or set(names) <= {"failed", refusal.UNDECIDED}:
        return {}
    return {name: names.count(name) for name in refusal.ANSWER_OUTCOMES}
