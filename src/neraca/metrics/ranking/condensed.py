"""Condensed lists: any metric of rankings, over the judged documents alone."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import Metric, metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.interval import Floats


def _most(metric: str = "") -> float:
    """The largest value: that of the metric."""
    return Metric.of(metric).definition.high if metric else math.inf


@metric("Condensed", high=_most, why_undefined="the metric is not defined for the judged hits")
def condensed(ranking: Ranking, *, metric: str) -> Floats:
    """A metric of the hits that somebody judged: the others are taken out, and what follows closes up.

    `Condensed(AP)`, `Condensed(P(rel=2)@5)`.  What nobody judged is then neither relevant nor not; where much of
    the ranking is like that (see `Judged`), this is fairer to systems that had no part in the pool.  A document
    that stood higher keeps its place, since it gains nothing whatever it is.  Negative grades are judgements here;
    trec_eval's `-J` takes them out too.

    Parameters
    ----------
    metric
        Any metric of rankings whose total is a mean, and of which more is better; written as usual.

    Raises
    ------
    SpecError
        For any other.

    References
    ----------
    Sakai, T. (2007). Alternatives to bpref. SIGIR, 71-78.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> condensed(ranking([None, 0, None, 1]), metric="RR")
    array([0.5])
    """
    found = Metric.of(str(metric))
    if found.view is not Ranking:
        raise SpecError(f"Condensed takes a metric of rankings, such as AP or nDCG@10, not {found}")
    if found.definition.total or not found.higher_is_better:
        raise SpecError(f"Condensed takes a metric that is averaged and of which more is better, not {found}")
    return found(closed_up(ranking))  # type: ignore[no-any-return]


def closed_up(ranking: Ranking) -> Ranking:
    """The ranking without the hits that nobody judged.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> closed_up(ranking([None, 0, None, 1])).rank
    array([1, 2])
    """
    ones = np.ones(len(ranking.rank))
    rank, returned = ranking.running(ones), ranking.sum(ones)
    return dataclasses.replace(ranking, rank=rank.astype(np.int64), returned=returned.astype(np.int64))
