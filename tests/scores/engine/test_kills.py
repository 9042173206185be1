"""Processes that are killed while they score: every row is there once, as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scores.engine.slow_rows import SlowRows, files, forget_letters, killing, small_units

from neraca.errors import InputError, RunError
from neraca.scores.score_parquet import ScaleOptions, score_parquet

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by SIGKILL")
#: As the command line would do it, but with each row group as a unit.
COMMAND = """
import sys
import neraca.scores.score_parquet as module
units_of = module.units_of
module.units_of = lambda sources: units_of(sources, 1)
from neraca.cli import main
sys.argv = ["neraca", "score", {data!r}, "-m", "Letters", "--plugin", {plugin!r}, "--out", {out!r}, "--workers", "2"]
main()
"""


@pytest.fixture
def rows(tmp_path, monkeypatch):
    small_units(monkeypatch)
    yield SlowRows(tmp_path)
    forget_letters()


def options(rows, workers=2):
    return ScaleOptions(plugins=[rows.plugin], workers=workers)


def command(rows, out):
    code = COMMAND.format(data=str(rows.data), plugin=str(rows.plugin), out=str(out))
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True
    )


def alive(pids: Path) -> list[int]:
    """Which of the processes that were at work still are."""
    found = []
    for pid in (int(path.name) for path in pids.iterdir()):
        try:
            os.kill(pid, 0)
            found.append(pid)
        except ProcessLookupError:
            continue
    return found


def gone(pids: Path) -> bool:
    """Whether all of them end within some seconds."""
    ends = time.monotonic() + 10
    while alive(pids) and time.monotonic() < ends:
        time.sleep(0.05)
    return not alive(pids)


def wait_for(some: Path, n: int) -> None:
    ends = time.monotonic() + 60
    while (len(list(some.iterdir())) if some.is_dir() else 0) < n:
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_the_unit_of_a_worker_that_is_killed_is_done_again(rows, tmp_path):
    killed = killing(rows.pids, most=2)
    score_parquet(rows.data, "Letters", tmp_path / "out", options(rows))
    assert len(killed()) == 2
    rows.values(tmp_path / "out")
    score_parquet(rows.data, "Letters", tmp_path / "again", options(rows, 1))
    assert files(tmp_path / "out") == files(tmp_path / "again")
    assert gone(rows.pids) or alive(rows.pids) == [os.getpid()]


def test_a_unit_whose_process_always_dies_is_given_up_and_the_others_stay(rows, tmp_path, monkeypatch):
    rows.plugin.write_text(
        "import os, signal\nimport neraca\n\n@neraca.metric('Letters', high=1000)\n"
        "def letters(response: str) -> float:\n"
        "    if response.endswith('xxxxxx') and os.environ.get('HARD'):\n        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return float(len(response))\n"
    )
    monkeypatch.setenv("HARD", "1")
    with pytest.raises(RunError, match=r"data\.parquet, rows .*: the process that scores them died 3 times"):
        score_parquet(rows.data, "Letters", tmp_path / "out", options(rows))
    monkeypatch.delenv("HARD")
    score_parquet(rows.data, "Letters", tmp_path / "out", options(rows))
    rows.values(tmp_path / "out")


def test_after_a_kill_of_the_driver_nothing_is_left_running_and_the_rest_is_done(rows, tmp_path):
    out = tmp_path / "out"
    process = command(rows, out)
    wait_for(out / "values", 3)
    process.kill()
    process.communicate()
    assert gone(rows.pids)
    left = {path for path in (out / "values").iterdir() if path.suffix == ".parquet"}
    assert 3 <= len(left) < 12
    told = command(rows, out)
    told.communicate()
    assert told.returncode == 0
    rows.values(out)
    score_parquet(rows.data, "Letters", tmp_path / "whole", options(rows, 1))
    assert files(out) == files(tmp_path / "whole"), "nothing that was half written is left"


def test_ctrl_c_ends_all_processes_and_says_how_to_go_on(rows, tmp_path):
    process = command(rows, tmp_path / "out")
    wait_for(tmp_path / "out/values", 2)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "start the same command again, and the rest is done" in said
    assert "Traceback" not in said
    assert gone(rows.pids)


def test_a_full_disk_is_said_and_the_rest_is_done_later(rows, tmp_path, monkeypatch):
    from neraca import object_stores

    write, written = object_stores.write_atomic, []

    def full(path, data):
        written.append(path)
        if len(written) == 5:
            raise OSError(28, "No space left on device")
        write(path, data)

    monkeypatch.setattr(object_stores, "write_atomic", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device; free some space"):
        score_parquet(rows.data, "Letters", tmp_path / "out", options(rows, 1))
    monkeypatch.setattr(object_stores, "write_atomic", write)
    score_parquet(rows.data, "Letters", tmp_path / "out", options(rows, 1))
    rows.values(tmp_path / "out")
