"""What docs/browser.md tells a reader to type works as it stands there, and it leaves nothing out."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neraca.cli import browser as command
from neraca.datasets.table_reader import read_table
from neraca.scores.answer_table import FACTS, RESPONSE, TRIAL

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "browser.md").read_text(encoding="utf-8")
MAIN = "from neraca.cli import main; main()"


def python(words: list[str]) -> list[str]:
    return [sys.executable, "-c", f"import sys; sys.argv = {['neraca', *words]!r}; {MAIN}"]


def neraca(words: list[str], folder: Path) -> str:
    done = subprocess.run(python(words), cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def first_words(folder: Path) -> list[str]:
    """The words of the first command of the guide."""
    typed = re.findall(r"```\n\$ neraca (.*)", GUIDE)[0]
    return typed.replace("$PWD", str(folder)).split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the documents, where commands write; needs a browser."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    if not any(map(shutil.which, names)):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Chromium is installed")
    shutil.copytree(ROOT / "docs" / "browser", tmp_path / "docs" / "browser")
    return tmp_path


@pytest.mark.slow
def test_the_first_command_prints_the_table_that_is_shown(folder: Path) -> None:
    (block,) = re.findall(r"```\n\$ (.*?)```", GUIDE, re.DOTALL)
    _, *shown = block.splitlines()
    printed = neraca(first_words(folder), folder)
    lines = [line.split() for line in printed.splitlines()]
    assert [line for line in shown if line != "…" and line.split() not in lines] == []
    table = read_table(folder / "resultados.csv")
    assert table.columns[:5] == ("id", "query", "ground_truth", "tema", RESPONSE)
    cancel = next(row for row in table.rows if row["id"] == "cancelar")
    assert "72 horas" in cancel[RESPONSE]
    assert "48 horas" in cancel["ground_truth"]
    assert f"has {float(cancel['Average']):.2f} on average" in GUIDE
    assert "TokenRecall" in neraca(
        ["gate", "resultados.run", "--rule", "TokenRecall > 0.1", "--language", "es"], folder
    )
    neraca(["report", "resultados.run", "--to", "report.html", "--language", "es"], folder)
    assert (folder / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_killed_in_the_middle_the_first_command_goes_on(folder: Path) -> None:
    journal = folder / "resultados.run" / "answers.jsonl"
    words = [*first_words(folder), "--parallel", "1"]
    with subprocess.Popen(python(words), cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as asking:
        deadline = time.monotonic() + 120
        while not (journal.exists() and journal.read_bytes().count(b"\n") >= 2) and time.monotonic() < deadline:
            time.sleep(0.01)
        asking.kill()
    kept = journal.read_bytes().rpartition(b"\n")[0].splitlines()
    assert 2 <= len(kept) < 6
    assert not (folder / "resultados.csv").exists()
    neraca(words, folder)
    lines = journal.read_bytes().splitlines()
    assert lines[: len(kept)] == kept
    assert len(lines) == 6
    assert [row["status"] for row in read_table(folder / "resultados.csv").rows] == ["complete"] * 6


@pytest.mark.slow
def test_the_study_asks_the_same_page(folder: Path) -> None:
    (toml,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (folder / "study.toml").write_text(toml.replace("${PWD}", str(folder)), encoding="utf-8")
    assert "results/study/report.html" in neraca(["run", "study.toml"], folder)
    answers = (folder / "results/study/page/answers.jsonl").read_text(encoding="utf-8")
    assert answers.count('"text":"Sí, se admiten perros pequeños por 15 euros la noche."') == 1


def test_every_option_of_the_browser_command_is_told() -> None:
    names = inspect.signature(command.command).parameters
    options = {"--metrics": "`-m ", "--column": "--column session=NAME", "--reference": "--reference"}
    told = {f"--{name.replace('_', '-')}" for name in names}
    assert {name for name in told if options.get(name, name) not in GUIDE} == set()


def test_every_option_that_the_browser_guide_names_is_there() -> None:
    names = {f"--{name.replace('_', '-')}" for name in inspect.signature(command.command).parameters}
    elsewhere = {"--to", "--rule", "--no-deps"}  # of `neraca report`, `neraca gate` and `pip wheel`
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)) - names - elsewhere == set()


def test_the_browser_guide_tells_every_new_column() -> None:
    table = GUIDE[GUIDE.index("| column | is |") : GUIDE.index("**Read the answers")]
    assert {name for name in (TRIAL, RESPONSE, "Average", "Band", *FACTS) if f"`{name}`" not in table} == set()
    for name in re.findall(r"\]\(([\w/.-]+)(?:#[\w-]+)?\)", GUIDE):
        assert (ROOT / "docs" / name).exists(), name
