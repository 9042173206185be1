r"""Plan people's labels for a corrected mean: their number, the cheapest mix with a model, and the allocation.

With n labels and N judged items the corrected mean has the variance $\sigma^2 ((1 - \rho^2) / n + \rho^2 / N)$, with
the standard deviation $\sigma$ of people's labels and their correlation $\rho$ with the judge's values.  With n = N
this is $\sigma^2 / N$, as for labels alone: no judge makes up for too few items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from neraca.stats.intervals.interval import Floats, t_quantile
from neraca.stats.intervals.prediction_powered import FEWEST_LABELS


def expected_width(labels: int, items: int, spread: float, correlation: float, level: float = 0.95) -> float:
    """Return the expected width of the interval of a corrected mean.

    Parameters
    ----------
    labels, items
        n and N; at most as many labels as items.
    spread, correlation
        Sigma and rho; for sessions, sigma times the square root of the design effect.

    Examples
    --------
    >>> round(expected_width(102, 400, 0.5, 0.8), 4)  # 2 t √(.25 (.36 / 102 + .64 / 400)), t with 100 degrees: 1.984
    0.1421
    """
    variance = spread**2 * ((1 - correlation**2) / labels + correlation**2 / items)
    return 2 * t_quantile(level, max(labels - 2, 1)) * math.sqrt(variance)


def labels_needed(width: float, items: int, spread: float, correlation: float, level: float = 0.95) -> int | None:
    """Return the fewest labels for an expected interval this narrow; None if even all items are too few.

    >>> labels_needed(0.1421, 400, 0.5, 0.8), labels_needed(0.05, 400, 0.5, 0.8)
    (102, None)
    """
    enough = range(min(FEWEST_LABELS, items), items + 1)
    fits = (n for n in enough if round(expected_width(n, items, spread, correlation, level), 4) <= width)
    return next(fits, None)


class Split(NamedTuple):
    """Numbers of people's labels and of items judged by a model, and their total cost."""

    labels: int
    items: int
    cost: float


def cheapest_split(
    width: float, spread: float, correlation: float, human_cost: float, model_cost: float, level: float = 0.95
) -> Split:
    r"""Return the cheapest numbers of labels and judged items for an interval this narrow.

    $n = \sigma^2 \sqrt{(1 - \rho^2) / c_h} \, S / V$ and $N = \sigma^2 \sqrt{\rho^2 / c_m} \, S / V$ with
    $S = \sqrt{(1 - \rho^2) c_h} + \sqrt{\rho^2 c_m}$, the costs $c_h$ and $c_m$, and the variance $V$ for that width.
    If people alone are cheaper, the model judges no item.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 12.7 (double sampling for regression).

    Examples
    --------
    >>> cheapest_split(0.1, 0.5, 0.8, human_cost=1, model_cost=0.01)
    Split(labels=157, items=2064, cost=177.64)
    """
    normal = t_quantile(level, 10**6)
    variance = (width / 2 / normal) ** 2
    alone = max(math.ceil(spread**2 / variance), FEWEST_LABELS)
    if not spread:  # values without variance need no more labels, and no model
        return Split(alone, 0, alone * human_cost)
    people, judge = 1 - correlation**2, correlation**2
    total = math.sqrt(people * human_cost) + math.sqrt(judge * model_cost)
    labels = max(math.ceil(spread**2 * math.sqrt(people / human_cost) * total / variance), FEWEST_LABELS)
    judge_variance = variance / spread**2 - people / labels
    items = max(math.ceil(judge / judge_variance), labels) if judge_variance > 0 and judge > 0 else labels
    cost = labels * human_cost + items * model_cost
    if not model_cost > 0 or not judge > 0 or alone * human_cost <= cost:
        return Split(alone, 0, alone * human_cost)
    return Split(labels, items, round(cost, 10))


def neyman(sizes: Sequence[int], spreads: Floats, labels: int, least: int = 2) -> list[int]:
    """Divide labels among strata by size times spread; each gets at least `least` and at most its size.

    References
    ----------
    Neyman, J. (1934). J. Roy. Statist. Soc. 97, 558-625.

    Examples
    --------
    >>> neyman([100, 100, 3], np.array([0.4, 0.2, 0.5]), 33)
    [21, 10, 2]
    """
    allocated = [min(least, size) for size in sizes]
    weights = np.array(sizes) * np.maximum(spreads, 1e-9)
    for _ in range(max(0, min(labels, sum(sizes)) - sum(allocated))):
        lacking = [weights[s] / (allocated[s] + 0.5) if allocated[s] < sizes[s] else -1.0 for s in range(len(sizes))]
        allocated[int(np.argmax(lacking))] += 1
    return allocated
