"""McNemar's test of two systems that are right or wrong on the same items."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, keep_in_range, normal_quantile
from neraca.stats.tests.paired import Paired, cluster_sums, standard_error, t_test, trivial
from neraca.stats.tests.sign import sign_p
from neraca.stats.tests.sign_flip_distribution import can_be_exact, sign_flips


def mcnemar(differences: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Paired:
    r"""McNemar's exact test: $p = \min(1,\; 2 \sum_{k \le \min(b, c)} \binom{b+c}{k} 2^{-b-c})$.

    $b$ items are right on the first side only, $c$ on the second side only.  A session counts by its balance
    $b_g - c_g$, which has either sign with equal chance if neither side is better.  So p comes from the distribution of
    $\sum_g \pm |b_g - c_g|$, exactly, or by a normal distribution if the exact one takes too long; the test is then
    called `mcnemar(normal)`.

    The interval of the difference of shares is Bonett and Price's, cut at -1 and 1 as they propose.  With sessions it
    is Student's t with clustered errors, and a bound beyond -1 or 1 is replaced (`keep_in_range`).  The statistic is $b
    - c$.

    Parameters
    ----------
    differences
        Shape (n,): value of a minus value of b; values are 0 or 1.
    clusters, level
        As in `t_test`.

    Raises
    ------
    ValueError
        A difference is not 1, 0 or -1.

    References
    ----------
    McNemar, Q. (1947). Psychometrika 12, 153-157; Bonett, D. G. and Price, R. M. (2012). J. Educ. Behav. Statist. 37,
    479-488.

    Examples
    --------
    >>> result = mcnemar(np.array([1.0, 1, 1, 1, 1, -1, 0, 0]))  # 2 (1 + 6) / 64
    >>> result.statistic, round(result.p, 6)
    (4.0, 0.21875)
    """
    whole = np.rint(differences)
    if not ((np.abs(whole) <= 1) & (np.abs(differences - whole) <= 1e-9)).all():
        raise ValueError("McNemar's test takes differences of values that are 0 or 1; use a sign test for others")
    if (simple := trivial(whole, "mcnemar")) is not None:
        return simple
    sums = np.rint(cluster_sums(whole, clusters)[0]).astype(np.int64)
    exact = True
    if len(sums) == len(differences):
        wins, losses = int((whole > 0).sum()), int((whole < 0).sum())
        p = sign_p(wins, losses)
        low, high = _shares(wins, losses, len(differences), level)
    else:
        exact = can_be_exact(sums)
        p = sign_flips(sums, exact)
        student = t_test(differences, clusters, level)
        value = student.difference
        low, high = keep_in_range(value, (student.low, student.high), (-1.0, 1.0), len(sums), tested=[0.0])
    error, test = standard_error(differences, clusters), "mcnemar" if exact else "mcnemar(normal)"
    return Paired(float(differences.mean()), low, high, p, float(sums.sum()), error, len(differences), test)


def _shares(wins: int, losses: int, n: int, level: float) -> tuple[float, float]:
    """Return Wald's interval after adding one item of either kind (Bonett and Price)."""
    only_a, only_b = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    centre = only_a - only_b
    half = normal_quantile(level) * math.sqrt((only_a + only_b - centre**2) / (n + 2))
    return max(-1.0, centre - half), min(1.0, centre + half)
