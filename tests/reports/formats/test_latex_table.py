"""One table in LaTeX: it compiles in papers of one and of two columns, and fits in both."""

import re
import subprocess

import pytest
from drawn import missing_latex

from neraca.errors import SpecError
from neraca.reports.blocks.block import Cell, Document, Sentences
from neraca.reports.formats.latex_table import to_latex_table
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
    assert lines[1:6] == [
        r"\begin{table}[tb]",
        r"\centering",
        r"\caption{Means of 50 \% of the \symbol{34}questions\symbol{34}.}",
        r"\label{tab:main}",
        r"\small\setlength{\tabcolsep}{4pt}",
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


def test_a_report_of_another_kind_gives_its_first_table(tmp_path):
    write_report(tmp_path / "table-x.tex", Document("T", (Table((), [("a", "b")]), NARROW)))
    assert (tmp_path / "table-x.tex").read_text(encoding="utf-8") == to_latex_table(NARROW, "x")
    with pytest.raises(SpecError, match="this report has no table"):
        write_report(tmp_path / "table.tex", Document("T", (Sentences(("a",)),)))


@pytest.mark.skipif(bool(missing_latex()), reason=missing_latex())
@pytest.mark.parametrize("columns", CLASSES)
def test_it_compiles_and_fits(columns, tmp_path):
    if columns == "acm" and subprocess.run(["kpsewhich", "acmart.cls"], capture_output=True, check=False).returncode:
        pytest.skip("there is no acmart, which Debian has in texlive-publishers with texlive-latex-extra")
    for name, table in (("narrow", NARROW), ("wide", WIDE)):
        (tmp_path / f"{name}.tex").write_text(to_latex_table(table, name), encoding="utf-8")
    preamble = rf"{CLASSES[columns]}\usepackage{{booktabs,graphicx}}\begin{{document}}"
    text = r"\input{narrow}\input{wide} See Tables~\ref{tab:narrow} and~\ref{tab:wide}.\end{document}"
    (tmp_path / "paper.tex").write_text(preamble + text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(2):  # references are known after the first time
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    assert re.findall(r"Overfull|undefined|LaTeX Warning", done.stdout) == []
