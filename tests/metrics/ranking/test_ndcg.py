from math import log2

import pytest

from neraca.errors import SpecError
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ndcg import dcg, ndcg

R = [1, 1, 0, 0, 1, 0, 1, 0, 0, 1]
#: G' of Järvelin and Kekäläinen (2002), and their ideal vector I'.
JK = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
JK_IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("at, value", [(5, 2.0177825608), (10, 2.6401807205), (0, 2.6401807205)])
def test_golden_values_of_dcg(at, value):
    assert dcg(ranking(R), at=at) == pytest.approx([value], abs=1e-9)


def test_golden_values_of_ndcg():
    view = ranking([0, 1, 0, 1, 1])
    assert dcg(view, at=5) == pytest.approx([1.4484591189], abs=1e-9)
    assert ndcg(view, at=5) == pytest.approx([0.6797310500], abs=1e-9)
    assert dcg(view, at=5) / ndcg(view, at=5) == pytest.approx([2.1309297536], abs=1e-9)


@pytest.mark.parametrize(
    "grades, values", [(JK, [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]), (JK_IDEAL, [3, 6, 7.89, 8.89])]
)
def test_dcg_of_its_inventors(grades, values):
    # DCG vectors with b = 2, printed to two places in Järvelin and Kekäläinen (2002)
    for rank, value in enumerate(values, start=1):
        assert dcg(ranking(grades), at=rank, discount="jk") == pytest.approx([value], abs=6e-3)


def test_ndcg_of_the_encyclopaedia():
    # "Discounted cumulative gain", Wikipedia: 3 2 3 0 1 2, and 3 and 2 not returned; DCG 6.861, ideal 8.740
    view = ranking([3, 2, 3, 0, 1, 2], unseen=[3, 2])
    assert dcg(view, at=6) == pytest.approx([6.861], abs=5e-4)
    assert ndcg(view, at=6) == pytest.approx([0.785], abs=5e-4)


def test_exponential_gains_by_hand():
    view = ranking([0, 3, 1], unseen=[2])
    best = 7 + 3 / log2(3) + 1 / 2
    assert dcg(view, gains="exp") == pytest.approx([7 / log2(3) + 1 / 2])
    assert ndcg(view, gains="exp") == pytest.approx([(7 / log2(3) + 1 / 2) / best])


def test_the_cutoff_holds_for_the_ideal_order_too():
    assert ndcg(ranking([1, 0, 0], unseen=[1, 1]), at=1) == pytest.approx([1])
    assert ndcg(ranking([1, 0, 0], unseen=[1, 1])) == pytest.approx([1 / (1 + 1 / log2(3) + 1 / 2)])


@pytest.mark.parametrize("gains", ["linear", "exp"])
@pytest.mark.parametrize("discount", ["log2", "jk"])
def test_unjudged_hits_and_negative_grades_gain_nothing(gains, discount):
    for metric in (dcg, ndcg):
        plain = metric(ranking([0, 2, 0, 1]), gains=gains, discount=discount)
        assert metric(ranking([None, 2, -2, 1]), gains=gains, discount=discount) == pytest.approx(plain)


def test_nothing_relevant_and_nothing_returned():
    assert ndcg(ranking([0, 0])).tolist() == [0]
    assert ndcg(ranking([], unseen=[1])).tolist() == [0]
    assert dcg(ranking([], unseen=[1])).tolist() == [0]


@pytest.mark.parametrize("metric", [dcg, ndcg])
@pytest.mark.parametrize("wrong", [{"gains": "cubic"}, {"discount": "none"}])
def test_unknown_words(metric, wrong):
    with pytest.raises(SpecError, match=f"is .* or .*, not '{next(iter(wrong.values()))}'"):
        metric(ranking([1]), **wrong)


def test_exponential_gains_of_grades_that_no_number_can_hold_are_refused():
    with pytest.raises(SpecError, match="gains=exp needs grades of at most 1000, not 1001"):
        dcg(ranking([1001]), gains="exp")
