"""`neraca prompts`: what is printed is what models are told, and a changed one is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import make_run
from models.llm_server import LlmServer

from neraca.judges.llm.prompt import LANGUAGES
from neraca.records import Answer, Item
from neraca.runs.run import Run

Cli = Callable[..., Any]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LlmServer(reply=lambda call: {"reason": "so it is", "yes": True}) as running:
        yield running


@pytest.fixture
def judge(cli: Cli, server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / "run", [Item(id="q", query="How many?")], [Answer(item="q", text="Two.")])

    def call(*words: object) -> Any:
        model = ("--model", "openai:judge", "--url", server.url, "--set", "price=[1, 1]")
        told = cli("judge", "run", "--judge", "valid", *model, "--cache", "models.sqlite", *words)
        assert told.code == 0, told.err
        return told

    return call


def test_all_are_listed_with_the_judge_that_reads_them(cli: Cli) -> None:
    told = cli("prompts")
    assert told.code == 0, told.err
    rows = [line.split() for line in told.out.splitlines() if line.startswith("  ")]
    assert ["context_matrix", "claims,", "corpus"] in rows
    assert ["sql", "sql"] in rows
    assert ["write_questions", "neraca", "generate"] in rows
    assert len(rows) == 17


def test_one_is_printed_as_the_model_is_told(cli: Cli, server: LlmServer, judge: Callable[..., Any]) -> None:
    printed = cli("prompts", "valid").out
    assert printed.startswith("---\nname: valid\n")
    judge()
    told = server.calls[0].system
    line = "You judge whether an answer responds to its question."
    assert line in printed
    assert line in told
    assert "Juzgas si una respuesta" in cli("prompts", "valid", "--language", "Spanish").out
    (row,) = [json.loads(text) for text in cli("prompts", "valid", "--json").out.splitlines()]
    assert (row["prompt"], row["judge"], row["text"]) == ("valid", "valid", printed)


def test_exported_as_it_is_it_is_the_same_judge_and_changed_it_is_another(
    cli: Cli, server: LlmServer, judge: Callable[..., Any]
) -> None:
    judge()
    told = cli("prompts", "--export", "mine")
    assert told.code == 0, told.err
    assert len([*Path("mine").rglob("*.md")]) == 17 * len(LANGUAGES)
    assert "neraca judge RUN --judge claims --model MODEL --prompts mine" in told.out
    told = cli("prompts", "read_questions", "--export", "others")
    assert "neraca generate FOLDER --model MODEL --prompts others" in told.out
    judge("--prompts", "mine")
    assert (server.count, len({v.by for v in Run("run").verdicts()})) == (1, 1)
    file = Path("mine/en/valid.md")
    file.write_text(file.read_text().replace("You judge whether", "Judge strictly whether"))
    judge("--prompts", "mine")
    assert "Judge strictly whether an answer responds" in server.calls[1].system
    assert (server.count, len({v.by for v in Run("run").verdicts()})) == (2, 2)


def test_what_is_there_stays(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine/es").mkdir(parents=True)
    Path("mine/es/valid.md").write_text("my own")
    told = cli("prompts", "valid", "claims", "--language", "es", "--export", "mine")
    assert told.out.splitlines()[0] == str(Path("mine/es/claims.md"))
    assert "already there, and left as they are: " + str(Path("mine/es/valid.md")) in told.err
    assert Path("mine/es/valid.md").read_text() == "my own"
    assert not Path("mine/en").exists()
    rows = [json.loads(line) for line in cli("prompts", "valid", "--export", "mine", "--json").out.splitlines()]
    assert {row["written"] for row in rows} == {True, False}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("vald",), "no prompt is called 'vald'; did you mean valid"),
        (("valid", "--language", "German"), "no prompts in 'German', only in en, ar, es, id"),
        (("vald", "--export", "mine"), "no prompt is called 'vald'"),
    ],
)
def test_what_is_not_there_is_said(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Any, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    told = cli("prompts", *words)
    assert (told.code, why in told.err) == (2, True), told.err
    assert not Path("mine").exists()
