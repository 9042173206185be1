"""What the analysis of an A/B test costs, from 10^5 to 10^7 events, and whether that grows by a straight line.

    .venv/bin/python benchmarks/online_log.py [--most 7] [--format parquet]

Made-up users write a log: half are searches that show ten documents, half clicks.  `neraca ab` reads it in a process of
its own, of which the system counts CPU time and peak memory.  Seconds of CPU depend on the machine and on what else it
does, by a factor of two, so another process reads the same columns with polars and sorts them by user and time: the
ratio to this says more.  The results stand in benchmarks/results/online_log.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

STEP = 500_000
WORDS = np.array(["red shoes", "red running shoes", "house bandung", "flat jakarta", "sunny villa", "office"])


def write_log(path: Path, events: int) -> None:
    """Write a log of so many events, of which a user makes ten."""
    rng = np.random.default_rng(0)
    frames = []
    for start in range(0, events, STEP):
        n = min(STEP, events - start) // 2
        users = rng.integers(0, max(1, events // 10), n)
        shown = [[f"d{document}" for document in range(place % 90, place % 90 + 10)] for place in range(n)]
        searches = pl.DataFrame(
            {
                "action": ["search"] * n,
                "user": [f"u{user}" for user in users],
                "search": [f"s{start + place}" for place in range(n)],
                "query": WORDS[rng.integers(0, len(WORDS), n)],
                "variant": np.where(users % 2 == 0, "A", "B"),
                "time": 1.76e9 + rng.random(n) * 86_400 * 14,
                "shown": shown,
            }
        )
        clicked = searches[rng.integers(0, n, n)].with_columns(
            action=pl.lit("click"),
            time=pl.col("time") + rng.random(n) * 60,
            rank=pl.Series(rng.integers(1, 11, n)),
            shown=pl.lit(None, dtype=pl.List(pl.String)),
            query=pl.lit(None, dtype=pl.String),
        )
        frames.append(pl.concat([searches, clicked], how="diagonal"))
    log = pl.concat(frames)
    if path.suffix == ".csv":
        log = log.with_columns(pl.col("shown").list.join(" "))
        log.write_csv(path)
    else:
        log.write_parquet(path)


#: The program whose cost is the reference: it reads the log and sorts it by user and time.
SORTED = """
import sys, polars as pl
read = pl.read_parquet if sys.argv[1].endswith("parquet") else pl.read_csv
names = ["action", "user", "search", "query", "variant", "time", "rank"]
print(read(sys.argv[1], columns=names).sort("user", "time").shape)
"""


def measured(path: Path, program: str = "from neraca.cli import main; main()") -> tuple[float, float]:
    """CPU seconds and peak memory in MB of `neraca ab`, or of another program, on a log."""
    words = [sys.executable, "-c", program, *(["ab"] if "neraca" in program else []), str(path), "--json"]
    quiet = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(sys.executable, words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)])
    _, status, usage = os.wait4(child, 0)
    os.close(quiet)
    if status:
        raise SystemExit(f"the program on {path} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Measure powers of ten of events and half of them, and fit a line to the logarithms."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=7, help="the largest log has 10^MOST events")
    parser.add_argument("--format", choices=("parquet", "csv"), default="parquet")
    options = parser.parse_args()
    sizes = sorted({10**power // part for power in range(6, options.most + 1) for part in (1, 3, 10)})
    columns = ("events", "CPU s", "µs an event beyond the start", "peak MB", "read and sorted, CPU s", "ratio")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for events in sizes:
            path = Path(folder) / f"log.{options.format}"
            # in a process of its own: a child's peak memory is at least what its parent held when it started
            writer = multiprocessing.get_context("spawn").Process(target=write_log, args=(path, events))
            writer.start()
            writer.join()
            cpu, memory = measured(path)
            reference, _ = measured(path, SORTED)
            results.append((events, cpu))
            each = (cpu - results[0][1]) / max(1, events - results[0][0]) * 1e6
            print(
                f"| {events:,} | {cpu:.1f} | {each:.2f} | {memory:,.0f} | {reference:.1f} | {cpu / reference:.1f} |",
                flush=True,
            )
    large = [(events, cpu - results[0][1]) for events, cpu in results if events >= 10**6]
    if len(large) > 1:
        slope = np.polyfit(*np.log([[events for events, _ in large], [cpu for _, cpu in large]]), 1)[0]
        print(f"\nslope of log CPU (beyond the start) on log events, from 10^6: {slope:.2f}")


if __name__ == "__main__":
    main()
