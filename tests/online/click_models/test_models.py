"""Each model by hand on small logs, and each estimator against its own simulator."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from online.click_models.simulated import simulated_log

from neraca.errors import InputError
from neraca.online.click_models.cascade import Cascade
from neraca.online.click_models.click_chain import ClickChain
from neraca.online.click_models.click_log import ClickLogOptions, click_log
from neraca.online.click_models.dependent_click import DependentClick
from neraca.online.click_models.dynamic_bayesian import DynamicBayesian, SimplifiedDynamicBayesian
from neraca.online.click_models.examination_chain import Chain, posterior
from neraca.online.click_models.fits import fit_models, groups_of_queries, read_names, with_intervals
from neraca.online.click_models.model import CLICK_MODELS, Prior
from neraca.online.click_models.position_based import PositionBased

QUERIES, DEPTH = 40, 5
RNG = np.random.default_rng(11)
ATTRACTION = RNG.beta(1, 2, QUERIES * DEPTH)
SATISFACTION = RNG.beta(2, 2, QUERIES * DEPTH)
LOOKS = np.array([1.0, 0.7, 0.5, 0.35, 0.25])
TRUE = {
    "PBM": PositionBased(ATTRACTION, LOOKS, np.zeros(DEPTH)),
    "CM": Cascade(ATTRACTION),
    "DCM": DependentClick(ATTRACTION, np.array([0.8, 0.7, 0.6, 0.5, np.nan])),
    "SDBN": SimplifiedDynamicBayesian(ATTRACTION, SATISFACTION, 1.0),
    "DBN": DynamicBayesian(ATTRACTION, SATISFACTION, 0.8),
    "CCM": ClickChain(ATTRACTION, np.array([0.9, 0.7, 0.3])),
}


@cache
def log_of(name):
    return simulated_log(TRUE[name], 8000, QUERIES, DEPTH, seed=3, held_out=0.2)


def small_log(rows, depth=3, **options):
    """Rows of (shown, clicked) for one query, each in a session of its own."""
    frame = pl.DataFrame(
        {
            "user": [f"u{n}" for n in range(len(rows))],
            "session": [f"s{n}" for n in range(len(rows))],
            "query": ["Red  Shoes", "red shoes"] * (len(rows) // 2) + ["red shoes"] * (len(rows) % 2),
            "shown": [shown.split() for shown, _ in rows],
            "clicked": [list(clicked) for _, clicked in rows],
        },
        schema_overrides={"clicked": pl.List(pl.Int64)},
    )
    return click_log([frame], ClickLogOptions(depth=depth, held_out=0, **options))


def test_all_models_of_the_field_are_registered():
    assert CLICK_MODELS.names() == read_names(["all"]) == ["CCM", "CM", "DBN", "DCM", "PBM", "SDBN"]
    assert read_names(["PBM,DCM", "PBM"]) == ["PBM", "DCM"]


def test_cascade_by_hand():
    """Down to the first click: a 4 looks and 2 clicks, b 2 and 1, c 1 and 0; and 1 click in 2 looks before each."""
    log = small_log([("a b c", [1]), ("a b c", [1, 3]), ("a b c", [2]), ("a b c", [])])
    model = Cascade.fit(log.fitted, log.pairs, prior=Prior(0.5, 2))
    assert log.documents == ["a", "b", "c"]
    assert model.attraction == pytest.approx([3 / 6, 2 / 4, 1 / 3])
    assert model.views(log.fitted) == pytest.approx([1, 1 / 2, 1 / 4])


@pytest.mark.parametrize(
    "clicks, looked", [([0, 1, 0], [1, 1, 3 / 7]), ([0, 0, 0], [1, 7 / 23, 3 / 23]), ([0, 0, 1], [1, 1, 1])]
)
def test_who_looked_how_far_by_hand(clicks, looked):
    """All probabilities are 1/2, but the last document attracts with 1/4.

    After the click on b 1/2 left; 1/2 went on, of whom 3/4 did not click c: 3/8 of 3/8 + 4/8.  Without a click, 1/4
    left after a, 1/16 after b, and 1/16 · 3/4 saw all three: 16, 4 and 3 of 23.
    """
    half = np.full((1, 3), 0.5)
    chain = Chain(np.array([[0.5, 0.5, 0.25]]), half, half)
    found = posterior(chain, np.array([clicks], dtype=bool))
    assert found.looked[0] == pytest.approx(looked)


def test_position_based_by_hand():
    """a was shown 4 times at rank 1 and 4 at rank 2, where it got half of the clicks: half as many look there."""
    rows = [("a b", [1]), ("a b", [1]), ("a b", []), ("a b", []), ("b a", [2]), ("b a", []), ("b a", []), ("b a", [])]
    log = small_log(rows, depth=2)
    model = PositionBased.fit(log.fitted, log.pairs, prior=Prior(0.5, 1e-9))
    assert model.attraction[0] == pytest.approx(0.5, abs=0.1)
    assert model.converged
    many = small_log(rows * 500, depth=2)
    model = PositionBased.fit(many.fitted, many.pairs, prior=Prior(0.5, 1e-9))
    assert model.attraction == pytest.approx([0.5, 0], abs=1e-3)
    assert model.views(many.fitted) == pytest.approx([1, 0.5], abs=1e-3)


def test_position_based_refuses_a_log_that_cannot_tell_ranks_apart():
    log = small_log([("a b c", [1]), ("a b c", [2])] * 3)
    with pytest.raises(InputError, match=r"no clicked document was shown at two ranks .*swap two neighbours"):
        PositionBased.fit(log.fitted, log.pairs)
    fits, refused = fit_models(log, ["PBM", "DCM"])
    assert [fit.name for fit in fits] == ["DCM"]
    assert list(refused) == ["PBM"]


def test_a_rank_that_no_document_links_with_the_others_is_not_estimated():
    log = small_log([("a b c", [1, 3]), ("b a c", [2]), ("a b c", [])] * 5)
    model = PositionBased.fit(log.fitted, log.pairs)
    assert np.isnan(model.examination).tolist() == [False, False, True]
    assert np.isfinite(model.likelihood(log.fitted).marginal).all()


@pytest.mark.parametrize("name", TRUE)
def test_the_estimator_finds_what_its_simulator_does(name):
    """Every number by rank lies within its interval, and the documents attract as they did."""
    log = log_of(name)
    fit = with_intervals(fit_models(log, [name])[0][0], log, groups=8, level=0.99)
    truth = TRUE[name]
    names = [f"d{number:06d}" for number in range(QUERIES * DEPTH)]
    assert log.documents == names
    pairs = [("views", fit.views, truth.views(log.fitted))]
    pairs += [(key, fit.parameters[key], value) for key, value in truth.parameters().items()]
    for key, found, value in pairs:
        known = ~np.isnan(found.low) & ~np.isnan(value)
        assert known.sum() >= len(value) - 1, key
        assert (found.low[known] <= value[known]).all(), (key, found.low, value)
        assert (found.high[known] >= value[known]).all(), (key, found.high, value)
        assert (found.high - found.low)[known].max() < 0.25, key
    assert np.corrcoef(fit.model.attraction, ATTRACTION)[0, 1] > 0.95
    assert fit.model.converged
    assert fit.groups == (8 if name != "PBM" else 0)
    assert (fit.queries > 5) == (name == "PBM")


@pytest.mark.parametrize("name", ["PBM", "CM", "DCM", "DBN"])
def test_the_model_that_made_the_clicks_predicts_them_best(name):
    log = log_of(name)
    fits, _ = fit_models(log, ["PBM", "CM", "DCM", "DBN"])
    best = max(fits, key=lambda fit: fit.prediction.log_likelihood)
    assert best.name in {name, *(["DBN"] if name in ("CM", "DCM") else [])}
    truth = TRUE[name].likelihood(log.held_out).conditional.sum() / log.held_out.searches
    assert best.prediction.log_likelihood == pytest.approx(truth, abs=0.06)
    assert best.prediction.searches == log.held_out.searches


def test_perplexity_by_hand():
    """A model that says 1/2 at both ranks has perplexity 2, and log-likelihood 2 log(1/2) a search."""
    log = small_log([("a b", [1]), ("b a", [2])], depth=2)
    model = PositionBased(np.array([0.5, 0.5]), np.array([1.0, 1.0]), np.zeros(2))
    found = model.likelihood(log.fitted)
    assert np.exp(-found.marginal / found.n) == pytest.approx([2, 2])
    assert found.conditional.sum() / 2 == pytest.approx(2 * np.log(0.5))


def test_a_click_that_a_model_excludes_costs_a_finite_amount():
    log = small_log([("a b", [1, 2])] * 4, depth=2)
    model = Cascade.fit(log.fitted, log.pairs)
    assert model.likelihood(log.fitted).conditional[1] == pytest.approx(4 * np.log(1e-6))


def test_groups_hold_all_queries_and_about_as_many_searches():
    searches = RNG.integers(0, 100, 200)
    group = groups_of_queries(searches, 10)
    sums = np.bincount(group[searches > 0], searches[searches > 0])
    assert len(sums) == 10
    assert sums.max() - sums.min() < 100
    assert (group[searches == 0] == -1).all()


def test_a_handful_of_queries_gives_no_interval():
    log = small_log([("a b", [1]), ("b a", [2])] * 5, depth=2)
    fit = with_intervals(fit_models(log, ["PBM"])[0][0], log)
    assert fit.groups == 0
    assert np.isnan(fit.views.low).all()
