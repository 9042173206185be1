"""TBG, time-biased gain: gain is discounted by the seconds before it, not by its rank."""

from __future__ import annotations

import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.cwl import expected, user_model
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats

#: Probabilities of Smucker and Clarke's users: opening a nonrelevant hit, opening a relevant hit, and recognising an
#: opened relevant hit.
OPENED_NONRELEVANT, OPENED_RELEVANT, RECOGNISED = 0.39, 0.64, 0.77


@user_model("TBG")
def tbg_user(
    gains: Floats, *, halflife: float = 224, summary: float = 4.4, read: float = 16.8
) -> tuple[Floats, Floats]:
    """Half of the users leave in each half-life; a hit costs the seconds that it takes, see `tbg`."""
    if not (halflife > 0 and 0 <= summary < math.inf and 0 <= read < math.inf):
        raise SpecError(
            f"TBG: halflife is above 0, summary and read are not below 0, not {halflife:g}, {summary:g} and {read:g}"
        )
    seconds = summary + read * (OPENED_NONRELEVANT + (OPENED_RELEVANT - OPENED_NONRELEVANT) * gains)
    return np.exp2(-seconds / halflife), seconds


@metric(
    "TBG",
    high=math.inf,
    empty="expected",
    not_for="before its times were fitted to your users; and where lengths of documents are not known",
)
def tbg(
    ranking: Ranking,
    *,
    at: int = 0,
    halflife: float = 224,
    summary: float = 4.4,
    read: float = 16.8,
    rel: float = 1,
) -> Floats:
    r"""Time-biased gain: the number of relevant documents that a user is expected to find before leaving.

    $$ TBG = \sum_i g\,r_i\,2^{-t_i / h}, \qquad t_i = \sum_{j < i} \left( s + d\,(0.39 + 0.25\,r_j) \right) $$

    h is the half-life (`halflife`), s the time to read a summary and d that to read a document (`read`), all in
    seconds.  $r_i$ is 1 where the hit at rank i is relevant, else 0; with `rel=0` it is graded, as in `RBP`.
    $g = 0.64 \cdot 0.77$: 64 % of the users open a relevant hit from its summary, and 77 % of these recognise it as
    relevant.  39 % of the users open a nonrelevant hit.  Every document takes the same time.  The paper has
    $7.8 + 0.018\,w$ seconds for w words; the default of `read` is that of 500 words.  An unjudged hit and a repeated
    document take the time of a nonrelevant hit.  The value is 0 when nothing relevant was returned, and has no upper
    bound.  Users are followed to rank 1000.  TBG is g times the total gain of `CWL(TBG,of=total,rel=1)`.

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

    return OPENED_RELEVANT * RECOGNISED * expected(ranking, user, "total", at=at, rel=rel)
