"""The same numbers for an A/B experiment as tea-tasting, and as the formulas of GrowthBook.

Means, ratios, with a covariate, one-sided, relative, sequential.  What differs on purpose: the relative
interval of values of opposite signs is not a number here.
"""

import dataclasses
import math

import numpy as np
import polars as pl
import pytest
import tea_tasting as tt
from scipy.optimize import brentq

from neraca.stats.intervals.confidence_sequence import half_width
from neraca.stats.moments import Moments
from neraca.stats.planning.ab_power import Plan
from neraca.stats.tests.cuped import adjusted
from neraca.stats.tests.ratio_test import ratio_test
from neraca.stats.tests.sample_ratio import sample_ratio

COLUMNS = ("x", "y", "x_before", "y_before")
NAMES = {
    "a": "control",
    "b": "treatment",
    "difference": "effect_size",
    "low": "effect_size_ci_lower",
    "high": "effect_size_ci_upper",
    "relative": "rel_effect_size",
    "relative_low": "rel_effect_size_ci_lower",
    "relative_high": "rel_effect_size_ci_upper",
    "p": "pvalue",
}


def users(seed, sizes, heavy=False):
    """Clicks and searches of users in two arms, and the same of the time before; some have none."""
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    taste = rng.gamma(2.0, 1.0, n)
    searches, before = 1 + rng.poisson(taste), 1 + rng.poisson(taste)
    if heavy:
        searches = np.ceil(searches * rng.pareto(2.5, n) + 1).astype(int)
    rate = rng.beta(2, 3, n)
    arms = np.repeat([0, 1], sizes)
    clicks, clicks_before = rng.binomial(searches, np.minimum(1, rate + 0.1 * arms)), rng.binomial(before, rate)
    return arms, np.column_stack([clicks, searches, clicks_before, before]).astype(float)


def ones(columns):
    return np.column_stack([columns[:, 0], np.ones(len(columns)), columns[:, 2], np.ones(len(columns))])


def moments(arms, columns):
    """In two blocks for each arm."""
    parts = [(columns[arms == arm][:17], columns[arms == arm][17:]) for arm in (0, 1)]
    return [Moments.of(first) + Moments.of(second) for first, second in parts]


def theirs(metric, arms, columns):
    frame = pl.DataFrame({"variant": arms, **dict(zip(COLUMNS, columns.T, strict=True))})
    return tt.Experiment(metric=metric).analyze(frame)["metric"]


def assert_equal(effect, result):
    found = {name: value for name, value in dataclasses.asdict(effect).items() if name in NAMES}
    assert found == pytest.approx({ours: getattr(result, name) for ours, name in NAMES.items()}, rel=1e-9, abs=1e-12)
    assert effect.difference / effect.error == pytest.approx(result.statistic, rel=1e-9)


@pytest.mark.parametrize("sizes", [(20, 30), (400, 50), (2000, 2100)])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("heavy", [False, True])
def test_means_and_ratios_with_and_without_a_covariate(sizes, alternative, heavy):
    arms, columns = users(sum(sizes), sizes, heavy)
    asked = {"alternative": alternative, "confidence_level": 0.9}
    for of, given in [(moments(arms, columns), ("x", "y")), (moments(arms, ones(columns)), ("x", None))]:
        before = [f"{name}_before" if name else None for name in given]
        plain, with_covariate = tt.RatioOfMeans(*given, **asked), tt.RatioOfMeans(*given, *before, **asked)
        assert_equal(ratio_test(*of, level=0.9, alternative=alternative), theirs(plain, arms, columns))
        effect = ratio_test(*adjusted(*of), level=0.9, alternative=alternative)
        assert_equal(effect, theirs(with_covariate, arms, columns))


def test_a_covariate_that_does_not_vary_changes_nothing():
    arms, columns = users(5, (40, 60))
    columns[:, 2:] = 3.0
    of = moments(arms, columns)
    assert_equal(ratio_test(*adjusted(*of)), theirs(tt.RatioOfMeans(*COLUMNS), arms, columns))


def test_values_below_0():
    arms, columns = users(6, (40, 60))
    columns[:, 0] -= 10
    effect = ratio_test(*moments(arms, columns))
    assert_equal(effect, theirs(tt.RatioOfMeans("x", "y"), arms, columns))
    assert math.isfinite(effect.relative_low)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_ratio_and_its_sequential_interval_by_the_formulas_of_growthbook(level):
    """From docs.growthbook.io, "Statistical details" and "Sequential testing".

    Their scale is an approximation of that of the narrowest interval, so the planned number of users is converted.
    """
    arms, columns = users(9, (700, 800))
    effect = ratio_test(*moments(arms, columns), level=level)
    variance = 0.0
    for arm in (0, 1):
        x, y = columns[arms == arm, :2].T
        (of_x, of_both), (_, of_y) = np.cov(x, y)
        of_ratio = of_x / y.mean() ** 2 - 2 * x.mean() * of_both / y.mean() ** 3 + x.mean() ** 2 * of_y / y.mean() ** 4
        variance += of_ratio / len(x)
    assert effect.error == pytest.approx(math.sqrt(variance), rel=1e-9)
    n, tuned_for, alpha = len(arms), 1000, 1 - level
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tuned_for
    room = n * rho2 + 1
    half = math.sqrt(n * variance) * math.sqrt(2 * room * math.log(math.sqrt(room) / alpha) / (n**2 * rho2))
    exact = brentq(lambda r: r - math.log1p(r) + 2 * math.log(alpha), 1, 100, xtol=1e-14)
    assert half_width(effect.error, n, exact / rho2, level) == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize("users, method, planned", [((470, 529), "binom", 1), ((3000, 5800), "norm", 2)])
def test_sample_ratio(users, method, planned):
    metric = tt.SampleRatio(planned, method=method, correction=False)
    result = tt.Experiment(metric=metric).analyze(pl.DataFrame({"variant": np.repeat([0, 1], users)}))["metric"]
    assert sample_ratio(users, [1, planned]).p == pytest.approx(result.pvalue, rel=1e-9)


@pytest.mark.parametrize("given", [("x", "y"), COLUMNS])
@pytest.mark.parametrize("planned", [1, 0.6])
def test_power(given, planned):
    """Theirs begins to look at three users, so that it cannot plan arms as unlike as 1 to 4."""
    _, columns = users(8, (300, 300))
    plan = Plan.of(Moments.of(columns[:, : len(given)]), share=planned / (1 + planned), alpha=0.1)
    frame = pl.DataFrame(dict(zip(COLUMNS, columns.T, strict=True)))

    def solved(parameter, **asked):
        return tt.RatioOfMeans(*given, alpha=0.1, ratio=planned, **asked).solve_power(frame, parameter)[0]

    for effect in (0.02, 0.08):
        assert plan.power(effect, 5000) == pytest.approx(
            solved("power", effect_size=effect, n_obs=5000).power, abs=1e-9
        )
        assert plan.users(effect) == solved("n_obs", effect_size=effect).n_obs
    detected = solved("effect_size", n_obs=5000)
    assert plan.smallest_effect(5000) == pytest.approx(detected.effect_size, rel=1e-8)
    assert plan.smallest_effect(5000) / plan.value == pytest.approx(detected.rel_effect_size, rel=1e-8)
