"""What docs/calls.md tells a reader to type works as it stands there, and its tables are true."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from neraca.judges.sql import SqlSettings
from neraca.metrics.calls.example import calls
from neraca.metrics.calls.tool_call_accuracy import tool_call_accuracy
from neraca.metrics.calls.tool_call_f1 import tool_call_f1
from neraca.metrics.metric import METRICS

GUIDE = (Path(__file__).parents[2] / "docs" / "calls.md").read_text(encoding="utf-8")


BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def block(language: str, place: int = 0) -> str:
    """The text of a fenced block, by its language and its place among those."""
    return [text for kind, text in BLOCKS if kind == language][place]


def python(code: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_gives_what_is_shown(tmp_path: Path) -> None:
    python(block("python"), tmp_path)
    for place, name in enumerate(["questions.jsonl", "answers.jsonl"]):
        (tmp_path / name).write_text(block("json", place), encoding="utf-8")
    (tmp_path / "study.toml").write_text(block("toml"), encoding="utf-8")
    run = "import sys; sys.argv = ['neraca', 'run', 'study.toml']; from neraca.cli import main; main()"
    printed = [line.split() for line in python(run, tmp_path).splitlines()]
    shown = [line.split() for line in block("").splitlines() if line.strip()]
    assert [line for line in shown if line not in printed] == []
    verdicts = (tmp_path / "results" / "study" / "agent" / "verdicts.jsonl").read_text(encoding="utf-8")
    assert "3 of 4 expected rows are there, of 3 returned" in verdicts
    assert "no such table: houses" in verdicts


def rows(heading: str) -> list[list[str]]:
    section = GUIDE[GUIDE.index(f"\n## {heading}\n") :].split("\n## ")[1]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("row", rows("Tool calls"))
def test_the_table_of_calls(row: list[str]) -> None:
    view = calls(row[0], row[1])
    found = [tool_call_accuracy(view)[0], tool_call_accuracy(view, order="free")[0], tool_call_f1(view)[0]]
    assert found == pytest.approx([float(Fraction(cell)) for cell in row[2:5]])


def test_every_setting_is_told() -> None:
    told = {name for row in rows("SQL") for name in re.findall(r"`(\w+)`", row[0])}
    fields = {field.name: field for field in msgspec.structs.fields(SqlSettings)}
    assert told == set(fields)
    shown = {name: row[1] for row in rows("SQL") for name in re.findall(r"`(\w+)`", row[0])}
    assert shown["tolerance"] == f"{fields['tolerance'].default:.0e}".replace("e-0", "e-")
    assert shown["timeout"] == f"{fields['timeout'].default:g}, {fields['rows'].default}"


def test_every_metric_is_named() -> None:
    known = {
        name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("neraca.metrics.calls")
    }
    assert known - set(re.findall(r"`(\w+)`", GUIDE)) == set()
