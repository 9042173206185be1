"""How often intervals of corrected scores hold the truth, and those of a judge alone, by how many people's labels.

    .venv/bin/python benchmarks/corrected.py [--simulations N] [--seed N]

Writes the table of benchmarks/README.md in Markdown.  Each row draws N data sets of 500 questions.  A judge is unbiased
when it misses as much as it invents, and biased when it calls most of what is wrong right.  With 10,000 data sets a
share of 95 % is known to 0.4 percentage points (two standard errors).
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

from neraca.stats.intervals.interval import interval
from neraca.stats.intervals.prediction_powered import Small, prediction_powered, weighted_prediction_powered
from neraca.stats.intervals.rogan_gladen import rogan_gladen

Floats = NDArray[np.float64]
Rng = np.random.Generator
ITEMS, SESSION = 500, 2
LABELS = (30, 60, 200)
JUDGES = ("unbiased", "biased")


class Shape(NamedTuple):
    """Values of a metric: their true mean, how many decisions each rests on, and whether two runs are compared."""

    name: str
    mean: float
    hits: int = 1
    pairs: bool = False


SHAPES = (
    Shape("0 or 1, mean 0.7", 0.7),
    Shape("0 or 1, mean 0.9", 0.9),
    Shape("0 or 1, mean 0.98", 0.98),
    Shape("like P@5, mean 0.7", 0.7, 5),
    Shape("like P@5, mean 0.9", 0.9, 5),
    Shape("like P@5, mean 0.98", 0.98, 5),
    Shape("differences in P@5", 0.7, 5, True),
)


class Drawn(NamedTuple):
    """What people would say of all questions, and what the judge says."""

    people: Floats
    judge: Floats


def draw(shape: Shape, judge: str, rng: Rng, sessions: bool = False) -> Drawn:
    """One data set; with `sessions` two questions each share how good the answers are."""
    one = _draw(shape, judge, rng, sessions, shape.mean)
    if not shape.pairs:
        return one
    other = _draw(shape, judge, rng, sessions, shape.mean - 0.1)
    return Drawn(one.people - other.people, one.judge - other.judge)


def _draw(shape: Shape, judge: str, rng: Rng, sessions: bool, mean: float) -> Drawn:
    groups = ITEMS if sessions or shape.hits > 1 else 1
    good = rng.beta(4 * mean, 4 * (1 - mean), groups) if groups > 1 else np.full(1, mean)
    n = ITEMS * SESSION if sessions else ITEMS
    good = np.repeat(good, n // groups)
    right = rng.random((n, shape.hits)) < good[:, None]
    miss, invent = (0.05, 0.05 * mean / (1 - mean)) if judge == "unbiased" else (0.05, 0.6)
    chance = rng.random(right.shape)
    said = np.where(right, chance > miss, chance < invent)
    return Drawn(right.mean(axis=1), said.mean(axis=1))


def known(people: Floats, labels: int) -> Floats:
    """Labels of the first so many, which are a random sample."""
    return np.where(np.arange(len(people)) < labels, people, np.nan)


def small(shape: Shape) -> Small:
    """How few labels are made up for."""
    return "leverage" if shape.pairs else "halves"


def reach(shape: Shape) -> tuple[float, float]:
    """The least and the largest value."""
    return (-1.0, 1.0) if shape.pairs else (0.0, 1.0)


def raw(shape: Shape, judge: str, labels: int, rng: Rng) -> tuple[float, float]:
    """The interval of the judge's values alone."""
    values = draw(shape, judge, rng).judge
    one = interval(np.column_stack([values, np.ones(len(values))]), limits=reach(shape))
    return one.low, one.high


def powered(weight: float | None) -> Method:
    """Of a random sample, with this weight of the judge; None: tuned."""

    def method(shape: Shape, judge: str, labels: int, rng: Rng) -> tuple[float, float]:
        people, values = draw(shape, judge, rng)
        one = prediction_powered(known(people, labels), values, weight=weight, small=small(shape))
        return one.bounds_within(reach(shape), 0.95)

    return method


def stratified(shape: Shape, judge: str, labels: int, rng: Rng) -> tuple[float, float]:
    """Half of the labels from the questions of which the judge thinks less."""
    people, values = draw(shape, judge, rng)
    order = np.argsort(values + 1e-6 * rng.random(ITEMS), kind="stable")
    low = order[: max(int((values < 1).sum()), ITEMS // 5)] if not shape.pairs else order[: ITEMS // 2]
    strata = np.ones(ITEMS, np.int64)
    strata[low] = 0
    chosen = np.zeros(ITEMS, bool)
    for stratum in (0, 1):
        rows = np.flatnonzero(strata == stratum)
        chosen[rng.choice(rows, min(labels // 2, len(rows)), replace=False)] = True
    labelled = np.where(chosen, people, np.nan)
    one = prediction_powered(labelled, values, strata=strata, small=small(shape))
    return one.bounds_within(reach(shape), 0.95)


def weighted(shape: Shape, judge: str, labels: int, rng: Rng) -> tuple[float, float]:
    """Each question drawn with a chance of its own, twice as large where the judge thinks less of it."""
    people, values = draw(shape, judge, rng)
    chances = np.where(values < 1, 2.0, 1.0)
    chances = np.minimum(chances * labels / chances.sum(), 1)
    labelled = np.where(rng.random(ITEMS) < chances, people, np.nan)
    one = weighted_prediction_powered(labelled, values, chances, small=small(shape))
    return one.bounds_within(reach(shape), 0.95)


def in_sessions(shape: Shape, judge: str, labels: int, rng: Rng) -> tuple[float, float]:
    """So many sessions labelled, of two questions each."""
    people, values = draw(shape, judge, rng, sessions=True)
    clusters = np.arange(len(values)) // SESSION
    labelled = known(people, SESSION * labels)
    one = prediction_powered(labelled, values, clusters=clusters, small=small(shape))
    return one.bounds_within(reach(shape), 0.95)


def formula(shape: Shape, judge: str, labels: int, rng: Rng) -> tuple[float, float]:
    """Rogan and Gladen's."""
    people, values = draw(shape, judge, rng)
    one = rogan_gladen(known(people, labels), values)
    return one.low, one.high


Method = Callable[[Shape, str, int, Rng], tuple[float, float]]
METHODS: dict[str, Method] = {
    "judge alone": raw,
    "labels alone": powered(0.0),
    "`ppi`, untuned": powered(1.0),
    "`ppi`": powered(None),
    "stratified": stratified,
    "weighted": weighted,
    "sessions": in_sessions,
    "`rogan-gladen`": formula,
}


def measured(method: Method, shape: Shape, judge: str, labels: int, count: int, seed: int) -> tuple[float, float]:
    """Share of data sets whose interval holds the truth, of those that have one, and the mean width."""
    rng = np.random.default_rng(seed)
    truth = 0.1 if shape.pairs else shape.mean
    bounds = np.array([method(shape, judge, labels, rng) for _ in range(count)])
    bounds = bounds[~np.isnan(bounds[:, 0])]
    if not len(bounds):
        return math.nan, math.nan
    low, high = bounds.T
    return float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean())


def table(count: int, seed: int) -> list[str]:
    """Rows of Markdown, with one column for each method: coverage in %, and behind a stroke the mean width."""
    lines = [f"| values | judge | labels | {' | '.join(METHODS)} |", f"|---|---|---|{'---|' * len(METHODS)}"]
    for shape, judge, labels in product(SHAPES, JUDGES, LABELS):
        cells = []
        for method in METHODS.values():
            if method is formula and (shape.hits > 1 or shape.pairs):
                cells.append("")
                continue
            share, width = measured(method, shape, judge, labels, count, seed)
            cells.append("–" if math.isnan(share) else f"{100 * share:.1f} / {width:.2f}")
        lines.append(f"| {shape.name} | {judge} | {labels} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of corrected intervals.")
    parser.add_argument("--simulations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; {asked.simulations:,} data sets for each number\n")
    print("\n".join(table(asked.simulations, asked.seed)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.process_time():.0f} s of CPU, peak {peak:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
