"""Intraclass correlation of judges: the published example, analysis of variance by statsmodels, and limits."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from neraca.stats.agreement.intraclass import graded_counts, icc_of_mean, icc_of_one

#: Six targets, each rated by four judges: Shrout and Fleiss (1979), table 2.
TARGETS = np.array([[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


def of_one(grades):
    return float(icc_of_one(graded_counts(grades).sum(axis=0)))


def of_mean(grades):
    return float(icc_of_mean(graded_counts(grades).sum(axis=0)))


def test_published_example():
    # table 4: ICC(2,1) = .29, ICC(2,4) = .62
    assert (of_one(TARGETS), of_mean(TARGETS)) == pytest.approx((0.29, 0.62), abs=0.005)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_mean_squares_are_those_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    n, k = 7, 3
    grades = 1000 + rng.normal(size=(n, 1)) + rng.normal(size=k) + rng.normal(size=(n, k))
    table = pd.DataFrame(
        {"thing": np.repeat(np.arange(n), k), "judge": np.tile(np.arange(k), n), "grade": grades.ravel()}
    )
    b, j, e = anova_lm(ols("grade ~ C(thing) + C(judge)", table).fit())["mean_sq"]
    assert of_one(grades) == pytest.approx((b - e) / (b + (k - 1) * e + k * (j - e) / n), rel=1e-6)
    assert of_mean(grades) == pytest.approx((b - e) / (b + (j - e) / n), rel=1e-6)


def test_judges_who_agree_and_one_who_is_always_stricter():
    same = np.array([[1.0, 1], [3, 3], [5, 5]])
    assert (of_one(same), of_mean(same)) == (1, 1)
    # MSb 8, MSe 0, MSj 6: 8 / (8 + 2 * 6 / 3), 8 / (8 + 6 / 3)
    stricter = same - np.array([0.0, 2])
    assert (of_one(stricter), of_mean(stricter)) == pytest.approx((8 / 12, 8 / 10))


def test_judges_who_contradict_each_other_are_below_0():
    # MSb 0, MSj 0, MSe 4 * 4 / 2 = 8: -8 / (8 - 2 * 8 / 3); of the mean nothing is left that could vary
    found = np.array([[1.0, 5], [3, 3], [5, 1]])
    assert of_one(found) == pytest.approx(-8 / (8 - 16 / 3))
    assert math.isnan(of_mean(found))


@pytest.mark.parametrize("grades", [np.zeros((0, 2)), np.array([[1.0, 2]]), np.full((4, 3), 0.1)])
def test_nothing_can_be_said_of_no_thing_one_thing_or_one_grade(grades):
    assert math.isnan(of_one(grades))
    assert math.isnan(of_mean(grades))


@given(st.integers(0, 10**6), st.floats(-1e3, 1e3), st.floats(0.01, 100))
def test_neither_unit_nor_zero_matters(seed, zero, unit):
    grades = np.random.default_rng(seed).integers(0, 6, (6, 3)).astype(float)
    moved = grades * unit + zero
    assert of_one(moved) == pytest.approx(of_one(grades), abs=1e-6, nan_ok=True)


def test_totals_of_many_resamples_at_once():
    rows = graded_counts(TARGETS)
    weights = np.array([[1.0, 1, 1, 1, 1, 1], [2, 0, 1, 1, 2, 0], [0, 0, 6, 0, 0, 0]])
    for coefficient in (icc_of_one, icc_of_mean):
        alone = [float(coefficient(one @ rows)) for one in weights]
        assert coefficient(weights @ rows).tolist() == pytest.approx(alone, nan_ok=True)
