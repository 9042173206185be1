"""Permutation test of the difference between two arms with few users, which are exchanged between the arms."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from neraca.stats.intervals.interval import Floats

#: Up to this many divisions of the users are all tried; of more, as many are drawn at random.
DIVISIONS = 20_000
#: Differences closer than this to the observed one, as a share of it, are equal: sums are rounded.
_ROUNDING = 1e-9


def arm_permutation(a: Floats, b: Floats, seed: int = 0) -> float:
    r"""Return how often users divided at random differ at least as much as the two arms.

    If arms make no difference, every division of the users into groups of these sizes is equally likely.  The statistic
    is $|\sum x_b / \sum y_b - \sum x_a / \sum y_a|$.  All divisions are tried if they are at most `DIVISIONS`; else $m$
    random ones, and $p = (1 + \mathrm{as\ large}) / (1 + m)$.  A division in which a group has no denominator counts as
    large.

    Parameters
    ----------
    a, b
        x and y of each user of an arm, shape (users, 2).
    seed
        The seed of random divisions.

    References
    ----------
    Fisher, R. A. (1935). The Design of Experiments; Phipson, B. and Smyth, G. K. (2010). Stat. Appl. Genet. Mol. Biol.
    9, 39.

    Examples
    --------
    >>> a, b = (np.array([[x, 1.0] for x in values]) for values in ([0, 0, 0], [1, 1, 1]))
    >>> arm_permutation(a, b)  # 2 of the 20 divisions into 3 and 3 users
    0.1
    """
    smaller, larger = sorted((a, b), key=len)
    users = np.concatenate([smaller, larger])
    total = users.sum(axis=0)
    n, k = len(users), len(smaller)
    exact = comb(n, k) <= DIVISIONS
    if exact:
        places = np.array([*combinations(range(n), k)], dtype=np.int64).reshape(-1, k)
    else:
        places = np.random.default_rng(seed).random((DIVISIONS, n)).argpartition(k, axis=1)[:, :k]
    groups = users[places].sum(axis=1)
    observed = _difference(smaller.sum(axis=0)[None], total)[0]
    large = int((~(_difference(groups, total) < observed * (1 - _ROUNDING))).sum())
    return large / len(places) if exact else (1 + large) / (1 + len(places))


def _difference(group: Floats, total: Floats) -> Floats:
    """Return how far the ratio of each group, shape (groups, 2), is from that of the other users."""
    other = total - group
    with np.errstate(invalid="ignore", divide="ignore"):
        difference: Floats = np.abs(group[:, 0] / group[:, 1] - other[:, 0] / other[:, 1])
    return difference
