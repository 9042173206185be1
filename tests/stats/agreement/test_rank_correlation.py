import math
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.stats.agreement.rank_correlation import grouped, rbo, tau_ap, tau_ap_b

# examples of the R package ircor (Urbano, tests/testthat/helper_data.R and test_tauAP.R), values to four decimals
SETS = [
    (
        (0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992),
        (0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988),
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
    (
        (0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38),
        (0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644),
        (0.2504, 0.2692, 0.2880, 0.2970),
    ),
    (
        (0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445),
        (0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25),
        (-0.6971, -0.5558, -0.6680, -0.7047),
    ),
]


@pytest.mark.parametrize("x, y, told", SETS)
def test_tau_ap_is_that_of_ircor(x, y, told):
    # rounding to one decimal makes the ties; 0.25 and 0.445 are rounded down there
    tied_x, tied_y = (np.round(np.array(values) - 1e-9, 1) for values in (x, y))
    found = (tau_ap(x, y), tau_ap(x, tied_y), tau_ap_b(x, y), tau_ap_b(tied_x, tied_y))
    assert found == pytest.approx(told, abs=5e-5)
    assert tau_ap_b(tied_y, tied_x) == pytest.approx(told[-1], abs=5e-5)


def naive(truth, order):
    """Yilmaz et al. (2008), of a list of things, best first."""
    terms = []
    for place in range(1, len(order)):
        above = [np.sign(truth[other] - truth[order[place]]) for other in order[:place]]
        terms.append(sum(above) / place)
    return sum(terms) / len(terms)


short = st.lists(st.integers(0, 3), min_size=2, max_size=5)


@given(short, st.randoms(use_true_random=False))
def test_equal_things_are_taken_in_all_orders(estimate, chance):
    truth = list(range(len(estimate)))
    chance.shuffle(truth)
    orders = [
        order
        for order in permutations(range(len(estimate)))
        if all(estimate[one] >= estimate[two] for one, two in pairwise(order))
    ]
    assert float(tau_ap(truth, estimate)) == pytest.approx(np.mean([naive(truth, order) for order in orders]))


def test_the_top_counts_more_and_the_whole_is_between_minus_one_and_one():
    truth = np.arange(6.0)
    assert (float(tau_ap(truth, truth)), float(tau_ap(truth, -truth))) == (1, -1)
    bottom, top = truth.copy(), truth.copy()
    bottom[[0, 1]], top[[5, 4]] = bottom[[1, 0]], top[[4, 5]]
    assert float(tau_ap(truth, bottom)) > float(tau_ap(truth, top))


def test_many_rankings_at_once():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 4, (2, 5, 3, 6)).astype(float)
    found = tau_ap(x, y)
    assert found.shape == (5, 3)
    assert found[4, 1] == tau_ap(x[4, 1], y[4, 1])


def test_one_thing_has_no_order():
    assert math.isnan(tau_ap([1.0], [1.0]))
    assert tau_ap(np.zeros((2, 1)), np.zeros((2, 1))).shape == (2,)
    assert math.isnan(tau_ap_b([1.0], [1.0]))
    assert math.isnan(tau_ap_b([1.0, 1], [1, 2]))
    assert float(tau_ap([1.0, 2], [3, 3])) == 0


# rank-biased overlap

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    "other, p, value",
    [  # test data of the Rust crate rbo (mpetri), which it checks against Webber's own program
        ("akdwcjomxrubqitenhspyl", 0.1, 0.948509),
        ("aptkn", 0.2, 0.892587),
        ("b", 0.4, 0.166238),
        ("yad", 0.4, 0.187572),
        ("f", 0.9, 0.053090),
        ("zclx", 0.9, 0.233312),
        ("nxqyk", 0.9, 0.049050),
        ("karfvodcjmwgzlypebunq", 0.9, 0.468431),
        ("zhatsimjpnkvcfxwqgoeryubd", 0.9, 0.364444),
    ],
)
def test_rbo_is_webbers(other, p, value):
    assert rbo(ALPHABET, other, p).value == pytest.approx(value, abs=1e-6)
    assert rbo(other, ALPHABET, p) == rbo(ALPHABET, other, p)


def test_rbo_with_equal_things_is_that_of_corsi_and_urbano():
    # the example of their program's description (julian-urbano/sigir2024-rbo), variant a
    x = ["red", {"blue", "green"}, "yellow", "pink"]
    y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    found = rbo(x, y, 0.95)
    assert (found.value, found.low, found.residual) == pytest.approx((0.6922853, 0.3310519, 0.5620173), abs=5e-8)


def long_sum(x, y, p, places=300):
    """The definition, over lists that are so long that the rest has no weight; what is after their end is common."""
    seen = set(), set()
    total = 0.0
    for d in range(1, places + 1):
        for mine, ranking in zip(seen, (x, y), strict=True):
            mine.update(ranking[d - 1 : d])
        total += (1 - p) * p ** (d - 1) * len(seen[0] & seen[1]) / d
    return total


lists = st.permutations(list("abcdefg")).flatmap(lambda order: st.integers(1, 7).map(lambda n: list(order[:n])))


@given(lists, lists, st.sampled_from([0.3, 0.8, 0.9]))
def test_bounds_are_what_the_worst_and_the_best_continuation_give(x, y, p):
    found = rbo(x, y, p)
    strange = ([f"x{n}" for n in range(300)], [f"y{n}" for n in range(300)])
    assert found.low == pytest.approx(long_sum(x + strange[0], y + strange[1], p), abs=1e-9)
    # the best: what the other has and this one has not comes next, then both go on alike
    more = [f"z{n}" for n in range(300)]
    best = long_sum(x + [one for one in y if one not in x] + more, y + [one for one in x if one not in y] + more, p)
    assert found.low + found.residual == pytest.approx(best, abs=1e-9)
    assert found.low - 1e-9 <= found.value <= found.low + found.residual + 1e-9


@given(st.lists(st.integers(0, 2), min_size=2, max_size=4), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_equal_things_overlap_as_the_mean_over_their_orders(x, y):
    y = y[: len(x)]

    def orders(values):
        groups = [list(permutations(sorted(group))) for group in grouped(values)]
        return [[thing for part in parts for thing in part] for parts in product(*groups)]

    found = [rbo(one, two, 0.6).value for one, two in product(orders(x), orders(y))]
    assert rbo(grouped(x), grouped(y), 0.6).value == pytest.approx(np.mean(found))


def test_the_same_and_nothing_in_common():
    assert rbo("abc", "abc").value == pytest.approx(1)
    assert rbo("abc", "def").value == pytest.approx(0)
    assert rbo("abc", "def").low == pytest.approx(0)


def test_the_first_places_have_the_weight_that_is_told():
    def weight(d, p):
        """Webber et al. (2010), eq. 21: of the first d places."""
        rest = sum(p**i / i for i in range(1, d))
        return 1 - p ** (d - 1) + (1 - p) / p * d * (math.log(1 / (1 - p)) - rest)

    assert (round(weight(10, 0.9), 2), round(weight(1, 0.5), 2), round(weight(3, 0.5), 2)) == (0.86, 0.69, 0.95)
    rankings = [f"a{n}" for n in range(10)], [f"a{n}" for n in range(10)]
    assert rbo(*rankings, 0.9).low == pytest.approx(weight(10, 0.9))


def test_what_cannot_be_compared():
    empty = rbo([], "abc")
    assert math.isnan(empty.value)
    assert (empty.low, empty.residual) == (0, 1)
    with pytest.raises(ValueError, match="'a' stands twice"):
        rbo(["a", {"b", "a"}], "abc")
    with pytest.raises(ValueError, match="above 0 and below 1, not 1"):
        rbo("a", "a", 1)
