"""The number of items that show equivalence by two one-sided t-tests."""

from __future__ import annotations

import math

import numpy as np

#: Points for summing the distribution of the spread.
_POINTS = 500
_MOST = 10_000_000


def equivalence_reached(margin: float, n: float, alpha: float = 0.05) -> float:
    r"""Return the chance that two one-sided paired t-tests with n items show equivalence if there is no difference.

    $$ E_s \max\left(0,\; 2\,\Phi(\theta \sqrt n - s\, t_{1-\alpha,\,n-1}) - 1\right) $$

    is a mean over the distribution of $s$, where $s^2$ is $\chi^2_{n-1} / (n-1)$; $\Phi$ is the normal distribution
    function and $t$ a quantile.  Both tests reject if the mean difference is inside the margin by $t\, s / \sqrt n$ on
    either side.

    Parameters
    ----------
    margin
        $\theta$: the margin in standard deviations of the paired differences, more than 0.
    n
        Items; the result is NaN for fewer than two.
    alpha
        Level of each of the two tests.

    References
    ----------
    Phillips, K. F. (1990). Power of the two one-sided tests procedure in bioequivalence. J. Pharmacokinet. Biopharm.
    18, 137-144.

    Examples
    --------
    >>> [round(equivalence_reached(0.3, n), 2) for n in (20, 97, 200)]
    [0.01, 0.8, 0.99]
    """
    from scipy.special import gammaincinv, ndtr, stdtrit

    if n < 2 or math.isnan(margin):
        return math.nan
    df = n - 1
    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    spread = np.sqrt(2 * gammaincinv(df / 2, shares) / df)
    room = margin * math.sqrt(n) - spread * float(stdtrit(df, 1 - alpha))
    return float(np.maximum(0.0, 2 * ndtr(room) - 1).mean())


def items_for_equivalence(margin: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the fewest items that show equivalence with this chance if there is no difference.

    None without a margin, or if more than ten million are needed.

    References
    ----------
    Lakens, D. (2017). Equivalence tests: a practical primer. Soc. Psychol. Personal. Sci. 8, 355-362 (the normal
    approximation, with a few items fewer, from which the search starts).

    Examples
    --------
    >>> [items_for_equivalence(margin) for margin in (0.2, 0.3, 0.5)]
    [216, 97, 36]
    """
    from scipy.special import ndtri

    if not margin > 0:
        return None
    rough = (float(ndtri(1 - alpha)) + float(ndtri((1 + power) / 2))) / margin
    if rough > math.sqrt(_MOST):
        return None
    n = max(2, math.ceil(rough**2))
    while equivalence_reached(margin, n, alpha) < power:
        n += 1
    while n > 2 and equivalence_reached(margin, n - 1, alpha) >= power:
        n -= 1
    return n
