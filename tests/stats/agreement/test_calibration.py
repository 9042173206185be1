"""Calibration: by hand, and against the bins of scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from neraca.stats.agreement.calibration import bin_numbers, calibration_counts, calibration_error


def test_the_error_is_the_mean_gap_weighted_by_the_numbers_of_items():
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    labels = (rng.random(300) < scores**2).astype(float)
    share, score = calibration_curve(labels, scores, n_bins=10, strategy="uniform")
    counts = np.histogram(scores, np.linspace(0, 1, 11))[0]
    expected = float(np.abs(share - score) @ counts[counts > 0]) / 300
    assert float(calibration_error(calibration_counts(scores, labels).sum(axis=0))) == pytest.approx(expected)


def test_yes_and_no_are_as_far_off_as_their_shares():
    """Of six yes four are right (2 / 6 off), of four no one is right (1 / 4 off): (2 + 1) / 10."""
    scores, labels = np.array([1.0] * 6 + [0.0] * 4), np.array([1.0] * 4 + [0.0] * 2 + [1.0] + [0.0] * 3)
    assert float(calibration_error(calibration_counts(scores, labels).sum(axis=0))) == pytest.approx(0.3)


def test_the_best_score_lies_in_the_last_part():
    assert bin_numbers(np.array([0.0, 0.999, 1.0])).tolist() == [0, 9, 9]


def test_several_sums_give_several_errors():
    rows = calibration_counts(np.array([0.2, 0.9]), np.array([0.0, 1.0]))
    assert calibration_error(np.stack([rows[0], rows[1], rows.sum(axis=0)])) == pytest.approx([0.2, 0.1, 0.15])
