"""The interval of the mean of a finite population, of which a part was drawn at random."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import (
    NO_RANGE,
    Floats,
    Range,
    bounded_interval,
    clustered_error,
    wilson,
)


def finite_population_interval(
    values: Floats,
    share: float,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    limits: Range = NO_RANGE,
) -> tuple[float, float]:
    r"""Return the interval of the mean that all values of a population have, from those that were drawn.

    The drawn values are a random sample without replacement.  The variance of their mean is smaller by the factor
    $1 - f$ than that of a sample from an endless population, where $f$ is the share that was drawn; with all drawn,
    nothing is left to chance.  So this interval is about these answers only, while `interval` is about all answers
    that the system might give.

    Parameters
    ----------
    values
        Shape (n,), without NaN: the drawn values.
    share
        The share of the population that was drawn, above 0 and at most 1.
    clusters
        Shape (n,): number of each value's cluster if whole clusters were drawn; None: values were drawn one by one.
    level, limits
        Confidence; least and largest value.

    Returns
    -------
    tuple[float, float]
        Wilson's interval with $n / (1 - f)$ items if all values are 0 or 1 and drawn one by one, else Student's.  NaN
        if chance cannot be estimated.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 2.6.

    Examples
    --------
    >>> low, high = finite_population_interval(np.array([1.0, 2, 3, 4]), 0.75)  # 2.5 ± 3.1824 · 0.6455 · 0.5
    >>> round(low, 3), round(high, 3)
    (1.473, 3.527)
    >>> finite_population_interval(np.array([1.0, 2, 3, 4]), 1.0)
    (2.5, 2.5)
    """
    value = float(values.mean())
    if share >= 1:
        return value, value
    if clusters is None and np.isin(values, (0.0, 1.0)).all():
        return wilson(value, len(values) / (1 - share), level)
    error, df = clustered_error(values, clusters)
    estimate = bounded_interval(value, error * math.sqrt(1 - share), df, len(values), limits, level)
    return estimate.low, estimate.high
