"""How often intervals of the position-based model hold the truth, by the size of the log.

    .venv/bin/python benchmarks/click_intervals.py [--logs N] [--seed N]

Writes the table of benchmarks/results/click_intervals.md.  Each log has 10 documents for each query; a share of the
searches shows them in another order; users look at rank r with probability 0.75^(r-1).  Queries are equally frequent,
or of Zipf's popularity.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.online.click_models.click_log import ClickLog, ClickLogOptions, Sample
from neraca.online.click_models.fits import fit_models, with_intervals

DEPTH = 10
LOOKS = 0.75 ** np.arange(DEPTH)
NONE: NDArray[np.int64] = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Design:
    """A log: its searches and queries, the power of Zipf's law, and the share of searches in another order."""

    searches: int
    queries: int
    zipf: float = 1.0
    moved: float = 0.2


DESIGNS = (
    Design(1_000, 20, 0.0),
    Design(1_000, 100),
    Design(3_000, 10, 0.0),
    Design(3_000, 20, 0.0),
    Design(3_000, 40, 0.0),
    Design(3_000, 100),
    Design(3_000, 1_000),
    Design(10_000, 10, 0.0),
    Design(10_000, 20),
    Design(10_000, 100),
    Design(10_000, 100, 0.0),
    Design(10_000, 1_000),
    Design(10_000, 1_000, 0.0),
    Design(30_000, 1_000, 1.0, 0.05),
    Design(100_000, 1_000),
    Design(100_000, 10_000),
)


def simulate(design: Design, rng: np.random.Generator) -> ClickLog:
    """Count a log of the design."""
    attraction = rng.beta(1, 3, design.queries * DEPTH)
    popularity = 1 / np.arange(1, design.queries + 1) ** design.zipf
    query = rng.choice(design.queries, design.searches, p=popularity / popularity.sum())
    shuffled = np.argsort(rng.random((design.searches, DEPTH)), axis=1)
    order = np.where(rng.random((design.searches, 1)) < design.moved, shuffled, np.arange(DEPTH))
    pair = query[:, None] * DEPTH + order
    clicked = rng.random(pair.shape) < LOOKS * attraction[pair]
    cell = (pair * DEPTH + np.arange(DEPTH)).ravel()
    impressions = np.bincount(cell)
    used = np.flatnonzero(impressions)
    clicks = np.bincount(cell, clicked.ravel())[used]
    counted = impressions[used].astype(np.float64), clicks
    lists = np.full((0, DEPTH), -1)
    sample = Sample(design.searches, used // DEPTH, used % DEPTH, *counted, lists, NONE, NONE, np.zeros(0))
    pairs = np.arange(design.queries * DEPTH)
    names = [str(number) for number in pairs]
    nothing = sample.of_pairs(np.zeros(len(pairs), bool))
    return ClickLog(names, names, pairs // DEPTH, sample, nothing, ClickLogOptions(DEPTH, 0.0, patterns=False))


def row(design: Design, logs: int, seed: int) -> str:
    """Return a row of the table: coverage of the ranks below the first, error, and effective queries."""
    rng = np.random.default_rng(seed)
    held, values, queries, refused = np.zeros(DEPTH - 1), [], [], 0
    for _ in range(logs):
        log = simulate(design, rng)
        fits, _ = fit_models(log, ["PBM"])
        fit = with_intervals(fits[0], log)
        if np.isnan(fit.views.low[1:]).any():
            refused += 1
            continue
        held += (fit.views.low[1:] <= LOOKS[1:]) & (LOOKS[1:] <= fit.views.high[1:])
        values.append(fit.views.value[1:])
        queries.append(fit.queries)
    coverage = 100 * held / max(1, logs - refused)
    bias = np.abs(np.mean(values, axis=0) - LOOKS[1:]).max()
    kind = "equal" if not design.zipf else "Zipf"
    cells = [f"{design.searches:,}", f"{design.queries:,}", kind, f"{100 * design.moved:.0f} %", str(refused)]
    cells += [f"{np.median(queries):.0f}", f"{coverage.mean():.1f}", f"{coverage.min():.1f} to {coverage.max():.1f}"]
    return f"| {' | '.join([*cells, f'{bias:.3f}'])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}; {asked.logs:,} logs for each row")
    print()
    columns = "searches | queries | popularity | in another order | no interval | effective queries | held, all ranks"
    print(f"| {columns} | by rank | largest bias |")
    print("|---|---|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        print(row(design, asked.logs, asked.seed), flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.process_time():.0f} s of CPU, peak {peak:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
