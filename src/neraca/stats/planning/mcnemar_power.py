r"""Power of McNemar's test, for questions that are right or wrong under two systems.

Only questions on which the systems disagree carry information.  With their share $\psi$ and the difference $\delta$ of
the two shares, the test of n independent questions finds the difference with a chance of

$$ \Phi\left( \frac{|\delta| \sqrt n - z_{1-\alpha/2} \sqrt \psi}{\sqrt{\psi - \delta^2}} \right) $$

with the normal distribution function $\Phi$ and its quantile $z$.  The difference cannot exceed the disagreement, so
$\psi$ is at least $|\delta|$.  The exact test of few questions finds it a little less often.

References
----------
Miettinen, O. S. (1968). Biometrics 24, 339-352; Connor, R. J. (1987). Biometrics 43, 207-211.
"""

from __future__ import annotations

import math


def mcnemar_power(difference: float, disagree: float, n: int, alpha: float = 0.05) -> float:
    """Return the chance that McNemar's two-sided test of n questions finds a true difference of two shares.

    Parameters
    ----------
    difference
        Between -1 and 1.
    disagree
        Share of questions that only one system has right, above 0.

    Examples
    --------
    >>> round(mcnemar_power(0.4, 0.5, 22), 3)
    0.8
    """
    from scipy.special import ndtr, ndtri

    delta = abs(difference)
    disagree = max(disagree, delta)
    z = float(ndtri(1 - alpha / 2))
    shift = delta * math.sqrt(n) - z * math.sqrt(disagree)
    spread = math.sqrt(disagree - delta**2)
    if spread == 0:  # all questions have the same result
        return float(shift > 0)
    return float(ndtr(shift / spread))


def mcnemar_items(difference: float, disagree: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the fewest questions with which McNemar's test finds a true difference with this chance.

    None for no difference, or if more than ten million are needed.

    (1.95996 √.5 + .84162 √(.5 − .16))² / .16 = 22.01 for shares of .05 and .45 that only one system has right.

    >>> mcnemar_items(0.4, 0.5)
    23
    """
    from scipy.special import ndtri

    delta = abs(difference)
    if delta == 0:
        return None
    disagree = max(disagree, delta)
    z, z_power = float(ndtri(1 - alpha / 2)), float(ndtri(power))
    root = (z * math.sqrt(disagree) + z_power * math.sqrt(disagree - delta**2)) / delta
    return max(2, math.ceil(root**2)) if root**2 <= 10_000_000 else None


def mcnemar_detectable(disagree: float, n: int, alpha: float = 0.05, power: float = 0.8) -> float:
    r"""Return the smallest difference of shares that McNemar's test of n questions finds with this chance.

    The larger root of $(n + z_p^2) \delta^2 - 2 z \sqrt{n \psi} \delta + (z^2 - z_p^2) \psi = 0$ (for a power below
    one half the smaller root) with the quantile $z_p$ of the power; NaN if it exceeds the disagreement.

    >>> round(mcnemar_detectable(0.5, 22), 3)
    0.4
    """
    from scipy.special import ndtri

    z, z_power = float(ndtri(1 - alpha / 2)), float(ndtri(power))
    a, half, c = n + z_power**2, z * math.sqrt(n * disagree), (z**2 - z_power**2) * disagree
    discriminant = half**2 - a * c
    if discriminant < 0:
        return math.nan
    difference = (half + math.copysign(math.sqrt(discriminant), z_power)) / a
    return difference if 0 < difference <= disagree else math.nan
