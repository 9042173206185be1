"""What it costs to score Parquet files of 10^5 to 10^7 rows, on this machine and as tasks of Ray.

    .venv/bin/python benchmarks/scale.py [--most 7] [--engines local ray] [--metrics "TokenF1 ROUGE-L"]

Rows are pairs of texts of 40 words, in row groups of 20,000; `neraca score … --out` reads and writes Parquet.  A
process and all that it starts, however far away, carry a mark in their environment: every half second their CPU time
and memory are read from /proc (Linux).  The results stand in benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

WORDS, VOCABULARY, GROUP = 40, 20_000, 20_000
MARK = "NERACA_MEASURED"
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PART = 1_000_000


def write_pairs(folder: Path, rows: int) -> None:
    """Write files of a million rows each: words by Zipf's law, of which three of ten differ in the reference."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(VOCABULARY)])
    folder.mkdir(exist_ok=True)
    for start in range(0, rows, PART):
        frames = []
        for place in range(start, min(rows, start + PART), 100_000):
            n = min(100_000, rows - place)
            said = np.minimum(rng.zipf(1.3, size=(n, WORDS)), VOCABULARY) - 1
            meant, other = said.copy(), rng.random(said.shape) < 0.3
            meant[other] = np.minimum(rng.zipf(1.3, size=int(other.sum())), VOCABULARY) - 1
            texts = {
                name: [" ".join(row) for row in words[of]] for name, of in (("response", said), ("reference", meant))
            }
            frames.append(pl.DataFrame({"id": [f"q{number}" for number in range(place, place + n)], **texts}))
        pl.concat(frames).write_parquet(folder / f"{start:09}.parquet", row_group_size=GROUP)


class Cost(NamedTuple):
    """CPU seconds of all processes, seconds by the clock, and the most memory that all had at a time, in MB."""

    cpu: float
    seconds: float
    memory: float


def measured(words: list[str]) -> Cost:
    """Run a command to its end."""
    mark = uuid.uuid4().hex
    began = time.monotonic()
    process = subprocess.Popen(words, env=os.environ | {MARK: mark}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    spent: dict[int, float] = {}
    most = 0.0
    while process.poll() is None:
        most = max(most, _look(mark, spent))
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}: {process.stderr.read().decode()[-2000:]}")
    return Cost(sum(spent.values()), time.monotonic() - began, most)


def _look(mark: str, spent: dict[int, float]) -> float:
    """Keep the CPU time of each marked process, and return what memory they have, counted once where it is shared."""
    memory = 0.0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark.encode() not in (folder / "environ").read_bytes():
                continue
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            spent[int(folder.name)] = (int(fields[11]) + int(fields[12])) / TICKS
            rollup = (folder / "smaps_rollup").read_text()
            memory += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024
        except (OSError, StopIteration):
            continue  # it has ended meanwhile
    return memory


def main() -> None:
    """Measure each engine on powers of ten of rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=7, help="the largest data have 10^MOST rows")
    parser.add_argument("--engines", nargs="+", default=["local", "ray"])
    parser.add_argument("--metrics", default="TokenF1 ROUGE-L")
    options = parser.parse_args()
    print("| engine | rows | CPU s | µs a row beyond 10^5 | s | rows/s | peak MB |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for power in range(5, options.most + 1):
            data = Path(place) / f"rows{power}"
            writer = multiprocessing.get_context("spawn").Process(target=write_pairs, args=(data, 10**power))
            writer.start()
            writer.join()
        for engine in options.engines:
            costs: dict[int, Cost] = {}
            for power in range(5, options.most + 1):
                out = Path(place) / f"out {engine} {power}"
                run = [sys.executable, "-c", "from neraca.cli import main; main()", "score", f"{place}/rows{power}"]
                costs[power] = cost = measured([*run, "-m", options.metrics, "--out", str(out), "--engine", engine])
                each = (cost.cpu - costs[5].cpu) / max(1, 10**power - 10**5) * 1e6
                rate = 10**power / cost.seconds
                print(
                    f"| {engine} | {10**power:,} | {cost.cpu:.1f} | {each:.1f} | {cost.seconds:.1f} | {rate:,.0f} | "
                    f"{cost.memory:,.0f} |",
                    flush=True,
                )
            if options.most > 6:
                more = [(10**power - 10**5, costs[power].cpu - costs[5].cpu) for power in (6, options.most)]
                slope = np.log(more[1][1] / more[0][1]) / np.log(more[1][0] / more[0][0])
                print(f"\nslope of log CPU on log rows, both beyond 10^5, {engine}: {slope:.3f}\n")


if __name__ == "__main__":
    main()
