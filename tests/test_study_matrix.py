"""A study whose targets vary prompt and model: its cells, their table, and the factor that explains the differences."""

import csv

import pytest

import neraca
from neraca.errors import SpecError
from neraca.study_file import read_study

HEAD = """name = "Two things"
dataset.file = "questions.csv"
target.kind = "replay"
score.metrics = ["TokenRecall"]
"""
MATRIX = """
[matrix.prompt.short]
file = "short.csv"
[matrix.prompt.long]
file = "long.csv"
[matrix.model.small]
columns.text = "small"
[matrix.model.large]
columns.text = "large"
"""
N = 12


@pytest.fixture
def study(tmp_path):
    """Twelve questions: the large model gives both words of the reference, the small one mostly one of them."""
    with (tmp_path / "questions.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "question", "reference"], *([n, f"q{n}", "red house"] for n in range(N))])
    for prompt in ("short", "long"):
        rows = [[n, "red house" if n == (prompt == "long") else "red", "red house"] for n in range(N)]
        with (tmp_path / f"{prompt}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["id", "small", "large"], *rows])
    (tmp_path / "study.toml").write_text(HEAD + MATRIX)
    return tmp_path / "study.toml"


def test_each_cell_is_a_target_with_the_settings_of_its_levels(study):
    (phase,) = read_study(study).phases
    assert phase.targets == {
        f"{prompt}+{model}": {"file": f"{prompt}.csv", "columns": {"text": model}}
        for prompt in ("short", "long")
        for model in ("small", "large")
    }


def test_the_report_has_the_cells_and_says_which_factor_explains_them(study):
    (result,) = neraca.run_study(study)
    factors = result.report.factors
    (table,) = factors.tables
    assert table.title == "TokenRecall by prompt and model"
    assert list(table.columns) == ["prompt", "model", "value", "interval", "cost in US dollars", "Seconds, median"]
    assert [row[:3] for row in table.rows] == [
        ["short", "small", "0.542"],  # (11 / 2 + 1) / 12
        ["short", "large", "1.000"],
        ["long", "small", "0.542"],
        ["long", "large", "1.000"],
    ]
    lead, parts, method = factors.sentences
    assert lead == "model explains the most: 100 % of the differences between cells."
    assert parts.startswith("prompt 0 % (p 1.000); model 100 % (p < 0.001); prompt and model together 0 %")
    assert "n = 12 observations" in method
    page = (study.parent / "results/study/report.html").read_text(encoding="utf-8")
    assert "Two things varied at once" in page
    assert lead.replace(" %", "\u00a0%") in page


def test_a_study_without_a_matrix_has_no_such_section(study):
    study.write_text(HEAD + 'targets.a = { file = "short.csv", columns.text = "small" }\n')
    (result,) = neraca.run_study(study)
    assert result.report.factors is None
    assert "factors" not in [section.name for section, _ in result.report.outline]


@pytest.mark.parametrize(
    "tables, message",
    [
        ("[matrix.prompt.a]\nx = 1\n[matrix.prompt.b]\nx = 2\n", "varies two things"),
        ("[matrix.prompt.a]\nx = 1\n[matrix.prompt.b]\nx = 2\n[matrix.model.c]\ny = 1\n", "has one level, c"),
        (MATRIX.replace("columns.text", "file"), "matrix.prompt.long and matrix.model.small both set file"),
        (MATRIX + '[targets.a]\nfile = "a.csv"\n', r"either \[targets\] or \[\[phase\]\] tables"),
        (MATRIX.replace("short]", '"a/b"]'), "cannot be the name of a folder"),
    ],
)
def test_a_matrix_that_cannot_be_used_says_why(study, tables, message):
    study.write_text(HEAD + tables)
    with pytest.raises(SpecError, match=message):
        read_study(study)
