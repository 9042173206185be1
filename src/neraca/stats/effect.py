"""How large a difference is, apart from how sure it is."""

from __future__ import annotations

import math

from neraca.stats.interval import Floats


def paired_effect(differences: Floats) -> float:
    r"""Cohen's $d_z = \bar d / s_d$ of paired differences, shape (n,) without NaN.

    0.2 is called small, 0.5 medium, 0.8 large.  0 when all differences are 0; NaN with fewer than two items or
    when all differences are equal and not 0.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd ed., sec. 2.3.5.

    Examples
    --------
    >>> import numpy as np
    >>> round(paired_effect(np.array([1.0, 2, 3, 4])), 4)
    1.9365
    """
    if len(differences) < 2:
        return math.nan
    if not differences.any():
        return 0.0
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    return mean / spread if spread > 1e-12 * abs(mean) else math.nan
