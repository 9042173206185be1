"""Strengths from comparisons of two: published fits, another library, and cases that can be worked out by hand."""

import math

import numpy as np
import pytest

from neraca.stats.agreement.bradley_terry import bradley_terry, connected_groups

#: Home team, then each other team with games won and lost at home: Agresti (2002), Categorical Data Analysis, p. 438.
BASEBALL = """\
Milwaukee Detroit 4-3 Toronto 4-2 NewYork 4-3 Boston 6-1 Cleveland 4-2 Baltimore 6-0
Detroit Milwaukee 3-3 Toronto 4-2 NewYork 4-3 Boston 6-0 Cleveland 6-1 Baltimore 4-3
Toronto Milwaukee 2-5 Detroit 4-3 NewYork 2-4 Boston 4-3 Cleveland 4-2 Baltimore 6-0
NewYork Milwaukee 3-3 Detroit 5-1 Toronto 2-5 Boston 4-3 Cleveland 4-2 Baltimore 6-1
Boston Milwaukee 5-1 Detroit 2-5 Toronto 3-3 NewYork 4-2 Cleveland 5-2 Baltimore 6-0
Cleveland Milwaukee 2-5 Detroit 3-3 Toronto 3-4 NewYork 4-3 Boston 4-2 Baltimore 2-4
Baltimore Milwaukee 2-5 Detroit 1-5 Toronto 1-6 NewYork 2-4 Boston 1-6 Cleveland 3-4"""
TEAMS = ("Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "NewYork", "Toronto")
#: Estimate and standard error against Baltimore as BradleyTerry2 prints them (Turner and Firth 2012, sec. 4).
PLAIN = [(1.1077, 0.3339), (0.6839, 0.3319), (1.4364, 0.3396), (1.5814, 0.3433), (1.2476, 0.3359), (1.2945, 0.3367)]
AT_HOME = [(1.1438, 0.3378), (0.7047, 0.3350), (1.4754, 0.3446), (1.6196, 0.3474), (1.2813, 0.3404), (1.3271, 0.3403)]
Z = 1.959963984540054


def baseball():
    first, second, won = [], [], []
    for line in BASEBALL.splitlines():
        home, *rest = line.split()
        for other, games in zip(rest[::2], rest[1::2], strict=True):
            wins, losses = map(int, games.split("-"))
            first += [TEAMS.index(home)] * (wins + losses)
            second += [TEAMS.index(other)] * (wins + losses)
            won += [1.0] * wins + [0.0] * losses
    return np.array(first), np.array(second), np.array(won)


def random_comparisons(seed=3, k=4, n=60, questions=15):
    """Wins, ties and losses, an effect of the place, and questions that they belong to."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    won = rng.choice([0.0, 0.5, 1.0], n, p=[0.35, 0.2, 0.45])
    return first, second, won, rng.normal(size=(n, 1)), rng.integers(0, questions, n)


def glm(first, second, won, beside, k, **fit):
    """The same model by statsmodels, thing 0 as the reference."""
    from statsmodels.api import GLM
    from statsmodels.genmod.families import Binomial

    design = np.concatenate([(np.eye(k)[first] - np.eye(k)[second])[:, 1:], beside], axis=1)
    return GLM(won, design, family=Binomial()).fit(tol=1e-14, **fit)


def error(estimate):
    return (estimate.high - estimate.value) / Z


@pytest.mark.parametrize("home, published", [(False, PLAIN), (True, AT_HOME)])
def test_a_published_season_of_baseball(home, published):
    first, second, won = baseball()
    fitted = bradley_terry(first, second, won, covariates=np.ones((len(won), 1)) if home else None)
    found = [fitted.difference(team, 0) for team in range(1, 7)]
    assert [(round(one.value, 4), round(error(one), 4)) for one in found] == published
    assert fitted.n == 273
    assert not fitted.regularised
    if home:  # the advantage of playing at home
        assert (round(fitted.effect(0).value, 4), round(error(fitted.effect(0)), 4)) == (0.3023, 0.1309)


def test_another_library_gives_the_same_with_halves_and_clusters():
    first, second, won, beside, clusters = random_comparisons()
    fitted = bradley_terry(first, second, won, covariates=beside, clusters=clusters)
    groups, n = len(set(clusters.tolist())), len(won)
    other = glm(
        first, second, won, beside, 4, cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert [fitted.difference(i, 0).value for i in (1, 2, 3)] == pytest.approx(other.params[:3], abs=1e-9)
    assert fitted.effect(0).value == pytest.approx(other.params[3], abs=1e-9)
    corrected = other.bse * math.sqrt(groups / (groups - 1))
    assert np.sqrt(fitted.covariance[4, 4]) == pytest.approx(corrected[3], rel=1e-6)
    contrast = np.array([-1, 1, 0, 0, 0])
    assert math.sqrt(contrast @ fitted.covariance @ contrast) == pytest.approx(corrected[0], rel=1e-6)
    assert (fitted.df, fitted.n, fitted.difference(1, 0).method) == (groups - 1, n, "t")
    assert fitted.theta.sum() == pytest.approx(0, abs=1e-12)


def test_two_things_are_a_share_and_its_error():
    won = np.array([1, 1, 0.5, 1, 0, 1])  # mean 0.75
    fitted = bradley_terry(np.zeros(6, int), np.ones(6, int), won, clusters=np.arange(6))
    difference = fitted.difference(0, 1)
    assert difference.value == pytest.approx(math.log(3))
    error_of_mean = won.std(ddof=1) / math.sqrt(6)
    t_of_95_percent_and_5 = 2.570581835636314
    half = t_of_95_percent_and_5 * error_of_mean / (0.75 * 0.25)  # the derivative of the log odds
    assert difference.high - difference.value == pytest.approx(half)
    assert fitted.strength(0).value == pytest.approx(math.log(3) / 2)
    assert fitted.chance(0, 1).value == pytest.approx(0.75)
    assert fitted.chance(1, 0).low == pytest.approx(1 - fitted.chance(0, 1).high)
    assert (fitted.share(0), fitted.share(1)) == pytest.approx((0.75, 0.25))


def test_a_tie_is_half_a_win_for_each():
    first, second = np.array([0, 0, 1, 1]), np.array([1, 1, 2, 2])
    halves = bradley_terry(first, second, np.array([0.5, 1, 0.5, 0]))
    one, two = np.repeat(first, 2), np.repeat(second, 2)
    twice = bradley_terry(one, two, np.array([1.0, 0, 1, 1, 1, 0, 0, 0]))
    assert halves.theta == pytest.approx(twice.theta)


def test_who_never_loses_is_drawn_to_the_middle_and_that_is_said():
    first, second, won = np.zeros(10, int), np.ones(10, int), np.ones(10)
    fitted = bradley_terry(first, second, won, clusters=np.arange(10))
    assert fitted.regularised
    # the fictitious comparisons written out: each of the two against nobody, once won and once lost
    rows = np.array([[1.0, -1]] * 10 + [[1, 0], [0, 1]] * 2)
    from statsmodels.api import GLM
    from statsmodels.genmod.families import Binomial

    other = GLM(np.array([1.0] * 12 + [0, 0]), rows, family=Binomial()).fit(tol=1e-14)
    assert fitted.theta == pytest.approx(other.params, abs=1e-8)
    variance = np.array([1, -1]) @ other.cov_params() @ np.array([1, -1])
    assert error(fitted.difference(0, 1)) == pytest.approx(math.sqrt(variance), rel=1e-6)
    assert fitted.df is None


def test_an_effect_that_decides_everything_is_drawn_to_the_middle():
    """Each thing wins and loses, but the first one always wins: that effect alone is endless."""
    first, second = np.array([0, 1] * 5), np.array([1, 0] * 5)
    fitted = bradley_terry(first, second, np.ones(10), covariates=np.ones((10, 1)))
    assert fitted.regularised
    assert fitted.effect(0).value == pytest.approx(math.log(11))  # ten wins, and one more and a loss
    assert fitted.theta == pytest.approx([0, 0], abs=1e-9)


def test_one_extreme_value_leads_nowhere_else_than_to_the_most_likely_strengths():
    """Whole steps of Newton's method would run past them."""
    first, second = np.array([1, 1, 0, 1, 0, 2, 1, 0, 1]), np.array([2, 2, 1, 2, 1, 0, 2, 1, 2])
    won = np.array([0, 0, 0.5, 0, 0, 1, 0, 0, 0])
    beside = np.array([[1.0], [1], [2], [2], [200], [2], [2], [3], [2]])
    fitted = bradley_terry(first, second, won, covariates=beside)
    assert fitted.regularised
    design = np.concatenate([np.eye(3)[first] - np.eye(3)[second], beside], axis=1)
    parameters = np.concatenate([fitted.theta, fitted.beta])
    slope = design.T @ (won - 1 / (1 + np.exp(-design @ parameters)))[:, None]
    middles = np.linspace(-5, 5, 200_001)  # the thing in the middle, which loses as often as it wins
    middle = middles[np.abs(np.tanh((fitted.theta[:, None] - middles) / 2).sum(axis=0)).argmin()]
    fictitious = 1 - 2 / (1 + np.exp(-parameters + [middle, middle, middle, 0]))  # of a win 1 - p, of a loss -p
    assert slope.ravel() + fictitious == pytest.approx(np.zeros(4), abs=1e-4)


def test_what_shows_no_chance_has_no_interval():
    first, second = np.array([0, 0]), np.array([1, 1])
    one_cluster = bradley_terry(first, second, np.array([1.0, 0]), clusters=np.zeros(2, int))
    assert math.isnan(one_cluster.difference(0, 1).low)
    all_even = bradley_terry(first, second, np.array([0.5, 0.5]), clusters=np.arange(2)).difference(0, 1)
    assert (all_even.value, math.isnan(all_even.low), all_even.method) == (0, True, "none")


def test_groups_that_nothing_joins():
    assert connected_groups(np.array([0, 1]), np.array([1, 2]), 4).tolist() == [0, 0, 0, 1]


def test_a_thing_alone_has_no_share():
    fitted = bradley_terry(np.array([0]), np.array([0]), np.array([0.5]))
    assert math.isnan(fitted.share(0))


@pytest.mark.slow
def test_intervals_by_question_cover_though_comparisons_hang_together():
    """All pairs of three systems on 40 questions, whose answers differ in quality from question to question."""
    rng, theta = np.random.default_rng(1), np.array([0.4, 0.0, -0.4])

    def drawn(n):
        quality = theta + rng.normal(0, 1.5, (n, 3))
        a, b, row = np.tile([0, 0, 1], n), np.tile([1, 2, 2], n), np.repeat(np.arange(n), 3)
        chance = 1 / (1 + np.exp(quality[row, b] - quality[row, a]))
        return a, b, (rng.random(3 * n) < chance).astype(float)

    truth = bradley_terry(*drawn(60_000)).difference(0, 2).value  # what 40 questions estimate
    questions = np.repeat(np.arange(40), 3)
    found = [bradley_terry(*drawn(40), clusters=questions).difference(0, 2) for _ in range(400)]
    assert 0.92 <= np.mean([one.low <= truth <= one.high for one in found]) <= 0.98
