"""What paired tests cost: every two of ten systems on 1,000 items, against scipy.

    .venv/bin/python benchmarks/paired_tests.py [--items N] [--systems N] [--peer-pairs N] [--repeat N]

Times are CPU time of this process, threads of BLAS included; the least of the rounds counts.  scipy is asked for the
first PEER-PAIRS pairs alone, in batches that keep it in memory, and its time is taken times pairs / PEER-PAIRS.  Both
p-values of each of these pairs are shown to agree.  (A file called statistics.py here would hide Python's own.)
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import scipy
from scipy import stats

from neraca.stats.bootstrap import bootstrap_tests
from neraca.stats.paired import Sample
from neraca.stats.paired_tests import TESTS
from neraca.stats.randomisation import randomisations

FLIPS, DRAWS = 100_000, 10_000


def systems(items: int, count: int) -> Any:
    """Scores between 0 and 1, hard and easy items, systems that differ a little; shape (items, count)."""
    rng = np.random.default_rng(20240517)
    worth = rng.normal(size=(items, 1)) + rng.normal(size=(items, count)) + np.linspace(0, 0.2, count)
    return 1 / (1 + np.exp(-worth))


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def by_scipy_permutation(d: Any) -> float:
    test = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=FLIPS, batch=1000, vectorized=True, rng=0
    )
    return float(test.pvalue)


def by_scipy_bootstrap(d: Any) -> tuple[float, float]:
    bounds = stats.bootstrap((d,), np.mean, n_resamples=DRAWS, batch=1000, method="BCa", rng=0).confidence_interval
    return float(bounds.low), float(bounds.high)


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time of paired tests, against scipy.")
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--peer-pairs", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, scipy {scipy.__version__}")
    scores = systems(asked.items, asked.systems)
    samples = [Sample(scores[:, a] - scores[:, b]) for a, b in combinations(range(asked.systems), 2)]
    peers = {"randomisation": by_scipy_permutation, "bootstrap": by_scipy_bootstrap}
    ours = {
        "randomisation": lambda: randomisations(samples, flips=FLIPS),
        "bootstrap": lambda: bootstrap_tests(samples, samples=DRAWS),
    }
    print(f"| {len(samples)} pairs of {asked.items:,} items | CPU s | scipy, CPU s | ratio |\n|---|---|---|---|")
    for name, test in TESTS.items():
        if name == "mcnemar":
            continue
        work = ours.get(name, lambda test=test: test(samples, 0.95, 0))
        spent, found = min((cpu(work) for _ in range(asked.repeat)), key=lambda round_: round_[0])
        if name not in peers:
            print(f"| {name} | {spent:.3f} | | |", flush=True)
            continue
        few = samples[: asked.peer_pairs]
        peer, told = cpu(lambda few=few, name=name: [peers[name](sample.differences) for sample in few])
        peer *= len(samples) / len(few)
        for one, theirs in zip(found, told, strict=False):
            agree = abs(one.p - theirs) < 0.01 if name == "randomisation" else abs(one.low - theirs[0]) < one.error / 8
            if not agree:
                print(f"WARNING: {name}: {one} is not what scipy says: {theirs}", file=sys.stderr)
        print(f"| {name} | {spent:.2f} | {peer:.1f} | {peer / spent:.0f} |", flush=True)
        if name == "randomisation":
            print(f"randomisation: bar 100 times: {'met' if peer / spent >= 100 else 'MISSED'}", file=sys.stderr)
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB (scipy's too)", file=sys.stderr
    )


if __name__ == "__main__":
    main()
