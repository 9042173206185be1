"""What click models cost: from data frames of searches to the fitted model, by the number of searches.

    .venv/bin/python benchmarks/click_models.py [--searches 100000,1000000,10000000] [--models PBM] [--queries 1000]

Searches are made up block by block, each size in a process of its own: 1,000 queries with 10 documents each, of which
one search in five has the results in another order; users look at rank r with probability 0.75^(r-1).  Making a block
is not counted.  Times are CPU seconds of the process, memory is its peak (with what makes the blocks).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from neraca.online.click_models.click_log import ClickLogOptions, click_log
from neraca.online.click_models.model import CLICK_MODELS

DEPTH, BLOCK = 10, 100_000
LOOKS = 0.75 ** np.arange(DEPTH)


class Blocks:
    """Blocks of searches; `making` is the CPU time that they took to make."""

    def __init__(self, searches: int, queries: int) -> None:
        self.searches, self.queries = searches, queries
        self.making = 0.0

    def __iter__(self) -> Iterator[pl.DataFrame]:
        rng = np.random.default_rng(1)
        attraction = rng.beta(1, 3, self.queries * DEPTH)
        names = pl.Series([f"document-{n:06d}" for n in range(self.queries * DEPTH)])
        words = pl.Series([f"words of query {n}" for n in range(self.queries)])
        popularity = 1 / np.arange(1, self.queries + 1)
        popularity /= popularity.sum()
        for start in range(0, self.searches, BLOCK):
            begun = time.process_time()
            n = min(BLOCK, self.searches - start)
            query = rng.choice(self.queries, n, p=popularity)
            order = np.where(
                rng.random((n, 1)) < 0.2, np.argsort(rng.random((n, DEPTH)), axis=1), np.arange(DEPTH)[None, :]
            )
            pairs = query[:, None] * DEPTH + order
            clicks = rng.random((n, DEPTH)) < LOOKS * attraction[pairs]
            offsets, (row, rank) = clicks.sum(axis=1), np.nonzero(clicks)
            clicked = pl.DataFrame({"row": row, "rank": rank + 1}).group_by("row").agg("rank")
            frame = pl.DataFrame(
                {
                    "row": np.arange(n),
                    "user": pl.Series(np.arange(start, start + n) // 3).cast(pl.String),
                    "session": pl.Series(np.arange(start, start + n)).cast(pl.String),
                    "query": words.gather(query),
                    "shown": names.gather(pairs.ravel()).reshape((n, DEPTH)).arr.to_list(),
                }
            )
            assert offsets.sum() == len(rank)
            frame = frame.join(clicked.rename({"rank": "clicked"}), on="row", how="left", maintain_order="left")
            frame = frame.with_columns(pl.col("clicked").fill_null(pl.lit([], dtype=pl.List(pl.Int64))))
            self.making += time.process_time() - begun
            yield frame.drop("row")


def one(searches: int, model: str, queries: int) -> None:
    """Measure one size, and print it as JSON."""
    blocks = Blocks(searches, queries)
    kind = CLICK_MODELS.get(model)
    begun, wall = time.process_time(), time.perf_counter()
    log = click_log(blocks, ClickLogOptions(depth=DEPTH, held_out=0.2, patterns=kind.needs_patterns))
    counted = time.process_time() - begun - blocks.making
    begun = time.process_time()
    fitted = kind.fit(log.fitted, log.pairs)
    fitting = time.process_time() - begun
    off = float(np.abs(fitted.views(log.fitted) - LOOKS).max()) if model == "PBM" else None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = {"model": model, "searches": searches, "counting": round(counted, 2), "fitting": round(fitting, 2)}
    row |= {"memory_mb": round(peak), "wall": round(time.perf_counter() - wall, 1), "converged": fitted.converged}
    print(json.dumps(row | {"rows": len(log.fitted.pair), "patterns": len(log.fitted.mask), "largest_error": off}))


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--searches", default="100000,1000000,10000000")
    reader.add_argument("--models", default="PBM")
    reader.add_argument("--queries", type=int, default=1000)
    reader.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = reader.parse_args()
    if given.one:
        one(int(given.searches), given.models, given.queries)
        return
    for model in given.models.split(","):
        for searches in given.searches.split(","):
            words = ["--one", "--searches", searches, "--models", model, "--queries", str(given.queries)]
            subprocess.run([sys.executable, __file__, *words], check=True)


if __name__ == "__main__":
    main()
