import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.infap import inferred_average_precision
from neraca.metrics.ranking.ranking import Ranking

E = 0.00001


@pytest.mark.parametrize(
    "grades, unseen, rel, value",
    [
        # relevant at 1, 5, 6; above 5 one of two judged is good and 3 are in the pool; above 6 two of three, and 4
        ([1, 0, -1, None, 1, 1], [1, -1], 1, (1 + (1 + 3 / 2) / 5 + (1 + 4 * (2 + E) / (3 + 2 * E)) / 6) / 4),
        # nothing judged above: as many good as bad
        ([-1, 1], [], 1, (1 + 1 / 2) / 2),
        ([None, 1], [], 1, 1 / 2),
        ([0, 1], [], 1, (1 + E / (1 + 2 * E)) / 2),
        ([1], [], 1, 1),
        ([1, 2], [2], 2, ((1 + E / (1 + 2 * E)) / 2) / 2),
        ([0, 0], [], 1, 0),
        ([0], [1], 1, 0),
        ([], [1], 1, 0),
    ],
)
def test_by_hand(grades, unseen, rel, value):
    assert inferred_average_precision(ranking(grades, unseen), rel=rel) == pytest.approx([value], rel=1e-12)


def test_a_document_that_comes_again_is_in_no_pool():
    view = make_scorable([(make_item(relevant={"a": -1, "b": 1}), make_answer("a a b"))]).view(Ranking)
    assert inferred_average_precision(view) == pytest.approx([(1 + 1 / 2) / 3])


def test_where_negative_grades_are_relevant_they_are_judged():
    assert inferred_average_precision(ranking([-1, 1]), rel=-1) == pytest.approx([1], abs=1e-5)
    # -2 is in the pool, and not judged
    assert inferred_average_precision(ranking([-2, -1]), rel=-1) == pytest.approx([(1 + 1 / 2) / 2])


def test_a_relevant_hit_that_climbs_over_an_unjudged_one_of_the_pool_can_cost():
    """A known oddity of the definition: what stands above may be relevant, so that it adds to the precision."""
    assert inferred_average_precision(ranking([None, None, None, -1, 1])) == pytest.approx([(1 + 1 / 2) / 5])
    assert inferred_average_precision(ranking([None, None, None, 1, -1])) == pytest.approx([1 / 4])
