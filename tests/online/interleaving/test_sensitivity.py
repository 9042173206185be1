"""How many searches each design needs: the parts that are computed by hand, the rest by what it must be able to do."""

import math

import numpy as np
import pytest

from neraca.errors import InputError, SpecError
from neraca.online.interleaving.sensitivity import PlanOptions, PositionClicks, plan_interleaving
from neraca.stats.tests.sign import sign_test

ALL_SEEN = PositionClicks(noise=0.0, best=1.0, decay=0.0)
GOOD = {"q": {"good": 1.0}}


def plan(a, b, grades=GOOD, **options):
    return plan_interleaving({"a": a, "b": b}, grades, PlanOptions(**{"searches": 400, **options}))


def test_a_click_on_the_one_good_document_always_tells_who_ranks_it():
    """a shows it and b does not: a wins each search; click-through is 1 against 0."""
    found = plan({"q": ["good", "x"]}, {"q": ["y", "z"]}, clicks=ALL_SEEN, length=2)
    assert (found.interleaving.effect, found.interleaving.sd) == (1, 0)
    assert (found.ab.effect, found.ab.sd) == (1, 0)


def test_the_searches_of_an_ab_test_are_those_of_the_textbook():
    """Click-through 0.6 against 0.5: (1.959964 + 0.841621)^2 * 2 (0.24 + 0.25) / 0.1^2 = 769.2, both arms together."""
    users = PositionClicks(noise=0.5, best=0.6, decay=0.0)
    found = plan({"q": ["good"]}, {"q": ["x"]}, clicks=users, length=1)
    assert found.ab.effect == pytest.approx(0.1)
    assert found.ab.searches == 770
    assert found.rows()[1]["searches"] == 770


def test_rankers_that_return_the_same_cannot_be_told_apart():
    found = plan({"q": ["good", "x"]}, {"q": ["good", "x"]}, searches=2000)
    assert found.interleaving.searches is None
    assert found.interleaving.at_least > 1000
    assert found.ab.searches is None
    assert math.isnan(found.factor)


def test_with_so_many_searches_the_better_ranker_is_found_in_eight_of_ten():
    """The searches said, drawn from another seed: 200 experiments; 0.8 and four standard errors of 0.028."""
    a, b = {"q": ["x", "good", "y"]}, {"q": ["x", "y", "good"]}
    said = plan(a, b, searches=6000, length=3, clicks=PositionClicks(noise=0.2, best=0.5)).interleaving
    assert said.searches > 200, "or the sign test has too few values to be compared"
    rng = np.random.default_rng(1)
    effect, decided = said.effect, said.sd**2 + said.effect**2
    found = 0
    for _ in range(200):
        outcomes = rng.choice(
            [1.0, -1.0, 0.0], said.searches, p=[(decided + effect) / 2, (decided - effect) / 2, 1 - decided]
        )
        found += sign_test(outcomes).p < 0.05
    assert found / 200 == pytest.approx(0.8, abs=4 * 0.028)


@pytest.mark.parametrize("method", ["team_draft", "probabilistic", "optimised"])
def test_users_who_click_by_chance_prefer_nobody(method):
    a, b = {"q": ["good", *"xyz"]}, {"q": [*"xyz", "good"]}
    found = plan(a, b, method=method, searches=2000, length=4)
    assert abs(found.chance.effect) < 4.5 * found.chance.sd / 2000**0.5
    assert found.interleaving.effect > 0


def test_what_cannot_be_simulated_is_an_error():
    with pytest.raises(InputError, match="same ids"):
        plan({"q": ["x"]}, {"other": ["x"]})
    with pytest.raises(InputError, match="grade above 0"):
        plan({"q": ["x"]}, {"q": ["y"]}, {"q": {"x": 0.0}})
    with pytest.raises(SpecError, match="0 <= noise <= best <= 1"):
        PositionClicks(noise=0.7, best=0.6)
    with pytest.raises(SpecError, match="must satisfy 0 < alpha < power < 1"):
        PlanOptions(alpha=0.9)
    with pytest.raises(SpecError, match="searches at least 100"):
        PlanOptions(searches=10)
    with pytest.raises(SpecError, match="two rankers, not 3"):
        plan_interleaving({name: {"q": ["x"]} for name in "abc"}, GOOD)
