import pytest
from judged_answers import judged, value


@pytest.mark.parametrize("supported, expected", [([1, 1, 1], 1), ([0, 0], 0), ([1, 0, 0, 0], 0.25), ([1, 1, 0], 2 / 3)])
def test_by_hand(supported, expected):
    assert value("Faithfulness", judged([("a" * yes, 1) for yes in supported])) == pytest.approx(expected)


def test_whether_it_is_right_does_not_matter():
    assert value("Faithfulness", judged([("a", 0), ("a", 1)])) == 1
    assert value("Faithfulness", judged([("a", 0), ("", 1)]), item={"references": ()}) == 0.5
