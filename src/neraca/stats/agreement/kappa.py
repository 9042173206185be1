r"""Agreement beyond chance of judges who put the same things into categories.

Each coefficient is computed from summed counts, so the usual resampling gives its interval.  All are $(p_a - p_e) /
(1 - p_e)$ with the share of agreement $p_a$, and differ in the agreement by chance, $p_e$.  If nearly all things are of
one category, kappa is near 0 however well judges agree; AC1 is not.

For grades, weights give partial credit to near misses: with $w_{kl}$ for one judge's category k and another's l, $p_a$
and $p_e$ are sums over all pairs of categories.  Without weights only equal categories count, $w_{kl} = [k = l]$.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, mean


def _beyond_chance(agreed: Floats, chance: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(chance < 1, (agreed - chance) / (1 - chance), np.nan)
    return result


def distance_weights(scale: Floats, power: int = 2) -> Floats:
    r"""Return weights of agreement by the distance of values: $w_{kl} = 1 - (|v_k - v_l| / r)^p$ with the range r.

    Parameters
    ----------
    scale
        Shape (q,): the value of each category; more than one.
    power
        1 for linear weights, 2 for quadratic ones.

    Returns
    -------
    Floats
        Shape (q, q), 0 to 1; 1 on the diagonal.

    References
    ----------
    Cohen, J. (1968). Psychol. Bull. 70, 213-220.

    Examples
    --------
    >>> distance_weights(np.array([1.0, 2, 5])).tolist()
    [[1.0, 0.9375, 0.0], [0.9375, 1.0, 0.4375], [0.0, 0.4375, 1.0]]
    """
    weights: Floats = 1 - (np.abs(scale[:, None] - scale) / np.ptp(scale)) ** power
    return weights


def cross_counts(codes: NDArray[np.int64], categories: int) -> Floats:
    """Return one-hot rows for `cohen_kappa`: each thing's cell in the two judges' table.

    Parameters
    ----------
    codes
        Shape (n, 2): the categories that the two judges chose, from 0.
    categories
        The number q of categories.

    Returns
    -------
    Floats
        Shape (n, q²); one 1 in each row.

    Examples
    --------
    >>> cross_counts(np.array([[0, 1]]), 2)
    array([[0., 1., 0., 0.]])
    """
    rows: Floats = np.eye(categories**2)[codes[:, 0] * categories + codes[:, 1]]
    return rows


def cohen_kappa(sums: Floats, weights: Floats | None = None) -> Floats:
    r"""Cohen's kappa of two judges, or weighted kappa if weights are passed: $p_e = \sum_{kl} w_{kl} p_{k+} p_{+l}$.

    $p_{k+}$ and $p_{+k}$ are the shares of category k for the first and the second judge.  From -1 to 1; 0 is chance.
    NaN if both judges put everything into one category, or if nothing was judged.

    Parameters
    ----------
    sums
        Shape (..., q²), of `cross_counts`.
    weights
        Shape (q, q), such as those of `distance_weights`; None: only equal categories agree.

    References
    ----------
    Cohen, J. (1960). Educ. Psychol. Meas. 20, 37-46; Cohen, J. (1968). Psychol. Bull. 70, 213-220, (weights).

    Examples
    --------
    >>> round(float(cohen_kappa(np.array([20.0, 5, 10, 15]))), 4)  # .7 agreed, .5 × .6 + .5 × .4 by chance
    0.4
    """
    q = round(sums.shape[-1] ** 0.5)
    n = sums.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (sums / n[..., None]).reshape(*sums.shape[:-1], q, q)
    w = np.eye(q) if weights is None else weights
    agreed = (shares * w).sum(axis=(-2, -1))
    chance = (shares.sum(axis=-1) @ w * shares.sum(axis=-2)).sum(axis=-1)
    return _beyond_chance(agreed, chance)


def shared_counts(votes: Floats, weights: Floats | None = None) -> Floats:
    """Return rows for `agreed_share`, `fleiss_kappa` and `gwet_ac1`.

    Parameters
    ----------
    votes
        Shape (n, q): the number of judges who put each thing into each category; at least two for each thing.
    weights
        Shape (q, q), as in `cohen_kappa`.

    Returns
    -------
    Floats
        Shape (n, q + 2): the share of agreeing pairs of judges (with weights, their mean weight), the shares of the
        categories, and 1.

    Examples
    --------
    >>> shared_counts(np.array([[3.0, 1.0]]))  # of six pairs of four judges three agree
    array([[0.5 , 0.75, 0.25, 1.  ]])
    """
    judges = votes.sum(axis=1)
    w = np.eye(votes.shape[1]) if weights is None else weights
    pairs = (votes * (votes @ w - 1)).sum(axis=1) / (judges * (judges - 1))
    return np.column_stack([pairs, votes / judges[:, None], np.ones(len(votes))])


def agreed_share(sums: Floats) -> Floats:
    """Return the mean share of agreeing pairs of judges, 0 to 1; shapes (..., q + 2) -> (...).

    >>> float(agreed_share(shared_counts(np.array([[2.0, 0.0], [1.0, 1.0]])).sum(axis=0)))
    0.5
    """
    return mean(sums)


def _shares(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = sums[..., 1:-1] / sums[..., -1:]
    return result


def fleiss_kappa(sums: Floats, weights: Floats | None = None) -> Floats:
    r"""Fleiss' kappa of any number of judges: $p_e = \sum_{kl} w_{kl} \pi_k \pi_l$.

    $\pi_k$ is the mean share of category k.  `weights` are those of `shared_counts`; without weights, $p_e = \sum_k
    \pi_k^2$.  Things may have different numbers of judges.  If two judges judged everything, unweighted kappa is
    Scott's pi.  At most 1; 0 is chance.  NaN if everything is in one category, or if nothing was judged.
    Shapes (..., q + 2) -> (...), of `shared_counts`.

    References
    ----------
    Fleiss, J. L. (1971). Psychol. Bull. 76, 378-382; Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, ch. 3.

    Examples
    --------
    >>> votes = np.array([[2.0, 0], [2, 0], [0, 2], [1, 1]])
    >>> round(float(fleiss_kappa(shared_counts(votes).sum(axis=0))), 4)  # .75 agreed, .625² + .375² by chance
    0.4667
    """
    shares = _shares(sums)
    expected = shares if weights is None else shares @ weights
    return _beyond_chance(agreed_share(sums), (expected * shares).sum(axis=-1))


def gwet_ac1(sums: Floats) -> Floats:
    r"""Gwet's AC1 of any number of judges: $p_e = \frac{1}{q - 1} \sum_k \pi_k (1 - \pi_k)$.

    $\pi_k$ is the mean share of category k, q the number of categories, chosen or not.  At most 1; 0 is chance.  NaN
    with fewer than two categories, or if nothing was judged.  Shapes (..., q + 2) -> (...), of `shared_counts`.

    References
    ----------
    Gwet, K. L. (2008). Brit. J. Math. Statist. Psychol. 61, 29-48.

    Examples
    --------
    >>> votes = np.array([[2.0, 0], [2, 0], [0, 2], [1, 1]])
    >>> round(float(gwet_ac1(shared_counts(votes).sum(axis=0))), 4)  # .75 agreed, 2 × .625 × .375 by chance
    0.5294
    """
    shares = _shares(sums)
    q = shares.shape[-1]
    if q < 2:
        return np.full(sums.shape[:-1], np.nan)
    return _beyond_chance(agreed_share(sums), (shares * (1 - shares)).sum(axis=-1) / (q - 1))
