"""Every format draws every block: a report of any kind says the same in all of them."""

import json
import zipfile

import docx
import openpyxl
import pytest

from neraca.errors import SpecError
from neraca.reports.blocks.block import Cell, Document, Figure, Heading, Link, Named, Sentence, Sentences, opening
from neraca.reports.figures.svg import drawing
from neraca.reports.formats.html import to_html
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.formats.terminal import to_text
from neraca.reports.formats.write import FORMATS, check_format, write_report
from neraca.result import Table

VALUES = Table(
    ("run", "value", "interval", "interval"),
    [("new", Cell("0.82", "0.7 to 0.9", mark="a", note="n = 5", bold=True), "1", "2"), ("old_1", "0.40", "3", "=4")],
    "Values",
    name="values",
)
FACTS = Table((), [("Level", "95 %"), ("Seed", "0")], "How it was made")
DOCUMENT = Document(
    "A <b>test</b>",
    (
        *opening(
            "new is better.",
            Figure("f", "What is drawn", drawing("f", "t", "d", 20, ())),
            shown="A lead.",
            tested=["t = 3"],
            notes=["few", "fewer", "fewest"],
        ),
        Heading("Numbers", "numbers", "Numbers"),
        Sentences((Sentence("Look at ", Named("q_1", 1), "."), Sentence(Link("The page", "a/b.html"))), "words"),
        Sentences(("on a page",), "words", only="page"),
        Sentences(("elsewhere",), "words", only="flat"),
        VALUES,
        Heading("Below", level=3),
        Table(("x",), [("folded away",)], "Deep", depth=2),
        FACTS,
    ),
)
WORDS = ("new is better.", "A lead.", "Look at ", "Values", "0.82", "0.7 to 0.9", "old", "Level", "95 %", "fewest")


def words_of(path):
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as file:
            assert "word/document.xml" in file.namelist()
        word = docx.Document(path)
        cells = [cell.text for table in word.tables for row in table.rows for cell in row.cells]
        return "\n".join([*(paragraph.text for paragraph in word.paragraphs), *cells])
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", [".html", ".md", ".tex", ".docx", ".txt", ".json"])
def test_all_that_a_report_says_stands_in_every_format(tmp_path, monkeypatch, suffix):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    path = tmp_path / f"report{suffix}"
    remarks = write_report(path, DOCUMENT)
    assert [remark.partition(":")[0] for remark in remarks] == ([f"{path} has no figures"] if suffix == ".tex" else [])
    words = words_of(path)
    assert [word for word in WORDS if word not in words.replace(r"\%", "%").replace(r"\allowbreak{}", "")] == []
    shown = {".html": "on a page", ".json": "on a page"}.get(suffix, "elsewhere")
    assert shown in words
    assert ("folded away" in words) is (suffix in (".html", ".json"))


def test_markdown_marks_what_is_bold_and_what_is_named():
    text = to_markdown(DOCUMENT)
    assert "| new | **0.82** a (0.7 to 0.9) n = 5 | 1 | 2 |" in text
    assert "Look at `q_1`.\n\nThe page: a/b.html\n" in text
    assert "Shown: A lead.\n" in text
    assert "How it was made:\n\n- Level: 95 %\n- Seed: 0\n" in text
    assert text.startswith("# A \\<b>test\\</b>\n\n**new is better.**\n")


def test_a_page_leads_only_to_questions_that_it_has(tmp_path):
    write_report(tmp_path / "report.html", DOCUMENT)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<span dir="auto">q_1</span>' in page
    assert '<a href="a/b.html">The page</a>' in page
    assert '<a href="#numbers">Numbers</a>' in page
    assert "<summary>1 more caution</summary>" in page
    assert "<script" not in page


def test_names_from_right_to_left_move_nothing_in_the_sentences_of_a_page_and_change_no_other_format():
    name = "arabic عربي"
    document = Document(
        "A test",
        (
            *opening(f"{name}: 99 % of its lines.", notes=[f"עברית ישנה, {name} & b: 3 of 4"]),
            Heading("Numbers", "numbers", "Numbers"),
            Table(("run", "value"), [(name, "1"), ("عربي", "2")], f"Values of {name} (2)", name="values"),
        ),
    )
    page = to_html(document)
    assert "arabic <bdi>عربي</bdi>: 99\u00a0% of its lines." in page
    assert "<bdi>עברית ישנה</bdi>, arabic <bdi>عربي</bdi> &amp; b: 3 of 4" in page
    assert "<span>Values of arabic <bdi>عربي</bdi> (2)</span>" in page
    assert "</span> عربي</th>" in page, "the direction of a cell is that of its first letter"
    assert f"{name}: 99 % of its lines." in to_text(document)
    assert f"{name}: 99 % of its lines." in to_markdown(document)


def test_a_terminal_has_headings_lists_and_tables_within_its_width():
    text = to_text(DOCUMENT, width=40)
    assert "Numbers\n=======\n" in text
    assert "Before you trust it:\n- few\n- fewer\n- fewest\n" in text
    assert "How it was made\n- Level: 95 %\n" in text
    assert max(map(len, text.splitlines())) <= 40


def test_tables_become_sheets_and_files_with_headings_that_differ(tmp_path):
    write_report(tmp_path / "report.xlsx", DOCUMENT)
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    assert book.sheetnames == ["values", "table 2"]
    assert [cell.value for cell in book["values"][1]] == ["run", "value", "interval", "interval 2"]
    assert [cell.value for cell in book["values"][2]] == ["new", "0.82 a (0.7 to 0.9) n = 5", 1, 2]
    write_report(tmp_path / "report.csv", DOCUMENT)
    rows = (tmp_path / "report.csv").read_text(encoding="utf-8").splitlines()
    assert rows == ["run,value,interval,interval 2", "new,0.82 a (0.7 to 0.9) n = 5,1,2", "old_1,0.40,3,'=4"]


def test_a_folder_has_tables_blocks_and_figures(tmp_path, monkeypatch):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    (left_out,) = write_report(tmp_path / "out", DOCUMENT)
    assert left_out.startswith("Figures were written as SVG only")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert names == {"values.csv", "table 2.csv", "report.json", "figures/f.svg"}
    blocks = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))["blocks"]
    assert [block["block"] for block in blocks[:3]] == ["sentences", "figure", "sentences"]


def test_a_format_that_does_not_exist_is_refused_with_those_that_do(tmp_path):
    check_format(None)
    check_format(tmp_path / "a folder")
    with pytest.raises(SpecError, match=r"report\.gif: cannot tell the format; let the file's name end in \.html"):
        check_format("report.gif")
    assert {".html", ".md", ".tex", ".docx", ".pdf", ".xlsx", ".svg"} <= {*FORMATS}
