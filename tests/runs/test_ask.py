"""The verb `ask`: from a function, a word or settings to a run."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from neraca.concurrency import run_async
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.errors import InputError, RunError, SpecError
from neraca.records import Answer, Item
from neraca.runs.ask import ask, ask_async
from neraca.runs.run import Run
from neraca.targets.target import TARGETS, Conversation

QUESTIONS = Dataset((Item(id="1", query="one"),))


class Bot:
    def __init__(self, word: str) -> None:
        self.word = word

    def __call__(self, query: str) -> str:
        return f"{self.word} {query}"


def test_a_function_that_was_changed_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    def first(query: str) -> str:
        return "first"

    old = first

    def first(query: str) -> str:  # type: ignore[no-redef]
        return "second"

    assert ask(QUESTIONS, old, tmp_path / "run").answers()["1", 0].text == "first"
    with pytest.raises(RunError, match=r"target\.source was"):
        ask(QUESTIONS, first, tmp_path / "run")
    assert ask(QUESTIONS, first, tmp_path / "run", anew=True).answers()["1", 0].text == "second"


def test_another_instance_of_the_same_class_goes_on(tmp_path: Path) -> None:
    assert ask(QUESTIONS, Bot("a"), tmp_path / "run").answers()["1", 0].text == "a one"
    assert ask(QUESTIONS, Bot("b"), tmp_path / "run").answers()["1", 0].text == "a one"


def test_a_file_of_questions_and_a_word_for_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("question\none\n")
    (tmp_path / "bot.py").write_text("def bot(query):\n    return query.upper()\n")
    assert ask("q.csv", "python:bot.py:bot", "run").answers()["1", 0].text == "ONE"


def ask_in_capitals(questions: Any, folder: Path) -> Run:
    return ask(questions, lambda question: question.upper(), folder)


def test_questions_are_what_is_at_hand(tmp_path: Path) -> None:
    rows = [{"question": "rooms?", "reference": "two", "category": "size"}, {"question": "price?", "reference": None}]
    several = {
        "dicts": rows,
        "polars": pl.DataFrame(rows, schema=["question", "reference", "category"]),
        "lazy": pl.LazyFrame(rows, schema=["question", "reference", "category"]),
        "pandas": pd.DataFrame(rows),
    }
    for name, questions in several.items():
        run = ask_in_capitals(questions, tmp_path / name)
        assert [answer.text for answer in run.answers().values()] == ["ROOMS?", "PRICE?"]
        assert [item.references for item in run.items] == [("two",), ()]
        assert [dict(item.tags) for item in run.items] == [{"category": "size"}, {}], name
    assert [answer.text for answer in ask_in_capitals(["rooms?"], tmp_path / "texts").answers().values()] == ["ROOMS?"]
    assert (
        ask_in_capitals(rows, tmp_path / "pandas").missing() == 0
    )  # the same questions, from elsewhere: nothing is asked again


def test_what_holds_no_questions_is_told_by_its_place(tmp_path: Path) -> None:
    for questions, told in (
        ([{"question": "a"}, 3], "questions row 2: int is not a question"),
        ([{"question": "a"}, {"question": " "}], "questions row 2, column question"),
        ([], "no questions"),
        (3, "int holds no questions; bring a path, a list of dicts"),
    ):
        with pytest.raises(InputError, match=told):
            ask_in_capitals(questions, tmp_path / "run")
    with pytest.raises(InputError, match="not read from a file; leave sheet out"):
        read_dataset([{"question": "a"}], sheet="one")


async def test_it_asks_where_an_event_loop_is_running(tmp_path: Path) -> None:
    assert ask_in_capitals(["rooms?"], tmp_path / "run").answers()["1", 0].text == "ROOMS?"


async def test_a_stop_where_an_event_loop_is_running_ends_the_work() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(0.3)  # by then the caller waits
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
        finally:
            ended.append("ended")

    of_the_loop = signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a notebook while a cell runs
    try:
        with pytest.raises(KeyboardInterrupt):
            run_async(work())
    finally:
        signal.signal(signal.SIGINT, of_the_loop)
    assert ended == ["ended"]


class Echo:
    stateful = False

    def __init__(self, greeting: str = "Hello") -> None:
        self.greeting, self.closed = greeting, False

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        return Answer(item=item.id, text=f"{self.greeting} {item.query}")

    async def close(self) -> None:
        self.closed = True


def test_a_target_of_ones_own_is_an_object_or_a_class_with_keywords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TARGETS._objects, "echo", Echo)
    target = Echo("Hi")
    by_object = ask(QUESTIONS, target, tmp_path / "object")
    by_name = ask(QUESTIONS, {"kind": "echo", "name": "a name for messages"}, tmp_path / "name")
    texts = [[answer.text for answer in run.answers().values()] for run in (by_object, by_name)]
    assert texts == [["Hi one"], ["Hello one"]]
    assert target.closed
    with pytest.raises(SpecError, match="target 'echo': no setting 'greetings'; did you mean greeting"):
        ask(QUESTIONS, {"kind": "echo", "greetings": "Hi"}, tmp_path / "wrong")


async def test_an_event_loop_goes_on_while_a_plain_function_is_asked(tmp_path: Path) -> None:
    started, answer = threading.Event(), threading.Event()

    def slow(query: str) -> str:
        started.set()
        return f"{query} {answer.wait(10)}"

    work = asyncio.create_task(ask_async(["rooms?"], slow, tmp_path / "run"))
    while not started.is_set():
        await asyncio.sleep(0.01)
    answer.set()  # a blocked loop would not come here before the ten seconds are over
    assert [one.text for one in (await work).answers().values()] == ["rooms? True"]


async def test_an_async_target_is_asked_in_the_loop_of_its_caller(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()

    async def here(query: str) -> str:
        return str(asyncio.get_running_loop() is loop)

    run = await ask_async(QUESTIONS, here, tmp_path / "run")
    assert [answer.text for answer in run.answers().values()] == ["True"]


async def test_a_cancelled_task_keeps_its_answers_and_leaves_the_run_to_the_next(tmp_path: Path) -> None:
    stuck = asyncio.Event()

    async def once(query: str) -> str:
        if query == "two" and not stuck.is_set():
            stuck.set()
            await asyncio.sleep(60)
        return query

    questions = [{"question": query, "session": "s"} for query in ("one", "two")]
    work = asyncio.create_task(ask_async(questions, once, tmp_path / "run"))
    await stuck.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert [answer.text for answer in Run(tmp_path / "run").answers().values()] == ["one"]
    again = await ask_async(questions, once, tmp_path / "run")
    assert [answer.text for answer in again.answers().values()] == ["one", "two"]
