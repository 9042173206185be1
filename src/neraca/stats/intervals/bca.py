"""Bias-corrected and accelerated bootstrap (BCa): the quantiles of resampled totals that bound an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neraca.stats.intervals.interval import Floats, to_unit


@dataclass(frozen=True, slots=True)
class Bca:
    r"""The correction of the quantiles of resampled totals.

    The bound that leaves out $\alpha$ below is the quantile $\Phi(z_0 + (z_0 + z_\alpha) / (1 - a\,(z_0 + z_\alpha)))$
    of the resampled totals, with the normal distribution function $\Phi$ and its quantile $z_\alpha$.

    Attributes
    ----------
    bias
        $z_0$: normal quantile of the share of resampled totals below the total; equal ones count half.
    acceleration
        $a$: skewness of the total's chance, between -1/6 and 1/6.

    References
    ----------
    Efron, B. (1987). J. Amer. Statist. Assoc. 82, 171-185.
    """

    bias: float
    acceleration: float

    def share(self, alpha: float) -> float:
        """Return the share of resampled totals below the bound that leaves out alpha.

        >>> round(Bca(0.1, 0.0).share(0.025), 4)  # twice the bias further up: -1.96 + 0.2
        0.0392
        """
        from scipy.special import ndtr, ndtri

        z = self.bias + float(ndtri(alpha))
        divisor = 1 - self.acceleration * z
        return float(ndtr(self.bias + z / divisor)) if 0 < divisor < math.inf else float(z > 0)

    def alpha(self, share: float) -> float:
        """Return the alpha of the bound with this share of resampled totals below it; inverts `share`.

        >>> round(Bca(0.1, 0.05).alpha(Bca(0.1, 0.05).share(0.025)), 12)
        0.025
        """
        from scipy.special import ndtr, ndtri

        z = float(ndtri(share)) - self.bias
        divisor = 1 + self.acceleration * z
        return float(ndtr(z / divisor - self.bias)) if 0 < divisor < math.inf else float(z > 0)


def bca(below: float, influence: Floats) -> Bca:
    r"""Bias and acceleration $a = \sum_g u_g^3 / (6\,(\sum_g u_g^2)^{3/2})$; 0 if no unit moves the total.

    Parameters
    ----------
    below
        Share of resampled totals below the total, between 0 and 1.
    influence
        The influence of each unit $g$ on the total, such as pseudo-values, shape (g,); $u_g$ is its deviation from the
        mean.

    Examples
    --------
    >>> import numpy as np
    >>> round(bca(0.5, np.array([-2.0, -2, -2, 6])).acceleration, 4)  # (216 - 24) / (6 * 48^1.5)
    0.0962
    """
    from scipy.special import ndtri

    centred = to_unit(influence - influence.mean())[0]
    spread = float((centred**2).sum()) ** 1.5
    return Bca(float(ndtri(below)), float((centred**3).sum()) / (6 * spread) if spread else 0.0)
