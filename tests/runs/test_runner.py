"""Asking: order, resume, failures, conversations.  Targets here are real objects with the target's contract."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from neraca.datasets.dataset import Dataset
from neraca.errors import SpecError, TargetError
from neraca.records import Answer, Hit, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all
from neraca.targets.target import Conversation, Watched

FAST = AskOptions(concurrency=4, timeout=5, retries=0)


class Echo:
    """Answers with what it was asked and what came before; remembers all questions."""

    def __init__(self, reply: Callable[[Item, Conversation], str] | None = None, stateful: bool = False) -> None:
        self.stateful = stateful
        self.asked: list[tuple[str, int, str]] = []
        self.conversations: list[str] = []
        self.closed = False
        self.reply = reply or (lambda item, before: f"{len(before.turns)}: {item.query}")

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        self.asked.append((item.id, conversation.trial, conversation.id))
        await asyncio.sleep(0)
        return Answer(item=item.id, text=self.reply(item, conversation))

    async def close(self) -> None:
        self.closed = True

    @property
    def ids(self) -> list[str]:
        return [item for item, _, _ in self.asked]


def items(text: str) -> Dataset:
    """`a b/s c/s`: items a, and b and c in session s."""
    made = []
    for word in text.split():
        name, _, session = word.partition("/")
        made.append(Item(id=name, query=f"question {name}", session=session or None))
    return Dataset(tuple(made), "test")


def go(run: Run, target: Echo, asking: AskOptions = FAST) -> int:
    with run.writing():
        return asyncio.run(ask_all(run, target, asking))


def make(path: Path, text: str, **options: int) -> Run:
    return Run.create(path / "run", items(text), {"kind": "test"}, **options)


def test_every_item_gets_one_answer_and_the_books_are_closed(tmp_path: Path) -> None:
    run, target = make(tmp_path, "a b c"), Echo()
    assert go(run, target) == 0
    assert sorted(target.ids) == ["a", "b", "c"]
    assert target.closed
    assert {key: answer.text for key, answer in run.answers().items()} == {
        ("a", 0): "0: question a",
        ("b", 0): "0: question b",
        ("c", 0): "0: question c",
    }
    manifest = Run(run.path).manifest
    assert manifest.statuses == {"complete": 3}
    assert manifest.ended


def test_a_session_is_asked_in_order_with_its_history(tmp_path: Path) -> None:
    run = make(tmp_path, "a/s x b/s y c/s")
    seen: dict[str, tuple[tuple[str, str], ...]] = {}

    def reply(item: Item, before: Conversation) -> str:
        seen[item.id] = tuple((turn.query, turn.text) for turn in before.turns)
        return item.id.upper()

    target = Echo(reply)
    go(run, target)
    assert seen["c"] == (("question a", "A"), ("question b", "B"))
    assert seen["x"] == ()
    one = {conversation for item, _, conversation in target.asked if item in "abc"}
    others = {conversation for item, _, conversation in target.asked if item in "xy"}
    assert len(one) == 1
    assert len(others) == 2
    assert not one & others


def test_at_most_concurrency_sessions_are_under_way(tmp_path: Path) -> None:
    run = make(tmp_path, " ".join(f"i{n}" for n in range(40)))
    under_way, most = 0, 0

    class Slow(Echo):
        async def ask(self, item: Item, conversation: Conversation) -> Answer:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.002)
            under_way -= 1
            return Answer(item=item.id)

    go(run, Slow(), AskOptions(concurrency=7))
    assert most == 7


def test_a_second_start_asks_nothing(tmp_path: Path) -> None:
    run = make(tmp_path, "a b/s c/s")
    go(run, Echo())
    again = Echo()
    assert go(Run(run.path), again) == 0
    assert again.asked == []


def test_only_what_is_missing_is_asked(tmp_path: Path) -> None:
    run = make(tmp_path, "a b c/s d/s")
    go(run, Echo())
    lines = (run.path / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (run.path / "answers.jsonl").write_bytes(b"".join(line for line in lines if b'"item":"b"' not in line))
    again = Echo()
    go(Run(run.path), again)
    assert again.ids == ["b"]


def test_the_rest_of_a_session_is_asked_again_when_an_earlier_answer_is_missing_and_comes_out_otherwise(
    tmp_path: Path,
) -> None:
    run = make(tmp_path, "a/s b/s c/s")
    go(run, Echo())
    lines = (run.path / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (run.path / "answers.jsonl").write_bytes(b"".join(line for line in lines if b'"item":"b"' not in line))
    same = Echo()
    go(Run(run.path), same)
    assert same.ids == ["b"], "the same answer: what follows still holds"
    (run.path / "answers.jsonl").write_bytes(b"".join(line for line in lines if b'"item":"b"' not in line))
    other = Echo(lambda item, before: f"new {item.id}")
    go(Run(run.path), other)
    assert other.ids == ["b", "c"], "another answer: what follows was said in another conversation"


def test_a_target_that_remembers_gets_its_conversation_rebuilt(tmp_path: Path) -> None:
    run = make(tmp_path, "x a/s b/s c/s")
    go(run, Echo(stateful=True))
    journal = run.path / "answers.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b'"item":"c"' not in line]
    journal.write_bytes(b"".join(kept))
    again = Echo(stateful=True)
    go(Run(run.path), again)
    assert again.ids == ["a", "b", "c"], "the session begins again; other sessions do not"
    assert len({conversation for _, _, conversation in again.asked}) == 1
    assert journal.read_bytes().splitlines(keepends=True)[:-1] == kept, "what was known is not written twice"
    assert Run(run.path).manifest.replayed == 2


def test_a_failed_rebuild_does_not_lose_a_finished_answer(tmp_path: Path) -> None:
    run = make(tmp_path, "a/s b/s")
    go(run, Echo(stateful=True))
    journal = run.path / "answers.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])

    def down(item: Item, before: Conversation) -> str:
        raise TargetError("down")

    go(Run(run.path), Echo(down, stateful=True))
    answers = Run(run.path).answers()
    assert answers["a", 0].text == "0: question a"
    assert answers["b", 0].status == "error"


@pytest.mark.parametrize(
    "failure, status, words",
    [
        (TargetError("no route"), "error", "no route"),
        (TargetError("forbidden", refused=True), "refused", "forbidden"),
        (ZeroDivisionError("x"), "error", "ZeroDivisionError: x"),
    ],
)
def test_a_failure_is_an_answer_and_the_session_goes_on_and_says_so(
    tmp_path: Path, failure: Exception, status: str, words: str
) -> None:
    run = make(tmp_path, "a/s b/s c")

    def reply(item: Item, before: Conversation) -> str:
        if item.id == "a":
            raise failure
        return str(len(before.turns))

    assert go(run, Echo(reply)) == 0
    answers = run.answers()
    assert answers["a", 0].status == status
    assert words in (answers["a", 0].error or "")
    assert answers["b", 0].status == "complete"
    assert answers["b", 0].text == "0"
    assert "earlier question" in answers["b", 0].note
    assert "(a)" in answers["b", 0].note
    assert answers["c", 0].note == ""
    assert run.unanswered() == 1


def test_a_question_that_takes_too_long_times_out(tmp_path: Path) -> None:
    run = make(tmp_path, "a b")

    class Stuck(Echo):
        async def ask(self, item: Item, conversation: Conversation) -> Answer:
            await asyncio.sleep(30 if item.id == "a" else 0)
            return Answer(item=item.id)

    go(run, Stuck(), AskOptions(timeout=0.05, retries=2))
    answers = run.answers()
    assert answers["a", 0].status == "timeout"
    assert "0.05 s" in (answers["a", 0].error or "")
    assert answers["b", 0].status == "complete"


def test_what_may_help_is_tried_again_and_the_wait_is_not_counted(tmp_path: Path) -> None:
    run = make(tmp_path, "a")
    tries = 0

    class Busy(Echo):
        async def ask(self, item: Item, conversation: Conversation) -> Answer:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise TargetError("busy", again=True, after=0.2)
            return Answer(item=item.id, text="here")

    go(run, Busy(), AskOptions(retries=2))
    answer = run.answers()["a", 0]
    assert (tries, answer.text) == (3, "here")
    assert answer.seconds is not None
    assert answer.seconds < 0.15


def test_retry_failed_asks_the_failed_ones_only(tmp_path: Path) -> None:
    run = make(tmp_path, "a b c")

    def flaky(item: Item, before: Conversation) -> str:
        if item.id == "b":
            raise TargetError("down")
        return "fine"

    go(run, Echo(flaky))
    plain = Echo()
    go(Run(run.path), plain)
    assert plain.asked == []
    again = Echo()
    go(Run(run.path), again, AskOptions(retry_failed=True))
    assert again.ids == ["b"]
    assert Run(run.path).manifest.statuses == {"complete": 3}


def test_retry_failed_asks_suspect_answers_again_and_keeps_those_before_them(tmp_path: Path) -> None:
    run = make(tmp_path, "a b c")
    unsure = {"b": Answer(item="b", text="per", status="suspect", note="nothing told that it was whole")}

    class Unsure(Echo):
        async def ask(self, item: Item, conversation: Conversation) -> Answer:
            return unsure.get(item.id) or await super().ask(item, conversation)

    go(run, Unsure())
    assert Run(run.path).manifest.statuses == {"complete": 2, "suspect": 1}
    again = Echo()
    go(Run(run.path), again, AskOptions(retry_failed=True))
    assert again.ids == ["b"]
    assert Run(run.path).manifest.statuses == {"complete": 3}


def test_trials_ask_each_item_several_times_and_can_grow(tmp_path: Path) -> None:
    run = make(tmp_path, "a b", trials=2)
    target = Echo()
    go(run, target)
    assert sorted((item, trial) for item, trial, _ in target.asked) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    more = make(tmp_path, "a b", trials=3)
    again = Echo()
    go(more, again)
    assert sorted((item, trial) for item, trial, _ in again.asked) == [("a", 2), ("b", 2)]


def test_progress_is_told_for_every_question(tmp_path: Path) -> None:
    run = make(tmp_path, "a b c")
    told: list[tuple[int, int, str]] = []

    def flaky(item: Item, before: Conversation) -> str:
        if item.id == "b":
            raise TargetError("down")
        return ""

    with run.writing():
        asyncio.run(ask_all(run, Echo(flaky), AskOptions(concurrency=1, retries=0), lambda *step: told.append(step)))
    assert told == [(1, 3, ""), (2, 3, "1 error"), (3, 3, "1 error")]


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"timeout": 0}, {"timeout": float("nan")}, {"retries": -1}])
def test_impossible_ways_of_asking_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="concurrency is at least 1"):
        AskOptions(**bad)


@pytest.mark.parametrize(
    "bad", [{"text": "half \udce9"}, {"usage": {"tokens": 10**400}}, {"hits": (Hit(id="\ud800"),)}]
)
def test_what_cannot_be_written_costs_one_answer_and_not_the_run(tmp_path: Path, bad: dict[str, Any]) -> None:
    run = make(tmp_path, "a b c")

    class Odd(Echo):
        async def ask(self, item: Item, conversation: Conversation) -> Answer:
            return Answer(item=item.id, **(bad if item.id == "b" else {}))

    assert go(run, Odd()) == 0
    answers = Run(run.path).answers()
    assert [answers[name, 0].status for name in "abc"] == ["complete", "error", "complete"]
    assert "cannot be written down" in (answers["b", 0].error or "")


def test_a_rebuilt_conversation_that_comes_out_otherwise_is_the_one_that_counts(tmp_path: Path) -> None:
    run = make(tmp_path, "a/s b/s")
    go(run, Echo(stateful=True))
    journal = run.path / "answers.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    go(Run(run.path), Echo(lambda item, before: f"new {item.id}", stateful=True))
    assert {key[0]: answer.text for key, answer in Run(run.path).answers().items()} == {"a": "new a", "b": "new b"}


class Watching(Echo):
    """Echoes, and is watched: `checks` holds the result of each check, by question, and `watched` who was the last."""

    def __init__(self, checks: dict[str, str]) -> None:
        super().__init__(stateful=True)
        self.checks = checks
        self.watched: dict[str, bool] = {}

    async def watch(self, answer: Answer, conversation: Conversation, *, last: bool) -> Watched:
        self.watched[answer.item] = last
        check: Any = self.checks.get(answer.item, "")
        text = f"{answer.text}, corrected" if check == "failed" else answer.text
        return Watched(msgspec.structs.replace(answer, text=text), check)


def test_answers_that_were_not_watched_before_a_failed_check_are_suspect(tmp_path: Path) -> None:
    run = make(tmp_path, "a/s b/s c/s d/s e/s")
    target = Watching({"b": "passed", "d": "failed"})
    assert go(run, target) == 0
    answers = {name: answer for (name, _), answer in run.answers().items()}
    assert {name: answer.status for name, answer in answers.items() if answer.status != "complete"} == {"c": "suspect"}
    assert answers["c"].note == "this answer was not watched after its end, and the page changed another one then"
    assert (answers["d"].text, answers["e"].text) == ("3: question d, corrected", "4: question e")
    assert target.watched == {"a": False, "b": False, "c": False, "d": False, "e": True}
    assert go(run, target) == 0
    assert target.ids == ["a", "b", "c", "d", "e"], "the run is whole"


def test_the_last_answer_of_a_session_is_watched_while_others_are_asked(tmp_path: Path) -> None:
    class Slow(Watching):
        async def watch(self, answer: Answer, conversation: Conversation, *, last: bool) -> Watched:
            async with asyncio.timeout(5):
                while len(self.asked) < 3:
                    await asyncio.sleep(0.01)
            return await super().watch(answer, conversation, last=last)

    target = Slow({})
    assert go(make(tmp_path, "a b c"), target, AskOptions(concurrency=1, timeout=5, retries=0)) == 0
    assert target.watched == {"a": True, "b": True, "c": True}


def test_the_time_limit_of_a_question_begins_when_what_it_needs_is_open(tmp_path: Path) -> None:
    class Opening(Echo):
        async def prepare(self, item: Item, conversation: Conversation, timeout: float) -> Answer | None:
            await asyncio.sleep(0.3)
            return Answer(item=item.id, status="refused", error="closed") if item.id == "b" else None

    run, asking = make(tmp_path, "a b"), AskOptions(concurrency=1, timeout=0.2, retries=0)
    assert go(run, Opening(), asking) == 0
    a, b = run.answers()["a", 0], run.answers()["b", 0]
    assert (a.status, b.status, b.error) == ("complete", "refused", "closed")
    assert a.seconds is not None
    assert a.seconds < 0.2, "opening is not counted"
