"""A combined grade that a reader may not expect is said beside the numbers."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca import notes, score

BETWEEN = "not relevant where a metric asks yes or no (such as P@5): 2 hits with a mean between 0 and 1"
SCALE = "relevance is read as a scale (lower median), because 1 of 12 grades lies above 1"
#: What Ana, Budi and Citra say of four documents.
GRADES = {"a": (1, 1, 0), "b": (1, 0, 0), "c": (1, 1, 1), "d": (0, 0, 0)}


@pytest.fixture
def notes_on(tmp_path):
    """The notes on P@4 of a run that three people judged, by the rule `combine`."""

    def run(grades, combine="", name="run"):
        verdicts = [
            make_verdict(doc, "relevance", value, f"human:{person}")
            for doc, values in grades.items()
            for person, value in zip(("ana", "budi", "citra"), values, strict=True)
        ]
        made = make_run(tmp_path / name, [make_item("1", expects="results")], [make_answer("a b c d")], verdicts)
        scores = score([made], "P@4", combine=combine)
        return scores.rows()[0]["value"], str(notes(scores))

    return run


def test_a_mean_below_one_is_not_relevant_and_is_said(notes_on):
    """P@4 by majority: a and c; by mean only c is 1, since a is 2/3 and b 1/3."""
    assert notes_on(GRADES)[0] == 2 / 4
    value, text = notes_on(GRADES, "mean", "mean")
    assert value == 1 / 4
    assert BETWEEN in text
    assert BETWEEN not in notes_on(GRADES, "median", "median")[1]
    assert "with a mean between" not in notes_on({"c": (1, 1, 1)}, "mean", "whole")[1]


def test_one_grade_above_one_makes_a_scale_and_is_said(notes_on):
    """The lower median of 1, 1, 2 is 1, as is the majority; the rule has changed for all other documents, too."""
    assert "as a scale" not in notes_on(GRADES)[1]
    slip = GRADES | {"c": (1, 1, 2)}
    assert SCALE in notes_on(slip, name="slip")[1]
    assert "as a scale" not in notes_on(slip, "median", "median")[1], "the user chose it"
    assert "as a scale" not in notes_on({"a": (2, 1, 0), "b": (2, 2, 0)}, name="scale")[1], "a scale it is"
