"""Processes that are killed at random moments while they score: is every row there once, and are the bytes the same?

    .venv/bin/python benchmarks/kills.py [--local 20] [--ray 10] [--seed 0]

Each time `neraca score … --out` is begun anew on 400,000 rows in 20 units; after a random time the driver, one of
the processes that work for it, or Ray's own process of the machine is killed by SIGKILL.  If it was no worker, the same
command is started again.  In the end the folder
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
#: Seconds in which all processes of a driver that was killed must be gone; some of Ray's wait for a minute.
GONE = 90


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


def victims(mark: str, driver: int, engine: str) -> dict[str, list[int]]:
    """Those of them that may be killed, by what they do: `raylet` is Ray's own process, one for each machine."""
    found: dict[str, list[int]] = {"driver": [driver]}
    for pid in marked(mark):
        try:
            name = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if pid != driver and (engine == "local" or name.startswith(("ray::_told", "ray::IDLE"))):
            found.setdefault("worker", []).append(pid)
        elif "/raylet/raylet" in name.partition("\0")[0]:
            found.setdefault("raylet", []).append(pid)
    return found


def files(folder: Path) -> dict[Path, bytes]:
    """What stands in a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def wrong(out: Path, whole: Path) -> str:
    """How a folder differs from that which nobody disturbed, or "": the same files, and every id once."""
    here, there = files(out), files(whole)
    if differ := sorted(str(path) for path in here.keys() | there.keys() if here.get(path) != there.get(path)):
        return f"other files: {', '.join(differ[:5])}"
    ids = pl.read_parquet(out / "values")["id"]
    return "" if len(ids) == ids.n_unique() == ROWS else f"{ids.n_unique():,} of {len(ids):,} ids"


def trial(data: Path, place: Path, whole: Path, engine: str, rng: random.Random) -> tuple[str, int, str]:
    """Kill once; return what was killed, how many units were done then, and what is not as it should be."""
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    process, mark = begun(data, out, engine)
    time.sleep((8 if engine == "ray" else 1) + rng.random() * 6)
    found = victims(mark, process.pid, engine)
    what = rng.choice(sorted(found))
    done = len(list((out / "values").glob("*.parquet"))) if (out / "values").is_dir() else 0
    if process.poll() is None:
        os.kill(rng.choice(found[what]), signal.SIGKILL)
    _, said = process.communicate()
    if what != "worker":
        ends = time.monotonic() + GONE
        while marked(mark) and time.monotonic() < ends:
            time.sleep(0.1)
        left = marked(mark)
        if left:
            return what, done, f"{len(left)} processes are left after {GONE} s"
        process, _ = begun(data, out, engine)
        _, said = process.communicate()
    if process.returncode:
        return what, done, f"exit {process.returncode}: {said.decode(errors='replace')[-300:]}"
    return what, done, wrong(out, whole)


def full_disk(data: Path, place: Path, whole: Path) -> str:
    """Let a small disk run full, make it larger, and go on; return what is not as it should be."""
    disk = place / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)], check=True)
    try:
        process, _ = begun(data, disk / "out", "local")
        _, said = process.communicate()
        if process.returncode != 2 or b"free some space" not in said:
            return f"exit {process.returncode}: {said.decode(errors='replace')[-300:]}"
        subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        again, _ = begun(data, disk / "out", "local")
        again.communicate()
        return f"exit {again.returncode}" if again.returncode else wrong(disk / "out", whole)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def main() -> None:
    """Kill so many times, and say what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--local", type=int, default=20)
    parser.add_argument("--ray", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = 0
    print("| engine | killed | units done by then | every row once, same bytes |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        writer = multiprocessing.get_context("spawn").Process(target=write_pairs, args=(place / "data", ROWS))
        writer.start()
        writer.join()
        begun(place / "data", place / "whole", "local")[0].communicate()
        for engine, times in (("local", options.local), ("ray", options.ray)):
            rng = random.Random(f"{engine} {options.seed}")
            for _ in range(times):
                what, done, fault = trial(place / "data", place, place / "whole", engine, rng)
                failures += bool(fault)
                print(f"| {engine} | {what} | {done} of {ROWS // 20_000} | {fault or 'yes'} |", flush=True)
        if os.geteuid() == 0:
            fault = full_disk(place / "data", place, place / "whole")
            failures += bool(fault)
            print(f"| local | nothing: the disk was full | | {fault or 'yes'} |", flush=True)
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
