import itertools
from collections import Counter

import numpy as np
import pytest

from neraca.stats.intervals.resample import by_cluster, resampled


def test_rows_are_summed_by_cluster():
    rng = np.random.default_rng(1)
    rows, clusters = rng.normal(size=(20, 3)), rng.integers(-3, 4, 20)
    expected = [rows[clusters == number].sum(axis=0) for number in sorted(set(clusters.tolist()))]
    assert by_cluster(rows, clusters) == pytest.approx(np.array(expected))
    assert by_cluster(rows, None) is rows


def test_corners():
    assert by_cluster(np.empty((0, 2)), np.empty(0, int)).shape == (0, 2)
    assert by_cluster(np.empty((3, 0)), np.array([4, 4, 1])).shape == (2, 0)
    assert resampled(np.array([[2.0, 1]]), 3, 0).tolist() == [[2, 1]] * 3


def test_every_draw_is_as_likely():
    """Of three units with the sums 1, 10 and 100: all 27 draws, told apart by their digits."""
    units = np.array([[1.0], [10], [100]])
    expected = Counter(sum(draw) for draw in itertools.product([1, 10, 100], repeat=3))
    drawn = Counter(resampled(units, 54_000, 5)[:, 0].tolist())
    assert set(drawn) == set(expected)
    for total, ways in expected.items():
        share = ways / 27
        assert drawn[total] / 54_000 == pytest.approx(share, abs=4.5 * np.sqrt(share * (1 - share) / 54_000))


def test_the_seed_draws_the_same_units_whatever_their_rows():
    units = np.random.default_rng(2).integers(0, 100, (15, 3)).astype(float)
    assert (resampled(units, 50, 1)[:, 1] == resampled(units[:, 1:2], 50, 1)[:, 0]).all()
    assert (resampled(units, 50, 1) != resampled(units, 50, 2)).any()


def test_that_they_are_drawn_in_parts_changes_nothing():
    units = np.random.default_rng(2).integers(0, 100, (15, 3)).astype(float)
    at_once = units[np.random.default_rng(3).integers(0, 15, (20_000, 15))].sum(axis=1)
    assert (resampled(units, 20_000, 3) == at_once).all()
