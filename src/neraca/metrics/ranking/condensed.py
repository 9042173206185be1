"""Condensed lists: any metric of rankings, over the judged documents alone."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.definition import INNER
from neraca.metrics.metric import Metric, metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "Condensed",
    described={
        "metric": "{metric} of the judged hits alone: unjudged hits are removed, and the hits below them move up."
    },
    high=lambda metric="": Metric.of(metric).definition.high if metric else math.inf,
    why_undefined="the metric is not defined for the judged hits",
    empty=INNER,
    not_for="to hide that much is unjudged: look at `Judged` first, and judge what is missing",
)
def condensed(ranking: Ranking, *, metric: str) -> Floats:
    r"""A metric of the judged hits alone: unjudged hits are removed, and the hits below them move up.

    $$ M(j_1, j_2, \ldots) $$

    with M the metric, and $j_1, j_2, \ldots$ the judged hits in their order.

    `Condensed(AP)`, `Condensed(P(rel=2)@5)`.  An unjudged hit then counts neither as relevant nor as nonrelevant.
    Where many hits are unjudged (see `Judged`), this is fairer to systems that did not contribute to the pool.  A
    repeated document stays, because it gains nothing whatever its grade is.  Hits with the grade -1 count as unjudged
    and are removed; a lower grade counts as judged, although trec_eval's `-J` removes it too.

    Parameters
    ----------
    metric
        The name of a metric of rankings that is averaged over items and of which more is better.

    Raises
    ------
    SpecError
        For any other metric.

    References
    ----------
    Sakai, T. (2007). Alternatives to bpref. SIGIR, 71-78.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> condensed(ranking([None, 0, None, 1]), metric="RR")
    array([0.5])
    """
    inner = Metric.of(str(metric))
    if inner.view is None or not issubclass(inner.view, Ranking):
        raise SpecError(f"Condensed takes a metric of rankings, such as AP or nDCG@10, not {inner}")
    if inner.definition.total or not inner.higher_is_better:
        raise SpecError(f"Condensed takes a metric that is averaged and of which more is better, not {inner}")
    return inner(closed_up(ranking))  # type: ignore[no-any-return]


def closed_up(ranking: Ranking) -> Ranking:
    """Return the ranking without its unjudged hits.

    >>> from neraca.metrics.ranking.example import ranking
    >>> closed_up(ranking([None, 0, None, 1])).rank
    array([1, 2])
    """
    ranking = ranking.of_judged()
    ones = np.ones(len(ranking.rank))
    rank, returned = ranking.running(ones), ranking.sum(ones)
    return dataclasses.replace(ranking, rank=rank.astype(np.int64), returned=returned.astype(np.int64))
