"""Set measures: precision and recall over everything returned, whatever its order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking

if TYPE_CHECKING:
    from neraca.stats.interval import Floats


@metric("SetP", why_undefined="nothing was returned")
def set_precision(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Relevant hits / hits returned; not defined when nothing was returned.

    Its mean over the items with results is often called overall precision.

    References
    ----------
    Cleverdon, C. (1967). Aslib Proceedings 19(6), 173-194.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> set_precision(ranking([1, 1, 1, 0, 1, 1, 0, 1]))
    array([0.75])
    """
    return ranking.ratio(ranking.sum(ranking.relevant(rel)), ranking.returned, math.nan)


@metric("SetR", why_undefined="nothing is known to be relevant")
def set_recall(ranking: Ranking, *, rel: float = 1) -> Floats:
    r"""Relevant hits / documents known to be relevant; not defined when none is known.

    Known is what people, qrels, rules or an LLM judged in any of the runs scored together (a pool), so recall is
    relative to the best that these runs found together.

    References
    ----------
    Cleverdon, C. (1967). Aslib Proceedings 19(6), 173-194.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> set_recall(ranking([1, 0, 1], unseen=[1, 1]))
    array([0.5])
    """
    return ranking.ratio(ranking.sum(ranking.relevant(rel)), ranking.known_relevant(rel), math.nan)
