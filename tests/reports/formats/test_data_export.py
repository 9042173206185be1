"""Every number as plain rows: a workbook, a CSV file, a folder."""

import csv

import openpyxl
import pytest

from neraca.comparisons.compare import compare
from neraca.errors import SpecError
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.scores.score import score


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def made(search_runs):
    scores = score(search_runs(6, hits=2), "P@5 PassRatio")
    return report(scores, compare(scores))


def test_a_folder_has_every_table(made, tmp_path, monkeypatch):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    write_report(tmp_path / "tables", made)
    assert {file.name for file in (tmp_path / "tables").iterdir()} == {
        "scores.csv",
        "questions.csv",
        "comparisons.csv",
        "verdicts.csv",
        "report.json",
        "figures",
    }
    values = {(row["run"], row["metric"]): float(row["value"]) for row in rows(tmp_path / "tables/scores.csv")
              if row["group"] == "all"}  # fmt: skip
    assert values == {(s.run, s.metric): pytest.approx(s.value) for s in made.scores.overall()}
    assert len(rows(tmp_path / "tables/questions.csv")) == len(made.cards) * 2 * 6
    assert len(rows(tmp_path / "tables/comparisons.csv")) == len(made.pairs)


def test_a_workbook_has_a_sheet_for_each(made, tmp_path):
    write_report(tmp_path / "report.xlsx", made)
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    assert book.sheetnames == ["scores", "questions", "comparisons", "verdicts"]
    head, first, *_ = book["scores"].iter_rows(values_only=True)
    assert head[:4] == ("run", "group", "metric", "value")
    assert first[3] == pytest.approx(next(iter(made.scores.overall())).value)
    assert book["scores"].freeze_panes == "A2"


def test_one_file_has_the_scores(made, tmp_path):
    write_report(tmp_path / "report.csv", made)
    assert {row["metric"] for row in rows(tmp_path / "report.csv")} == {"P@5", "PassRatio"}


def test_no_text_becomes_a_formula(weighed, tmp_path):
    formula = '=HYPERLINK("x")'
    made = report(*weighed({formula: [0.5, 0.7], "b": [0.2, 0.4]}))
    write_report(tmp_path / "report.csv", made)
    assert {row["run"] for row in rows(tmp_path / "report.csv")} == {f"'{formula}", "b"}
    write_report(tmp_path / "report.xlsx", made)
    cell = openpyxl.load_workbook(tmp_path / "report.xlsx")["scores"]["A2"]
    assert (cell.value, cell.data_type) == (formula, "s")


def test_an_unknown_ending_is_refused(made, tmp_path):
    with pytest.raises(SpecError, match=r"let the file's name end in \.html, .*\.csv, or have no ending"):
        write_report(tmp_path / "report.odt", made)
    assert not (tmp_path / "report.odt").exists()
