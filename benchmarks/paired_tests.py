"""What paired tests cost: every two of ten systems on 1,000 items, against scipy and the obvious loop in numpy.

    .venv/bin/python benchmarks/paired_tests.py [--items N] [--systems N] [--peer-pairs N] [--peer-loops N] [--repeat N]

Times are CPU time of this process, threads of BLAS included; the least of the rounds counts.  scipy is asked for the
first PEER-PAIRS pairs alone, in batches that keep it in memory, and its time is taken times pairs / PEER-PAIRS.  Both
p-values of each of these pairs are shown to agree.  The loop beside Tukey's test goes round PEER-LOOPS times, and its
time is taken times samples / PEER-LOOPS; both critical ranges are shown to agree.  (A file called statistics.py here
would hide Python's own.)
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import scipy
from scipy import stats

from neraca.stats.tests.bootstrap import bootstrap_tests
from neraca.stats.tests.paired import Sample
from neraca.stats.tests.paired_tests import TESTS
from neraca.stats.tests.randomisation import randomisations
from neraca.stats.tests.rope import signed_rank
from neraca.stats.tests.tukey import tukey

FLIPS, DRAWS = 100_000, 10_000
#: Times that a peer may take of ours, and seconds.
BARS = {"randomisation": 100}
SECONDS = {"bootstrap": 2.0}


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


def by_a_loop(values: Any, loops: int) -> Any:
    """The ranges of exchanged systems, one exchange after the other, as one would write it down."""
    rng = np.random.default_rng(0)
    ranges = np.empty(loops)
    for place in range(loops):
        means = rng.permuted(values, axis=1).mean(axis=0)
        ranges[place] = means.max() - means.min()
    return ranges


def many_at_once(scores: Any, repeat: int, loops: int) -> None:
    """Tukey's test of all systems, and the Bayesian test of one pair."""
    spent, found = min((cpu(lambda: tukey(scores, samples=FLIPS)) for _ in range(repeat)), key=lambda round_: round_[0])
    peer, ranges = cpu(lambda: by_a_loop(scores, loops))
    peer *= FLIPS / loops
    if abs(np.quantile(ranges, 0.95) / found.half - 1) > 0.05:
        print(f"WARNING: tukey: {found.half} is not what the loop says", file=sys.stderr)
    print(f"| tukey, against a loop in numpy | {spent:.2f} | {peer:.1f} | {peer / spent:.0f} |", flush=True)
    d = scores[:, 0] - scores[:, 1]
    spent = min(cpu(lambda: signed_rank(d, 0.02))[0] for _ in range(repeat))
    print(f"| signed_rank, one pair | {spent:.2f} | | |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time of paired tests, against scipy.")
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--peer-pairs", type=int, default=5)
    parser.add_argument("--peer-loops", type=int, default=3000)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, scipy {scipy.__version__}")
    scores = systems(asked.items, asked.systems)
    samples = [Sample(scores[:, a] - scores[:, b]) for a, b in combinations(range(asked.systems), 2)]
    peers = {"randomisation": by_scipy_permutation, "bootstrap": by_scipy_bootstrap}
    ours = {
        "randomisation": lambda: randomisations(samples, flips=FLIPS),
        "bootstrap": lambda: bootstrap_tests(samples, resamples=DRAWS),
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
        met = peer / spent >= BARS.get(name, 0) and spent < SECONDS.get(name, math.inf)
        bar = f"{BARS[name]} times" if name in BARS else f"{SECONDS[name]:g} s"
        print(f"{name}: bar {bar}: {'met' if met else 'MISSED'}", file=sys.stderr)
    many_at_once(scores, asked.repeat, asked.peer_loops)
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB (scipy's too)", file=sys.stderr
    )


if __name__ == "__main__":
    main()
