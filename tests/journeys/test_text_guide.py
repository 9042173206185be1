"""What docs/text.md tells a reader to type works as it stands there, and it leaves nothing out."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neraca
from neraca.cli import text as command
from neraca.datasets.columns import ALL
from neraca.metrics.metric import METRICS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "text.md").read_text(encoding="utf-8")


def part(heading: str) -> str:
    """The text below a heading, up to the next of its kind."""
    return GUIDE[GUIDE.index(f"\n## {heading}\n") :][1:].split("\n## ")[0]


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("block", re.findall(r"```\n\$ (.*?)```", GUIDE, re.DOTALL))
def test_the_tables_are_what_the_command_prints(block: str) -> None:
    typed, *shown = block.splitlines()
    words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', typed)]
    printed = python(f"import sys; sys.argv = {words!r}; from neraca.cli import main; main()")
    lines = [line.split() for line in printed.splitlines()]
    missing = [line for line in shown if line != "…" and line.split() not in lines]
    assert missing == []


def test_the_lines_of_python() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    given = "references = ['dos plantas', 'sí', None]; responses = old = ['dos plantas', 'no', 'x']; new = old\n"
    told = python(f"{given}{code}\nprint(len(list(neraca.notes(found))), found.why('ROUGE-L'))")
    assert re.search(r"TokenRecall +0\.500 +\[0\.095, 0\.905\] +2 +1", told)
    assert told.endswith("{2: 'the item has no reference'}\n")


def test_every_metric_of_texts_is_named_and_every_one_named_exists() -> None:
    known = {
        name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("neraca.metrics.text")
    }
    named = set(re.findall(r"`([^`]+)`", part("The metrics")))
    assert known - named - {"Average", "ROUGE-2", "ROUGE-3"} == set()


def test_the_numbers_of_other_libraries_can_be_asked_for() -> None:
    table = part("The numbers of other libraries")
    names = [name for name in re.findall(r"`([A-Za-z][^`]*)`", table) if not re.fullmatch(r"method\d", name)]
    assert len(names) > 15
    for name in names:
        assert neraca.Metric.of(name).pair("two equal texts of words", "two equal texts of words") >= 0, name


def test_every_option_is_told() -> None:
    names = inspect.signature(command.command).parameters
    told = {f"--{name}" for name in names if name != "file"}
    assert {name for name in told if f"{name}" not in GUIDE} - {"--metrics", "--group", "--average"} == set()
    assert {"`-m ", "`-g ", "`--no-average`"} <= set(re.findall(r"`-m |`-g |`--no-average`", GUIDE))


def test_the_columns_are_those_that_are_recognised() -> None:
    table = part("The table")
    for name in (*ALL["human"][:4], *ALL["contexts"][:2], "ground_truth", "actual_response", "language", "session"):
        assert f"`{name}`" in table, name
