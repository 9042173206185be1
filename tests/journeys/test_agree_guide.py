"""What docs/agree.md says is there, and its numbers are those of the benchmark."""

from __future__ import annotations

import re
from pathlib import Path

from typer.main import get_command

from neraca.cli import app
from neraca.scores.judge_corrections import FEWEST_APART, FEWEST_WEIGHTED
from neraca.stats.intervals.prediction_powered import FEWEST_LABELS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "agree.md").read_text(encoding="utf-8")
#: The part that shows how often corrected scores hold.
MEASURED = GUIDE[GUIDE.index("## From how many labels it holds") :].partition("\n## ")[0]
BENCHMARK = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_option_that_it_names_is_there() -> None:
    commands = get_command(app()).commands  # type: ignore[attr-defined]
    options = {
        option
        for name in ("agree", "score", "compare", "gate", "report", "rate")
        for parameter in commands[name].params
        for option in parameter.opts
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)) <= options
    for name in ("score", "compare", "gate", "report"):
        assert {"--correct", "--sample"} <= {option for each in commands[name].params for option in each.opts}


def test_its_numbers_are_those_of_the_benchmark() -> None:
    section = BENCHMARK[BENCHMARK.index("## Coverage of corrected scores") :].partition("\n## ")[0]
    names, *measured = rows(section)
    shown, *found = rows(MEASURED)
    columns = [names.index({"`ppi`, by strata": "stratified"}.get(name, name)) for name in shown]
    known = [[row[column] for column in columns] for row in measured]
    assert len(found) >= 20
    assert all(row in known for row in found)


def test_from_how_many_labels_is_what_the_program_takes() -> None:
    text = " ".join(GUIDE.split())
    assert f"Fewer than {FEWEST_LABELS} labelled questions (or sessions) are refused" in text
    assert f"fewer than {FEWEST_APART} labels differ from the commonest" in text
    assert f"fewer than {FEWEST_WEIGHTED} get a warning" in text


def test_from_30_labels_shares_and_differences_are_within_a_point() -> None:
    for values, _, labels, _, _, ppi, strata in rows(MEASURED)[1:]:
        if not values.startswith("like") or "0.7" in values or labels == "200":
            assert float(ppi.split(" /")[0]) >= 94, (values, labels)
            assert float(strata.split(" /")[0]) >= 94, (values, labels)


def test_the_judge_alone_does_not_hold_where_it_is_biased() -> None:
    biased = [row for row in rows(MEASURED)[1:] if row[1] == "biased"]
    assert all(float(row[3].split(" /")[0]) < 90 for row in biased)
