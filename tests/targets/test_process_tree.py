"""Where there are no process groups, as on Windows; `tests/targets/test_command.py` kills real groups."""

import os
import signal
import subprocess
import sys

import pytest

from neraca.targets.process_tree import kill_tree


@pytest.fixture
def taskkill(tmp_path, monkeypatch):
    """A system without groups; its program to end processes writes down what it was told, and ends the last word."""
    script = tmp_path / "taskkill"
    script.write_text(f"#!/bin/sh\necho $* >> {tmp_path}/calls\nkill -9 $4\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delattr(os, "killpg")
    return tmp_path / "calls"


def test_the_tree_is_killed_by_the_program_of_the_system(taskkill):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    kill_tree(process.pid, ended=False)
    assert process.wait(30) == -signal.SIGKILL
    assert taskkill.read_text() == f"/F /T /PID {process.pid}\n"


def test_a_number_that_may_be_another_process_by_now_is_left_alone(taskkill):
    kill_tree(os.getpid(), ended=True)
    assert not taskkill.exists()
