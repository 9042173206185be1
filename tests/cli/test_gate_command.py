"""`neraca gate`, as a user or a build server types it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from builders import make_answer, make_item, make_run

from neraca.metrics.metric import metric

Cli = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs/trec"
TREC = (DOCS / "hybrid.run", "--against", DOCS / "api.run", "--qrels", DOCS / "qrels.txt")
OLD = [0.5, 0.62, 0.41, 0.53, 0.71, 0.5, 0.63, 0.5, 0.4, 0.6]


@metric("TestGateWorth")
def worth(response: str) -> float | None:
    """A number that is the answer."""
    return float(response) if response else None


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """The old one; one that is a little better or worse by turns; one that is worse; one without an answer."""
    items = [make_item(str(n)) for n in range(10)]
    told: dict[str, list[str]] = {
        "old": [str(v) for v in OLD],
        "new": [str(v + 0.03 * (-1) ** n) for n, v in enumerate(OLD)],
        "worse": [str(v - 0.3 - 0.01 * n) for n, v in enumerate(OLD)],
        "silent": [""] * 10,
    }
    for name, values in told.items():
        make_run(tmp_path / name, items, [make_answer(item=str(n), text=v) for n, v in enumerate(values)])
    make_run(tmp_path / "half", items, [make_answer(item=str(n), text="0.5") for n in range(5)])
    return tmp_path


def test_the_exit_code_says_what_was_decided(cli: Cli, runs: Path) -> None:
    def code(run: str, rule: str, *words: str) -> int:
        found: int = cli("gate", runs / run, "--against", runs / "old", "--rule", f"TestGateWorth {rule}", *words).code
        return found

    assert code("new", ">= -0.05") == 0
    assert code("new", ">= -0.05", "--strict") == 0
    assert code("worse", ">= -0.05") == 1
    assert code("new", "> baseline") == 0
    assert code("new", "> baseline", "--strict") == 1
    assert code("silent", ">= -0.05") == 3
    assert code("half", ">= -0.05") == 3
    assert code("old", "> 0.5", "--level", "0.6") == 0
    assert code("new", "> 5") == 2
    assert cli("gate", runs / "worse", "--rule", "TestGateWorth > 0.4").code == 1
    assert cli("gate", runs / "new", "--rule", "TestGateWorth > 0.4").code == 0


def test_people_read_a_table_and_why(cli: Cli, runs: Path) -> None:
    told = cli(
        "gate", runs / "worse", "--against", runs / "old", "-r", "TestGateWorth >= -0.05", "-r", "TestGateWorth > 0.1"
    )
    assert (
        "TestGateWorth >= -0.05: fail. TestGateWorth of worse is shown to be more than 0.05 below that of old"
        in told.out
    )
    assert "worse against old: the gate fails; 1 of 2 rules is shown to be broken." in told.out
    assert told.err == ""


def test_machines_read_a_row_for_each_rule_and_nothing_else(cli: Cli, runs: Path) -> None:
    told = cli("gate", runs / "new", "--against", runs / "old", "--rule", "TestGateWorth > baseline", "--json")
    (row,) = [json.loads(line) for line in told.out.splitlines()]
    assert (row["rule"], row["metric"], row["kind"]) == ("TestGateWorth > +0", "TestGateWorth", "superiority")
    assert (row["outcome"], row["bound"], row["n"]) == ("undecided", 0.0, 10)
    assert row["difference"] == pytest.approx(0)
    assert "exactly at the bound" in row["why"]
    assert "the gate is undecided" in told.err
    silent = cli("gate", runs / "silent", "--against", runs / "old", "--rule", "TestGateWorth > baseline", "--json")
    assert json.loads(silent.out)["p"] is None


def test_files_for_build_servers(cli: Cli, runs: Path) -> None:
    xml, summary = runs / "out" / "gate.xml", runs / "out" / "summary.md"
    for run in ("new", "worse"):
        words = ("--rule", "TestGateWorth >= -0.05", "--junit", xml, "--summary", summary)
        cli("gate", runs / run, "--against", runs / "old", *words)
    (case,) = ElementTree.parse(xml).getroot().iter("testcase")
    assert case[0].tag == "failure"
    assert [line for line in summary.read_text().splitlines() if line.startswith("## ")] == [
        "## Gate: pass",
        "## Gate: fail",
    ]
    assert cli("gate", runs / "new", "--rule", "TestGateWorth > 0.1", "--junit", runs).code == 2


def test_the_report_is_a_file_in_the_language_of_all_that_is_said(cli: Cli, runs: Path) -> None:
    page = runs / "out" / "gate.html"
    words = ("--rule", "TestGateWorth >= -0.05", "--report-language", "es", "--to", page, "--junit", runs / "gate.xml")
    printed = cli("gate", runs / "worse", "--against", runs / "old", *words)
    assert printed.code == 1
    assert f"{page}: the report" in printed.err
    assert printed.out.endswith("worse frente a old: el control no pasa; incumplimiento demostrado: 1 de 1 regla.\n")
    written = page.read_text(encoding="utf-8")
    assert '<html lang="es"' in written
    assert "Se demuestra que TestGateWorth de worse está más de 0,05 por debajo de la de old" in written
    assert "Se demuestra que" in (runs / "gate.xml").read_text(encoding="utf-8")
    row = json.loads(cli("gate", runs / "worse", "--against", runs / "old", *words[:4], "--json").out)
    assert (row["outcome"], row["why"][:16]) == ("fail", "Se demuestra que")


@pytest.mark.parametrize(
    "words, message",
    [(("--to", "gate.xyz"), "gate.xyz: cannot tell the format"), (("--report-language", "fr"), "one of en, id, es")],
)
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_scored(
    cli: Cli, runs: Path, words: tuple[str, ...], message: str
) -> None:
    refused = cli("gate", runs / "nowhere", "--rule", "TestGateWorth > 0.4", *words)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err


def test_rules_from_a_file(cli: Cli, runs: Path) -> None:
    file = runs / "rules.txt"
    file.write_text("# ours\nTestGateWorth > 0.1\nTestGateWorth >= -0.05\n")
    words = (runs / "new", "--against", runs / "old", "--rules", file, "--rule", "TestGateWorth > 0.2", "--json")
    rows = [json.loads(line) for line in cli("gate", *words).out.splitlines()]
    assert [row["rule"] for row in rows] == ["TestGateWorth > 0.2", "TestGateWorth > 0.1", "TestGateWorth >= -0.05"]


def test_trec_runs(cli: Cli) -> None:
    told = cli("gate", *TREC, "--rule", "AP >= -0.02", "--rule", "RR > 0.7", "--level", "0.9")
    assert (told.code, "80 % interval" in told.out) == (0, True)
    assert "hybrid against api: the gate passes; 2 of 2 rules hold." in told.out
    assert "api: no document for 2 of 30" in told.err
    assert cli("gate", DOCS / "api.run", "--qrels", DOCS / "qrels.txt", "--rule", "AP > 0.9").code == 1


def test_files_for_programs_hold_the_rows_of_json(cli: Cli, tmp_path: Path) -> None:
    name = "hybrid-of-two-searches-with-a-name-of-fifty-letters"
    run = tmp_path / f"{name}.run"
    run.write_bytes((DOCS / "hybrid.run").read_bytes())
    words = ("gate", run, *TREC[1:], "--rule", "AP >= -0.02", "--rule", "RR > 0.7")
    rows = [json.loads(line) for line in cli(*words, "--json").out.splitlines()]
    assert len(rows) == 2
    assert name in rows[0]["why"]
    assert " value  baseline " in cli(*words, "--to", tmp_path / "gate.json").out  # the name is too long for a heading
    whole = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert whole["tables"]["rules"] == rows
    assert whole["title"] == "Gate: pass"
    cli(*words, "--to", tmp_path / "gate.csv")
    cli(*words, "--to", tmp_path / "folder")
    for file in (tmp_path / "gate.csv", tmp_path / "folder" / "rules.csv"):
        with file.open(encoding="utf-8-sig", newline="") as text:
            read = list(csv.DictReader(text))
        assert [list(row) for row in read] == [list(row) for row in rows]
        for row, expected in zip(read, rows, strict=True):
            assert {key: "" if value is None else str(value) for key, value in expected.items()} == row


def test_tests_that_draw_are_repeated_by_their_seed(cli: Cli) -> None:
    words = ("gate", *TREC, "--rule", "AP >= +0.1", "--test", "randomisation", "--json")
    assert cli(*words, "--seed", "1").out == cli(*words, "--seed", "1").out != cli(*words, "--seed", "2").out


@pytest.mark.parametrize(
    "words, told",
    [
        ((), "a gate needs a rule; write such as"),
        (("--rule", "RR > baseline"), "is about the difference from a baseline; name one (--against)"),
        (("--rule", "nDGC@10 > 0.5"), "no metric is called 'nDGC'; did you mean nDCG"),
        (("--rule", "nDCG@10 > 50"), "write 'nDCG@10 > 0.5'"),
        (("--rule", "RR > 0.5", "--test", "sign"), "the test sign is not; use t, randomisation, bootstrap"),
        (("--rule", "RR > 0.5", "--level", "0.3"), "above 0.5, such as 0.95, not 0.3"),
        (("--rules", "nowhere.txt"), "nowhere.txt: cannot be read: No such file or directory"),
        (("--rule", "RR > 0.5", "--against", "nowhere"), "not a run folder"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_line(cli: Cli, runs: Path, words: tuple[str, ...], told: str) -> None:
    found = cli("gate", runs / "new", *words)
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert found.err.count("\n") == 1


def test_of_a_folder_of_runs_the_one_beside_the_baseline_is_held_to_the_rules(cli: Cli, runs: Path) -> None:
    (runs / "report.html").write_text("<html>")
    rule = ("--against", runs / "old", "--rule", "TestGateWorth >= -0.05")
    told = cli("gate", runs / "old", runs / "report.html", runs / "worse", *rule)
    assert told.code == 1
    assert "worse against old: the gate fails" in told.out
    assert f"no run folder, passed over: {runs / 'report.html'}" in told.err
    told = cli("gate", runs / "new", runs / "old", runs / "worse", *rule)
    assert told.code == 2
    assert f"the gate holds one run to the rules; name it (found: {runs / 'new'}, {runs / 'worse'})" in told.err
    assert "(found: none but the baseline)" in cli("gate", runs / "old", runs / "report.html", *rule).err
