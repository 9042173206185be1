"""What docs/judges.md tells a reader to type works as it stands there, and its tables are true."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from journeys.test_llm_judge import reply
from models.llm_server import LlmServer
from typer.main import get_command

from neraca.cli import app
from neraca.judges.judge import JUDGES
from neraca.judges.judge_set import Member, ModelsTable, setting_names
from neraca.metrics import HOME
from neraca.reports.advice import MEND
from neraca.scores.stages import ENOUGH, FEWEST, STAGES

GUIDE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def block(language: str) -> str:
    return next(text for kind, text in BLOCKS if kind == language)


def rows(heading: str) -> list[list[str]]:
    section = GUIDE[GUIDE.index(heading) :].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def words(cell: str) -> list[str]:
    return re.findall(r"`(\w+)", cell)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    with LlmServer(reply=reply) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        yield running


def test_the_example_works(tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "questions.csv").write_text(block("csv"), encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(block("json"), encoding="utf-8")
    told = {}
    for line in block("").splitlines():
        name, *given = line.split()
        if name == "export":
            monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        elif name == "neraca":
            code = f"import sys; sys.argv = {[name, *given]!r}; from neraca.cli import main; main()"
            if "--dry-run" not in line and given[0] == "judge":  # a price for what stands in for the real model
                code = code.replace("'--budget'", "'--set', 'price=[1, 10]', '--budget'")
            done = subprocess.run(
                [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            if "--dry-run" in line:
                assert server.count == 0
                assert "would pay for about 7 calls" in done.stdout
            told[line] = done.stdout
    assert server.count == 7
    assert "Faithfulness" in next(out for line, out in told.items() if " score " in line)
    assert (tmp_path / "report.html").exists()


def test_the_session_with_a_knowledge_base_prints_what_stands_there(
    tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    section = GUIDE[GUIDE.index("## Not found, or not there") :].partition("\n## ")[0]
    flat, house, session = re.findall(r"^```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "flat.md").write_text(flat, encoding="utf-8")
    (tmp_path / "kb" / "house.txt").write_text(house, encoding="utf-8")
    (tmp_path / "questions.csv").write_text(block("csv"), encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(block("json"), encoding="utf-8")

    def neraca(line: str) -> str:
        words = [*shlex.split(line)[1:], *(["--set", "price=[0.15, 0.60]"] if " judge " in line else [])]
        code = "from neraca.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    ask, claims = (
        next(line for line in block("").splitlines() if start in line and "--dry-run" not in line)
        for start in ("neraca ask", "neraca judge")
    )
    neraca(ask)
    neraca(claims.partition(" --budget")[0])
    for line, *output in (part.splitlines() for part in session.split("$ ")[1:]):
        printed = neraca(line)
        assert [text.rstrip() for text in printed.strip().splitlines()] == "\n".join(output).strip().splitlines()


def test_every_judge_has_its_row() -> None:
    shipped = {name for name in JUDGES.names() if JUDGES.get(name).__module__.startswith("neraca.judges.")}
    assert {words(row[0])[0] for row in rows("# Judges: who decides")} == shipped


def test_the_settings_of_the_study_can_be_read() -> None:
    study = tomllib.loads(block("toml"))
    members = [Member.of(name, table) for name, table in study["judges"].items()]
    assert [member.kind for member in members] == ["claims", "claims", "rubric"]
    assert msgspec.convert(study["models"], ModelsTable).budget == 2.5


def test_the_table_of_settings_has_all_of_them_and_no_other() -> None:
    told: dict[str, set[str]] = {}
    last = ""
    for row in rows("## Settings"):
        last = row[0] or last
        told.setdefault(last, set()).update(words(row[1]))
    everywhere = told.pop("all that ask a model")
    for kind in ("claims", "corpus", "valid", "supported", "aspect", "rubric", "pairwise", "similarity"):
        own = {name for who, names in told.items() if kind in words(who) for name in names}
        assert own | (everywhere if kind != "similarity" else set()) == setting_names(kind), kind
    models = re.search(r"`\[models\]`: (.*)", GUIDE)
    assert models
    assert set(words(models[1])) == set(ModelsTable.__struct_fields__)


def test_every_metric_that_it_names_is_there() -> None:
    named = {name for row in rows("## The metrics") for cell in row[:2] for name in words(cell) if name[0].isupper()}
    assert named <= HOME.keys()
    others = {name for name, home in HOME.items() if home.startswith("rag.")}
    assert others
    assert {name for name in others if f"`{name}" not in GUIDE} == set()


def test_every_option_that_it_names_is_there() -> None:
    commands = get_command(app()).commands  # type: ignore[attr-defined]
    known = {
        option
        for name in ("judge", "agree", "prompts")
        for parameter in commands[name].params
        for option in parameter.opts
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)) - {"--target", "--out", "--to", "--by"}
    assert named <= known
    assert {"--budget", "--dry-run", "--cache", "--translate"} <= named


def test_what_it_says_of_advice_is_so() -> None:
    assert f"below {ENOUGH}" in GUIDE
    assert f"fewer than {FEWEST} independent" in GUIDE
    assert [words(row[1]) for row in rows("## What to mend first")] == [list(names) for names in STAGES.values()]
    assert len(MEND) == len(STAGES)


def test_its_json_is_json() -> None:
    assert len([json.loads(line) for line in block("json").splitlines()]) == 3
