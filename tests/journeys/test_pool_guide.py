"""docs/pool.md: what it shows is what is printed, and what it promises holds."""

import random
import re
import shutil
from pathlib import Path

import pytest
from typer.main import get_command

import neraca
from neraca.cli import app
from neraca.datasets.trec.qrels import Qrels
from neraca.metrics import MODULE_BY_NAME
from neraca.people.pool import COLUMNS
from neraca.people.pool_selection import STRATEGIES

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/pool.md").read_text(encoding="utf-8")
NAMES = ["docs/trec/api.run", "docs/trec/hybrid.run", "docs/trec/vector.run"]


@pytest.fixture
def old_qrels(tmp_path, monkeypatch):
    """What was judged when there was the run api alone: of the bundled judgments those on its documents."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs/trec", tmp_path / "docs/trec")
    returned = {tuple(line.split()[0:3:2]) for line in Path(NAMES[0]).read_text().splitlines()}
    lines = Path("docs/trec/qrels.txt").read_text().splitlines()
    Path("old.qrels").write_text("\n".join(line for line in lines if tuple(line.split()[0:3:2]) in returned))
    return Qrels.read(Path("old.qrels")).grades


def test_forty_documents_chosen_by_their_change_beat_forty_by_chance(old_qrels):
    """How far the three differences in nDCG@10 are from those with all judgments, as a mean."""
    full = Qrels.read(Path("docs/trec/qrels.txt")).grades

    def differences(judged):
        a, b, c = (row.value for row in neraca.trec(judged, NAMES, "nDCG@10").overall())
        return a - b, a - c, b - c

    def judged_too(places):
        grades = {question: {"none": 0, **old_qrels.get(question, {})} for question in full}
        for question, document in places:
            grades[question][document] = full[question].get(document, 0)
        return grades

    def error(places):
        pairs = zip(differences(judged_too(places)), differences(full), strict=True)
        return sum(abs(now - true) for now, true in pairs) / 3

    def chosen(**how):
        found = neraca.pool(NAMES, qrels=judged_too([]), **how)
        return [(one.query_id, one.document_id) for one in found.documents]

    unjudged = chosen()
    assert len(unjudged) == 322
    by_chance = sum(error(random.Random(seed).sample(unjudged, 40)) for seed in range(10)) / 10
    values = [error([]), error(chosen(strategy="change", n=40)), by_chance]
    assert [f"{value:.2f}" for value in values] == ["0.27", "0.13", "0.20"]
    assert all(f"{value:.2f}" in GUIDE for value in values)


def test_it_names_all_columns_strategies_and_options_and_no_others():
    tables = [row.split(" | ")[0] for row in GUIDE.splitlines() if row.startswith("| `")]
    named = [name for cell in tables for name in re.findall(r"`([\w-]+)`", cell)]
    assert [name for name in named if name in COLUMNS] == list(COLUMNS)
    assert {name for name in named if name in STRATEGIES} == set(STRATEGIES)
    commands = get_command(app()).commands
    known = {option for name in ("pool", "judge", "agree") for one in commands[name].params for option in one.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)) <= known


def test_it_names_metrics_that_there_are():
    named = set(re.findall(r"`([A-Z][A-Za-z]+)(?:@k|\(RBP@k\))?`", GUIDE))
    assert {"InfAP", "Judged", "Residual"} <= named
    assert named <= MODULE_BY_NAME.keys()
