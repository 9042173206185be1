"""One table in LaTeX: it compiles in papers of one and of two columns, and fits in both."""

import os
import re
import subprocess

import pytest
from drawn import missing_latex

from neraca.errors import SpecError
from neraca.reports.blocks.block import Cell, Document, Sentences
from neraca.reports.formats.latex_table import remarks_on, to_latex_table
from neraca.reports.formats.write import write_report
from neraca.result import Table

NARROW = Table(
    ("Run", "nDCG@10", "n"),
    [("old & worn", Cell("0.400", mark="b"), "5"), ("new_1", Cell("0.820", "0.7 to 0.9", mark="a", bold=True), "5")],
    'Means of 50 % of the "questions".',
)
METRICS = [f"Precision@{n}" for n in range(5, 13)]
WIDE = Table(
    ("Run", *METRICS),
    [(f"a system with a long name {n}", *(Cell("0.812", "0.712 to 0.912", mark="ab") for _ in METRICS)) for n in "12"],
    "Many metrics.",
)
CLASSES = {
    "one column": r"\documentclass{article}",
    "two columns": r"\documentclass[10pt,twocolumn]{article}",
    "acm": r"\documentclass[sigconf,nonacm]{acmart}",
}


def test_numbers_marks_and_intervals_have_their_places():
    lines = to_latex_table(NARROW, "main").splitlines()
    assert lines[1:7] == [
        r"\begin{table}[tb]",
        r"\centering\sloppy",
        r"\caption{Means of 50 \% of the \symbol{34}questions\symbol{34}.}",
        r"\label{tab:main}",
        r"\par\vspace{3pt}",
        r"{\small\setlength{\tabcolsep}{4pt}%",
    ]
    assert r"\begin{tabular}{@{}lr@{}lr@{}}" in lines
    assert r"Run & \multicolumn{2}{c}{nDCG@10} & n \\" in lines
    assert r"old \& worn & 0.400 & \textsuperscript{b} & 5 \\" in lines
    assert r"new\_1 & \textbf{0.820} & \textsuperscript{a} & 5 \\" in lines
    assert r" & \multicolumn{2}{c}{{\scriptsize (0.7 to 0.9)}} &  \\" in lines


def test_a_table_with_another_script_says_what_compiles_it():
    said = "% needs xelatex or lualatex, and a font with letters of all scripts below"
    latin = Table(("Run", "κ"), [("búsqueda", "0.4")], "α ≈ β")
    assert said not in to_latex_table(latin, "x")
    assert to_latex_table(latin._replace(rows=[("بحث", "0.4")]), "x").startswith(said)


def test_a_wide_table_spans_both_columns_and_a_name_cannot_end_the_label():
    text = to_latex_table(WIDE, "a}b c")
    assert r"\begin{table*}" in text
    assert r"\resizebox" in text
    assert r"\label{tab:a-b-c}" in text
    assert r"\label{tab:results}" in to_latex_table(NARROW, "")


def heads(text):
    """The heading of each part."""
    return [line.split(" & ")[1:] for line in text.splitlines() if line.startswith("Run & ")]


def a_wide_table(metrics, rows=3, beside=""):
    columns = [f"P@{n}" for n in range(10, 10 + metrics)]
    names = [f"a system of so long a name {n:02}" for n in range(rows)]
    return Table(("Run", *columns), [(name, *(Cell("0.812", beside) for _ in columns)) for name in names], "Many.")


def test_letters_stand_for_names_that_take_the_room_of_columns():
    """Names of 29 letters leave room for nine columns of 26 points in a text of 345."""
    table = a_wide_table(metrics=11)
    text = to_latex_table(table, "x", ("A note.",))
    assert [len(head) for head in heads(text)] == [11]
    assert [line.split(" & ")[0] for line in text.splitlines() if "0.812" in line] == ["A", "B", "C"]
    key = (
        "Run: A = a system of so long a name 00; B = a system of so long a name 01; C = a system of so long a name 02."
    )
    assert text.index(r"\end{tabular}") < text.index(key) < text.index("A note.")
    (remark,) = remarks_on(table)
    assert remark.startswith("letters stand for the names of runs, with a key below the table")
    assert "Run:" not in to_latex_table(a_wide_table(metrics=9), "x")


def test_a_table_with_many_columns_may_span_both_columns_of_a_paper():
    table = a_wide_table(metrics=8, beside="0.712 to 0.912")
    (head,) = heads(to_latex_table(table, "x"))
    assert len(head) == 8
    assert "about 6 pt high in a text of 12 cm, and larger over both columns" in remarks_on(table)[-1]


def test_columns_that_do_not_fit_even_with_letters_stand_in_parts_below_each_other():
    table = a_wide_table(metrics=24)
    text = to_latex_table(table, "x", ("A note.",))
    assert [len(head) for head in heads(text)] == [12, 12]
    assert [name.strip("\\ ") for head in heads(text) for name in head] == list(table.columns[1:])  # none is lost
    assert text.count(r"\caption") == 1
    assert text.index("A note.") > text.rindex(r"\end{tabular}")
    remark = remarks_on(table)[0]
    assert remark.startswith("its 24 columns do not fit side by side at a readable size, so they stand in 2 parts")
    assert "about 12 metrics with -m" in remark
    assert remarks_on(NARROW) == []


def test_parts_of_more_than_a_page_go_on_in_a_further_float_with_the_same_number():
    text = to_latex_table(a_wide_table(metrics=24, rows=30), "x", ("A note.",))
    assert "27 = a system" in text  # there are more rows than letters
    assert text.count(r"\caption{(continued)}") == text.count(r"\addtocounter{table}{-1}") == 1
    assert text.count(r"\label") == text.count("A note.") == 1


def test_names_that_force_small_type_and_rows_beyond_a_page_are_said():
    (small,) = remarks_on(Table(("Run", "AP"), [("n" * 120, "0.5")], "T"))
    assert small.startswith("its type is about 5 pt high in a text of 12 cm")
    (tall,) = remarks_on(Table(("Run", "AP"), [("n", "0.5")] * 60, "T"))
    assert tall.startswith("its 60 rows may be taller than a page")


def test_a_report_of_another_kind_gives_its_first_table(tmp_path):
    write_report(tmp_path / "table-x.tex", Document("T", (Table((), [("a", "b")]), NARROW)))
    assert (tmp_path / "table-x.tex").read_text(encoding="utf-8") == to_latex_table(NARROW, "x")
    with pytest.raises(SpecError, match="this report has no table"):
        write_report(tmp_path / "table.tex", Document("T", (Sentences(("a",)),)))


@pytest.mark.skipif(bool(missing_latex()), reason=missing_latex())
@pytest.mark.parametrize("columns", CLASSES)
def test_it_compiles_and_fits(columns, tmp_path):
    if columns == "acm" and subprocess.run(["kpsewhich", "acmart.cls"], capture_output=True, check=False).returncode:
        why = "there is no acmart, which Debian has in texlive-publishers with texlive-latex-extra"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    notes = ("Zeros: splade.cocondenser.ensemble.self-distil.run lacks 2 topics & more.",) * 4
    for name, table in (("narrow", NARROW), ("wide", WIDE)):
        (tmp_path / f"{name}.tex").write_text(to_latex_table(table, name, notes), encoding="utf-8")
    preamble = rf"{CLASSES[columns]}\usepackage{{booktabs,graphicx}}\begin{{document}}"
    text = r"\input{narrow}\input{wide} See Tables~\ref{tab:narrow} and~\ref{tab:wide}.\end{document}"
    (tmp_path / "paper.tex").write_text(preamble + text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(2):  # references are known after the first time
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    assert re.findall(r"Overfull|undefined|LaTeX Warning", done.stdout) == []
