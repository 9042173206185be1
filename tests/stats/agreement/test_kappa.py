"""Agreement of judges: by hand, against statsmodels, and against the definitions over pairs of judges."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from neraca.stats.agreement.kappa import (
    agreed_share,
    cohen_kappa,
    cross_counts,
    distance_weights,
    fleiss_kappa,
    gwet_ac1,
    shared_counts,
)

#: Fleiss, J. L. (1971), as many textbooks print it: 14 judges, 10 things, 5 categories; kappa 0.210.
FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ],
    dtype=float,
)


def total(coefficient, rows):
    return float(coefficient(rows.sum(axis=0)))


def votes_of(codes, q):
    return np.array([[list(row).count(k) for k in range(q)] for row in codes], dtype=float)


def test_cohen_by_hand():
    """.7 agree; one says yes to half, the other to three fifths: .5 by chance; (.7 - .5) / .5."""
    assert float(cohen_kappa(np.array([20.0, 5, 10, 15]))) == pytest.approx(0.4)
    assert float(cohen_kappa(np.array([45.0, 15, 25, 15]))) == pytest.approx(0.6 * 0.7 * 0 + (0.6 - 0.54) / 0.46)


def test_fleiss_by_a_textbook():
    rows = shared_counts(FLEISS)
    assert total(fleiss_kappa, rows) == pytest.approx(0.210, abs=5e-4)
    assert total(agreed_share, rows) == pytest.approx(0.378, abs=5e-4)
    assert total(fleiss_kappa, rows) == pytest.approx(inter_rater.fleiss_kappa(FLEISS), abs=1e-12)


def test_ac1_does_not_fall_where_nearly_all_are_of_one_category():
    """Of 125 things 118 have two yes, none two no: .944 agree, yet kappa is below 0; by chance 2 × .972 × .028."""
    codes = np.array([(0, 0)] * 118 + [(0, 1)] * 5 + [(1, 0)] * 2)
    rows = shared_counts(votes_of(codes, 2))
    assert total(agreed_share, rows) == pytest.approx(0.944)
    assert total(cohen_kappa, cross_counts(codes, 2)) == pytest.approx(-0.0234, abs=5e-5)
    assert total(gwet_ac1, rows) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_cohen_like_statsmodels(pairs):
    codes = np.array(pairs)
    table = np.zeros((4, 4))
    for a, b in pairs:
        table[a, b] += 1
    shares = table / table.sum()
    found = total(cohen_kappa, cross_counts(codes, 4))
    if shares.sum(axis=1) @ shares.sum(axis=0) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(inter_rater.cohens_kappa(table, return_results=False), abs=1e-12)


@given(st.integers(2, 5), st.data())
def test_fleiss_like_statsmodels(judges, data):
    things = st.lists(st.integers(0, 2), min_size=judges, max_size=judges)
    codes = data.draw(st.lists(things, min_size=1, max_size=20))
    votes = votes_of(codes, 3)
    found = total(fleiss_kappa, shared_counts(votes))
    if len({code for row in codes for code in row}) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(inter_rater.fleiss_kappa(votes), abs=1e-12)


def chance_of_ac1(codes, q):
    """Gwet's reasoning itself: somebody guesses, with chance V / (1 - 1 / q), and guesses agree 1 in q times.

    V is the chance that two things drawn from the mean shares are of different categories.
    """
    shares = [np.mean([list(row).count(k) / len(row) for row in codes]) for k in range(q)]
    differ = sum(a * b for (i, a), (j, b) in itertools.product(enumerate(shares), repeat=2) if i != j)
    return differ / (1 - 1 / q) / q


@given(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=5), min_size=1, max_size=15))
def test_ac1_and_the_share_of_agreement_over_pairs_of_judges(codes):
    """Also where things have different numbers of judges."""
    shares = [np.mean([a == b for a, b in itertools.combinations(row, 2)]) for row in codes]
    agreed, chance = np.mean(shares), chance_of_ac1(codes, 3)
    rows = shared_counts(votes_of(codes, 3))
    assert total(agreed_share, rows) == pytest.approx(agreed, abs=1e-12)
    assert total(gwet_ac1, rows) == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)


def test_what_two_judges_agree_on_fully():
    codes = np.array([(0, 0), (1, 1), (2, 2)])
    rows = shared_counts(votes_of(codes, 3))
    found = [total(cohen_kappa, cross_counts(codes, 3)), *(total(f, rows) for f in (fleiss_kappa, gwet_ac1))]
    assert found == pytest.approx([1, 1, 1])


def test_one_category_leaves_kappa_without_a_value_and_ac1_with_1():
    codes = np.array([(0, 0)] * 5)
    rows = shared_counts(votes_of(codes, 2))
    assert math.isnan(total(cohen_kappa, cross_counts(codes, 2)))
    assert math.isnan(total(fleiss_kappa, rows))
    assert total(gwet_ac1, rows) == 1
    assert math.isnan(total(gwet_ac1, shared_counts(votes_of(codes, 1))))


def test_nothing_at_all():
    assert math.isnan(total(cohen_kappa, cross_counts(np.zeros((0, 2), dtype=int), 2)))
    for coefficient in (agreed_share, fleiss_kappa, gwet_ac1):
        assert math.isnan(total(coefficient, shared_counts(np.zeros((0, 2)))))


def test_totals_of_many_resamples_at_once():
    codes = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (1, 1)])
    rows, crossed = shared_counts(votes_of(codes, 2)), cross_counts(codes, 2)
    weights = np.array([[1, 1, 1, 1, 1], [2, 0, 1, 1, 1], [0, 0, 5, 0, 0]], dtype=float)
    for coefficient, counts in ((cohen_kappa, crossed), (fleiss_kappa, rows), (gwet_ac1, rows), (agreed_share, rows)):
        alone = [float(coefficient(one @ counts)) for one in weights]
        assert coefficient(weights @ counts).tolist() == pytest.approx(alone, nan_ok=True)


# grades, of which near ones agree in part


@pytest.mark.parametrize("power, name", [(1, "linear"), (2, "quadratic")])
@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_weighted_kappa_is_that_of_scikit_learn(power, name, pairs):
    codes = np.array(pairs)
    weights = distance_weights(np.arange(5.0), power)
    found = float(cohen_kappa(cross_counts(codes, 5).sum(axis=0), weights))
    if len(set(codes.ravel().tolist())) == 1:
        assert math.isnan(found)
    else:
        known = cohen_kappa_score(codes[:, 0], codes[:, 1], labels=range(5), weights=name)
        assert found == pytest.approx(known, abs=1e-9)


def test_weights_go_by_values_and_not_by_their_order():
    """Grades 1, 2 and 5: a step from 2 to 5 is three of four, linear weight 1/4."""
    assert distance_weights(np.array([1.0, 2, 5]), 1).tolist() == [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]]


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=5), min_size=2, max_size=12))
def test_weighted_fleiss_over_pairs_of_judges(codes):
    """The mean weight of pairs of judges of one thing, beside that of two draws from the mean shares."""
    weights = distance_weights(np.arange(4.0))
    agreed = np.mean([np.mean([weights[a, b] for a, b in itertools.combinations(row, 2)]) for row in codes])
    shares = np.array([np.mean([row.count(k) / len(row) for row in codes]) for k in range(4)])
    chance = sum(weights[k, m] * shares[k] * shares[m] for k in range(4) for m in range(4))
    found = float(fleiss_kappa(shared_counts(votes_of(codes, 4), weights).sum(axis=0), weights))
    if len({code for row in codes for code in row}) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx((agreed - chance) / (1 - chance), abs=1e-9)
