r"""The Bradley-Terry model: strengths of things that were compared in pairs.

The first of two things is preferred with the log odds $\theta_a - \theta_b + \sum_j \beta_j x_j$: their difference in
strength plus the effects of covariates, such as the position of the first.  A tie is half a win for each.  The model is
a logistic regression, fitted by Newton's method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Estimate, Floats, normal_quantile, t_quantile
from neraca.stats.intervals.resample import by_cluster

Ints = NDArray[np.int64]
#: Newton's method doubles its correct digits at each step; if it needs more steps, there is no maximum.
_STEPS = 50
#: Log odds of one to three million; estimates beyond this bound grow without end.
_ENDLESS = 15.0


@dataclass(frozen=True, eq=False)
class Strengths:
    """Estimated strengths of k things, and c effects of covariates.

    Attributes
    ----------
    theta
        Shape (k,): strengths as log odds, with mean 0.
    beta
        Shape (c,): effects as log odds.
    covariance
        Covariance of both, shape (k + c, k + c); NaN if one cluster is too little to estimate it.
    df
        Degrees of freedom of Student's t; None: the normal distribution.
    n
        The number of comparisons.
    regularised
        Whether fictitious comparisons were added; see `bradley_terry`.
    level
        Confidence of the intervals.
    """

    theta: Floats
    beta: Floats
    covariance: Floats
    df: int | None
    n: int
    regularised: bool
    level: float

    def strength(self, i: int) -> Estimate:
        """Return how far thing i is above the mean of all, in log odds."""
        return self._estimate(self._unit_vector(i))

    def difference(self, i: int, j: int) -> Estimate:
        """Return how far thing i is above thing j, in log odds."""
        return self._estimate(self._unit_vector(i) - self._unit_vector(j))

    def effect(self, j: int) -> Estimate:
        """Return effect j, in log odds."""
        return self._estimate(self._unit_vector(len(self.theta) + j))

    def chance(self, i: int, j: int) -> Estimate:
        """Return the chance that thing i is preferred to thing j, a tie counted half, all else being equal."""
        log_odds = self.difference(i, j)
        value, low, high = _chance(np.array([log_odds.value, log_odds.low, log_odds.high])).tolist()
        return Estimate(value, low, high, log_odds.n, log_odds.method, log_odds.why)

    def share(self, i: int) -> float:
        """Return the chance that thing i is preferred to another one, averaged over these; NaN for a single thing."""
        other_strengths = np.delete(self.theta, i)
        return float(_chance(self.theta[i] - other_strengths).mean()) if len(other_strengths) else math.nan

    def _unit_vector(self, place: int) -> Floats:
        unit_vector: Floats = np.eye(len(self.covariance))[place]
        return unit_vector

    def _estimate(self, contrast: Floats) -> Estimate:
        value = float(contrast @ np.concatenate([self.theta, self.beta]))
        variance = float(contrast @ self.covariance @ contrast)
        if not variance > 0:  # also NaN
            return Estimate.without_interval(value, self.n, "nothing shows how much is chance")
        quantile = normal_quantile(self.level) if self.df is None else t_quantile(self.level, self.df)
        half = quantile * math.sqrt(variance)
        return Estimate(value, value - half, value + half, self.n, "normal" if self.df is None else "t")


def bradley_terry(
    first: Ints,
    second: Ints,
    won: Floats,
    *,
    covariates: Floats | None = None,
    clusters: Ints | None = None,
    level: float = 0.95,
) -> Strengths:
    """Estimate the strengths of k things from n comparisons of two.

    A tie is half a win for each and needs no further parameter (Turner and Firth 2012, sec. 2.2).  So `won` may be any
    share between 0 and 1, such as the mean of several votes.

    If some things never lose to the others, not even by a tie, their most likely strengths are infinite (Ford 1957).
    So is the effect of a covariate that decides every comparison, such as a position that always wins.  Only then
    each thing and each effect gets two fictitious comparisons, one won and one lost against an average thing.  They
    shrink all estimates a little (log-F(2, 2) prior; Mease 2003, Greenland and Mansournia 2015); `regularised` is true.

    Standard errors are clustered (Liang and Zeger 1986), with Student's t, because comparisons on one question are not
    independent and ties vary less than wins.  Without clusters, or with fictitious comparisons, they come from the
    curvature of the likelihood.

    Parameters
    ----------
    first, second
        Shape (n,): the two things of each comparison, from 0 to k - 1; all k must occur.
    won
        Shape (n,): 1 if the first was preferred, 0 if the second was, 0.5 for a tie.
    covariates
        Shape (n, c): other facts that affect the preference for the first; None: none.
    clusters
        Shape (n,): number of each comparison's cluster; None: all are independent.
    level
        Confidence of the intervals.

    References
    ----------
    Bradley, R. A. and Terry, M. E. (1952). Biometrika 39, 324-345; Ford, L. R. (1957). Amer. Math. Monthly 64(8),
    28-33; Turner, H. and Firth, D. (2012). J. Statist. Software 48(9); Mease, D. (2003). Amer. Statist. 57, 241-248;
    Greenland, S. and Mansournia, M. A. (2015). Statist. Med. 34, 3133-3143; Liang, K.-Y. and Zeger, S. (1986).
    Biometrika 73, 13-22.

    Examples
    --------
    >>> three_of_four = bradley_terry(np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1]), np.array([1.0, 1, 1, 0]))
    >>> round(three_of_four.difference(0, 1).value, 4), round(three_of_four.chance(0, 1).value, 2)  # log 3
    (1.0986, 0.75)
    """
    n, k = len(won), int(max(first.max(), second.max())) + 1
    covariates = np.zeros((n, 0)) if covariates is None else covariates
    design = np.concatenate([np.eye(k)[first] - np.eye(k)[second], covariates], axis=1)
    parameters, inverse, regularised = _fit(design, won, k, _strongly_connected(first, second, won, k))
    covariance, df = inverse, None
    if clusters is not None and not regularised:
        covariance, df = _of_clusters(design, won - _chance(design @ parameters), inverse, clusters)
    centring = np.eye(len(parameters))
    centring[:k, :k] -= 1 / k
    parameters, covariance = centring @ parameters, centring @ covariance @ centring.T
    return Strengths(parameters[:k], parameters[k:], covariance, df, n, regularised, level)


def connected_groups(first: Ints, second: Ints, k: int) -> Ints:
    """Return the number of each thing's group; comparisons connect the things of a group, directly or indirectly.

    >>> connected_groups(np.array([0, 2]), np.array([1, 3]), 4).tolist()
    [0, 0, 1, 1]
    """
    return _components(first, second, k, "weak")


def _components(first: Ints, second: Ints, k: int, connection: str) -> Ints:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(first)), (first, second)), shape=(k, k))
    groups: Ints = connected_components(graph, directed=True, connection=connection)[1].astype(np.int64)
    return groups


def _strongly_connected(first: Ints, second: Ints, won: Floats, k: int) -> bool:
    """Return whether a chain of losses leads from each thing to each other one (Ford's condition)."""
    winners = np.concatenate([first[won > 0], second[won < 1]])
    losers = np.concatenate([second[won > 0], first[won < 1]])
    return not _components(winners, losers, k, "strong").any()


def _chance(log_odds: Floats) -> Floats:
    chance: Floats = (1 + np.tanh(log_odds / 2)) / 2  # 1 / (1 + exp(-x)), which overflows nowhere
    return chance


def _fit(design: Floats, won: Floats, k: int, finite: bool) -> tuple[Floats, Floats, bool]:
    """Return parameters, the inverse of the curvature, and whether fictitious comparisons were added.

    `finite` says whether the most likely strengths are finite without covariates; with them the fit may still diverge.
    """
    mean = (np.arange(design.shape[1]) < k) / math.sqrt(k)
    parameters, inverse, converged = _newton(design, won, np.outer(mean, mean))
    if finite and converged:
        return parameters, inverse, False
    fictitious = np.eye(design.shape[1])
    rows = np.concatenate([design, fictitious, fictitious])
    wins = np.concatenate([won, np.ones(len(fictitious)), np.zeros(len(fictitious))])
    return *_newton(rows, wins, np.zeros_like(fictitious))[:2], True


def _newton(design: Floats, won: Floats, ridge: Floats) -> tuple[Floats, Floats, bool]:
    """Return the most likely parameters, the inverse of the curvature there, and whether the method converged.

    Without fictitious comparisons the mean strength is not identified; `ridge` fixes it at 0.
    """
    parameters: Floats = np.zeros(design.shape[1])
    step: Floats = np.ones(1)
    likelihood = partial(_log_likelihood, design, won)
    for _ in range(_STEPS):
        chance = _chance(design @ parameters)
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + ridge
        if np.abs(step).max() < 1e-9 or np.abs(parameters).max() > _ENDLESS:
            break
        step = np.linalg.pinv(curvature, hermitian=True) @ (design.T @ (won - chance))
        while likelihood(parameters + step) < likelihood(parameters) - 1e-9:
            step = step / 2
        parameters = parameters + step
    inverse: Floats = np.linalg.pinv(curvature, hermitian=True).astype(np.float64)
    return parameters, inverse, bool(np.abs(step).max() < 1e-9)


def _log_likelihood(design: Floats, won: Floats, parameters: Floats) -> float:
    log_odds = design @ parameters
    return float((won * log_odds - np.logaddexp(0, log_odds)).sum())


def _of_clusters(design: Floats, residuals: Floats, inverse: Floats, clusters: Ints) -> tuple[Floats, int | None]:
    """Return the clustered covariance of the parameters, and its degrees of freedom."""
    scores = by_cluster(design * residuals[:, None], clusters)
    groups = len(scores)
    if groups < 2:
        return np.full_like(inverse, np.nan), None
    return inverse @ (groups / (groups - 1) * scores.T @ scores) @ inverse, groups - 1
