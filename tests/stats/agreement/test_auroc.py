"""AUROC: by hand, against scikit-learn, and against DeLong's and Obuchowski's definitions over all pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from sklearn.metrics import roc_auc_score

from neraca.stats.agreement.auroc import auroc

SCORES = np.array([0.9, 0.8, 0.8, 0.55, 0.3, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
LABELS = np.array([1.0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])


def wins(scores, labels):
    """Whether each score of a one is above that of a zero: a row for each one."""
    ones, zeros = scores[labels == 1], scores[labels == 0]
    return np.array([[1.0 if a > b else 0.5 if a == b else 0.0 for b in zeros] for a in ones])


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30))
def test_the_value_is_that_of_scikit_learn(pairs):
    scores, labels = np.array([pair[0] / 5 for pair in pairs]), np.array([float(pair[1]) for pair in pairs])
    if len(set(labels.tolist())) < 2:
        assert math.isnan(auroc(scores, labels).value)
    else:
        assert auroc(scores, labels).value == pytest.approx(roc_auc_score(labels, scores))


def test_the_interval_is_delongs_with_student():
    matrix = wins(SCORES, LABELS)
    variance = matrix.mean(axis=1).var(ddof=1) / 5 + matrix.mean(axis=0).var(ddof=1) / 7
    estimate = auroc(SCORES, LABELS, level=0.5)
    half = t.ppf(0.75, 4) * math.sqrt(variance)
    assert estimate.value == pytest.approx(matrix.mean())
    assert (estimate.low, estimate.high) == pytest.approx((matrix.mean() - half, matrix.mean() + half))
    assert estimate.n == 12


def test_the_interval_of_clusters_is_obuchowskis():
    """Three clusters of two ones and two zeros each, whose errors add up."""
    scores = np.array([0.9, 0.6, 0.5, 0.2, 0.7, 0.65, 0.6, 0.1, 0.8, 0.3, 0.7, 0.4])
    labels = np.array([1.0, 1, 0, 0] * 3)
    clusters = np.repeat([0, 1, 2], 4)
    matrix = wins(scores, labels)
    value = matrix.mean()
    ones = (matrix.mean(axis=1) - value).reshape(3, 2).sum(axis=1)
    zeros = (matrix.mean(axis=0) - value).reshape(3, 2).sum(axis=1)
    s10, s01, s11 = (3 / 2 * (a * b).sum() / c for a, b, c in ((ones, ones, 6), (zeros, zeros, 6), (ones, zeros, 1)))
    half = t.ppf(0.75, 2) * math.sqrt(s10 / 6 + s01 / 6 + 2 * s11 / 36)
    estimate = auroc(scores, labels, clusters, level=0.5)
    assert (estimate.low, estimate.high) == pytest.approx((value - half, value + half))


def test_a_perfect_judge_has_a_bound_below_and_none_above():
    estimate = auroc(np.array([1.0] * 40 + [0.0] * 40), np.array([1.0] * 40 + [0.0] * 40))
    assert estimate.value == estimate.high == 1
    assert 0.85 < estimate.low < 0.95  # Wilson's of 40 of 40, with Student's quantile of 39: 0.907
    assert estimate.low == pytest.approx(1 / (1 + t.ppf(0.975, 39) ** 2 / 40))


def test_one_source_of_a_class_has_no_interval():
    assert auroc(SCORES, LABELS, np.zeros(12, np.int64)).why == "too few observations"
    assert auroc(np.array([0.5, 0.6, 0.7]), np.array([1.0, 0, 0])).why == "too few observations"
    assert math.isnan(auroc(np.array([0.5]), np.array([1.0])).value)
