"""The Word report: headings, captions and tables of Word itself."""

import io
import itertools
import re

import docx
import pytest

from neraca.reports.blocks.block import Document, Figure, Sentences
from neraca.reports.formats.table_layout import printed
from neraca.reports.formats.word import to_word
from neraca.reports.formats.word_letters import with_letters
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.result import Table
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
    captions = [paragraph.text for paragraph in document.paragraphs if paragraph.style.name == "Caption"]
    assert [caption.partition(".")[0] for caption in captions] == [f"Table {n}" for n in range(1, 6)]
    assert len(document.tables) == 5
    assert any(text.startswith("The figures were left out: NERACA_BROWSER") for _, text in styles)


def texts(row):
    return [cell.text for cell in row.cells]


def test_each_interval_has_a_column_of_its_own_and_the_best_is_strong(weighed, tmp_path):
    made = report(*weighed({"new": [0.9, 0.8, 0.7, 0.9, 0.8], "old": [0.4, 0.5, 0.3, 0.2, 0.5]}))
    write_report(tmp_path / "report.docx", made)
    values = docx.Document(tmp_path / "report.docx").tables[1]
    head, new, old = values.rows
    assert texts(head) == ["Metric", "Run", "Mean", "95 % interval", "n"]
    assert texts(new)[:3] + texts(new)[4:] == ["Given (primary)", "new", "0.820 ▲", "5"]
    assert texts(new)[3].count(" to ") == 1
    assert texts(old)[:3] == ["", "old", "0.380"]
    assert [row.cells[2].paragraphs[0].runs[0].style.name for row in (new, old)] == ["Strong", "Default Paragraph Font"]
    assert "w:tblHeader" in head._tr.xml
    assert "w:cantSplit" in old._tr.xml


def test_all_text_has_named_styles_and_the_document_its_language(weighed, tmp_path):
    write_report(tmp_path / "report.docx", report(*weighed({"a": [0.5, 0.7], "b": [0.2, 0.1]}), language="id"))
    document = docx.Document(tmp_path / "report.docx")
    cells = [cell for table in document.tables for row in table.rows for cell in row.cells]
    assert {cell.paragraphs[0].style.name for cell in cells} == {
        "Neraca Table Heading",
        "Neraca Table Text",
        "Neraca Table Number",
    }
    assert {table.style.name for table in document.tables} == {"Neraca Table"}
    assert all(run.font.size is None for cell in cells for run in cell.paragraphs[0].runs)
    assert document.core_properties.language == "id-ID"
    assert '<w:lang w:val="id-ID"' in document.styles.element.xml
    assert any(p.text.startswith("Tabel 1. ") for p in document.paragraphs)


def test_captions_are_counted_by_word_and_each_section_refers_to_its_own(weighed, tmp_path):
    write_report(tmp_path / "report.docx", report(*weighed({"a": [0.5, 0.7], "b": [0.2, 0.1]})))
    xml = docx.Document(tmp_path / "report.docx").element.xml
    targets = re.findall(r"REF (Table_\d+) ", xml)
    assert targets == re.findall(r'w:bookmarkStart w:id="\d+" w:name="(Table_\d+)"', xml)
    assert len(targets) == xml.count("SEQ Table") > 3
    sentences = [p.text for p in docx.Document(tmp_path / "report.docx").paragraphs if p.text.startswith("See ")]
    assert sentences[0] == "See Table 1."


def test_a_wide_table_stands_on_a_turned_page_and_no_table_is_wider_than_its_page(weighed, tmp_path):
    runs = {f"a system with a long name {n}": [0.1 * n, 0.2, 0.3] for n in range(8)}
    write_report(tmp_path / "report.docx", report(*weighed(runs)))
    document = docx.Document(tmp_path / "report.docx")
    assert {section.orientation for section in document.sections} == {0, 1}
    width = {table: sum(column.width for column in table.columns) / docx.shared.Cm(1) for table in document.tables}
    assert max(width.values()) <= 24.71


@pytest.fixture
def eight(weighed, tmp_path):
    """The report on eight runs, whose table of pairs needs a turned page."""
    runs = {f"a system with a long name {n}": [0.1 * n, 0.2, 0.3] for n in range(8)}
    write_report(tmp_path / "eight.docx", report(*weighed(runs)))
    return docx.Document(tmp_path / "eight.docx")


def test_turned_pages_stand_at_the_end_so_that_no_page_before_them_is_left_half_empty(eight):
    assert [section.orientation for section in eight.sections] == [0, 1, 0], "the last line names the missing figures"
    headings = [p.text for p in eight.paragraphs if p.style.name in ("Heading 1", "Heading 2")]
    assert headings[-2:] == ["Wide tables", "Differences between runs"]
    references = [p.text for p in eight.paragraphs if p.text.startswith("See ")]
    last = max(int(n) for text in references for n in re.findall(r"Table (\d+)", text))
    assert sum(text.endswith(f"Table {last}.") for text in references) == 1, "its own section refers to it"
    captions = [p.text.partition(".")[0] for p in eight.paragraphs if p.style.name == "Caption"]
    assert captions == [f"Table {n}" for n in range(1, last + 1)]


def test_neither_a_chain_of_headings_nor_the_last_row_alone_moves_to_the_next_page(eight):
    """Six pairs below smaller headings would have to stand on one page; a long table ends with four rows together."""
    keeps = {p.text: p.paragraph_format.keep_with_next for p in eight.paragraphs}
    sentences = [text for text in keeps if " is better on " in text]
    assert len(sentences) == 6
    assert not any(keeps[text] for text in sentences)
    (pairs,) = [table for table in eight.tables if len(table.rows) == 29 and len(table.columns) > 7]
    kept = [bool(row.cells[0].paragraphs[0].paragraph_format.keep_with_next) for row in pairs.rows]
    assert kept == [True, *[False] * 24, True, True, True, kept[-1]]


def test_pages_are_numbered_and_the_file_says_what_it_is(weighed, tmp_path):
    """Without a time the same report is the same file."""
    made = report(*weighed({f"a system with a long name {n}": [0.1 * n, 0.2, 0.3] for n in range(8)}))
    for name in ("one.docx", "two.docx"):
        write_report(tmp_path / name, made)
    assert (tmp_path / "one.docx").read_bytes() == (tmp_path / "two.docx").read_bytes()
    document = docx.Document(tmp_path / "one.docx")
    assert len(document.sections) > 1
    assert all('<w:instrText xml:space="preserve">PAGE<' in s.footer._element.xml for s in document.sections)
    properties = document.core_properties
    assert (properties.title, properties.author, properties.comments) == (made.title, "Neraca", "")
    assert (properties.created, properties.modified) == (None, None)


def test_right_to_left_and_long_texts(weighed, tmp_path):
    write_report(tmp_path / "report.docx", report(*weighed({"استرجاع هجين": [0.5, 0.7], "w" * 200: [0.2, 0.1]})))
    assert "استرجاع هجين" in docx.Document(tmp_path / "report.docx").tables[0].rows[0].cells[1].text


def test_definitions_follow_the_parameters(search_runs, tmp_path):
    write_report(tmp_path / "report.docx", report(score(search_runs(6)[:1], "P(of=returned)@5 P@5"), ()))
    cells = {cell.text for table in docx.Document(tmp_path / "report.docx").tables for cell in table.columns[1].cells}
    assert "Precision at k: relevant hits among the first k, divided by min(k, number of hits)." in cells
    assert "Precision at k: relevant hits among the first k, divided by k." in cells


def test_letters_stand_for_long_names_in_tables_of_pairs_with_a_legend_below(weighed, tmp_path):
    """Four systems with names of 26 letters make six pairs; short names and three systems stay as they are."""
    values = {f"a-system-with-a-long-name-{n}": [0.9 - n / 5, 0.8 - n / 6, 0.7 - n / 7, 0.9 - n / 8] for n in range(4)}
    write_report(tmp_path / "report.docx", report(*weighed(values)))
    document = docx.Document(tmp_path / "report.docx")
    pairs = next(table for table in document.tables if "Pair" in texts(table.rows[0]))
    place = texts(pairs.rows[0]).index("Pair")
    assert [texts(row)[place] for row in pairs.rows[1:]] == ["A − B", "A − C", "A − D", "B − C", "B − D", "C − D"]
    assert {texts(row)[place + 1] for row in pairs.rows[1:]} <= {"A better", "B better", "C better", "not told apart"}
    legend = "; ".join(f"{letter}: {name}" for letter, name in zip("ABCD", values, strict=True))
    assert any(f"{legend}." in paragraph.text for paragraph in document.paragraphs)


@pytest.mark.parametrize("names", [["a", "b", "c", "d"], ["a-system-with-a-long-name", "b", "c"]])
def test_pairs_of_short_names_and_of_few_systems_keep_their_names(names):
    table = Table(("Pair", "p"), [(f"{a} − {b}", "0.5") for a, b in itertools.combinations(names, 2)], "Pairs.")
    assert with_letters(table) == (table, "")


def test_symbols_have_subscripts_and_names_keep_their_underscores():
    word = docx.Document(io.BytesIO(to_word(Document("t", (Sentences(("Cohen's d_z of a_z and τ_AP",)),)))))
    runs = [(run.text, bool(run.font.subscript)) for run in word.paragraphs[-2].runs]
    assert "".join(text for text, _ in runs) == "Cohen's dz of a_z and τAP"
    assert [text for text, is_subscript in runs if is_subscript] == ["z", "AP"]


def test_letters_stand_for_long_names_in_other_tables_too_in_the_same_order():
    runs = ["hybrid-of-bm25-and-e5", "b", "c", "d"]
    by_run = Table(("Metric", "Run", "Mean"), [("P@5", "d", "1"), ("", runs[0], "0.5")], "Means", names=2)
    by_column = Table(("Constraint", *runs), [("price", "1", "2", "3", "4")], "Shares")
    (layout,) = printed(by_run, runs)
    assert [row[1] for row in layout.table.rows] == ["D", "A"]
    assert layout.table.title == "Means. A: hybrid-of-bm25-and-e5; B: b; C: c; D: d."
    assert printed(by_column, runs)[0].table.columns == ("Constraint", "A", "B", "C", "D")
    for few_or_short in (runs[:3], ["a", "b", "c", "d"]):
        assert printed(by_run, few_or_short)[0].table == by_run


def test_two_low_figures_without_words_between_them_stand_beside_each_other(chromium):
    drawing = '<svg role="img" width="100%" height="{}"><text x="50%" y="20">12</text></svg>'
    low, tall = drawing.format(200), drawing.format(900)
    words = Sentences(("Then others.",))
    blocks = (
        Figure("a", "One.", low),
        Figure("b", "Two.", low),
        words,
        Figure("c", "Alone.", low),
        Figure("d", "Tall.", tall),
    )
    document = docx.Document(io.BytesIO(to_word(Document("Title", blocks))))
    (table,) = document.tables
    cells = table.rows[0].cells
    assert [[bool(p._p.xpath(".//pic:pic")) for p in cell.paragraphs] for cell in cells] == [[True, False]] * 2
    assert [cell.paragraphs[1].text for cell in cells] == ["Figure 1. One.", "Figure 2. Two."]
    assert len(document.element.body.xpath("./w:p//pic:pic")) == 2


def test_a_group_of_rows_stays_on_one_page():
    rows = [("P@5", "a", "1"), ("", "b", "0"), ("RR", "a", "1")] * 6  # longer than a table that stays whole
    table = Table(("Metric", "Run", "Mean"), rows, "Means", names=2)
    (drawn,) = docx.Document(io.BytesIO(to_word(Document("Title", (table,))))).tables
    kept = [bool(row.cells[0].paragraphs[0].paragraph_format.keep_with_next) for row in drawn.rows]
    assert kept == [True, *[True, False, False] * 4, True, False, True, True, True, False], (
        "the last four stay together"
    )


def test_a_short_table_stays_whole_with_the_sentence_before_it_and_its_notes():
    table = Table(("Metric", "Mean"), [("P@5", "1"), ("RR", "0"), ("AP", "1")], "Means. Bold: best.")
    blocks = (Sentences(("One.", "Two.")), table, table._replace(title="Again"))
    document = docx.Document(io.BytesIO(to_word(Document("Title", blocks))))
    first, second = [
        [bool(row.cells[0].paragraphs[0].paragraph_format.keep_with_next) for row in table.rows]
        for table in document.tables
    ]
    assert first == [True] * 4, "the notes stay with the last row"
    assert second == [True, True, True, False]
    sentences = {p.text: bool(p.paragraph_format.keep_with_next) for p in document.paragraphs}
    assert (sentences["One."], sentences["Two."]) == (False, True)
