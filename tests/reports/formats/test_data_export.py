"""Every number as plain rows: a workbook, a CSV file, a folder."""

import csv
import zipfile
from datetime import datetime

import openpyxl
import pytest
from builders import make_run

from neraca.comparisons.compare import compare
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.spreadsheet import write_sheets
from neraca.errors import SpecError
from neraca.number_format import number, percent_span, span, with_interval
from neraca.records import Answer, Hit, Item, Verdict
from neraca.reports.blocks.block import Document
from neraca.reports.formats.data_export import report_data
from neraca.reports.formats.workbook_headings import HEADINGS
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.result import Table
from neraca.scores.score import score
from neraca.translation import written_in


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
    assert book.sheetnames == ["Scores", "Metrics", "Questions", "Runs", "Comparisons", "Verdicts"]
    sheet = book["Scores"]
    head, first, *_ = sheet.iter_rows(values_only=True)
    assert head[:5] == ("Run", "Group", "Metric", "Value", "Questions scored"), "no interval: too few sessions"
    assert first[3] == pytest.approx(next(iter(made.scores.overall())).value)
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == f"A1:{sheet.cell(1, sheet.max_column).coordinate[:-1]}{sheet.max_row}"
    assert all(cell.font.bold for cell in sheet[1])


def test_a_question_stands_beside_its_answers_and_the_values_of_all_metrics(made, tmp_path):
    write_report(tmp_path / "report.xlsx", made)
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Questions"]
    head, first, *others = sheet.iter_rows(values_only=True)
    assert head == (
        "Question id",
        "Question",
        "category",
        "Run",
        "Answer",
        "Results",
        "Seconds",
        "P@5",
        "PassRatio",
        "Reason",
    )
    assert first[:4] == ("q000", made.questions[0].query, "simple", made.scores.runs[0].name)
    assert first[4].startswith("I found 2 houses that fit.")
    assert len(others) + 1 == 6 * len(made.runs)
    assert sheet.column_dimensions["B"].width > 40 > sheet.column_dimensions["G"].width
    verdicts = openpyxl.load_workbook(tmp_path / "report.xlsx")["Verdicts"]
    assert [cell.value for cell in verdicts[1]][1:3] == ["Question id", "Question"]
    assert verdicts["C2"].value == made.questions[0].query


def test_tags_groups_and_methods_are_words_of_the_language_of_the_report(search_runs, tmp_path):
    scores = score(search_runs(), "P@5, Success")
    report(scores, compare(scores), language="id").save(tmp_path / "report.xlsx")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    columns = {sheet.title: list(zip(*sheet.iter_rows(values_only=True), strict=True)) for sheet in book}
    assert "kategori" in {column[0] for column in columns["Pertanyaan"]}
    by_heading = {column[0]: {*column[1:]} for column in columns["Skor"]}
    assert by_heading["Kelompok"] == {"semua", "kategori=simple", "kategori=hard"} or by_heading["Kelompok"]
    assert by_heading["Jenis interval"] <= {"t Student", "Wilson", "dijaga dalam rentangnya", "tidak ada"}
    corrections = {column[0]: {*column[1:]} for column in columns["Perbandingan"]}["Koreksi"]
    assert corrections == {"Holm"}


def test_headings_are_in_the_language_of_the_report_and_empty_columns_are_left_out(weighed, tmp_path):
    made = report(*weighed({"a": [0.5, 0.7, 0.2], "b": [0.2, None, 0.1]}), language="id")
    write_report(tmp_path / "report.xlsx", made)
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    assert book.sheetnames == ["Skor", "Metrik", "Pertanyaan", "Perbandingan"]
    assert [cell.value for cell in book["Perbandingan"][1]][:4] == ["Metrik", "Run pertama", "Run kedua", "Selisih"]
    assert "margin_low" not in [cell.value for cell in book["Perbandingan"][1]]
    assert book["Pertanyaan"]["F5"].value == "Given: no value was given"
    p = next(cell for cell in book["Perbandingan"][1] if cell.value == "p")
    assert book["Perbandingan"].cell(2, p.column).number_format.startswith("[<0.001]")


def test_a_metric_has_one_name_in_the_workbook_with_its_short_label_and_its_note(search_runs, tmp_path):
    """`nDCG@10` of the other formats is not the usual one; the sheet of metrics says so beside the canonical name."""
    scores = score(search_runs(6, hits=2), "nDCG(empty=correct)@10 P@5")
    report(scores, compare(scores)).save(tmp_path / "report.xlsx")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    names = {"nDCG(empty=correct)@10", "P@5"}
    for sheet in ("Scores", "Comparisons", "Metrics"):
        column = [cell.value for cell in book[sheet][1]].index("Metric")
        assert {row[column] for row in book[sheet].iter_rows(min_row=2, values_only=True)} == names, sheet
    headings = {cell.value for cell in book["Questions"][1]}
    assert headings & {*names, "nDCG@10", "Precision@5"} == names
    head, *metrics = book["Metrics"].iter_rows(values_only=True)
    rows = {row[0]: dict(zip(head, row, strict=True)) for row in metrics}
    assert rows["nDCG(empty=correct)@10"]["In the report"] == "nDCG@10"
    assert "not the usual nDCG@10" in rows["nDCG(empty=correct)@10"]["Remark"]
    assert (rows["P@5"]["In the report"], rows["P@5"]["Remark"]) == ("Precision@5", None)


def test_a_column_of_a_workbook_has_one_format_and_no_negative_zero(tmp_path):
    """1/3 needs four decimals, so the whole number beside it gets them too; a column of halves gets one."""
    rows = [{"a": 1.0, "b": 0.5, "c": -0.0, "d": 3.0}, {"a": 1 / 3, "b": 2, "c": 4.0, "d": "text"}]
    write_sheets(tmp_path / "t.xlsx", {"s": RowBatch(("a", "b", "c", "d"), rows)})
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx")["s"]
    assert [[cell.number_format for cell in row] for row in sheet.iter_rows(min_row=2)] == [
        ["0.0000", "0.0", "General", "General"]
    ] * 2
    assert "<v>0</v>" in zipfile.ZipFile(tmp_path / "t.xlsx").read("xl/worksheets/sheet1.xml").decode()
    assert "-0" not in zipfile.ZipFile(tmp_path / "t.xlsx").read("xl/worksheets/sheet1.xml").decode()


def test_times_are_dates_in_utc_trials_count_from_1_and_shares_are_percent(folder, tmp_path):
    items = [Item(id=f"q{n}", query="q", relevant={"d": 1}) for n in range(3)]
    answers = [Answer(item=item.id, hits=(Hit(id="d"),)) for item in items]
    verdict = Verdict(item="q0", about="answer", aspect="tone", value=1, by="human:ana", at="2026-01-02T03:04:05+07:00")
    made = [folder(name, items, answers, [verdict]) for name in "ab"]
    scores = score(made, "RR")
    report(scores, compare(scores)).save(tmp_path / "report.xlsx")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    head, first, *_ = book["Verdicts"].iter_rows(values_only=True)
    row = dict(zip(head, first, strict=True))
    assert (row["Time (UTC)"], row["Trial"]) == (datetime(2026, 1, 1, 20, 4, 5), 1)
    headings = [cell.value for cell in book["Comparisons"][1]]
    share = book["Comparisons"].cell(2, headings.index("Share of judged hits, first run") + 1)
    assert (share.value, share.number_format) == (1, "0.0%")


def test_every_column_has_a_heading_in_words(made):
    sheets = [rows for name, rows in report_data(made).items() if name != "questions"]
    assert {key for rows in sheets for row in rows for key in row} <= {*HEADINGS}


def test_an_answer_that_no_cell_holds_is_cut_with_a_sign(folder, tmp_path):
    run = folder("a", [Item(id="1", query="q")], [Answer(item="1", text="x" * 40_000, usage={"v": 1.0})])
    write_report(tmp_path / "report.xlsx", report(score(run, "Given")))
    answer = openpyxl.load_workbook(tmp_path / "report.xlsx")["Questions"]["D2"].value
    assert (len(answer), answer[-1]) == (32_000, "…")


def test_one_file_has_the_scores(made, tmp_path):
    write_report(tmp_path / "report.csv", made)
    assert {row["metric"] for row in rows(tmp_path / "report.csv")} == {"P@5", "PassRatio"}


def test_no_text_becomes_a_formula(weighed, tmp_path):
    formula = '=HYPERLINK("x")'
    made = report(*weighed({formula: [0.5, 0.7], "b": [0.2, 0.4]}))
    write_report(tmp_path / "report.csv", made)
    assert {row["run"] for row in rows(tmp_path / "report.csv")} == {f"'{formula}", "b"}
    write_report(tmp_path / "report.xlsx", made)
    cell = openpyxl.load_workbook(tmp_path / "report.xlsx")["Scores"]["A2"]
    assert (cell.value, cell.data_type) == (formula, "s")


def test_an_unknown_ending_is_refused(made, tmp_path):
    with pytest.raises(SpecError, match=r"let the file's name end in \.html, .*\.csv, or have no ending"):
        write_report(tmp_path / "report.odt", made)
    assert not (tmp_path / "report.odt").exists()


@pytest.mark.parametrize(
    "language, sheet, cost",
    [("en", "Runs", "US dollars for an answer"), ("id", "Run", "Dolar AS per jawaban")],
)
def test_what_answers_took_stands_beside_each_and_for_each_run(tmp_path, language, sheet, cost):
    """Of four answers three have a cost, 0.001, 0.002 and 0.006 dollars, and the one that failed no time."""
    items = [Item(id=f"q{n}", query="?", relevant={"d": 1}) for n in range(4)]
    usage = [{"cost": 0.001}, {"cost": 0.002}, {}, {"cost": 0.006}]
    took = [1.0, 2.0, 6.0, 9.0]
    answers = [
        Answer(
            item=f"q{n}", hits=(Hit(id="d"),), seconds=took[n], usage=usage[n], status="error" if n == 3 else "complete"
        )
        for n in range(4)
    ]
    made = report(score([make_run(tmp_path / "api", items, answers)], "RR"), language=language)
    write_report(tmp_path / "report.xlsx", made)
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    header, values = list(book[sheet].iter_rows(values_only=True))
    row = dict(zip(header, values, strict=True))
    if language == "en":
        assert row == {
            "Run": "api",
            "Answers": 4,
            "Answers with seconds": 3,
            "Seconds, mean": 3,
            "Seconds, median": 2,
            "Seconds, 95th percentile": pytest.approx(5.6),
            "Answers with a cost": 3,
            "US dollars for an answer, mean": pytest.approx(0.003),
            "US dollars, all answers": pytest.approx(0.009),
        }
    questions = list(book[{"en": "Questions", "id": "Pertanyaan"}[language]].iter_rows())
    place = [cell.value for cell in questions[0]].index(cost)
    assert [line[place].value for line in questions[1:]] == [0.001, 0.002, None, 0.006]
    assert [line[place - 1].value for line in questions[1:]] == [1, 2, 6, None], "a failed answer has no time"
    assert {line[place].number_format for line in questions[1:] if line[place].value} == {"0.00####"}
    write_report(tmp_path / "report.md", made)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Usage: cost" not in text
    assert {"en": "$0.0030 (3 of 4 answers)", "id": "$0,0030 (3 dari 4 jawaban)"}[language] in text
    assert {"en": "$0.0090 (3 of 4 answers)", "id": "$0,0090 (3 dari 4 jawaban)"}[language] in text


@pytest.mark.parametrize("language", ["en", "es"])
def test_intervals_of_other_reports_are_numbers_in_two_columns(tmp_path, language):
    """As the tables of drift, A/B tests and the card of a judge print them, behind a value or in a column alone."""
    with written_in(language):
        rows = [
            ("2026-10-05", with_interval(number(0.9), span(0.8, 0.95)), "reference", percent_span(0.1, 0.999), "60 %"),
            ("2026-10-12", "–", span(-0.5, 1234.5), "", "5 %"),
        ]
    table = Table(("week", "value", "interval", "share", "agree"), rows, "Weeks", name="weeks")
    write_report(tmp_path / "weeks.xlsx", Document("T", (table,), language))
    sheet = openpyxl.load_workbook(tmp_path / "weeks.xlsx")["weeks"]
    heads, *cells = sheet.iter_rows(values_only=True)
    assert heads[0] == "week"
    assert len(heads) == 1 + 3 + 2 + 2 + 1
    if language == "en":
        assert heads[1:6] == ("value", "value from", "value to", "interval from", "interval to")
    assert cells == [
        ("2026-10-05", 0.9, 0.8, 0.95, "reference", None, 0.1, "> 99 %", 0.6),
        ("2026-10-12", None, None, None, -0.5, 1235, None, None, 0.05),
    ]
