r"""Estimate from clicks how many users look at each rank, whatever attracts them to the documents.

Document d at rank r gets $c_{dr}$ clicks in $n_{dr}$ impressions, with the mean $n_{dr} \theta_r \alpha_d$.  Each
document has an attraction $\alpha_d$ of its own, and most have few clicks.  The maximum of the likelihood over
$\theta$ and all $\alpha_d$ together is biased, however long the log is, if its documents stay rare.  So $\alpha_d$ is
conditioned away: of the $C_d$ clicks of a document, the share $n_{dr} \theta_r / \sum_s n_{ds} \theta_s$ is expected at
rank r.  These equations hold on average for any $\alpha_d$.  They are those of Poisson regression with an intercept for
each document.

References
----------
Wooldridge, J. M. (1999). Distribution-free estimation of some nonlinear panel data models. J. Econometrics 90, 77-97;
Liang, K.-Y. and Zeger, S. L. (1986). Biometrika 73, 13-22 (sandwich variance by cluster).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample, sums

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Newton's steps: the largest change of a logarithm in one, the change at which they end, and the most of them.
_LARGEST_STEP, _TOLERANCE, _MOST_STEPS = 1.0, 1e-10, 200
#: With fewer clicks at a rank, the variance is at least that of independent clicks.
_FEW_CLICKS = 20


@dataclass(frozen=True)
class Examination:
    r"""Examination by rank, $\log \theta_r$, relative to the first rank.

    Attributes
    ----------
    log
        Shape (depth,); NaN for a rank that cannot be compared with the first.
    information
        The negative derivative of the equations, shape (free ranks, free ranks).
    free
        The ranks that were estimated, without the first.
    converged
        Whether Newton's steps ended.
    """

    log: Floats
    information: Floats
    free: Ints
    converged: bool


@dataclass(frozen=True)
class Uncertainty:
    """The covariance of the logarithms, shape (depth, depth), and for each entry the effective number of queries."""

    covariance: Floats
    queries: Floats


def estimate_examination(sample: Sample, pairs: int, comparable: Bools) -> Examination:
    """Estimate the examination of the ranks that can be compared with the first.

    For each rank, one click at each of the two ranks of a document that was shown as often at the first is added with
    the weight 1/2, so that every estimate is finite.
    """
    cells = _Cells.of(sample, pairs, comparable)
    free = np.flatnonzero(comparable)
    free = free[free > 0]
    log = np.zeros(sample.depth)
    converged = False
    for _ in range(_MOST_STEPS):
        score, information = cells.equations(log, free)
        step = np.linalg.solve(information, score)
        step *= min(1.0, _LARGEST_STEP / max(np.abs(step).max(initial=0.0), 1e-300))
        log[free] += step
        if np.abs(step).max(initial=0.0) < _TOLERANCE:
            converged = True
            break
    _, information = cells.equations(log, free)
    log[~comparable] = np.nan
    return Examination(log, information, free, converged)


def uncertainty(examination: Examination, sample: Sample, pairs: int, query: Ints) -> Uncertainty:
    r"""Return the sandwich variance over queries: searches for one query may depend on each other in any way.

    `query` has the query of each pair.  The effective number of queries of an entry is $(\sum w)^2 / \sum w^2$ of
    their contributions w to its variance.
    """
    comparable = np.isfinite(examination.log)
    cells = _Cells.of(sample, pairs, comparable)
    log = np.where(comparable, examination.log, 0.0)
    inverse = np.linalg.inv(examination.information)
    by_query = cells.scores_by_query(log, query[cells.pair])[:, examination.free] @ inverse
    of_free = by_query.T @ by_query
    few = sums(cells.rank, cells.clicks, sample.depth)[examination.free] < _FEW_CLICKS
    raised = np.sqrt(np.where(few, np.maximum(1.0, np.diag(inverse) / np.maximum(np.diag(of_free), 1e-300)), 1.0))
    by_query *= raised
    wide = np.zeros((len(by_query), sample.depth))
    wide[:, examination.free] = by_query
    covariance = wide.T @ wide
    squares = (wide**2).T @ wide**2
    with np.errstate(invalid="ignore", divide="ignore"):
        queries = np.where(np.diag(squares) > 0, np.diag(covariance) ** 2 / np.diag(squares), np.nan)
    return Uncertainty(covariance, queries)


@dataclass(frozen=True)
class _Cells:
    """Impressions and clicks by document and rank, of documents with clicks at ranks that can be compared."""

    pair: Ints
    rank: Ints
    impressions: Floats
    clicks: Floats
    clicks_of_pair: Floats
    depth: int

    @classmethod
    def of(cls, sample: Sample, pairs: int, comparable: Bools) -> _Cells:
        at_comparable = comparable[sample.rank]
        clicks_of_pair = sums(sample.pair[at_comparable], sample.clicks[at_comparable], pairs)
        used = at_comparable & (clicks_of_pair[sample.pair] > 0)
        return cls(
            sample.pair[used],
            sample.rank[used],
            sample.impressions[used],
            sample.clicks[used],
            clicks_of_pair,
            sample.depth,
        )

    def shares(self, log: Floats) -> Floats:
        """Return the share of the clicks of its document that each cell is expected to have."""
        looks = self.impressions * np.exp(log)[self.rank]
        shares: Floats = looks / sums(self.pair, looks, len(self.clicks_of_pair))[self.pair]
        return shares

    def equations(self, log: Floats, free: Ints) -> tuple[Floats, Floats]:
        """Return the value of the equations and their negative derivative, at the free ranks."""
        shares = self.shares(log)
        expected = self.clicks_of_pair[self.pair] * shares
        table = self._sparse(np.sqrt(self.clicks_of_pair[self.pair]) * shares)
        information = np.diag(sums(self.rank, expected, self.depth)) - (table.T @ table).toarray()
        score = sums(self.rank, self.clicks - expected, self.depth)
        even = 1 / (1 + np.exp(-log))
        score += 0.5 - even
        information += np.diag(even * (1 - even))
        return score[free], information[np.ix_(free, free)]

    def scores_by_query(self, log: Floats, query: Ints) -> Floats:
        """Return what each query adds to the equations, shape (queries, depth)."""
        _, number = np.unique(query, return_inverse=True)
        n = int(number.max(initial=-1)) + 1
        residuals = self.clicks - self.clicks_of_pair[self.pair] * self.shares(log)
        return sums(number * self.depth + self.rank, residuals, n * self.depth).reshape(n, self.depth)

    def _sparse(self, values: Floats) -> csr_array:
        from scipy.sparse import csr_array

        return csr_array((values, (self.pair, self.rank)), shape=(len(self.clicks_of_pair), self.depth))
