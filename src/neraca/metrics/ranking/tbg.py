"""TBG, time-biased gain: gain counts the less the later it comes, in seconds and not in ranks."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats

#: Probabilities that the users of Smucker and Clarke opened a hit of no relevance, opened a relevant one from its
#: summary, and then found it relevant.
OPENED_WRONG, OPENED, SAVED = 0.39, 0.64, 0.77


@user_model("TBG")
def tbg_user(
    gains: Floats, *, halflife: float = 224, summary: float = 4.4, read: float = 16.8
) -> tuple[Floats, Floats]:
    """Of all users half are left after each half-life; a hit costs the seconds that it takes: see `tbg`."""
    if not (halflife > 0 and 0 <= summary < math.inf and 0 <= read < math.inf):
        raise SpecError(
            f"TBG: halflife is above 0, summary and read are not below 0, not {halflife:g}, {summary:g} and {read:g}"
        )
    seconds = summary + read * (OPENED_WRONG + (OPENED - OPENED_WRONG) * gains)
    return np.exp2(-seconds / halflife), seconds


@metric("TBG", high=math.inf)
def tbg(
    ranking: Ranking,
    *,
    at: int = 0,
    halflife: float = 224,
    summary: float = 4.4,
    read: float = 16.8,
    rel: float = 1,
) -> Floats:
    r"""Time-biased gain: how many relevant documents a user finds before the time for it runs out.

    $$ TBG = \sum_i g\,r_i\,2^{-t_i / h}, \qquad t_i = \sum_{j < i} \left( s + d\,(0.39 + 0.25\,r_j) \right) $$

    with h the half-life in seconds, s the seconds to read a summary, d the seconds to read a document, $r_i$ 1 where
    the hit at rank i is relevant and else 0, and $g = 0.64 \cdot 0.77$: 64 % of the users open a relevant hit from its
    summary and 77 % of these recognise it, 39 % open one that is not relevant.  Every document takes the same time;
    the paper has $7.8 + 0.018\,w$ seconds for w words, which is the default of `read` for 500 words.  A hit that
    nobody judged, or that stood higher already, takes the time of one that is not relevant.  With `rel=0`
    $r_i$ is graded, as in `RBP`.  From 0, when nothing relevant was returned; without a bound above.  Users are
    followed to rank 1000.  It is g times the total gain of `CWL(TBG,of=total,rel=1)`.

    References
    ----------
    Smucker, M. and Clarke, C. (2012). Time-based calibration of effectiveness measures. SIGIR, 95-104.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> tbg(ranking([1, 0, 1]), halflife=1, summary=1, read=0)  # 0.4928 * (1 + 1/4)
    array([0.616])
    """

    def user(gains: Floats) -> tuple[Floats, Floats]:
        return tbg_user(gains, halflife=halflife, summary=summary, read=read)

    return OPENED * SAVED * expected(ranking, user, "total", at=at, rel=rel)
