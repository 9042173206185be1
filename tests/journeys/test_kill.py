"""Killed at any moment (SIGKILL) and started again: no finished answer is lost, and only what is missing is asked."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from neraca.runs.run import Run

CONCURRENCY = 3
KILLS = 10

STUDY = """
name = "killed"
[dataset]
file = "questions.csv"
[target]
kind = "http"
url = "URL"
body = { messages = "{messages}" }
response = { text = "text", hits = "hits" }
[targets.bot]
[asking]
concurrency = 3
[judges.rules]
[score]
metrics = ["P@5", "RR", "Success"]
"""


class Bot(ThreadingHTTPServer):
    """Replies after 30 ms with how long the conversation is, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: Counter[str] = Counter()


class Handler(BaseHTTPRequestHandler):
    server: Bot

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        question = messages[-1]["content"]
        self.server.asked[question] += 1
        time.sleep(0.03)
        reply = json.dumps(
            {"text": f"turn {len(messages)}: {question}", "hits": [{"id": question, "price": 5}]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def bot() -> Iterator[Bot]:
    server = Bot()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def study(folder: Path, bot: Bot) -> Path:
    folder.mkdir()
    host, port = bot.server_address[:2]
    (folder / "study.toml").write_text(STUDY.replace("URL", f"http://{host!s}:{port}/"))
    lines = ["question,session,expects,constraints"]
    for number in range(60):
        session = f"s{number // 3}" if number % 2 else ""
        lines.append(f'question {number},{session},results,"{{""price"": {{""max"": {number}}}}}"')
    (folder / "questions.csv").write_text("\n".join(lines) + "\n")
    return folder / "study.toml"


def start(file: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", "from neraca.cli import main; main()", "run", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def test_ten_kills_at_random_moments_lose_nothing(tmp_path: Path, bot: Bot) -> None:
    file = study(tmp_path / "killed", bot)
    journal = tmp_path / "killed/results/study/bot/answers.jsonl"
    chance = random.Random(20261120)
    finished: list[bytes] = []
    killed_in_the_middle = 0
    for _ in range(KILLS):
        before = bot.asked.total()
        process = start(file)
        quota = chance.randint(0, 7)
        deadline = time.monotonic() + 30
        while process.poll() is None and bot.asked.total() - before < quota and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.06)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        content = journal.read_bytes() if journal.exists() else b""
        whole = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
        assert whole[: len(finished)] == finished, "what was finished stands as it stood"
        finished = whole
        killed_in_the_middle += 0 < len(whole) < 60
    assert killed_in_the_middle >= 5, "the kills must fall into the asking to show anything"

    known = {json.loads(line)["item"] for line in finished}
    before_last = Counter(bot.asked)
    last = start(file)
    _, error = last.communicate(timeout=60)
    assert last.returncode == 0, error.decode()
    asked_last = {question for question, count in bot.asked.items() if count > before_last[question]}
    missing = {f"question {number}" for number in range(60) if str(number + 1) not in known}
    assert asked_last == missing
    assert bot.asked.total() <= 60 + KILLS * CONCURRENCY, "at most the calls in flight are repeated"

    run = Run(journal.parent)
    lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
    assert sorted(Counter(line["item"] for line in lines).values()) == [1] * 60
    assert run.manifest.statuses == {"complete": 60}

    calm = study(tmp_path / "calm", bot)
    undisturbed = start(calm)
    _, error = undisturbed.communicate(timeout=60)
    assert undisturbed.returncode == 0, error.decode()
    same = Run(tmp_path / "calm/results/study/bot")
    assert {key: a.text for key, a in run.answers().items()} == {key: a.text for key, a in same.answers().items()}
    assert [(v.item, v.about, v.value) for v in run.verdicts()] == [(v.item, v.about, v.value) for v in same.verdicts()]


def test_interrupting_by_hand_keeps_what_is_finished_and_exits_with_3(tmp_path: Path, bot: Bot) -> None:
    file = study(tmp_path / "stopped", bot)
    process = start(file)
    deadline = time.monotonic() + 30
    while bot.asked.total() < 10 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 3
    assert b"what was finished is kept" in error
    assert b"Traceback" not in error
    answers = Run(tmp_path / "stopped/results/study/bot").answers()
    assert len(answers) >= 10 - CONCURRENCY
    assert all(answer.status == "complete" for answer in answers.values())
