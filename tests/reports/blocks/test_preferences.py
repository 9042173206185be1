"""The section of a report on preferences says what `neraca prefer` says."""

import msgspec
import openpyxl
import pytest
from comparisons.test_preferences import ITEMS, add_preferences, runs

from neraca import compare, report, score
from neraca.comparisons.preferences import preferences
from neraca.errors import SpecError
from neraca.records import Verdict
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats.data_export import report_data
from neraca.reports.formats.html import to_html
from neraca.reports.formats.latex import to_latex
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.formats.workbook import report_sheets
from neraca.reports.sentences.preferences import sentences, table
from neraca.translation import written_in


def reported(opened, by="", **options):
    scores = score(opened, ["Words"], by=by)
    return report(scores, compare(scores), **options)


@pytest.mark.parametrize("identical", [False, True])
def test_the_table_and_the_sentences_are_those_of_the_command(tmp_path, identical):
    """Six of eight for a, or four of six beside two pairs of the same words, which nobody was shown."""
    a, b = runs(tmp_path, words=lambda name, n: 0 if identical and n < 2 else 2)
    add_preferences(a, b, [0.5 if identical else 1] * 2 + [1, 1, 1, 0.5, 0.5, 0])
    made, ranked = reported([a, b]), preferences([a, b])
    (shown,) = made.preferences.tables
    assert (list(shown.columns), [list(row) for row in shown.rows]) == table(ranked)
    assert list(made.preferences.sentences) == sentences(ranked)
    assert "Which answers are preferred" in to_html(comparison_document(made))
    assert made.preferences.sentences[0] in to_latex(comparison_document(made)).replace("\\%", "%")


def test_reports_without_such_ratings_lack_the_section(tmp_path):
    made = reported(runs(tmp_path))
    assert made.preferences is None
    assert "preferences" not in [section.name for section, _ in made.outline]


def test_the_source_of_the_verdicts_is_that_of_the_report(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1] * 8, by="human:Ana")
    add_preferences(a, b, [0] * 8, by="human:Budi")
    assert reported([a, b], by="human:Budi").preferences.tables[0].rows[0][0] == "b"
    assert "human:Ana (8) and human:Budi (8)" in " ".join(reported([a, b]).preferences.sentences)


def test_runs_that_cannot_be_ranked_are_said_with_the_reason(tmp_path):
    a, b, c = runs(tmp_path, "a b c", items=ITEMS)
    add_preferences(a, b, [1] * 8)
    made = reported([a, b, c]).preferences
    assert not made.tables
    assert "no chain of comparisons leads from a to c" in made.sentences[0]


def test_the_section_is_in_the_language_of_the_report(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1, 1, 1, 0, 1, 0.5, 0.5, 0])
    made = reported([a, b], language="es").preferences
    assert made.tables[0].columns[1:3] == ["preferida", "fuerza"]
    assert (
        made.sentences[1]
        == "Esto se basa en 8 decisiones de Ana (8); un empate cuenta como media victoria para cada una."
    )


def test_a_workbook_has_preferences_and_agreement_in_the_words_of_the_report(tmp_path):
    a, b = runs(tmp_path)
    add_preferences(a, b, [1] * 8, by="human:Ana")
    add_preferences(a, b, [1] * 6 + [0, 0.5], by="human:Budi")
    made = reported([a, b], language="id")
    with written_in("id"):
        sheets, _ = report_sheets(made, report_data(made))
    assert [row["Menang"] for row in sheets["Preferensi"]] == [14, 1]
    (row,) = sheets["Kesepakatan"]
    assert (row["Aspek"], row["Penilai dan juri"], row["Sepakat"]) == ("preferensi", "Ana dan Budi", 0.75)
    sizes = ("Dinilai oleh paling sedikit dua", "Jumlah penilai dan juri", "Keputusan")
    assert [row[name] for name in sizes] == [8, 2, 16]
    assert {row["Tentang"] for row in sheets["Putusan"]} == {"jawaban"}
    assert {row["Aspek"] for row in sheets["Putusan"]} == {"lebih disukai daripada a", "lebih disukai daripada b"}


def test_a_workbook_holds_shares_and_the_ends_of_their_intervals_as_numbers(tmp_path):
    """Ana prefers a 8 times, Budi 6 times, once b, once none: a wins 14.5 of 16, so its chance is 14.5 / 16."""
    a, b = runs(tmp_path)
    add_preferences(a, b, [1] * 8, by="human:Ana")
    add_preferences(a, b, [1] * 6 + [0, 0.5], by="human:Budi")
    made, ranked = reported([a, b]), preferences([a, b])
    made.save(tmp_path / "report.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Preferences"]
    head, first, second = [[cell.value for cell in row] for row in sheet]
    outcomes = ["Wins", "Ties", "Losses", "Decisions"]
    assert head == ["Run", "Preferred", "Strength (log odds)", "Strength from", "Strength to", *outcomes]
    strength = ranked.standings[0].strength
    assert first[:2] == ["a", pytest.approx(14.5 / 16)]
    assert first[2:5] == pytest.approx([strength.value, strength.low, strength.high])
    assert first[5:] == [14, 1, 1, 16]
    assert second[5:] == [1, 1, 14, 16]
    assert sheet["B2"].number_format == "0.0%"


def test_three_runs_have_a_table_of_pairs_and_a_sheet_of_their_numbers(tmp_path):
    a, b, c = runs(tmp_path, "a b c")
    add_preferences(a, b, [1, 1, 1, 1, 1, 1, 0, 0])
    add_preferences(b, c, [1, 1, 1, 1, 1, 0.5, 0, 0])
    made = reported([a, b, c])
    _, pairs = made.preferences.tables
    assert [row[:5] for row in pairs.rows] == [
        ["a", "b", "6", "0", "2"], ["a", "c", "0", "0", "0"], ["b", "c", "5", "1", "2"]
    ]  # fmt: skip
    made.save(tmp_path / "report.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Pairs"]
    head, first, *_ = sheet.iter_rows(values_only=True)
    assert head[:6] == ("Run", "Against", "Wins", "Ties", "Losses", "Chance to be preferred")
    assert first[5] == pytest.approx(0.75, abs=1e-6)
    assert {sheet.cell(2, column).number_format for column in (6, 7, 8)} == {"0.0%"}


def test_a_workbook_has_both_weighted_kappas_and_icc_of_grades(tmp_path):
    """Grades 1 1 2 2 5 5 5 1 against 1 2 2 2 5 4 5 2: three of eight differ, each by 1."""
    ana, budi = [1, 1, 2, 2, 5, 5, 5, 1], [1, 2, 2, 2, 5, 4, 5, 2]
    a, b = runs(tmp_path)
    with a.writing():
        a.add_verdicts(
            Verdict(item=item.id, about="answer", aspect="quality", by=f"human:{name}", value=value)
            for name, values in (("Ana", ana), ("Budi", budi))
            for item, value in zip(ITEMS, values, strict=False)
        )
    reported([a, b]).save(tmp_path / "report.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Agreement"]
    head, row = [[cell.value for cell in row] for row in sheet]
    cells = dict(zip(head, row, strict=True))
    assert (cells["Raters"], cells["Decisions"], cells["Agree"]) == ("human:Ana and human:Budi", 16, 5 / 8)
    for heading, power in (("Linear-weighted kappa", 1), ("Quadratic-weighted kappa", 2)):
        observed = sum(abs(x - y) ** power for x, y in zip(ana, budi, strict=True)) / 8
        by_chance = sum(abs(x - y) ** power for x in ana for y in budi) / 64
        assert cells[heading] == pytest.approx(1 - observed / by_chance)
        assert cells[f"{heading} from"] < cells[heading] < cells[f"{heading} to"]
    assert 0 < cells["ICC(2,1)"] < cells["ICC(2,k)"] < 1
    assert not [name for name in head if isinstance(cells[name], str) and "%" in cells[name]]


def test_a_group_is_asked_for_by_the_word_that_the_report_prints(tmp_path):
    items = [msgspec.structs.replace(item, tags={"category": item.tags["kind"]}) for item in ITEMS]
    (a,) = runs(tmp_path, "a", items=items)
    scores = score([a], ["Words"])
    assert [one.group for one in scores.by_group("kategori")] == ["category=a", "category=b"]
    assert [table.tag for table in report(scores, groups=["kategori"]).groups] == ["category"]
    with pytest.raises(SpecError, match="no item has the tag 'tingkat' to group by; known: category"):
        scores.by_group("tingkat")


def test_recall_and_ap_are_named_only_beside_metrics_that_depend_on_other_runs(tmp_path):
    a, b = runs(tmp_path)
    for run in (a, b):
        with run.writing():
            run.add_verdicts([Verdict(item="q0", about="answer", aspect="quality", by="human:Ana", value=3)])
    pages = [
        to_markdown(comparison_document(report(score([a, b], [name]), groups=[]))) for name in ("Rubric(quality)", "AP")
    ]
    assert ["recall, AP and nDCG are relative" in page for page in pages] == [False, True]
