"""An EM algorithm that is accelerated by extrapolating its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from neraca.stats.intervals.interval import Floats

#: Probabilities stay away from 0 and 1 by this much, so that no logarithm is infinite.
EDGE = 1e-9

Step = Callable[[Floats], tuple[Floats, float]]


class EmFit(NamedTuple):
    """The end of an EM algorithm: parameters, objective, number of EM steps, and whether it converged."""

    parameters: Floats
    objective: float
    steps: int
    converged: bool


def accelerated_em(step: Step, start: Floats, tolerance: float = 1e-3, most: int = 1000) -> EmFit:
    r"""Maximise an objective over probabilities by EM steps with squared extrapolation (SQUAREM, scheme S3).

    From $x$, two EM steps give $r = x_1 - x$ and $v = (x_2 - x_1) - r$; the next point is an EM step from
    $x + 2 s r + s^2 v$ with $s = \max(1, |r| / |v|)$.  If the objective is lower there than at $x_1$, the next
    point is an EM step from $x_2$ instead.

    Parameters
    ----------
    step
        A function of parameters in (0, 1), shape (k,).  It returns the parameters after an EM step, and the objective
        (the log-likelihood, plus any log prior) of the parameters before it.
    tolerance
        The algorithm has converged when three EM steps raise the objective by less than this.
    most
        The largest number of EM steps.

    References
    ----------
    Varadhan, R. and Roland, C. (2008). Simple and globally convergent methods for accelerating the convergence of any
    EM algorithm. Scand. J. Statist. 35, 335-353.

    Examples
    --------
    Two coins, one of which is thrown unseen: 125 of 227 as in the example of Dempster, Laird and Rubin (1977).

    >>> def linkage(x):
    ...     hidden = 125 * x / (2 + x)
    ...     objective = 125 * np.log(2 + x) + 38 * np.log(1 - x) + 34 * np.log(x)
    ...     return (hidden + 34) / (hidden + 34 + 38), float(objective[0])
    >>> accelerated_em(linkage, np.array([0.5]), 1e-9).parameters.round(6)
    array([0.626821])
    """
    x, steps, before = np.clip(start, EDGE, 1 - EDGE), 0, -np.inf
    while True:
        first, objective = step(x)
        if objective - before < tolerance or steps >= most:
            return EmFit(x, objective, steps, objective - before < tolerance)
        before = objective
        second, objective_at_first = step(first)
        r = first - x
        v = second - first - r
        bend = float(np.sqrt(v @ v))
        length = max(1.0, float(np.sqrt(r @ r)) / bend) if bend > 0 else 1.0
        extrapolated = np.clip(x + 2 * length * r + length**2 * v, EDGE, 1 - EDGE)
        x, objective_at_extrapolated = step(extrapolated)
        if not objective_at_extrapolated >= objective_at_first:
            x, _ = step(second)
            steps += 1
        x = np.clip(x, EDGE, 1 - EDGE)
        steps += 3
