"""Processes that are killed at random moments while they score: is every row there once, and are the bytes the same?

    .venv/bin/python benchmarks/kills.py [--local 20] [--ray 10] [--seed 0]

Each time `neraca score … --out` is begun anew on 400,000 rows in 20 units; after a random time the driver, or one of
the processes that work for it, is killed by SIGKILL.  A driver that was killed is started again.  In the end the folder
is compared with one that nobody disturbed, byte by byte, and the ids are counted.  As root, a small disk that runs full
is tried too.  Linux only.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import polars as pl
from scale import MARK, write_pairs

ROWS = 400_000


def begun(data: Path, out: Path, engine: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start the command, and return the mark that it and all its processes carry."""
    mark = uuid.uuid4().hex
    words = [
        sys.executable,
        "-c",
        "from neraca.cli import main; main()",
        "score",
        str(data),
        "-m",
        "TokenF1 CorpusBLEU",
    ]
    process = subprocess.Popen(
        [*words, "--out", str(out), "--engine", engine, "--workers", "2"],
        env=os.environ | {MARK: mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    return process, mark


def marked(mark: str) -> list[int]:
    """The processes that carry a mark."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def at_work(mark: str, driver: int, engine: str) -> list[int]:
    """Those of them that score: of Ray its workers, which are called after their task."""
    others = [pid for pid in marked(mark) if pid != driver]
    if engine == "local":
        return others
    names = {}
    for pid in others:
        try:
            names[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
    return [pid for pid, name in names.items() if name.startswith("ray::")]


def files(folder: Path) -> dict[Path, bytes]:
    """What stands in a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def same(out: Path, whole: Path) -> bool:
    """Whether two folders hold the same files, and the first has every id once."""
    files = [
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (out, whole)
    ]
    ids = pl.read_parquet(out / "values")["id"]
    return files[0] == files[1] and len(ids) == ids.n_unique() == ROWS


def trial(data: Path, place: Path, whole: Path, engine: str, rng: random.Random) -> tuple[str, int, bool]:
    """Kill once; return what was killed, how many units were done then, and whether all is as it should be."""
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    process, mark = begun(data, out, engine)
    time.sleep((8 if engine == "ray" else 1) + rng.random() * 6)
    what = rng.choice(("worker", "driver"))
    workers = at_work(mark, process.pid, engine)
    done = len(list((out / "values").glob("*.parquet"))) if (out / "values").is_dir() else 0
    what = what if workers else "driver"
    if process.poll() is None:
        os.kill(rng.choice(workers) if what == "worker" else process.pid, signal.SIGKILL)
    process.communicate()
    if what == "driver":
        ends = time.monotonic() + 30
        while marked(mark) and time.monotonic() < ends:
            time.sleep(0.1)
        left = marked(mark)
        again, _ = begun(data, out, engine)
        again.communicate()
        return what, done, again.returncode == 0 and same(out, whole) and not left
    return what, done, process.returncode == 0 and same(out, whole)


def full_disk(data: Path, place: Path, whole: Path) -> bool:
    """Let a small disk run full, make it larger, and go on."""
    disk = place / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)], check=True)
    try:
        process, _ = begun(data, disk / "out", "local")
        _, said = process.communicate()
        stopped = process.returncode == 2 and b"free some space" in said
        subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        again, _ = begun(data, disk / "out", "local")
        again.communicate()
        return stopped and again.returncode == 0 and same(disk / "out", whole)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def main() -> None:
    """Kill so many times, and say what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--local", type=int, default=20)
    parser.add_argument("--ray", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, wrong = random.Random(options.seed), 0
    print("| engine | killed | units done by then | every row once, same bytes |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        writer = multiprocessing.get_context("spawn").Process(target=write_pairs, args=(place / "data", ROWS))
        writer.start()
        writer.join()
        begun(place / "data", place / "whole", "local")[0].communicate()
        for engine, times in (("local", options.local), ("ray", options.ray)):
            for _ in range(times):
                what, done, right = trial(place / "data", place, place / "whole", engine, rng)
                wrong += not right
                print(f"| {engine} | {what} | {done} of {ROWS // 20_000} | {'yes' if right else 'NO'} |", flush=True)
        if os.geteuid() == 0:
            right = full_disk(place / "data", place, place / "whole")
            wrong += not right
            print(f"| local | nothing: the disk was full | | {'yes' if right else 'NO'} |")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
