"""Precision (P): the share of the first hits that is relevant."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.stats.intervals.interval import Floats


@metric(
    "P",
    why_undefined="nothing was returned",
    empty=lambda of="k", **_: "skip" if of == "returned" else "expected",
    described={"of=returned": "Precision at k: relevant hits among the first k, divided by min(k, number of hits)."},
    not_for="where fewer than k documents are relevant (it cannot reach 1), or order within k matters: `nDCG`",
    binary=lambda at=10, **_: at == 1,
)
def precision(ranking: Ranking, *, at: int = 10, rel: float = 1, of: str = "k") -> Floats:
    r"""Precision at k: relevant hits among the first k, divided by k.

    $$ P@k = |\{d \in \text{top}_k : g_d \ge rel\}| / k $$

    $g_d$ is the grade of hit d.  A ranking with fewer than k hits is divided by k too, as in trec_eval.  With
    `of=returned` the divisor is min(k, number of hits).  The default of `empty` is then `skip`, otherwise `expected`.

    References
    ----------
    van Rijsbergen, C. J. (1979). Information Retrieval, 2nd ed., ch. 7.

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> precision(ranking([1, 1, 0]), at=5)
    array([0.4])
    >>> precision(ranking([1, 1, 0]), at=2, of="returned")
    array([1.])
    """
    if of not in ("k", "returned"):
        raise SpecError(f"P: of is k or returned, not {of!r}")
    relevant = ranking.sum(ranking.relevant(rel, at))
    if of == "k":
        return relevant / at
    return ranking.ratio(relevant, np.minimum(ranking.returned, at), ranking.empties.zero_or_nan)
