"""Judged: the share of the first hits that was judged; it shows how far other metrics can be trusted."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import AnyRanking
from neraca.stats.intervals.interval import Floats


@metric(
    "Judged",
    kind="diagnostic",
    why_undefined="nothing was returned",
    described={"of=k": "Judged hits among the first k, divided by k; missing hits count as unjudged."},
    not_for="to say which run is better: it says how much is known, a diagnostic",
)
def judged(ranking: AnyRanking, *, at: int = 0, of: str = "returned") -> Floats:
    r"""Judged hits among the first k (all without a cutoff), divided by min(k, number returned).

    $$ Judged@k = |\{d \in \text{top}_k : d \text{ is judged}\}| / \min(k, \text{returned}) $$

    As in ir_measures, except that the grade -1 counts as unjudged ("in the pool, not judged"); every other grade, also
    -2, is a judgement.  With `of=k` the divisor is k, so missing hits count as unjudged.  The value is 0 if no hit is
    judged, also if nobody judged anything for the question.  It is undefined for an empty answer, or 0 with `of=k`.  A
    repeated document counts as judged, because it gains nothing whatever its grade is.

    References
    ----------
    MacAvaney, S., Macdonald, C. and Ounis, I. (2022). Streamlining evaluation with ir-measures. ECIR, 305-310.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> judged(ranking([1, None, 0, None]), at=3).round(4)
    array([0.6667])
    >>> judged(ranking([1, None, 0, None]), at=5, of="k")
    array([0.4])
    """
    if of not in ("k", "returned"):
        raise SpecError(f"Judged: of is k or returned, not {of!r}")
    if of == "k" and not at:
        raise SpecError("Judged(of=k) needs a cutoff to divide by; write Judged(of=k)@10")
    judged_hits = ranking.sum(ranking.judged & (ranking.rank <= at) if at else ranking.judged)
    if of == "k":
        return judged_hits / at
    looked_at = np.minimum(ranking.returned, at) if at else ranking.returned
    return ranking.ratio(judged_hits, looked_at, math.nan)
