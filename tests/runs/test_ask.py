"""The verb `ask`: from a function, a word or settings to a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from neraca.datasets.dataset import Dataset
from neraca.errors import RunError
from neraca.records import Item
from neraca.runs.ask import ask

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
