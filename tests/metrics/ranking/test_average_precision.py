import pytest

from neraca.errors import SpecError
from neraca.metrics.ranking.average_precision import average_precision
from neraca.metrics.ranking.example import ranking

R = [1, 1, 0, 0, 1, 0, 1, 0, 0, 1]


def test_golden_value():
    # (1/1 + 2/2 + 3/5) / 3
    assert average_precision(ranking(R), at=5, R="returned") == pytest.approx([0.8666666667])


@pytest.mark.parametrize(
    "grades, unseen, at, of, value",
    [
        ([1, 0, 1], [], 0, "known", (1 + 2 / 3) / 2),
        ([1, 0, 1], [1, 1], 0, "known", (1 + 2 / 3) / 4),
        ([1, 0, 1], [1, 1], 2, "known", 1 / 4),
        ([1, 0, 1], [1, 1], 2, "returned", 1),
        ([0, 0], [1], 0, "known", 0),
        ([0, 0], [1], 0, "returned", 0),
        ([], [1], 0, "known", 0),
        ([None, 1], [], 0, "known", 1 / 2),
        ([0, 0], [], 0, "known", 0),
    ],
)
def test_by_hand(grades, unseen, at, of, value):
    assert average_precision(ranking(grades, unseen), at=at, R=of) == pytest.approx([value])


def test_grades_below_the_one_needed_are_not_relevant():
    assert average_precision(ranking([1, 2], unseen=[2, 1]), rel=2) == pytest.approx([(1 / 2) / 2])


def test_with_relevant_returned_a_hit_that_climbs_into_the_cutoff_can_cost():
    """A known oddity of the definition: R grows with what is within the cutoff."""
    before, after = ranking([1, 0, 0, 1]), ranking([1, 0, 1, 0])
    assert average_precision(before, at=3, R="returned") == pytest.approx([1])
    assert average_precision(after, at=3, R="returned") == pytest.approx([(1 + 2 / 3) / 2])


def test_an_unknown_word():
    with pytest.raises(SpecError, match="R is known or returned, not 'all'"):
        average_precision(ranking([1]), R="all")
