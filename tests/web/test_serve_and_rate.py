"""People rate on the server that shows the runs: their links alone change anything, and what they said is written."""

import re
import signal
import subprocess
import sys

import pytest
from web.test_explorer_app import get, runs_in

from neraca.runs.run import Run


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs_in(tmp_path / "runs")
    words = ["serve", "runs", "--port", "0", "--rate", "runs/shop/old", "--raters", "ana"]
    with subprocess.Popen([sys.executable, "-m", "neraca", *words], stdout=subprocess.PIPE, text=True) as process:
        shown = ""
        while "/r/" not in shown:
            shown += process.stdout.readline()
        yield process, *re.search(r"(http\S+?)/\n[\s\S]*\1(/r/\S+)", shown).groups()
        process.kill()


def policy_inside(page):
    return re.search('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1]


def test_readers_and_raters_share_a_server(served):
    process, link, own = served
    status, _, page = get(link, "/")
    assert (status, "shop/old" in page) == (200, True)
    status, headers, page = get(link, own)
    assert (status, "answers rated" in page) == (200, True)
    assert headers["content-security-policy"] == f"{policy_inside(page)}; frame-ancestors 'none'"
    assert get(link, "/r/somebody")[0] == 404
    assert get(link, own, Host="evil.example")[0] == 400
    assert get(link, "/", Host="evil.example")[0] == 400
    process.send_signal(signal.SIGTERM)
    assert "runs/shop/old: 0 verdicts added" in process.stdout.read()
    assert process.wait(10) == 0
    assert not any(verdict.by == "human:ana" for verdict in Run("runs/shop/old").verdicts())
