"""The Word report: headings, captions and tables of Word itself."""

import docx
import pytest

from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.scores.score import score


@pytest.fixture(autouse=True)
def without_browser(monkeypatch):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")


def test_headings_captions_and_tables(weighed, tmp_path):
    values = {"new": [0.9, 0.8, 0.7, 0.9, 0.8], "old\x07": [0.4, 0.5, 0.3, 0.2, 0.5]}
    write_report(tmp_path / "report.docx", report(*weighed(values), title="Search & <find>"))
    document = docx.Document(tmp_path / "report.docx")
    styles = {(paragraph.style.name, paragraph.text) for paragraph in document.paragraphs}
    assert ("Title", "Search & <find>") in styles
    assert {text for style, text in styles if style == "Heading 1"} >= {"Metrics", "How these numbers were made"}
    assert ("Heading 2", "What the tests say") in styles
    assert sum(style == "Caption" for style, _ in styles) == 5 == len(document.tables)
    values = document.tables[1]
    assert values.rows[1].cells[0].text == "Given (primary)"
    assert values.rows[1].cells[1].text.startswith("0.820 ▲ (")
    assert values.rows[1].cells[1].paragraphs[0].runs[0].bold
    assert not values.rows[1].cells[2].paragraphs[0].runs[0].bold
    assert any(text.startswith("The figures were left out: NERACA_BROWSER") for _, text in styles)
    assert "w:tblHeader" in values.rows[0]._tr.xml


def test_right_to_left_and_long_texts(weighed, tmp_path):
    write_report(tmp_path / "report.docx", report(*weighed({"استرجاع هجين": [0.5, 0.7], "w" * 200: [0.2, 0.1]})))
    assert "استرجاع هجين" in docx.Document(tmp_path / "report.docx").tables[0].rows[0].cells[1].text


def test_definitions_follow_the_parameters(search_runs, tmp_path):
    write_report(tmp_path / "report.docx", report(score(search_runs(6)[:1], "P(of=returned)@5 P@5"), ()))
    cells = {cell.text for table in docx.Document(tmp_path / "report.docx").tables for cell in table.columns[1].cells}
    assert "Precision at k: relevant hits among the first k, divided by min(k, number of hits)." in cells
    assert "Precision at k: relevant hits among the first k, divided by k." in cells
