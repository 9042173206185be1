"""The LaTeX report: whatever stands in the data is printed and does nothing, and the document compiles."""

import re
import subprocess

import pytest
from drawn import missing_latex, missing_lualatex, to_latex

from neraca.comparisons.compare import compare
from neraca.reports.blocks.block import Document, Figure, Sentences
from neraca.reports.formats.latex import escaped
from neraca.reports.formats.latex import to_latex as latex_of
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.result import Table
from neraca.scores.score import score

COMMANDS = r"\input{/etc/passwd} \write18{rm} $x^2$ 50 % #1 a_b ~ & {}"


def test_every_sign_of_latex_is_escaped():
    assert escaped(r"\a{b}$&#%_~^") == (r"\textbackslash{}a\{b\}\$\&\#\%\_\textasciitilde{}\textasciicircum{}")
    assert re.findall(r"(?<!\\)[$&#%_]", escaped(COMMANDS)) == []
    assert escaped("--to a---b-c") == "-{}-to a-{}-{}-b-c"


def test_the_best_value_of_a_row_is_bold_and_the_decision_stands_first(weighed):
    text = to_latex(report(*weighed({"new_1": [0.9, 0.8, 0.7, 0.9, 0.8], "old & worn": [0.4, 0.5, 0.3, 0.2, 0.5]})))
    assert r"\textbf{new\_1 is better than old \& worn: Given 0.820, 0.440 above old \& worn.}" in text
    assert r"Given (primary) & new\_1 & \textbf{0.820} \ensuremath{\blacktriangle} & " in text
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 5


def test_in_another_language_tables_are_called_so(weighed):
    values = {"a": [0.9, 0.8, 0.7, 0.9, 0.8], "b": [0.4, 0.5, 0.3, 0.2, 0.5]}
    assert r"\tablename" not in to_latex(report(*weighed(values)))
    text = to_latex(report(*weighed({f"{name}2": row for name, row in values.items()}), language="es"))
    assert r"\renewcommand{\tablename}{Tabla}" in text
    assert r"\textbf{a2 es mejor que b2: Given 0,820, 0,440 por encima de b2.}" in text


def test_a_sentence_cannot_become_an_option_of_the_list():
    """What begins with a bracket would be the label of its item."""
    from neraca.reports.formats.latex import _list

    assert list(_list(["[x] y"]))[1] == r"\item {}[x] y"


def test_other_scripts_are_set_in_a_font_that_has_them_and_said_on_the_way(weighed, tmp_path):
    values = {"استرجاع هجين": [0.9, 0.8, 0.7, 0.9, 0.8], "b": [0.4, 0.5, 0.3, 0.2, 0.5]}
    made = report(*weighed(values))
    assert "babel" not in to_latex(report(*weighed({"a": values["b"], "b": values["b"]})))
    (remark,) = write_report(tmp_path / "report.tex", made)
    assert "has the script of arabic: compile it with lualatex" in remark
    text = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert r"\babelprovide[import,onchar=ids fonts]{arabic}" in text
    assert (
        text.index(r"\IfFontExistsTF{Amiri}") < text.index(r"\IfFontExistsTF{DejaVu Sans}") < text.index("No font for")
    )
    for program, compiles in (("lualatex", True), ("pdflatex", False)) if not missing_lualatex() else ():
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
        assert (done.returncode == 0) == compiles, done.stdout[-2000:]
    if not missing_lualatex():
        assert "compile it with lualatex" in done.stdout.replace("\n", "")


@pytest.fixture
def compiled(tmp_path):
    """Compile report.tex of the folder; return what pdfLaTeX prints."""

    def run():
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]
        return done.stdout

    return run


NAMES = ["api", "vector_search", "hybrid-rrf-k60-bge-m3-int8-rerank", "UnbrokenNameOfASystemWithMoreLettersThanAColumn"]
NAMES += [f"a system with a long name, variant {n}" for n in range(4)]


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_latex()), reason=missing_latex())
@pytest.mark.parametrize(("systems", "language"), [(2, "es"), (3, "id"), (8, "en"), (8, "id")])
def test_no_cell_lies_over_another_and_no_line_leaves_the_page(
    search_runs, tmp_path, compiled, monkeypatch, systems, language
):
    """TeX names each line that is wider than its column or the page as an overfull box."""
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    methods = [(name, 0.5 + place / 20) for place, name in enumerate(NAMES[:systems])]
    scores = score(search_runs(12, hits=3, methods=methods), "nDCG(empty=correct)@10 P(of=returned)@5 PassRatio")
    made = report(scores, compare(scores), language=language)
    (remark,) = write_report(tmp_path / "report.tex", made)
    assert "report.tex has no figures: NERACA_BROWSER" in remark
    assert re.findall(r"Overfull .*\n.*", compiled()) == []


@pytest.mark.parametrize("letters, room", [(70, "4.0cm"), (1000, "9.9cm")])
def test_a_figure_leaves_room_for_its_caption(letters, room):
    """3.5 cm for a heading and the space around, and 0.49 cm for each line of 80 letters."""
    figure = Figure("tall", "a" * letters, '<svg height="900"/>')
    assert rf"height=\dimexpr\textheight-{room}\relax" in latex_of(Document("T", (figure,)), {"tall": "tall.pdf"})


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_latex()), reason=missing_latex())
def test_figures_stand_in_a_folder_beside_the_document(weighed, tmp_path, compiled):
    made = report(*weighed({"a3": [0.9, 0.8, 0.7, 0.9, 0.8], "b3": [0.4, 0.5, 0.3, 0.2, 0.5]}))
    assert write_report(tmp_path / "report.tex", made) == []
    text = (tmp_path / "report.tex").read_text(encoding="utf-8")
    included = re.findall(r"\\includegraphics\[.*?\]\{(.*?)\}", text)
    assert included == [f"report-figures/{name}.pdf" for name in ("first", "pairs", "c0", "s0")]
    assert all((tmp_path / path).read_bytes().startswith(b"%PDF") for path in included)
    assert "".join(compiled().split("\n")).count("report-figures/") >= 4  # TeX breaks its lines in the middle of words
    assert re.search(r"c0\.pdf\}.*\\hfill\n.*\{report-figures/s0\.pdf\}", text, re.DOTALL), "side by side"
    assert text.count(r"\caption{Given with 95 \% intervals; in colour: the best}") == 1


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_latex()), reason=missing_latex())
def test_it_compiles(search_runs, tmp_path, compiled):
    scores = score(search_runs(12, hits=3), "nDCG(empty=correct)@10 P@5 PassRatio")
    made = report(scores, compare(scores), title=COMMANDS)
    write_report(tmp_path / "report.tex", made)
    compiled()
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_a_table_of_few_rows_that_no_page_holds_may_break_between_them():
    """Each of 13 rows wraps to many lines: kept together, the last ones would fall off the page."""
    rows = [(f"m{n}", "a long sentence on what it is " * 30) for n in range(13)]
    long = latex_of(Document("T", (Table(("metric", "meaning"), rows, "Meanings", 2, name="m"),)))
    assert "\\\\*" not in long
    few = latex_of(Document("T", (Table(("metric", "meaning"), rows[:1], "Meanings", 2, name="m"),)))
    assert "\\\\*" in few


def test_no_page_of_a_long_table_has_one_row_or_two_and_a_turned_table_fits_its_lower_page():
    rows = [(f"m{n}", "short") for n in range(28)]
    lines = latex_of(Document("T", (Table(("metric", "meaning"), rows, "Meanings", 2, name="m"),))).splitlines()
    starred = [line.split(" &")[0] for line in lines if line.endswith(r"\\*")]
    assert starred == ["m0", "m1", "m25", "m26", "m27"]
    # eighteen rows of two lines, with a caption and a head, are more than the 13.5 cm of a turned page
    wide = [(f"m{n}", *["0.812 (0.712 to 0.912)"] * 7) for n in range(18)]
    turned = latex_of(Document("T", (Table(("metric", *(f"column {n}" for n in range(7))), wide, "Wide", name="w"),)))
    assert r"\begin{landscape}" in turned
    assert [line for line in turned.splitlines() if line.startswith("m8 &")]
    assert not [line for line in turned.splitlines() if line.startswith("m8 &") and line.endswith(r"\\*")]


def test_a_long_name_in_a_sentence_breaks_after_its_signs_and_a_short_metric_nowhere():
    text = latex_of(Document("T", (Sentences(("splade.cocondenser.self.run nDCG@10 0.681",)),)))
    assert r"splade.\allowbreak{}cocondenser.\allowbreak{}self.\allowbreak{}run nDCG@10 0.681" in text
