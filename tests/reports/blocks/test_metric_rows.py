"""Values that rest on failed answers alone, and the numbers of questions in drawings."""

import pytest

from neraca.comparisons.compare import compare
from neraca.records import Answer, Item
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.figures.paper_figures import Subject, paper_figure
from neraca.reports.report import report
from neraca.scores.score import score

ITEMS = [Item(id=f"q{n}", query=f"question {n}", references=["yes"]) for n in range(12)]


@pytest.fixture(scope="module")
def unjudged(new_folder):
    """Two runs without verdicts; two answers of the first and one of the second failed, which count 0."""
    make = new_folder()
    answers = {
        name: [
            Answer(item=item.id, status="error", error="500") if n < failed else Answer(item=item.id, text="yes")
            for n, item in enumerate(ITEMS)
        ]
        for name, failed in (("a", 2), ("b", 1))
    }
    return [make(name, ITEMS, of_run) for name, of_run in answers.items()]


def test_a_value_of_failed_answers_alone_says_so_wherever_it_stands(unjudged):
    scores = score(unjudged, "Faithfulness")
    made = report(scores, compare(scores))
    assert [(cell.score.value, cell.score.n, cell.only_failed) for cell in made.primary_row.cells] == [
        (0.0, 2, True),
        (0.0, 1, True),
    ]
    document = comparison_document(made)
    assert "0.000, n = 2, failed answers only" in document.figures[0].svg
    (row,) = next(table for table in document.tables if table.name == "values").rows
    assert [cell.note for cell in row[1:]] == [
        "n = 2, failed answers only, 10 unscored",
        "n = 1, failed answers only, 11 unscored",
    ]
    assert "Faithfulness of a rests on 2 failed answers alone: no answer that was given is scored." in made.notes
    picture = paper_figure(Subject(scores, made.pairs, made.primary), "forest")
    assert "a (n = 2)" in picture.svg
    assert picture.caption.endswith("; failed answers only: a, b")


def test_answers_that_were_given_are_no_failed_ones(unjudged):
    row = report(score(unjudged, "ExactMatch")).primary_row
    assert [(cell.score.n, cell.only_failed) for cell in row.cells] == [(12, False)] * 2
    assert not row.names_n


def test_a_drawing_names_n_if_it_differs_or_is_small(weighed):
    many = [0.5, 0.6] * 6

    def drawn(runs):
        return comparison_document(report(*weighed(runs))).figures[0].svg

    assert ", n = " not in drawn({"a1": many, "b1": many[::-1]})
    differing = drawn({"a2": many, "b2": [None, *many[1:]]})
    assert ", n = 12" in differing
    assert ", n = 11" in differing
    assert ", n = 3" in drawn({"a3": many[:3], "b3": many[1:4]})
