"""The tables of docs/calls.md are true, and it leaves nothing out."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from neraca.judges.sql.sql_judge import SqlSettings
from neraca.metrics.calls.example import calls
from neraca.metrics.calls.tool_call_accuracy import tool_call_accuracy
from neraca.metrics.calls.tool_call_f1 import tool_call_f1
from neraca.metrics.metric import METRICS

GUIDE = (Path(__file__).parents[2] / "docs" / "calls.md").read_text(encoding="utf-8")


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
