"""`neraca reliability`, as a user types it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import make_answer, make_item, make_run

from neraca.metaeval.reliability import reliability
from neraca.metrics.metric import METRICS, metric
from neraca.reports.sentences.reliability import sentences
from neraca.scores.score import score
from neraca.scores.trec import trec

Cli = Callable[..., Any]
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs/trec"
RUNS = tuple(DOCS / f"{name}.run" for name in ("api", "hybrid", "vector"))
QRELS = ("--qrels", DOCS / "qrels.txt")
GUIDE = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True, scope="module")
def own_metric() -> Any:
    """A number that is the answer."""

    def number(response: str) -> float:
        return float(response)

    metric("TestTrust", low=0, high=10)(number)
    yield
    del METRICS._objects["TestTrust"], METRICS._sources["TestTrust"]


@pytest.fixture
def repeated_runs(tmp_path: Path) -> list[Path]:
    """Two runs of seven questions in six sessions, asked three times."""
    items = [make_item(str(n), session=str(max(1, n))) for n in range(7)]
    for name, shift in (("new", 2), ("old\u202e", 0)):
        answers = [
            make_answer(item=str(n), trial=t, text=str((n * n + t * (n % 3) + shift) % 10))
            for n in range(7)
            for t in range(3)
        ]
        make_run(tmp_path / name, items, answers, trials=3)
    return sorted(tmp_path.iterdir())


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_trec_runs(cli: Cli) -> None:
    told = cli("reliability", *RUNS, *QRELS)
    assert told.code == 0, told.err
    for word in ("nDCG@10", "AP", "RR", "P@10", "Whether other questions", "Whether the metrics rank"):
        assert word in told.out
    assert "one answer to each question" in told.out
    assert "say nearly the same" in told.out
    assert "no document for 2 of 30" in told.err


def test_run_folders_with_trials(cli: Cli, repeated_runs: list[Path]) -> None:
    told = cli("reliability", *repeated_runs, "-m", "TestTrust")
    assert told.code == 0, told.err
    assert "Asked again: how alike the trials of one question are" in told.out
    for sentence in sentences(reliability(score(repeated_runs, "TestTrust"))):
        assert sentence in told.out
    assert "\u202e" not in told.out
    assert "flipped" not in told.out
    flipped = cli("reliability", *repeated_runs, "-m", "TestTrust", "--at", "4")
    assert "flipped" in flipped.out
    assert "Decisions flip most often in TestTrust" in flipped.out


def test_json_has_flat_rows_and_nothing_else(cli: Cli, repeated_runs: list[Path]) -> None:
    words = (
        "reliability",
        *repeated_runs,
        "-m",
        "TestTrust",
        "--splits",
        "40",
        "--seed",
        "3",
        "--level",
        "0.9",
        "--json",
    )
    found = rows(cli(*words).out)
    assert [row["kind"] for row in found] == ["trials", "trials", "difference", "ranking"]
    mine = reliability(score(repeated_runs, "TestTrust", level=0.9), splits=40, seed=3)
    assert found[0]["icc_low"] == pytest.approx(mine.repeats[0].components.icc.low)
    assert found[-1]["swaps"] == mine.stability[0].split.swaps  # type: ignore[union-attr]
    assert found[0]["flips"] is None


def test_level_and_test_reach_trec_runs(cli: Cli) -> None:
    words = ("reliability", *RUNS, *QRELS, "-m", "AP", "--test", "tukey", "--level", "0.9999", "--json")
    (row,) = [row for row in rows(cli(*words).out) if row["kind"] == "ranking"]
    assert row["test"] == "tukey(samples=100000, seed=0)"
    usual = reliability(trec(DOCS / "qrels.txt", RUNS, "AP"), test="tukey").stability[0].discrimination
    assert row["told_apart"] < usual.told_apart
    assert row["required"] > usual.required


@pytest.mark.parametrize(
    "words, told",
    [
        ((*RUNS, *QRELS, "--test", "f"), "no test is called 'f'"),
        ((*RUNS, *QRELS, "-m", "XYZ"), "XYZ"),
        (RUNS, "not a run folder"),
        ((*RUNS, *QRELS, "--at", "nan"), "such as 0.5, not nan"),
    ],
)
def test_what_is_wrong_is_one_clear_line(cli: Cli, words: tuple[object, ...], told: str) -> None:
    found = cli("reliability", *words)
    assert found.code == 2
    assert told in found.err
    assert found.out == ""
    assert "Traceback" not in found.err


def test_the_guide_shows_what_the_command_prints(cli: Cli) -> None:
    (block,) = re.findall(r"```\n\$ neraca (.*?)```", GUIDE, re.DOTALL)
    typed, *shown = block.splitlines()
    printed = cli(*typed.replace("docs/", f"{ROOT}/docs/").split()).out
    lines = [line.split() for line in printed.splitlines()]
    assert [line for line in shown if line != "…" and line.split() not in lines] == []


def test_the_lines_of_python_in_the_guide() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    known: dict[str, Any] = {}
    exec(code.replace("docs/", f"{ROOT}/docs/"), known)
    assert {one.metric for one in known["found"].stability} == {"nDCG@10", "AP", "RR"}


def test_the_guide_names_every_option(cli: Cli) -> None:
    from neraca.cli.option_group import option_parameters
    from neraca.cli.reliability import command

    everywhere = {"runs", "metrics", "relevance", "by", "combine", "language", "plugin", "level", "report_language"}
    everywhere |= {"encoding", "delimiter", "sheet"}
    for name in {parameter.name for parameter in option_parameters(command)} - everywhere:
        assert f"`--{name}" in GUIDE, name
