"""Count the hits without a grade: those that nobody judged, and those on which raters differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neraca.grades import UNJUDGED
from neraca.metrics.ranking.graded import GradedHits
from neraca.scores.scores import RunScores
from neraca.scores.undrawn import drawn_rows, part_of_rankings
from neraca.verdicts.relevance import Relevance


class UngradedHits(NamedTuple):
    """Numbers of hits: unjudged, undecided, returned, and left out because their questions expect nothing."""

    unjudged: int = 0
    undecided: int = 0
    returned: int = 0
    left_out: int = 0


def hits_without_grade(run: RunScores, relevance: Relevance | None, depth: int | None = None) -> UngradedHits:
    """Count the hits of drawn answers without a grade, leaving out questions for which nothing can be relevant.

    With `depth`, undecided hits after this rank do not count as undecided.
    """
    if run.scorable is None:
        return UngradedHits()
    hits: GradedHits = run.scorable.column("grades")
    expects_nothing = run.scorable.column("expects") == "none"
    part = part_of_rankings(run)
    counts = np.ones(len(expects_nothing), dtype=bool) if part is None else drawn_rows(run, part)
    can_be_relevant = counts & ~expects_nothing
    judged = np.bincount(hits.owner[hits.grade != UNJUDGED], minlength=len(hits.returned))
    missing = int((hits.returned - judged)[can_be_relevant].sum())
    open_hits = relevance.undecided_hits if relevance else {}
    undecided = 0
    for row in np.flatnonzero(can_be_relevant).tolist() if open_hits else ():
        docs = open_hits.get(run.scorable.column("ids")[row], frozenset())
        undecided += len(docs.intersection(run.scorable.column("hits")[row][:depth])) if docs else 0
    counted, left_out = (int(hits.returned[chosen].sum()) for chosen in (can_be_relevant, counts & expects_nothing))
    return UngradedHits(missing - undecided, undecided, counted, left_out)
