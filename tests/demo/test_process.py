"""The demo as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from demo.conftest import Client
from demo.model_servers import model_server

from neraca import demo
from neraca.demo import __main__ as command


def test_it_says_where_it_is_answers_and_stops(index_folder, search):
    with model_server("openai", reply=lambda body: "dari model") as url:
        with demo.start(method="api", llm="openai:gpt-4o-mini", data=index_folder, env=url.environment) as server:
            status, answer = Client(server.url).chat("rumah di Johor", session_id="s")
            assert server.url.startswith("http://127.0.0.1:")
            assert server.log() == ""
        assert server.process.returncode == 0
    assert (status, answer["response"], answer["metadata"]["method"]) == (200, "dari model", "api")


def test_it_leaves_with_a_parent_that_was_killed(index_folder, search):
    parent = "from neraca import demo; from pathlib import Path; import sys, time\n"
    parent += "s = demo.start(data=Path(sys.argv[1])); print(s.process.pid, flush=True); time.sleep(60)"
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
    with pytest.raises(demo.StartError, match=r"(?s)exit code 1.*(?:FileExists|NotADirectory)Error"):
        demo.start(data=tmp_path / "file")


def test_an_interrupted_start_leaves_no_process(monkeypatch):
    begun = []

    def interrupted(process, timeout):
        begun.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_wait_for_address", interrupted)
    with pytest.raises(KeyboardInterrupt):
        demo.start()
    assert begun[0].returncode is not None


def test_a_wrong_method_is_explained():
    with pytest.raises(demo.StartError, match=r"(?s)exit code 2.*invalid choice"):
        demo.start(method="magic")


def test_a_demo_that_takes_too_long_is_stopped():
    with pytest.raises(demo.StartError, match="exit code -9"):
        demo.start(timeout=0.01)


def test_the_face_is_light():
    code = "import sys, neraca.demo; print([m for m in ('fastapi', 'chromadb', 'sklearn') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_options_belong_together(capsys):
    with pytest.raises(SystemExit):
        command.main(["--embeddings", "http://127.0.0.1:1/v1"])
    assert "give --embeddings and --embedding-model together" in capsys.readouterr().err


@pytest.mark.parametrize("home", [{"XDG_CACHE_HOME": "/somewhere"}, {"XDG_CACHE_HOME": ""}])
def test_the_index_is_kept_in_the_cache_folder(monkeypatch, home):
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    data = command._parse_options([]).data
    assert data.parts[-2:] == ("neraca", "demo")
    assert data.is_relative_to(home["XDG_CACHE_HOME"] or command.Path.home() / ".cache")


def test_main_serves_until_told_to_stop(index_folder, search, capsys, monkeypatch):
    """The whole of `main` in this process, with a server that stops as soon as it is ready."""
    import uvicorn

    async def stop_at_once(server):
        server.should_exit = True

    monkeypatch.setattr(uvicorn.Server, "main_loop", stop_at_once)
    command.main(["--data", str(index_folder)])
    assert capsys.readouterr().out.startswith("http://127.0.0.1:")
