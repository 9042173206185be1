"""How often paired tests find a difference that is not there (level) and one that is (power), by size and shape.

    .venv/bin/python benchmarks/levels.py [--simulations N] [--seed N]

Writes the table of docs/compare.md in Markdown.  Each row draws N data sets and gives each to every test at 5 %.  The
difference for the power is one that the t-test finds about half of the time if the differences are normal.  With
1,000 data sets a share of 5 % is known to 1.4 percentage points (two standard errors), one of 50 % to 3.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.stats.tests.paired import Sample
from neraca.stats.tests.paired_tests import TESTS

Floats = NDArray[np.float64]
#: So many standard errors of the mean a t-test finds half of the time.
HALF = 2.0
#: Reciprocal ranks and gains as a metric of ten hits has them: many zeros, few values.
VALUES = np.array([0, 0, 0, 0.1, 0.2, 0.39, 0.5, 0.63, 1, 1])


class Shape(NamedTuple):
    """Differences with mean 0 and a standard deviation of 1: how to draw so many, and what they are."""

    name: str
    draw: Callable[[np.random.Generator, int], Floats]
    shares: bool = False


def _normal(rng: np.random.Generator, n: int) -> Floats:
    return rng.normal(size=n)


def _gains(rng: np.random.Generator, n: int) -> Floats:
    d: Floats = rng.choice(VALUES, n) - rng.choice(VALUES, n)
    return d / math.sqrt(2 * VALUES.var())


def _skewed(rng: np.random.Generator, n: int) -> Floats:
    return rng.exponential(size=n) - 1


def _shares(rng: np.random.Generator, n: int) -> Floats:
    return rng.choice([-1.0, 0.0, 1.0], n, p=[0.15, 0.7, 0.15])


SHAPES = (
    Shape("normal", _normal),
    Shape("like nDCG", _gains),
    Shape("skewed", _skewed),
    Shape("0 or 1", _shares, True),
)
#: Sessions, and questions in each; one question each is no session.
SIZES = ((10, 1), (20, 1), (30, 1), (100, 1), (6, 5), (12, 3), (30, 3))


def samples(shape: Shape, sessions: int, length: int, effect: float, count: int, seed: int) -> list[Sample]:
    """Data sets; questions of a session share a third of their variance.

    `effect` is the true difference in standard errors; of values that are 0 or 1 it moves the odds.
    """
    rng, n = np.random.default_rng(seed), sessions * length
    clusters = np.repeat(np.arange(sessions), length)
    design = math.sqrt((1 + (length - 1) / 3) / n)
    drawn = []
    for _ in range(count):
        if shape.shares:
            lean = 0.15 * rng.choice([-1.0, 1.0], sessions)[clusters] * (length > 1) + effect * math.sqrt(0.3) * design
            chance = rng.random(n)
            d = np.where(chance < 0.15 + lean / 2, 1.0, 0.0) - np.where(chance > 0.85 + lean / 2, 1.0, 0.0)
        else:
            d = shape.draw(rng, n)
            if length > 1:
                d = math.sqrt(2 / 3) * d + math.sqrt(1 / 3) * shape.draw(rng, sessions)[clusters]
            d = d + effect * design
        drawn.append(Sample(d, clusters if length > 1 else None))
    return drawn


def found(test: str, given: list[Sample]) -> float:
    """The share of data sets in which a test finds a difference at 5 %."""
    results = TESTS[test](given, 0.95, 0)
    return float(np.mean([result.p < 0.05 for result in results]))


def table(count: int, seed: int) -> list[str]:
    """Rows of Markdown, with one column for each test: the level, and behind a stroke the power."""
    names = " | ".join(f"`{test}`" for test in TESTS)
    lines = [f"| differences | questions | {names} |", f"|---|---|{'---|' * len(TESTS)}"]
    for shape, (sessions, length) in product(SHAPES, SIZES):
        same, different = (samples(shape, sessions, length, effect, count, seed) for effect in (0.0, HALF))
        cells = [
            f"{100 * found(test, same):.1f} / {100 * found(test, different):.0f}"
            if test != "mcnemar" or shape.shares
            else ""
            for test in TESTS
        ]
        size = f"{sessions}" if length == 1 else f"{sessions} sessions of {length}"
        lines.append(f"| {shape.name} | {size} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Level and power of paired tests.")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; {asked.simulations:,} data sets for each number\n")
    print("\n".join(table(asked.simulations, asked.seed)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.process_time():.0f} s of CPU, peak {peak:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
