"""U-measure: gain is discounted by the characters of text read before it, not by its rank."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, ranks, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@user_model("UMeasure")
def u_measure_user(gains: Floats, *, L: float = 132000, length: float = 1000) -> tuple[Floats, float]:
    """Reads `length` characters of each hit and at most L in all; a hit costs its characters, see `u_measure`."""
    if not 0 < length < L < math.inf:
        raise SpecError(f"UMeasure: length is above 0 and below L, not {length:g} with L {L:g}")
    left_here = np.maximum(L - ranks(gains) * length, 0.0)
    left_after_next = np.maximum(L - (ranks(gains) + 1.0) * length, 0.0)
    return left_after_next / np.where(left_here > 0, left_here, 1.0), length


@metric(
    "UMeasure",
    high=math.inf,
    empty="expected",
    not_for="before L was thought of; and where lengths of documents are not known",
)
def u_measure(ranking: Ranking, *, at: int = 0, L: float = 132000, length: float = 1000, rel: float = 0) -> Floats:
    r"""U-measure: the gain of all hits, discounted linearly by the text read so far, to 0 at L characters.

    $$ U = \sum_i r_i \max(0, 1 - i\,\ell / L) $$

    $r_i$ is the gain of the hit at rank i, as in `RBP`.  $\ell$ (`length`) is the number of characters that a user
    reads of every hit; the gain comes after they are read.  The default of `length` is a snippet of 200 characters and
    a fifth of a page of 4,000 characters; that of L is the authors'.  The value is 0 when nothing relevant was
    returned, and below L / length.  Users are followed to rank 1000.  U-measure is (1 - length / L) times the total
    gain of `CWL(UMeasure,of=total)`.

    References
    ----------
    Sakai, T. and Dou, Z. (2013). Summaries, ranked retrieval and sessions. SIGIR, 473-482.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> u_measure(ranking([1, 0, 1, 1]), L=4, length=1)  # 3/4 + 1/4 + 0
    array([1.])
    """
    total = expected(ranking, lambda gains: u_measure_user(gains, L=L, length=length), "total", at=at, rel=rel)
    return (1.0 - length / L) * total
