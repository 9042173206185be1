from fractions import Fraction

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.ranking.err import expected_reciprocal_rank
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking


@pytest.mark.parametrize(
    "grades, at, top, value",
    [
        # grades 0 to 4: R = 0, 1/16, 3/16, 7/16, 15/16
        ([4], 0, 0, Fraction(15, 16)),
        ([3, 2, 0, 4], 0, 4, Fraction(7, 16) + Fraction(9, 16) * (Fraction(3, 32) + Fraction(13, 16) * 15 / 16 / 4)),
        ([3, 2, 0, 4], 2, 4, Fraction(7, 16) + Fraction(9, 16) * Fraction(3, 32)),
        ([3, 2, 0, 4], 1, 4, Fraction(7, 16)),
        ([None, 1], 0, 0, Fraction(1, 4)),
        ([None, 1], 0, 4, Fraction(1, 32)),
        ([-3, 1], 0, 0, Fraction(1, 4)),
        ([1, 1, 1], 0, 0, Fraction(1, 2) + Fraction(1, 8) + Fraction(1, 24)),
        ([0, 0], 0, 0, 0),
        ([], 0, 0, 0),
    ],
)
def test_by_hand(grades, at, top, value):
    found = expected_reciprocal_rank(ranking(grades, unseen=[1]), at=at, top=top)
    assert found == pytest.approx([float(value)], rel=1e-14, abs=0)


def test_the_largest_grade_is_that_of_the_whole_collection():
    assert expected_reciprocal_rank(ranking([1], unseen=[3])) == pytest.approx([1 / 8])


def test_a_document_that_comes_again_satisfies_nobody_and_keeps_its_rank():
    view = make_scorable([(make_item(relevant={"a": 1, "b": 1}), make_answer("a a b"))]).view(Ranking)
    assert expected_reciprocal_rank(view) == pytest.approx([1 / 2 + 1 / 2 * 1 / 2 / 3])


def test_an_answer_has_the_same_value_to_the_last_digit_alone_and_after_others():
    """Forty relevant hits leave 2^-40 to go on; what a hundred such answers would leave is no number at all."""
    good = {f"d{place}": 1 for place in range(40)}
    pairs = [(make_item(str(n), relevant=good), make_answer(" ".join(good), str(n))) for n in range(100)]
    last = (make_item("last", relevant=good | {"a": 0.3, "b": 0.7, "c": 0.1}), make_answer("a b c", "last"))
    alone = expected_reciprocal_rank(make_scorable([last]).view(Ranking))
    among = expected_reciprocal_rank(make_scorable([*pairs, last]).view(Ranking))
    assert among[-1] == alone[0]
    assert 0 < alone[0] < 1
    assert np.isfinite(among).all()


def test_large_grades_are_no_large_numbers():
    # (2^2000 - 1) / 2^2000 is 1 to a computer, (2^1999 - 1) / 2^2000 is 1/2
    assert expected_reciprocal_rank(ranking([1999, 2000])) == pytest.approx([1 / 2 + 1 / 2 / 2])


@pytest.mark.parametrize("top", [1, 2.5, 4.975])
def test_what_is_not_relevant_is_exactly_0(top):
    """Also where 2^-top, computed in two ways, differs in its last digit."""
    assert expected_reciprocal_rank(ranking([0, -1, 0, None, 0, 0]), top=top).tolist() == [0]


@pytest.mark.parametrize("top", [3, 3.5, -1, float("nan")])
def test_a_largest_grade_that_is_not_the_largest(top):
    with pytest.raises(SpecError, match=rf"ERR: top is {top:g}, but the largest grade is 4; give top=4"):
        expected_reciprocal_rank(ranking([1], unseen=[4]), top=top)
