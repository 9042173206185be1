"""Moments, added in any order, are those of all users; compared with numpy's covariance."""

import numpy as np
import pytest

from neraca.stats.moments import Moments, moments_of_halves


def values(n, seed=1):
    return np.random.default_rng(seed).gamma(2.0, size=(n, 3)) * [1, 10, 1000]


@pytest.mark.parametrize("cuts", [(), (1,), (5, 6), (30,), (0,)])
def test_parts_make_the_whole(cuts):
    rows = values(30)
    parts = [Moments.of(part) for part in np.split(rows, cuts)]
    together = parts[-1]
    for part in parts[:-1]:
        together = part + together
    assert together.n == 30
    assert together.mean == pytest.approx(rows.mean(axis=0), rel=1e-13)
    assert together.covariance == pytest.approx(np.cov(rows.T), rel=1e-12)


def test_large_values_that_hardly_vary_keep_their_variance():
    """Sums of squares would lose it: 1e9 squared has no digit left for 1."""
    rows = 1e9 + np.array([[1.0], [2], [3], [4]])
    together = Moments.of(rows[:1]) + Moments.of(rows[1:])
    assert together.cross.item() == pytest.approx(5.0, rel=1e-6)  # 2.25 + .25 + .25 + 2.25


def test_one_user_shows_no_covariance_and_none_has_no_mean():
    assert np.isnan(Moments.of(np.array([[1.0, 2]])).covariance).all()
    none = Moments.of(np.zeros((0, 2)))
    assert (none + none).n == 0
    assert (none + Moments.of(np.array([[1.0, 2]]))).mean.tolist() == [1, 2]


def test_halves_have_the_moments_of_their_users():
    rows = 1e6 + values(40)
    halves = np.random.default_rng(2).random((5, 40)) < 0.4
    halves[4] = False
    first, second = moments_of_halves(rows, halves)
    for place, half in enumerate(halves):
        for (n, mean, cross), users in ((first, rows[half]), (second, rows[~half])):
            assert n[place] == len(users)
            assert mean[place] == pytest.approx(users.mean(axis=0) if len(users) else np.zeros(3), rel=1e-13)
            assert cross[place] == pytest.approx(Moments.of(users).cross, rel=1e-9, abs=1e-9)
