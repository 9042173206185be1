"""How often intervals of a bounded mean hold the truth: ours, and Student's t cut off at the ends of the range.

    .venv/bin/python benchmarks/bounded_intervals.py [--simulations N] [--seed N]

Writes `benchmarks/results/bounded_intervals.md`.  An interval that is not given counts as one that does not hold the
truth for the cut t, and is left out for ours, whose share is given beside it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import bounded_interval, clustered_error, interval, keep_in_range
from neraca.stats.tests.paired import t_test

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
SIZES = (3, 4, 5, 6, 8, 10, 15, 20, 30)
RATINGS = {
    "ratings 0 to 5, all alike often": [1 / 6] * 6,
    "ratings 0 to 5, mostly 4 and 5": [0.01, 0.02, 0.05, 0.12, 0.3, 0.5],
    "ratings 0 to 5, four of five 5": [0, 0, 0.01, 0.04, 0.15, 0.8],
    "only 0 or 5, nine of ten 5": [0.1, 0, 0, 0, 0, 0.9],
    "only 0 or 5, half and half": [0.5, 0, 0, 0, 0, 0.5],
}
BETAS = {"beta(2, 2)": (2, 2), "beta(9, 1)": (9, 1), "beta(5, 0.5)": (5, 0.5), "beta(1, 4)": (1, 4)}


def shapes() -> dict[str, tuple[Draw, float, float]]:
    """Name → how to draw n values, their mean, and the end of their range."""
    found: dict[str, tuple[Draw, float, float]] = {}
    for name, (a, b) in BETAS.items():
        found[name] = (lambda rng, n, a=a, b=b: rng.beta(a, b, n)), a / (a + b), 1.0
    for name, p in RATINGS.items():
        found[name] = (lambda rng, n, p=p: rng.choice(6, n, p=p).astype(float)), float(np.arange(6) @ np.array(p)), 5.0
    found["0 or 1, nine of ten 1"] = (lambda rng, n: (rng.random(n) < 0.9).astype(float)), 0.9, 1.0
    return found


def sessions(draw: Draw, rng: np.random.Generator, groups: int, size: int) -> Floats:
    """Values of sessions: half of them are the value that all of their session share."""
    shared = np.repeat(draw(rng, groups), size)
    return np.where(rng.random(groups * size) < 0.5, shared, draw(rng, groups * size))


def coverage(
    shape: tuple[Draw, float, float], n: int, times: int, rng: np.random.Generator, size: int = 1
) -> list[float]:
    """Shares of samples: our interval holds the mean, none is given, the cut t holds it; and the width of ours."""
    draw, mean, high = shape
    clusters = np.repeat(np.arange(n), size)
    held = given = cut = width = 0.0
    for _ in range(times):
        values = draw(rng, n) if size == 1 else sessions(draw, rng, n, size)
        rows = np.column_stack([values, np.ones(len(values))])
        ours = interval(rows, clusters=None if size == 1 else clusters, limits=(0.0, high))
        plain = bounded_interval(float(values.mean()), *clustered_error(values, clusters), len(values))
        given += not math.isnan(ours.low)
        held += ours.low - 1e-12 <= mean <= ours.high + 1e-12
        cut += max(plain.low, 0.0) <= mean <= min(high, plain.high)
        width += 0.0 if math.isnan(ours.low) else (ours.high - ours.low) / high
    return [held / max(1, given), 1 - given / times, cut / times, width / max(1, given)]


def coverage_of_differences(
    shape: tuple[Draw, float, float], n: int, times: int, rng: np.random.Generator, worse: float
) -> list[float]:
    """Shares of pairs of runs: `keep_in_range` holds the mean difference, it gives none, the cut t holds it; and width.

    The second run has the values of the first, but for a share `worse` of 0.
    """
    draw, mean, high = shape
    held = given = cut = width = 0.0
    for _ in range(times):
        differences = np.where(rng.random(n) < worse, draw(rng, n), 0.0)
        plain = t_test(differences)
        low, top = plain.low, plain.high
        if not differences.any() or not math.isnan(low):
            low, top = keep_in_range(plain.difference, (low, top), (-high, high), n, tested=[0.0])
        truth = worse * mean
        given += not math.isnan(low)
        held += low - 1e-12 <= truth <= top + 1e-12
        cut += max(plain.low, -high) <= truth <= min(high, plain.high)
        width += 0.0 if math.isnan(low) else (top - low) / (2 * high)
    return [held / max(1, given), 1 - given / times, cut / times, width / max(1, given)]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    lines = [
        "# Intervals of means of bounded values",
        "",
        f"95 % intervals; {asked.simulations:,} samples each, seed {asked.seed}. Share of samples whose interval holds "
        "the mean, by ours / by Student's t cut off at the range (none given counts as missed); in brackets the share "
        "without ours (all values equal inside the range), and the mean width of ours as a share of the range.",
        "",
        "| values | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "|---" * (len(SIZES) + 1) + "|",
    ]
    for size, words in ((1, ""), (4, ", in sessions of 4")):
        for name, shape in shapes().items():
            found = [coverage(shape, n, asked.simulations, rng, size) for n in SIZES]
            cells = [f"{a:.3f} / {c:.3f} ({b:.2f}; {w:.2f})" for a, b, c, w in found]
            lines.append(f"| {name}{words} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Paired differences: the second run has 0 in a share of the questions, else the value of the first. Share of "
        "samples whose interval holds the mean difference, by Student's t whose bounds beyond the range are replaced "
        "(`keep_in_range`) / by Student's t cut off at the range; in brackets as above.",
        "",
        "| values, and the share that is 0 in the second run | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "|---" * (len(SIZES) + 1) + "|",
    ]
    for worse in (0.9, 0.5):
        for name, shape in shapes().items():
            found = [coverage_of_differences(shape, n, asked.simulations, rng, worse) for n in SIZES]
            cells = [f"{a:.3f} / {c:.3f} ({b:.2f}; {w:.2f})" for a, b, c, w in found]
            lines.append(f"| {name}, {worse:.0%} | " + " | ".join(cells) + " |")
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("results").joinpath("bounded_intervals.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
