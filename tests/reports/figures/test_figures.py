"""Figures as files of their own: each stands by itself, and a browser prints them, where there is one."""

import re
import struct
import zipfile
from xml.etree import ElementTree

import docx
import pytest

from neraca.errors import SpecError
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.figures.figures import WIDTH, figures
from neraca.reports.formats.write import write_report
from neraca.reports.report import report

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def made(weighed):
    return report(*weighed({"new": [0.9, 0.8, 0.7, 0.9, 0.8], "<b>öld:&": [0.4, 0.5, 0.3, 0.2, 0.5]}))


@pytest.fixture
def without_browser(monkeypatch):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")


def test_each_figure_is_a_drawing_that_needs_no_page(made):
    drawn = figures(made)
    assert [figure.name for figure in drawn] == ["Given", "differences-Given", "new-minus-b-öld"]
    for figure in drawn:
        root = ElementTree.fromstring(figure.svg)
        assert (root.tag, root.get("width"), root.get("height")) == (f"{SVG}svg", str(WIDTH), str(figure.height))
        assert not re.search(r"var\(|href|url\(", figure.svg)
    words = [text.text for text in ElementTree.fromstring(drawn[0].svg).iter(f"{SVG}text")]
    assert {"new", "<b>öld:&"} < set(words)


def test_names_differ_where_only_large_letters_do(weighed):
    drawn = figures(report(*weighed({"a": [1, 2, 3], "b": [2, 2, 2], "B": [1, 2, 2]})))
    names = [figure.name.lower() for figure in drawn]
    assert len(set(names)) == len(names)


def test_a_browser_prints_pictures_and_pages(made, tmp_path, chromium):
    assert write_report(tmp_path / "out", made) == []
    png, pdf = (tmp_path / f"out/figures/Given.{kind}" for kind in ("png", "pdf"))
    first = figures(made)[0]
    assert struct.unpack(">II", png.read_bytes()[16:24]) == (3 * WIDTH, 3 * first.height)
    assert len(re.findall(rb"/Type /Page\b", pdf.read_bytes())) == 1
    assert len(list((tmp_path / "out/figures").iterdir())) == 9
    assert (tmp_path / "out/figures/Given.svg").read_text(encoding="utf-8") == first.svg


def test_a_word_document_shows_the_figures(made, tmp_path, chromium):
    write_report(tmp_path / "report.docx", made)
    with zipfile.ZipFile(tmp_path / "report.docx") as file:
        assert sum(name.startswith("word/media/") for name in file.namelist()) == 4
    document = docx.Document(tmp_path / "report.docx")
    cells = [cell for table in document.tables for row in table.rows for cell in row.cells]  # two figures have a row
    captions = [p.text for part in (document, *cells) for p in part.paragraphs if p.style.name == "Caption"]
    drawn = [figure.caption for figure in comparison_document(made).figures]
    assert sorted(caption for caption in captions if caption.startswith("Figure")) == [
        f"Figure {number}. {caption}" for number, caption in enumerate(drawn, start=1)
    ]


def test_a_report_becomes_a_pdf_of_pages(made, tmp_path, chromium):
    write_report(tmp_path / "report.pdf", made)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_without_a_browser_it_says_what_is_missing(made, tmp_path, without_browser):
    (said,) = write_report(tmp_path / "out", made)
    assert said.startswith("Figures were written as SVG only, not as PNG and PDF: NERACA_BROWSER: 'no-such-browser'")
    assert {file.suffix for file in (tmp_path / "out/figures").iterdir()} == {".svg"}
    with pytest.raises(SpecError, match="is not there; give the path of Chromium"):
        write_report(tmp_path / "report.pdf", made)
    assert not (tmp_path / "report.pdf").exists()
    write_report(tmp_path / "figure.svg", made)
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8") == figures(made)[0].svg
