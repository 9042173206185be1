"""The first command of docs/browser.md goes on after a kill, and the page leaves nothing out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from journeys.guide import blocks

from neraca.cli import browser as command
from neraca.cli.option_group import option_parameters
from neraca.datasets.table_reader import read_table
from neraca.scores.answer_table import FACTS, RESPONSE, TRIAL

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "browser.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_killed_in_the_middle_the_first_command_goes_on(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "browser", tmp_path / "docs" / "browser")
    journal = tmp_path / "resultados.run" / "answers.jsonl"
    typed = next(block for block in blocks("docs/browser.md") if block.lines[0].startswith("$")).commands()[0][0]
    _, *words = typed.replace("$PWD", str(tmp_path)).split()
    typing = [sys.executable, "-m", "neraca", *words, "--parallel", "1"]
    with subprocess.Popen(typing, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as asking:
        deadline = time.monotonic() + 120
        while not (journal.exists() and journal.read_bytes().count(b"\n") >= 2) and time.monotonic() < deadline:
            time.sleep(0.01)
        asking.kill()
    kept = journal.read_bytes().rpartition(b"\n")[0].splitlines()
    assert 2 <= len(kept) < 6
    assert not (tmp_path / "resultados.csv").exists()
    subprocess.run(typing, cwd=tmp_path, capture_output=True, check=True, timeout=300)
    lines = journal.read_bytes().splitlines()
    assert lines[: len(kept)] == kept
    assert len(lines) == 6
    assert [row["status"] for row in read_table(tmp_path / "resultados.csv").rows] == ["complete"] * 6


def test_every_option_of_the_browser_command_is_told() -> None:
    names = [parameter.name for parameter in option_parameters(command.command)]
    options = {"--metrics": "`-m ", "--column": "--column session=NAME", "--reference": "--reference"}
    told = {f"--{name.replace('_', '-')}" for name in names}
    assert {name for name in told if options.get(name, name) not in GUIDE} == set()


def test_every_option_that_the_browser_guide_names_is_there() -> None:
    names = {f"--{parameter.name.replace('_', '-')}" for parameter in option_parameters(command.command)}
    elsewhere = {"--to", "--rule", "--no-deps"}  # of `neraca report`, `neraca gate` and `pip wheel`
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)) - names - elsewhere == set()


def test_the_browser_guide_tells_every_new_column() -> None:
    table = GUIDE[GUIDE.index("| column | is |") : GUIDE.index("**Read the answers")]
    assert {name for name in (TRIAL, RESPONSE, "Average", "Band", *FACTS) if f"`{name}`" not in table} == set()
    for name in re.findall(r"\]\(([\w/.-]+)(?:#[\w-]+)?\)", GUIDE):
        assert (ROOT / "docs" / name).exists(), name
