"""A small RAG system judged by a model on loopback: asked, judged, killed, stopped by a budget, scored, reported."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from judges.scripted_model import kind_of, reply_to
from models.llm_server import Call, LlmServer

from neraca.runs.run import Run

MODEL = ("--model", "openai:judge", "--set", "price=[1.0, 10.0]", "--cache", "models.sqlite")
STREETS = [
    "Acacia",
    "Birch",
    "Cedar",
    "Dogwood",
    "Ebony",
    "Fern",
    "Ginkgo",
    "Hazel",
    "Iris",
    "Juniper",
    "Kapok",
    "Lime",
]

BOT = '''
"""Finds notes by common words; of streets from Hazel on the knowledge base has nothing."""
import json, re
from pathlib import Path

NOTES = json.loads(Path(__file__).with_name("notes.json").read_text())

def words(text):
    return set(re.findall(r"[a-z]{4,}", text.lower()))

def chat(query):
    best = sorted(NOTES, key=lambda name: -len(words(NOTES[name]) & words(query)))[:3]
    known = [name for name in best if words(query) & words(NOTES[name]) - words("house street")]
    text = NOTES[known[0]].split(" Its ")[0] if known else "The agency does not know this house."
    return {"text": text, "hits": [{"id": name, "text": NOTES[name]} for name in best]}
'''


def note(street: str, number: int) -> str:
    return (
        f"The house in {street} street has {number} bedrooms and a garden that faces south with two old apple trees. "
        f"Its price is {number}00 million and it was built by a family of carpenters who lived there for many years."
    )


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 questions on 12 houses, of which the knowledge base has 7, and what the system answers to them."""
    folder = tmp_path_factory.mktemp("answered")
    notes = {street: note(street, number) for number, street in enumerate(STREETS[:7], start=2)}
    (folder / "notes.json").write_text(json.dumps(notes))
    (folder / "bot.py").write_text(BOT)
    rows = ["id,query,reference"]
    for number, street in enumerate(STREETS, start=2):
        first, second = note(street, number).split(" Its ")
        rows.append(f"{street}1,How many bedrooms has the house in {street} street?,{first}")
        rows.append(f"{street}2,What do you know of the {street} street house?,{first} Its {second}")
    (folder / "questions.csv").write_text("\n".join(rows) + "\n")
    neraca(folder, "ask", "questions.csv", "--target", "python:bot.py:chat", "--out", "run")
    return folder


@pytest.fixture
def rag(answered: Path, tmp_path: Path) -> Path:
    """A copy of the questions and answers, to be judged."""
    return shutil.copytree(answered, tmp_path / "rag")


def reply(call: Call) -> dict[str, Any]:
    kind = kind_of(call.schema)
    return reply_to(SimpleNamespace(system=call.system, user=call.user, kind=SimpleNamespace(__name__=kind)))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LlmServer(reply=reply) as running:
        yield running


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from neraca.cli import main; main()", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def neraca(folder: Path, *words: str, code: int = 0) -> tuple[str, str]:
    process = start(folder, *words)
    out, err = process.communicate()
    assert process.returncode == code, err
    return out, err


def judge(server: LlmServer, *words: str) -> tuple[str, ...]:
    return ("judge", "run", "--judge", "claims", "--url", server.url, *MODEL, *words)


def prompt_counts(server: LlmServer) -> Counter[str]:
    return Counter(call.user for call in server.calls)


def kept(folder: Path) -> set[str]:
    """What was asked in the calls whose replies are on disk."""
    with contextlib.closing(sqlite3.connect(folder / "models.sqlite", timeout=10)) as cache:
        return {json.loads(request)["user"] for (request,) in cache.execute("SELECT request FROM calls")}


def until_kept(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many replies are on disk; a process that ends before fails, with what it wrote."""
    on_disk = 0
    while process.poll() is None:
        with contextlib.suppress(sqlite3.OperationalError):  # no table yet
            on_disk = len(kept(folder))
        if on_disk >= count:
            return
        time.sleep(0.02)
    _, err = process.communicate()
    pytest.fail(f"it ended with {process.returncode}, {on_disk} of {count} replies seen on disk: {err}")


def hang_after(server: LlmServer, count: int) -> None:
    """Let the server answer so many more calls and no other, so that nobody is done before being stopped."""
    last = server.count + count
    server.fail = lambda call: "hang" if call.number >= last else None


def paid(folder: Path) -> float:
    """The dollars of all replies that are on disk."""
    with contextlib.closing(sqlite3.connect(folder / "models.sqlite", timeout=10)) as cache:
        return sum(cache.execute(f"SELECT total(cost) FROM {table}").fetchone()[0] for table in ("calls", "wasted"))


def lost(server: LlmServer, before: int, known: set[str]) -> int:
    """How many calls of a process that has ended reached the server, and are not on disk."""
    return len({call.user for call in server.calls[before:]} - known)


def until_read(server: LlmServer) -> None:
    """Wait until the server has counted every call of a process that has ended."""
    host, _, port = server.root.removeprefix("http://").partition(":")
    with contextlib.closing(HTTPConnection(host, int(port))) as last:  # accepted after all others
        last.request("GET", "/")
        last.getresponse().read()
    while server.connections > server.in_flight:  # of a call that is not counted yet there is only the connection
        time.sleep(0.01)


def in_flight(known: set[str]) -> float:
    """The most calls that a process has in flight: 8 at first, and a quarter more for each reply.

    A reply is on disk before another call takes its place, so `known` counts all of them.
    """
    return 8 + len(known) / 4


def test_ask_judge_score_report(rag: Path, server: LlmServer) -> None:
    told = json.loads(neraca(rag, *judge(server, "--dry-run", "--json"))[0])
    assert server.count == 0
    spent = json.loads(neraca(rag, *judge(server, "--json"))[0])
    assert spent["calls"] == told["calls"] == server.count
    assert told["cost"] == pytest.approx(spent["cost"], rel=0.3)
    assert spent["cost"] == pytest.approx(server.prompt_tokens / 1e6 + spent["output_tokens"] * 10 / 1e6)
    assert spent["unscored"] == 0

    scored = neraca(rag, "score", "run", "--json")[0]
    values = {row["metric"]: row for row in map(json.loads, scored.splitlines())}
    assert list(values)[:4] == ["ContextRecall", "ContextPrecision", "Faithfulness", "ClaimF"]
    assert values["ContextRecall"]["value"] == pytest.approx(14 / 24)  # of seven houses everything, of five nothing
    assert values["ContextRecall"]["n"] == 24

    neraca(rag, "report", "run", "--to", "report.html", "-m", "ContextRecall ContextPrecision Faithfulness ClaimF")
    neraca(rag, "report", "run", "--to", "report.md", "-m", "ContextRecall ContextPrecision Faithfulness ClaimF")
    page, text = ((rag / name).read_text(encoding="utf-8") for name in ("report.html", "report.md"))
    assert "What to mend first" in page
    assert "llm:openai:judge#" in page
    advice = text[text.index("## What to mend first") : text.index("## How these numbers")]
    assert "knowledge base" in advice
    assert "Of the 17 bad answers, 10 come from what is found and 7 come from how answers are made" in advice

    neraca(rag, "judge", "run", "--judge", "offline")
    assert json.loads(neraca(rag, *judge(server, "--json"))[0])["new_verdicts"] == 0
    again = neraca(rag, "score", "run", "--json")[0]
    assert again == scored


def values_by_verdict(folder: Path) -> dict[tuple[str, str, str], float | None]:
    return {(v.item, v.about, v.aspect): v.value for v in Run(folder / "run").verdicts()}


def test_killed_and_started_again_it_pays_for_what_is_missing(rag: Path, server: LlmServer) -> None:
    (rag / "calm").mkdir()
    shutil.copytree(rag / "run", rag / "calm" / "run")
    server.latency = 0.15
    known = set[str]()
    for enough in (3, 8, 8):
        before = server.count
        hang_after(server, enough + 8)
        process = start(rag, *judge(server))
        until_kept(rag, len(known) + enough, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        until_read(server)
        known = kept(rag)
        assert lost(server, before, known) <= in_flight(known)
    assert 0 < len(known) < 51
    before = server.count
    server.fail = lambda call: None
    out, err = neraca(rag, *judge(server))
    left = server.count - before
    assert not known & {call.user for call in server.calls[before:]}
    assert f"to pay for about {left} calls, " in err
    assert f"; {left} calls, " in out
    assert known | {call.user for call in server.calls[before:]} == set(prompt_counts(server))
    costs = Run(rag / "run").manifest.judging
    assert list(costs.values()) == [pytest.approx(paid(rag))], "with the calls of all that were killed"
    neraca(rag, *judge(server))
    assert Run(rag / "run").manifest.judging == costs
    neraca(rag / "calm", *judge(server))
    assert values_by_verdict(rag) == values_by_verdict(rag / "calm")


def test_ctrl_c_keeps_what_is_finished_and_the_next_start_says_what_is_left(rag: Path, server: LlmServer) -> None:
    server.latency = 0.2
    hang_after(server, 30)
    process = start(rag, *judge(server))
    until_kept(rag, 15, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 3, err
    assert "what was finished is kept" in err
    assert "Traceback" not in err
    until_read(server)
    before, known = server.count, kept(rag)
    assert lost(server, 0, known) <= in_flight(known)
    server.fail, server.latency = lambda call: None, 0.0
    out, err = neraca(rag, *judge(server))
    left = server.count - before
    assert not known & {call.user for call in server.calls[before:]}
    told = rf"claims \(openai:judge\) on run: to pay for about {left} calls, \d+ from the cache, \$0\.\d+;"
    assert re.search(told, err)
    assert "new verdicts by claims" in out


def test_a_budget_stops_it_cleanly_and_another_start_goes_on(rag: Path, server: LlmServer) -> None:
    whole = json.loads(neraca(rag, *judge(server, "--dry-run", "--json"))[0])["cost"]
    _, err = neraca(rag, *judge(server, "--budget", f"{whole * 0.7:.6f}"), code=3)
    assert "that is more than the budget" in err
    assert "the same command with a higher budget goes on from here" in err
    spent = server.prompt_tokens / 1e6
    assert 0 < spent <= whole * 0.7
    partly = {v.item for v in Run(rag / "run").verdicts()}
    assert 0 < len(partly) < 24
    out, _ = neraca(rag, *judge(server, "--budget", f"{whole:.6f}"))
    assert "new verdicts by claims" in out
    assert max(prompt_counts(server).values()) == 1
    assert len({v.item for v in Run(rag / "run").verdicts()}) == 24
