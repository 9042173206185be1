"""`neraca traces` says what is in exported traces, shows one, and writes a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parents[1] / "traces" / "golden"
Cli = Callable[..., Any]


def test_a_run_that_other_commands_work_on(cli: Cli, tmp_path: Path) -> None:
    told = cli("traces", str(GOLDEN), "--retriever", "search", "--out", str(tmp_path / "run"))
    assert told.code == 0, told.err
    assert "Files of other formats: 1 (first: " in told.out
    rows = [json.loads(line) for line in cli("score", str(tmp_path / "run"), "-m", "Words", "--json").out.splitlines()]
    assert [(row["metric"], row["value"]) for row in rows] == [("Words", 6)]


def test_without_out_nothing_is_written_and_that_is_said(cli: Cli) -> None:
    told = cli("traces", str(GOLDEN / "genai.jsonl"))
    assert told.out.endswith("Nothing was written: --probe shows one trace, and --out FOLDER writes a run.\n")
    (row,) = map(json.loads, cli("traces", str(GOLDEN / "genai.jsonl"), "--json").out.splitlines())
    assert (row["query"], row["hits"], row["input_tokens"]) == ("Is there a room in Asri?", ["k1", "k2"], 120)


def test_probe_shows_fields_with_their_attributes_and_the_spans(cli: Cli) -> None:
    told = cli("traces", str(GOLDEN / "genai.jsonl"), "--probe")
    assert "gen_ai.output.messages" in told.out
    assert "· retrieval kost-index" in told.out
    rows = [
        json.loads(line) for line in cli("traces", str(GOLDEN / "genai.jsonl"), "--probe", "--json").out.splitlines()
    ]
    assert {
        "field": "answer",
        "value": "Yes, a room with two windows.",
        "attribute": "gen_ai.output.messages",
    }.items() <= rows[1].items()


def test_a_function_redacts(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def hide(text):\n    return text.replace('Asri', '[place]')\n", encoding="utf-8")
    told = cli("traces", str(GOLDEN / "genai.jsonl"), "--redact", f"{tmp_path / 'mine.py'}:hide", "--json")
    assert json.loads(told.out)["query"] == "Is there a room in [place]?"


@pytest.mark.parametrize(
    "words, message",
    [
        (["--probe", "--out", "run"], "--probe writes nothing, and --out writes a run; leave one out"),
        (["--trace", "t"], "--trace t is for --probe; add --probe"),
        (["--redact", "nothing"], "write module:function or path/to/file.py:function"),
        (["--probe", "--trace", "zz"], "not among the 1 traces"),
    ],
)
def test_wrong_usage_says_what_to_do(words: list[str], message: str, cli: Cli) -> None:
    told = cli("traces", str(GOLDEN / "genai.jsonl"), *words)
    assert (told.code, message in told.err) == (2, True)
