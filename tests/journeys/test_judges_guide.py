"""The tables of docs/judges.md are true, and it leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

from typer.main import get_command

from neraca.cli import app
from neraca.judges.judge import JUDGES
from neraca.judges.judge_set import ModelsTable, setting_names
from neraca.metrics import MODULE_BY_NAME
from neraca.reports.sentences.stage_words import MEND
from neraca.scores.stages import ENOUGH, FEWEST, STAGES

GUIDE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    section = GUIDE[GUIDE.index(heading) :].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def words(cell: str) -> list[str]:
    return re.findall(r"`(\w+)", cell)


def test_every_judge_has_its_row() -> None:
    shipped = {name for name in JUDGES.names() if JUDGES.get(name).__module__.startswith("neraca.judges.")}
    assert {words(row[0])[0] for row in rows("# Judges: who decides")} == shipped


def test_the_table_of_settings_has_all_of_them_and_no_other() -> None:
    told: dict[str, set[str]] = {}
    last = ""
    for row in rows("## Settings"):
        last = row[0] or last
        told.setdefault(last, set()).update(words(row[1]))
    everywhere = told.pop("all that ask a model")
    for kind in ("claims", "relevance", "valid", "supported", "aspect", "rubric", "pairwise", "similarity"):
        own = {name for who, names in told.items() if kind in words(who) for name in names}
        assert own | (everywhere if kind != "similarity" else set()) == setting_names(kind), kind
    models = re.search(r"`\[models\]`: (.*)", GUIDE)
    assert models
    assert set(words(models[1])) == set(ModelsTable.__struct_fields__)


def test_every_metric_that_it_names_is_there() -> None:
    named = {name for row in rows("## The metrics") for cell in row[:2] for name in words(cell) if name[0].isupper()}
    assert named <= MODULE_BY_NAME.keys()
    others = {name for name, home in MODULE_BY_NAME.items() if home.startswith("rag.")}
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
