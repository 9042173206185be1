import math

import numpy as np
import pytest

from neraca.stats import rope as module
from neraca.stats.rope import Posterior, signed_rank, signs

SAMPLES = 50_000
#: Four standard deviations of a share of .5.
SLACK = 4 * 0.5 / math.sqrt(SAMPLES)
BOTH = pytest.mark.parametrize("test", [signed_rank, signs])


def told(found):
    return found.less, found.within, found.more


def by_two_loops(d, rope, clusters=None, draws=4000):
    """Benavoli et al. (2017), sec. 4.2.2, by its formula: a 0 first, weights of a Dirichlet, every two of them."""
    d = np.concatenate([[0.0], d])
    whose = np.arange(len(d)) if clusters is None else np.concatenate([[-1], clusters])
    numbers = sorted(set(whose.tolist()))
    rng = np.random.default_rng(99)
    won = np.zeros(3)
    for _ in range(draws):
        drawn = dict(zip(numbers, rng.dirichlet(np.ones(len(numbers))), strict=True))
        weights = np.array([drawn[number] for number in whose])
        theta = [0.0, 0.0, 0.0]
        for one, w in zip(d, weights, strict=True):
            for other, v in zip(d, weights, strict=True):
                theta[0 if one + other < -2 * rope else 2 if one + other > 2 * rope else 1] += w * v
        won[theta.index(max(theta))] += 1
    return won / draws


@pytest.mark.parametrize("seed, n, shift, rope", [(1, 9, 0.1, 0.2), (2, 12, -0.3, 0.3), (3, 7, 0.0, 0.0)])
def test_it_is_the_double_sum(seed, n, shift, rope):
    d = np.random.default_rng(seed).normal(shift, 0.5, n)
    assert told(signed_rank(d, rope)) == pytest.approx(by_two_loops(d, rope), abs=4 * 0.5 / math.sqrt(4000))


def test_sessions_are_drawn_as_a_whole():
    rng = np.random.default_rng(4)
    clusters = np.repeat([3, 8, 1, 5], [1, 4, 2, 3])[rng.permutation(10)]
    d = rng.normal(0.2, 0.4, 10)
    found = signed_rank(d, 0.15, clusters)
    assert told(found) == pytest.approx(by_two_loops(d, 0.15, clusters), abs=4 * 0.5 / math.sqrt(4000))
    assert abs(found.more - signed_rank(d, 0.15).more) > 0.03


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_equal_differences_by_hand(n):
    """The weight u of the 0 has the distribution of the least of n even ones: P(u > x) = (1 - x)^n."""
    root = math.sqrt(0.5)
    # 1 is above also with the 0, so that within is u^2, the larger share where u > sqrt 1/2
    assert told(signed_rank(np.ones(n), 0.4)) == pytest.approx((0, (1 - root) ** n, 1 - (1 - root) ** n), abs=SLACK)
    # with the 0 it is within: above is (1 - u)^2, the larger share where u < 1 - sqrt 1/2
    assert told(signed_rank(-np.ones(n), 0.6)) == pytest.approx((1 - root**n, root**n, 0), abs=SLACK)
    # single signs: above is 1 - u
    assert told(signs(np.ones(n), 0.6)) == pytest.approx((0, 0.5**n, 1 - 0.5**n), abs=SLACK)


def test_signs_by_hand():
    """One below, one above, one within and the 0: the largest of Dir(1, 2, 1)."""
    rng = np.random.default_rng(0)
    expected = np.bincount(rng.dirichlet([1, 2, 1], 200_000).argmax(axis=1), minlength=3) / 200_000
    assert told(signs(np.array([-1, 0.1, 1]), 0.2)) == pytest.approx(expected, abs=1.2 * SLACK)


@pytest.mark.parametrize(
    "seed, n, shift, rope, ranks, single",
    [
        (1, 30, 0.1, 0.1, (0.0991, 0.00075, 0.90015), (0.0541, 0.00242, 0.94348)),
        (2, 15, 0.0, 0.5, (0.0045, 0.992, 0.0035), (0.00474, 0.94986, 0.0454)),
        (3, 60, 0.2, 0.1, (0.01065, 0.0, 0.98935), (0.0273, 0.00568, 0.96702)),
    ],
)
def test_it_is_that_of_baycomp(seed, n, shift, rope, ranks, single):
    # baycomp 1.0.3: SignedRankTest.sample(zeros, d, rope, prior=1, nsamples=20000, random_state=1), SignTest's 50,000
    d = np.random.default_rng(seed).normal(shift, 0.7, n)
    assert told(signed_rank(d, rope)) == pytest.approx(ranks, abs=0.012)
    assert told(signs(d, rope)) == pytest.approx(single, abs=0.01)


@BOTH
def test_the_three_are_all_there_is(test):
    found = test(np.random.default_rng(5).normal(0.1, 0.3, 25), 0.1)
    assert sum(told(found)) == pytest.approx(1)
    assert min(told(found)) > 0


@BOTH
def test_turning_the_sides_turns_the_chances(test):
    d = np.random.default_rng(6).normal(0.1, 0.3, 20)
    one, other = test(d, 0.05), test(-d, 0.05)
    assert told(one)[::-1] == pytest.approx(told(other), abs=SLACK)
    even = test(np.concatenate([d, -d]), 0.05)
    assert even.less == pytest.approx(even.more, abs=1.5 * SLACK)


@BOTH
def test_a_wider_region_holds_more(test):
    d = np.random.default_rng(7).normal(0.1, 0.3, 20)
    within = [test(d, rope).within for rope in (0, 0.05, 0.1, 0.2, 0.4, math.inf)]
    assert within == sorted(within)
    assert within[-1] == 1


@BOTH
def test_what_is_exactly_as_large_as_the_region_is_within(test):
    for d, rope in ((0.1 + 0.2, 0.3), (-0.1 - 0.2, 0.3), (1 - 0.9, 0.1)):
        assert test(np.full(3, d), rope).within == 1
    assert test(np.zeros(3), 0).within == 1


@BOTH
def test_no_items_are_what_was_believed_before(test):
    assert test(np.array([]), 0.1) == Posterior(0, 1, 0)
    assert test(np.array([]), 0.1, np.array([], int)) == Posterior(0, 1, 0)


@BOTH
def test_sessions_of_one_item_are_no_sessions(test):
    d = np.random.default_rng(8).normal(0.1, 0.3, 20)
    assert test(d, 0.1, np.arange(20)) == test(d, 0.1)
    assert told(test(d, 0.1, 50 - np.arange(20))) == pytest.approx(told(test(d, 0.1)), abs=SLACK)


@BOTH
def test_the_seed_decides(test):
    d = np.random.default_rng(9).normal(0.1, 0.3, 20)
    assert test(d, 0.1, seed=1) == test(d, 0.1, seed=1)
    assert test(d, 0.1, seed=1) != test(d, 0.1, seed=2)


@BOTH
@pytest.mark.parametrize("cells", [1, 100, 1 << 22])
def test_how_many_are_drawn_at_once_changes_nothing(test, cells, monkeypatch):
    d = np.random.default_rng(1).normal(0.1, 0.3, 20)
    expected = test(d, 0.1, samples=500)
    monkeypatch.setattr(module, "_AT_ONCE", cells)
    assert test(d, 0.1, samples=500) == expected


@BOTH
@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_the_unit_does_not_matter(test, size):
    d = np.random.default_rng(2).normal(0.1, 0.3, 20)
    assert test(d * size, 0.1 * size) == test(d, 0.1)


@BOTH
def test_what_is_no_number_has_no_chance(test):
    for wrong in (math.nan, math.inf):
        assert all(map(math.isnan, told(test(np.array([0.1, wrong]), 0.1))))


@BOTH
@pytest.mark.parametrize("rope", [-0.1, math.nan])
def test_a_region_below_0_is_refused(test, rope):
    with pytest.raises(ValueError, match=f"the region of practical equivalence is {rope:g}"):
        test(np.ones(3), rope)


def test_it_is_about_differences_and_not_about_their_mean():
    """As the docstring says: a mean of 0 that is known to 0.03, and differences of which few are within 0.1."""
    d = np.random.default_rng(3).normal(0, 1, 1000)
    d -= d.mean()
    found = signed_rank(d, 0.1)
    assert found.within < 0.001
    assert 0.2 < found.more < 0.8


@BOTH
def test_of_many_items_fewer_samples_are_drawn(test):
    """As many above as below, each as likely to weigh more: one half, in steps of one of 5,000 draws."""
    found = test(np.linspace(-1, 1, 2000), 0.1)
    assert found.more == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(5000))
    assert [round(share * 5000, 6) % 1 for share in told(found)] == [0, 0, 0]
