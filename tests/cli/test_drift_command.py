"""`neraca drift`, as a user types it."""

import json

import pytest
from comparisons.drifting_run import turn, weeks_of, write_run


@pytest.fixture
def run(tmp_path):
    turns = weeks_of([0.9, 0.9, 0.5], 60, model="mini", category="rent")
    turns += [turn(f"b{n}", 14 + n % 7, float(n % 2), model="4.1", category="buy") for n in range(90)]
    write_run(tmp_path / "run", turns)
    return tmp_path / "run"


def test_the_decision_stands_last(cli, run):
    told = cli("drift", run, "-m", "Valid", "--reference", "2")
    assert told.code == 0, told.err
    last = told.out.splitlines()[-1]
    assert last.startswith(
        "Valid is worse since 2026-10-19: 0.500 after 0.900 in the reference, a difference of −0.400 ("
    )
    assert "Reference: 2026-10-05 to 2026-10-18, as asked for (2); 120 questions." in told.out


def test_the_default_reference_is_printed(cli, run):
    told = cli("drift", run, "-m", "Valid")
    assert (
        "Reference: 2026-10-05 to 2026-10-18, the first weeks, as many as have 100 questions and 7 days; 120 questions."
        in told.out
    )


def test_rows_as_json(cli, run):
    told = cli("drift", run, "-m", "Valid", "--reference", "2", "--json")
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert [row["period"] for row in rows] == ["reference", "since", "2026-10-05", "2026-10-12", "2026-10-19"]
    assert (rows[1]["verdict"], rows[1]["n"]) == ("worse", 150)
    assert rows[0]["difference"] is None
    assert "Valid is worse since 2026-10-19" in told.err


@pytest.mark.parametrize(
    "name", ["drift.html", "drift.md", "drift.tex", "drift.docx", "drift.txt", "drift.json", "drift.csv"]
)
def test_the_report_in_every_format(cli, run, tmp_path, name):
    told = cli("drift", run, "-m", "Valid", "--reference", "2", "-g", "category", "--to", tmp_path / name)
    assert told.code == 0, told.err
    assert (tmp_path / name).stat().st_size > 100
    assert f"{name}: the report" in told.err


def test_a_run_without_times_says_what_to_do(cli, tmp_path):
    write_run(tmp_path / "run", [turn(n, "", 1.0) for n in range(3)])
    told = cli("drift", tmp_path / "run", "-m", "Valid")
    assert told.code == 2
    assert "no answer has a time" in told.err
    assert "neraca traces" in told.err
    assert told.out == ""


def test_wrong_options(cli, run):
    for words, message in (
        (("--every", "weekly"), "did you mean week"),
        (("--reference", "soon"), "cannot read --reference 'soon'"),
        (("--correct", "magic"), "write --correct ppi"),
        (("--report-language", "fr"), "one of en, id, es"),
    ):
        told = cli("drift", run, "-m", "Valid", *words)
        assert told.code == 2, words
        assert message in told.err
