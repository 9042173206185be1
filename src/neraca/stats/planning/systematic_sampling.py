"""Draw a fixed number of things, each with a chance of its own."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def inclusion_chances(weights: Sequence[float], n: int) -> list[float]:
    """Return the chance of each thing to be among the n that `draw_by_weight` draws; they add up to n.

    Chances are in proportion to the weights.  Where a chance would be above 1 it is 1, and the others grow.  Things of
    weight 0 are never drawn.

    Examples
    --------
    >>> inclusion_chances([6.0, 1, 1], 2)  # 6 / 8 · 2 is above 1
    [1.0, 0.5, 0.5]
    """
    certain, others, step = _certain(weights, n)
    chances = [0.0] * len(weights)
    for place in certain:
        chances[place] = 1.0
    for place in others if step else ():
        chances[place] = weights[place] / step
    return chances


def draw_by_weight(weights: Sequence[float], n: int, random: Random) -> list[tuple[int, float]]:
    """Draw n places with chances in proportion to their weights; return each with its chance, in order.

    A place whose chance would be above 1 is drawn for certain.  The others are drawn at equal steps along the sum of
    their weights, in a random order, from a random start.

    References
    ----------
    Madow, W. (1949). On the theory of systematic sampling, II. Annals of Mathematical Statistics 20, 333-354.

    Examples
    --------
    >>> draw_by_weight([50, 25, 25, 0], 9, Random(1)), draw_by_weight([98, 1, 1], 2, Random(1))[0]
    ([(0, 1.0), (1, 1.0), (2, 1.0)], (0, 1.0))
    """
    certain, others, step = _certain(weights, n)
    drawn = dict.fromkeys(certain, 1.0)
    if step:
        random.shuffle(others)
        at, reached = random.random() * step, 0.0
        for place in others:
            reached += weights[place]
            if reached > at:
                drawn[place] = weights[place] / step
                at += step
    return sorted(drawn.items())


def _certain(weights: Sequence[float], n: int) -> tuple[set[int], list[int], float]:
    """Return the places that are drawn for certain, the others, and the sum of weights for each further draw (or 0)."""
    certain: set[int] = set()
    there = [place for place, weight in enumerate(weights) if weight > 0]
    n = min(n, len(there))
    while True:
        others = [place for place in there if place not in certain]
        total, number = sum(weights[place] for place in others), n - len(certain)
        more = {place for place in others if weights[place] * number >= total}
        if not number or not more:
            return certain, others, total / number if number else 0.0
        certain |= more
