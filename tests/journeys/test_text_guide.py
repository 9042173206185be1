"""The tables of docs/text.md are true, and it leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import neraca
from neraca.cli import text as command
from neraca.cli.option_group import option_parameters
from neraca.datasets.columns import ALL
from neraca.metrics.metric import METRICS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "text.md").read_text(encoding="utf-8")


def part(heading: str) -> str:
    """The text below a heading, up to the next of its kind."""
    return GUIDE[GUIDE.index(f"\n## {heading}\n") :][1:].split("\n## ")[0]


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
    names = [parameter.name for parameter in option_parameters(command.command)]
    told = {f"--{name.replace('_', '-')}" for name in names if name != "file"}
    assert {name for name in told if f"{name}" not in GUIDE} - {"--metrics", "--group", "--average"} == set()
    assert {"`-m ", "`-g ", "`--no-average`"} <= set(re.findall(r"`-m |`-g |`--no-average`", GUIDE))


def test_the_columns_are_those_that_are_recognised() -> None:
    table = part("The table")
    for name in (*ALL["human"][:4], *ALL["contexts"][:2], "ground_truth", "actual_response", "language", "session"):
        assert f"`{name}`" in table, name
