"""The demo as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from demo.conftest import post

from neraca import demo
from neraca.demo import __main__ as command


def test_it_prints_its_address_answers_and_stops(index_folder, search):
    with demo.start(method="api", data=index_folder) as server:
        status, answer = post(server.url, {"message": "rumah di Johor"})
    assert server.process.returncode == 0
    assert (status, answer["metadata"]["method"]) == (200, "api")


def test_it_leaves_with_a_parent_that_was_killed(index_folder, search):
    parent = "from neraca import demo; from pathlib import Path; import sys, time\n"
    parent += "with demo.start(data=Path(sys.argv[1])) as server: print(server.process.pid, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", parent, str(index_folder)], stdout=subprocess.PIPE, text=True)
    child = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    for _ in range(100):
        if not alive(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the demo outlived its parent")


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_demo_that_dies_is_explained(tmp_path):
    tmp_path.joinpath("file").write_text("")
    message = r"(?s)exit code 1.*(?:FileExists|NotADirectory)Error"
    with pytest.raises(demo.StartError, match=message), demo.start(data=tmp_path / "file"):
        pytest.fail("it runs")


def test_the_face_is_light():
    code = "import sys, neraca.demo; print([m for m in ('fastapi', 'chromadb', 'sklearn') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize("home", ["/somewhere", ""])
def test_the_index_is_kept_in_the_cache_folder(monkeypatch, home):
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert command._parse_options([]).data == Path(home or Path.home() / ".cache") / "neraca" / "demo"
