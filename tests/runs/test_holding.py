"""Targets that hold something open for each conversation: told once when it is over, however it ends."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from neraca.datasets.dataset import Dataset
from neraca.errors import TargetError
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.target import Conversation


class Room:
    """Holds a page for each conversation; `bad` questions raise what is given."""

    stateful = True

    def __init__(self, bad: BaseException | None = None) -> None:
        self.bad = bad
        self.open: set[str] = set()
        self.left: Counter[str] = Counter()
        self.folders: set[Path | None] = set()
        self.asked = asyncio.Event()

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        assert conversation.id not in self.left
        self.open.add(conversation.id)
        self.folders.add(conversation.folder)
        self.asked.set()
        if item.query == "wait":
            await asyncio.Event().wait()
        if item.query == "bad" and self.bad is not None:
            raise self.bad
        return Answer(item=item.id, text=item.query)

    def holds(self, conversation: str) -> bool:
        return conversation in self.open

    async def leave(self, conversation: str) -> None:
        self.left[conversation] += 1

    async def close(self) -> None:
        assert set(self.left) >= self.open, "every conversation is left before the target is closed"


def run_of(tmp_path: Path, *queries: str) -> Run:
    items = [
        Item(id=str(number), query=query, session="s" if number < 2 else None) for number, query in enumerate(queries)
    ]
    return Run.create(tmp_path / "run", Dataset(tuple(items)), {"kind": "test"})


async def go(run: Run, room: Room) -> None:
    with run.writing():
        await ask_all(run, room, AskOptions(timeout=30, retries=0))


async def test_each_conversation_is_left_once_when_its_last_question_was_asked(tmp_path: Path) -> None:
    room = Room()
    run = run_of(tmp_path, "one", "two", "alone", "alone too")
    await go(run, room)
    assert sorted(room.left.values()) == [1, 1, 1]
    assert set(room.left) == room.open
    assert room.folders == {run.path / "evidence"}
    assert not (run.path / "evidence").exists(), "it is made by whoever has something to put there"


@pytest.mark.parametrize("bad", [TargetError("down"), ZeroDivisionError("a fault of the target")])
async def test_a_conversation_with_a_failure_is_left_once_too(tmp_path: Path, bad: Exception) -> None:
    room = Room(bad)
    run = run_of(tmp_path, "bad", "two", "alone")
    await go(run, room)
    assert sorted(room.left.values()) == [1, 1]
    assert run.answers()["1", 0].status == "complete"


async def test_conversations_of_a_run_that_is_stopped_are_left(tmp_path: Path) -> None:
    room = Room()
    running = asyncio.create_task(go(run_of(tmp_path, "wait", "never", "wait"), room))
    while len(room.open) < 2:
        await room.asked.wait()
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sorted(room.left.values()) == [1, 1]


async def test_what_a_conversation_cannot_survive_leaves_the_others_too(tmp_path: Path) -> None:
    class Fatal(BaseException):
        pass

    room = Room(Fatal())
    with pytest.raises(Fatal):
        await go(run_of(tmp_path, "wait", "never", "bad"), room)
    assert set(room.left) == room.open


class Forgetful(Room):
    """Loses its page at each question, and takes a while for everything that it says again."""

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        self.open.discard(conversation.id)
        await asyncio.sleep(0.6 * (1 + len(conversation.turns)))
        return await super().ask(item, conversation)

    def holds(self, conversation: str) -> bool:
        return False

    async def close(self) -> None: ...


async def test_a_lost_conversation_gets_time_for_each_question_that_is_asked_again(tmp_path: Path) -> None:
    run = run_of(tmp_path, "one", "two")
    with run.writing():
        assert await ask_all(run, Forgetful(), AskOptions(timeout=1.0, retries=0)) == 0


class Rewriting(Room):
    """Sees at the second question that the answer to the first has become another."""

    def revised(self, conversation: str) -> Answer | None:
        return Answer(item="", text="otherwise", note="it was changed") if self.asked_in[conversation] == 2 else None

    def __init__(self) -> None:
        super().__init__()
        self.asked_in: Counter[str] = Counter()
        self.heard: list[tuple[str, ...]] = []

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        self.asked_in[conversation.id] += 1
        self.heard.append(tuple(turn.text for turn in conversation.turns))
        return await super().ask(item, conversation)


async def test_an_answer_that_changes_after_it_was_given_is_written_down_again_as_suspect(tmp_path: Path) -> None:
    run = Run.create(
        tmp_path / "run", Dataset(tuple(Item(id=word, query=word, session="s") for word in ("one", "two", "three"))), {}
    )
    room = Rewriting()
    await go(run, room)
    answers = {name: (one.text, one.status, one.note) for (name, _), one in run.answers().items()}
    assert answers["one"] == ("otherwise", "suspect", "it was changed")
    assert answers["two"] == ("two", "complete", "")
    assert room.heard == [(), ("one",), ("otherwise", "two")]
    again = Rewriting()
    await go(Run(tmp_path / "run"), again)
    assert again.heard == [], "what stands there is not asked again"
