"""The statistic of a test beside its p, in every format of a report."""

import docx
import pytest
from drawn import to_html, to_latex, to_markdown

from neraca.comparisons.compare import compare
from neraca.reports.formats.write import write_report
from neraca.reports.report import report

#: Differences 1, 2, 3, 4: their mean is 2.5, their standard error sqrt(5 / 3) / 2, and t = 3.873 with 3 degrees.
VALUES = {"new": [2.0, 4.0, 6.0, 8.0], "old": [1.0, 2.0, 3.0, 4.0]}


def reported(test="t", values=VALUES, **options):
    from neraca import values as of_values

    scores = of_values(values)
    return report(scores, compare(scores, test=test), **options)


@pytest.mark.parametrize(
    "write, cell", [(to_markdown, "| t(3) = 3.873 |"), (to_html, "t(3) = 3.873</td>"), (to_latex, "3) = 3.873 ")]
)
def test_t_stands_in_every_format(write, cell):
    text = write(reported())
    assert cell in text
    assert "Statistic" in text


def test_t_stands_in_word(tmp_path, monkeypatch):
    monkeypatch.setenv("NERACA_BROWSER", "no-such-browser")
    write_report(tmp_path / "report.docx", reported())
    cells = [
        cell.text
        for table in docx.Document(tmp_path / "report.docx").tables
        for row in table.rows
        for cell in row.cells
    ]
    assert "t(3) = 3.873" in cells


def test_a_statistic_is_of_the_better_run_minus_the_other_whatever_the_order_of_the_files():
    turned = {"old": VALUES["old"], "new": VALUES["new"]}
    assert "t(3) = 3.873" in to_markdown(reported(values=turned))
    assert "W = 10" in to_markdown(reported("wilcoxon", turned))


def test_the_method_says_which_statistic_it_is():
    assert "Statistic: W, the sum of the signed ranks" in to_markdown(reported("wilcoxon"))
    assert "Statistic: the mean difference" in to_markdown(reported("tukey"))
    assert "Estadístico: t con sus grados de libertad" in to_markdown(reported(language="es"))


@pytest.mark.parametrize("write", [to_markdown, to_html])
def test_the_questions_needed_stand_beside_t_tests_alone(write):
    assert "n needed (t)" in write(reported())
    for test in ("tukey", "randomisation", "bootstrap", "wilcoxon"):
        assert "needed" not in write(reported(test)), test


def test_of_right_and_wrong_answers_it_is_how_many_more_are_right():
    """The first alone is right 4 times, the second alone once."""
    values = {"new": [1.0, 1.0, 1.0, 1.0, 0.0, 1.0], "old": [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]}
    text = to_markdown(reported("mcnemar", values))
    assert "| b − c = 3 |" in text
    assert "Statistic: b − c, how many more questions the first run alone has right" in text
