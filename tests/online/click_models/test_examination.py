"""How far users look by the position-based model: by hand, beside Poisson regression, and how often intervals hold."""

import numpy as np
import pytest
import statsmodels.api as sm
from online.click_models.simulated import counted_log, lists_of_pairs
from online.click_models.test_models import small_log

from neraca.online.click_models.examination import estimate_examination, uncertainty
from neraca.online.click_models.fits import fit_models, with_intervals
from neraca.online.click_models.position_based import PositionBased, comparable_ranks

LOOKS = np.array([1.0, 0.6, 0.4, 0.2])


def log_of(seed, searches=1500, queries=60, moved=0.4):
    """Documents with a few clicks each."""
    attraction = np.random.default_rng(seed).beta(1, 3, queries * len(LOOKS))
    rng = np.random.default_rng(seed)
    pairs = lists_of_pairs(rng, searches, queries, len(LOOKS), moved)
    return counted_log(pairs, PositionBased(attraction, LOOKS, np.zeros(len(LOOKS))).simulate(rng, pairs), queries)


def test_one_document_at_two_ranks_by_hand():
    """400 impressions at each rank, 200 clicks and 100, and half a click more at both: 100.5 of 200.5."""
    rows = [("a b", [1]), ("a b", [1]), ("a b", []), ("a b", []), ("b a", [2]), ("b a", []), ("b a", []), ("b a", [])]
    log = small_log(rows * 100, depth=2)
    estimate = estimate_examination(log.fitted, log.pairs, np.array([True, True]))
    assert np.exp(estimate.log) == pytest.approx([1, 100.5 / 200.5], rel=1e-9)
    assert estimate.converged


def test_it_is_poisson_regression_with_an_intercept_for_each_document():
    """And its variance is the sandwich by query, without the factors for few queries (statsmodels, HC0 of sums)."""
    log = log_of(3, searches=20_000, queries=20)
    sample = log.fitted
    estimate = estimate_examination(sample, log.pairs, comparable_ranks(sample, log.pairs))
    columns = np.zeros((len(sample.pair), log.pairs + 3))
    columns[np.arange(len(sample.pair)), sample.pair] = 1
    below = sample.rank > 0
    columns[below, log.pairs + sample.rank[below] - 1] = 1
    model = sm.GLM(sample.clicks, columns, family=sm.families.Poisson(), exposure=sample.impressions)
    groups = {"groups": log.query[sample.pair], "use_correction": False}
    fit = model.fit(cov_type="cluster", cov_kwds=groups)
    assert estimate.log[1:] == pytest.approx(fit.params[log.pairs :], abs=5e-3)
    spread = uncertainty(estimate, sample, log.pairs, log.query)
    assert np.sqrt(np.diag(spread.covariance))[1:] == pytest.approx(fit.bse[log.pairs :], rel=5e-3)


def test_documents_with_few_clicks_do_not_move_the_estimate():
    """The mean of 60 logs, in which a document has three clicks, is the truth; the error of the mean is below 0.01."""
    values = []
    for seed in range(60):
        log = log_of(seed)
        values.append(fit_models(log, ["PBM"])[0][0].views.value)
    assert np.mean(values, axis=0) == pytest.approx(LOOKS, abs=0.02)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 3 ranks in 60 logs 95 % should hold: 171 of 180."""
    held = 0
    for seed in range(60):
        log = log_of(seed)
        views = with_intervals(fit_models(log, ["PBM"])[0][0], log).views
        held += int(((views.low <= LOOKS) & (views.high >= LOOKS))[1:].sum())
    assert 162 <= held <= 179


def test_a_rank_without_a_click_has_a_finite_value_and_a_wide_interval():
    """The document was seen 30 times at rank 2; by three of 30 users looking there it would have been clicked twice."""
    logs = [("a b", [1]), ("a b", []), ("b a", [])] * 30
    log = small_log(logs, depth=2)
    estimate = estimate_examination(log.fitted, log.pairs, comparable_ranks(log.fitted, log.pairs))
    assert np.exp(estimate.log[1]) < 0.1
    spread = uncertainty(estimate, log.fitted, log.pairs, log.query)
    assert np.sqrt(spread.covariance[1, 1]) > 1


def test_more_users_at_rank_2_than_at_rank_1_count_as_all():
    log = small_log([("a b", [1]), ("a b", []), ("a b", []), ("b a", [2]), ("b a", [2]), ("b a", [])] * 50, depth=2)
    fit = fit_models(log, ["PBM"])[0][0]
    assert fit.views.value.tolist() == [1, 1]


def test_only_a_fitted_model_has_intervals():
    log = log_of(1)
    with pytest.raises(ValueError, match="not fitted"):
        PositionBased(np.zeros(2), np.ones(2), np.zeros(2)).intervals(log.fitted, log.query)
