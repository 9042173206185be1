r"""Competence of raters, estimated from their votes without a known truth.

Each rater knows the answer with a certain chance (the competence), and otherwise guesses a category by personal
preference.  Expectation maximisation estimates truth, competences and preferences together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats

Ints = NDArray[np.int64]
_ROUNDS, _ENOUGH = 60, 1e-4
#: Votes added to each rater's, so that few votes make nobody perfect or worthless.
_PRIOR = 0.5


def competence(thing: Ints, rater: Ints, category: Ints, counts: Floats | None = None) -> Floats:
    r"""The chance $\theta_j$ that rater j knew the answer, for each rater.

    $P(\text{j says } c | \text{truth } t) = \theta_j [c = t] + (1 - \theta_j) \xi_{jc}$.

    Parameters
    ----------
    thing, rater, category
        Shape (m,): the numbers, from 0, of each vote's thing, rater and category.
    counts
        Shape (n,): the number of times that each thing counts; None: once.

    Returns
    -------
    Floats
        Shape (raters,), 0 to 1.

    References
    ----------
    Hovy, D., Berg-Kirkpatrick, T., Vaswani, A. and Hovy, E. (2013). Learning whom to trust with MACE. NAACL, 1120-1130.

    Examples
    --------
    >>> things, raters = np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40)
    >>> truth = np.repeat(np.arange(40) % 2, 3)
    >>> votes = np.where(raters < 2, truth, 1)  # the third always votes for 1
    >>> competence(things, raters, votes).round(1).tolist()
    [1.0, 1.0, 0.0]
    """
    n, raters, q = int(thing.max()) + 1, int(rater.max()) + 1, int(category.max()) + 1
    weight = np.ones(n) if counts is None else counts
    theta, likes = np.full(raters, 0.7), np.full((raters, q), 1 / q)
    prior = np.full(q, 1 / q)
    cell, votes, chosen = rater * q + category, weight[thing], np.eye(q)[category]
    for _ in range(_ROUNDS):
        guess = (1 - theta[rater]) * likes[rater, category]
        chance = np.log(guess[:, None] + chosen * theta[rater][:, None])
        truth = np.log(prior) + np.stack([np.bincount(thing, chance[:, c], n) for c in range(q)], axis=1)
        truth = np.exp(truth - truth.max(axis=1, keepdims=True))
        truth /= truth.sum(axis=1, keepdims=True)
        knew = truth[thing, category] * theta[rater] / (theta[rater] + guess)
        before = theta
        votes_that_knew, all_votes = np.bincount(rater, knew * votes, raters), np.bincount(rater, votes, raters)
        theta = (votes_that_knew + _PRIOR) / (all_votes + 2 * _PRIOR)
        guessed = np.bincount(cell, (1 - knew) * votes, raters * q).reshape(raters, q) + _PRIOR / q
        likes = guessed / guessed.sum(axis=1, keepdims=True)
        votes_by_category = weight @ truth + _PRIOR / q
        prior = votes_by_category / votes_by_category.sum()
        if float(np.abs(theta - before).max()) < _ENOUGH:
            break
    return theta


def competence_intervals(
    thing: Ints, rater: Ints, category: Ints, clusters: Ints, *, level: float = 0.95, samples: int = 100, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return percentile bounds of each rater's competence from resampled clusters of things, shapes (raters,).

    `clusters` holds the number of each thing's cluster, shape (n,).
    """
    rng = np.random.default_rng(seed)
    cluster_of_thing = np.unique(clusters, return_inverse=True)[1]
    groups = int(cluster_of_thing.max()) + 1
    draws = (np.bincount(rng.integers(groups, size=groups), minlength=groups)[cluster_of_thing] for _ in range(samples))
    estimates = np.stack([competence(thing, rater, category, counts.astype(np.float64)) for counts in draws])
    low, high = np.quantile(estimates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
