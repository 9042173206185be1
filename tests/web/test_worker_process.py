"""The process beside the server: one thing after another, what went wrong is said, and it never outlives who asked."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neraca.errors import InputError, NeracaError
from neraca.web.question_facts import question_facts
from neraca.web.worker_process import WorkerProcess


@pytest.fixture
def worker():
    made = WorkerProcess()
    yield made
    made.close()


def test_a_call_is_made_in_another_process_and_its_error_comes_back(worker, tmp_path):
    there = worker.submit(os.getpid).result(30)
    assert there != os.getpid()
    with pytest.raises(InputError, match="no run to score"):
        worker.submit(question_facts, []).result(30)
    with pytest.raises(FileNotFoundError):
        worker.submit(Path.read_text, tmp_path / "none").result(30)
    assert worker.submit(os.getpid).result(30) == there


def test_where_the_process_is_lost_it_is_said_and_another_one_begins(worker):
    there = worker.submit(os.getpid).result(30)
    with pytest.raises(NeracaError, match="ended before it was done"):
        worker.submit(os.kill, there, signal.SIGKILL).result(30)
    assert worker.submit(os.getpid).result(30) != there


def test_after_a_long_call_another_process_takes_its_place(worker):
    first = worker.submit(os.getpid).result(30)
    assert worker.submit(time.sleep, 1.6).result(30) is None
    assert worker.submit(os.getpid).result(30) != first


def test_closing_does_not_wait(worker):
    worker.submit(os.getpid).result(30)
    asleep = worker.submit(time.sleep, 60)
    while not asleep.running():
        time.sleep(0.01)
    worker.close()
    with pytest.raises(NeracaError, match="ended before it was done"):
        asleep.result(10)


def test_it_ends_when_the_server_is_killed():
    program = (
        "import os, time; from neraca.web.worker_process import WorkerProcess\n"
        "print(WorkerProcess().submit(os.getpid).result(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        os.kill(int(process.stdout.readline()), 0)  # it is there
        process.kill()
        assert process.communicate(timeout=30)[0] == "", "whoever holds the other end of the pipe is gone, too"
