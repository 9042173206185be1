"""SIGKILL in the middle of real calls: what was acknowledged is never asked, and so never paid, again."""

import subprocess
import sys
from collections import Counter

import pytest
from models.llm_server import LlmServer

# One process imports everything and forks a fresh one per round, since imports take longer than the calls.
PROGRAM = """
import asyncio, os, random, signal, sys, time
import msgspec
from neraca.models import provider
from neraca.models.model_session import ModelSession
from neraca.models.chat import Chat, ChatSettings
from neraca.models.prompt import Prompt
from pathlib import Path

class Grade(msgspec.Struct, forbid_unknown_fields=True):
    grade: int

async def run(acknowledged):
    session = ModelSession(Path(sys.argv[2]))
    chat = Chat(ChatSettings(model="openai:judge", url=sys.argv[1], key="key"), session)
    async def one(n):
        await chat.ask(Prompt(system="s", user=f"answer {n}", kind=Grade, guess=Grade(1)))
        os.write(acknowledged, b"%d " % n)
    await asyncio.gather(*(one(n) for n in range(500)))

async def warm():
    model = provider.connect("openai:judge", sys.argv[1], "key")
    await anext(model)
    await model.aclose()

asyncio.run(warm())
chance = random.Random(7)
known = set()
for turn in range(11):
    mine, its = os.pipe()
    child = os.fork()
    if not child:
        asyncio.run(run(its))
        os._exit(0)
    os.close(its)
    held, wanted = b"", chance.randint(0, 60) if turn < 10 else 500
    while len(set(held.split()) - known) < wanted and (piece := os.read(mine, 65536)):
        held += piece
    if turn < 10:
        time.sleep(chance.uniform(0.0, 0.1))
        os.kill(child, signal.SIGKILL)
    while piece := os.read(mine, 65536):
        held += piece
    known |= set(held.split())
    os.close(mine)
    os.waitpid(child, 0)
    print(turn, held.decode(), flush=True)
    assert sys.stdin.readline()
"""


@pytest.mark.slow
def test_no_acknowledged_call_is_paid_twice(tmp_path):
    with LlmServer(latency=0.1) as server:
        worker = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, server.url, str(tmp_path / "models.sqlite")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        acknowledged: set[str] = set()
        seen = fresh = 0
        for turn in range(11):
            told = set(worker.stdout.readline().split()[1:])
            asked = {call.user.removeprefix("answer ") for call in server.calls[seen:]}
            assert not asked & acknowledged, f"asked again after kill {turn}"
            seen, fresh = len(server.calls), fresh + bool(asked)
            acknowledged |= told
            worker.stdin.write("on\n")
            worker.stdin.flush()
        worker.communicate(timeout=60)
        assert worker.returncode == 0
        assert acknowledged == {str(number) for number in range(500)}
        assert fresh >= 4, "the kills must come while there is something left to ask"
        again = Counter(call.user for call in server.calls)
        assert sum(again.values()) - 500 <= 10 * 64, "only calls in flight at a kill are made again"
