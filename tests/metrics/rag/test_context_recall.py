import pytest
from judged_answers import judged, value, why

#: Found and used, found and not used, not found but said, neither.
ALL = [("a", 1), ("a b", 0), ("b", 0), ("", 1), ("", 0)]


def test_by_hand():
    assert value("ContextRecall", judged([], ALL)) == pytest.approx(3 / 5)
    assert value("ContextUtilisation", judged([], ALL)) == pytest.approx(1 / 3)


def test_nothing_found():
    missed = judged([("a", 1)], [("", 1), ("", 0)])
    assert value("ContextRecall", missed) == 0
    assert why("ContextUtilisation", missed) == "no context supports a claim of the reference"


def test_the_answer_does_not_matter():
    assert value("ContextRecall", judged([], ALL)) == value("ContextRecall", judged([("a", 0)] * 4, ALL))
