"""Data whose units take a while, and a metric that says which process is at work, so that a test can kill it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from neraca.metrics.metric import METRICS

#: A metric of a user; what it is worth follows from the text alone.
PLUGIN = """
import os, pathlib, time
import neraca

@neraca.metric("Letters", high=1000)
def letters(response: str) -> float:
    if response.startswith("first"):
        pathlib.Path({folder!r}, str(os.getpid())).touch()
        time.sleep({seconds})
    return float(len(response))
"""
ROWS, UNIT = 240, 20


class SlowRows:
    """Twelve units of twenty rows, of which each takes a moment.

    Attributes
    ----------
    data, plugin
        Files: the rows, and the metric `Letters`.
    pids
        A folder in which each process at work leaves an empty file with its number.
    """

    def __init__(self, folder: Path, seconds: float = 0.3) -> None:
        self.data, self.plugin, self.pids = folder / "data.parquet", folder / "letters.py", folder / "pids"
        self.pids.mkdir()
        self.plugin.write_text(PLUGIN.format(folder=str(self.pids), seconds=seconds))
        texts = [f"{'first' if n % UNIT == 0 else 'then'} {'x' * (n % 7)}" for n in range(ROWS)]
        pl.DataFrame({"id": [f"q{n}" for n in range(ROWS)], "response": texts}).write_parquet(
            self.data, row_group_size=UNIT
        )

    def values(self, out: Path) -> None:
        """Every row is there once, with its value."""
        written = pl.read_parquet(out / "values/*.parquet")
        frame = pl.read_parquet(self.data)
        assert written["id"].to_list() == frame["id"].to_list()
        assert written["Letters"].to_list() == [float(len(text)) for text in frame["response"]]


def forget_letters() -> None:
    """Take the metric out of those that are known, so that the next test can bring its own."""
    METRICS._objects.pop("Letters", None)
    METRICS._sources.pop("Letters", None)


def small_units(monkeypatch: object) -> None:
    """Let each row group be a unit."""
    import neraca.scores.score_parquet as module

    units_of = module.units_of
    monkeypatch.setattr(module, "units_of", lambda sources: units_of(sources, 1))  # type: ignore[attr-defined]


def killing(pids: Path, most: int = 1) -> Callable[[], list[int]]:
    """Kill so many of the processes that say that they are at work, one a moment after it began.

    The function that comes back waits for that, and says which they were.
    """
    killed: list[int] = []

    def kill() -> None:
        ends = time.monotonic() + 60
        while len(killed) < most and time.monotonic() < ends:
            for pid in (int(path.name) for path in pids.iterdir() if int(path.name) not in killed):
                if pid != os.getpid() and len(killed) < most:
                    time.sleep(0.1)
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.02)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()

    def waited() -> list[int]:
        thread.join(60)
        return killed

    return waited


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
