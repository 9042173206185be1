import math

import numpy as np
import pytest

from neraca.stats.tests.rope import Posterior, signed_rank

SAMPLES = 50_000
#: Four standard deviations of a share of .5.
SLACK = 4 * 0.5 / math.sqrt(SAMPLES)


def shares_of(found):
    return found.less, found.within, found.more


def by_two_loops(d, rope, clusters=None, draws=2000):
    """Benavoli et al. (2017), sec. 4.2.2, by its formula: a 0 first, weights of a Dirichlet, every two of them."""
    d = np.concatenate([[0.0], d])
    numbers = (
        np.arange(len(d))
        if clusters is None
        else np.concatenate([[0], 1 + np.unique(clusters, return_inverse=True)[1]])
    )
    drawn = np.random.default_rng(99).dirichlet(np.ones(numbers.max() + 1), draws)[:, numbers]
    theta = np.zeros((draws, 3))
    for one, w in zip(d, drawn.T, strict=True):
        for other, v in zip(d, drawn.T, strict=True):
            theta[:, 0 if one + other < -2 * rope else 2 if one + other > 2 * rope else 1] += w * v
    shares = drawn.sum(axis=1) ** 2  # the weight of a session counts once for each of its items
    assert theta.sum(axis=1) == pytest.approx(shares)
    return np.bincount(theta.argmax(axis=1), minlength=3) / draws


@pytest.mark.parametrize("seed, n, shift, rope", [(1, 9, 0.1, 0.2), (2, 12, -0.3, 0.3), (3, 7, 0.0, 0.0)])
def test_it_is_the_double_sum(seed, n, shift, rope):
    d = np.random.default_rng(seed).normal(shift, 0.5, n)
    assert shares_of(signed_rank(d, rope)) == pytest.approx(by_two_loops(d, rope), abs=4 * 0.5 / math.sqrt(2000))


def test_sessions_are_drawn_as_a_whole():
    rng = np.random.default_rng(4)
    clusters = np.repeat([3, 8, 1, 5], [1, 4, 2, 3])[rng.permutation(10)]
    d = rng.normal(0.2, 0.4, 10)
    found = signed_rank(d, 0.15, clusters)
    assert shares_of(found) == pytest.approx(by_two_loops(d, 0.15, clusters), abs=4 * 0.5 / math.sqrt(2000))
    assert abs(found.more - signed_rank(d, 0.15).more) > 0.03


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_equal_differences_by_hand(n):
    """The weight u of the 0 has the distribution of the least of n even ones: P(u > x) = (1 - x)^n."""
    root = math.sqrt(0.5)
    # 1 is above also with the 0, so that within is u^2, the larger share where u > sqrt 1/2
    assert shares_of(signed_rank(np.ones(n), 0.4)) == pytest.approx(
        (0, (1 - root) ** n, 1 - (1 - root) ** n), abs=SLACK
    )
    # with the 0 it is within: above is (1 - u)^2, the larger share where u < 1 - sqrt 1/2
    assert shares_of(signed_rank(-np.ones(n), 0.6)) == pytest.approx((1 - root**n, root**n, 0), abs=SLACK)


@pytest.mark.parametrize(
    "seed, n, shift, rope, expected",
    [
        (1, 30, 0.1, 0.1, (0.0991, 0.00075, 0.90015)),
        (2, 15, 0.0, 0.5, (0.0045, 0.992, 0.0035)),
        (3, 60, 0.2, 0.1, (0.01065, 0.0, 0.98935)),
    ],
)
def test_it_is_that_of_baycomp(seed, n, shift, rope, expected):
    # baycomp 1.0.3: SignedRankTest.sample(zeros, d, rope, prior=1, nsamples=20000, random_state=1)
    d = np.random.default_rng(seed).normal(shift, 0.7, n)
    assert shares_of(signed_rank(d, rope)) == pytest.approx(expected, abs=0.012)


def test_the_three_are_all_there_is():
    found = signed_rank(np.random.default_rng(5).normal(0.1, 0.3, 25), 0.1)
    assert sum(shares_of(found)) == pytest.approx(1)
    assert min(shares_of(found)) > 0


def test_turning_the_sides_turns_the_chances():
    d = np.random.default_rng(6).normal(0.1, 0.3, 20)
    one, other = signed_rank(d, 0.05), signed_rank(-d, 0.05)
    assert shares_of(one)[::-1] == pytest.approx(shares_of(other), abs=SLACK)
    even = signed_rank(np.concatenate([d, -d]), 0.05)
    assert even.less == pytest.approx(even.more, abs=1.5 * SLACK)


def test_a_wider_region_holds_more():
    d = np.random.default_rng(7).normal(0.1, 0.3, 20)
    within = [signed_rank(d, rope).within for rope in (0, 0.05, 0.1, 0.2, 0.4, math.inf)]
    assert within == sorted(within)
    assert within[-1] == 1


def test_what_is_exactly_as_large_as_the_region_is_within():
    for d, rope in ((0.1 + 0.2, 0.3), (-0.1 - 0.2, 0.3), (1 - 0.9, 0.1)):
        assert signed_rank(np.full(3, d), rope).within == 1
    assert signed_rank(np.zeros(3), 0).within == 1


def test_no_items_are_what_was_believed_before():
    assert signed_rank(np.array([]), 0.1) == Posterior(0, 1, 0)
    assert signed_rank(np.array([]), 0.1, np.array([], int)) == Posterior(0, 1, 0)


def test_sessions_of_one_item_are_no_sessions():
    d = np.random.default_rng(8).normal(0.1, 0.3, 20)
    assert signed_rank(d, 0.1, np.arange(20)) == signed_rank(d, 0.1)
    assert shares_of(signed_rank(d, 0.1, 50 - np.arange(20))) == pytest.approx(
        shares_of(signed_rank(d, 0.1)), abs=SLACK
    )


def test_the_seed_decides():
    d = np.random.default_rng(9).normal(0.1, 0.3, 20)
    assert signed_rank(d, 0.1, seed=1) == signed_rank(d, 0.1, seed=1)
    assert signed_rank(d, 0.1, seed=1) != signed_rank(d, 0.1, seed=2)


def test_that_weights_are_drawn_in_parts_changes_nothing():
    d = np.append(np.random.default_rng(1).normal(0.1, 0.3, 200), 0.0)
    order = np.argsort(d)
    weights = np.random.default_rng(5).standard_exponential((1000, 201))[:, order]
    weights /= weights.sum(axis=1, keepdims=True)
    sums = d[order] + d[order][:, None]
    less, more = (np.einsum("si,ij,sj->s", weights, beyond, weights) for beyond in (sums < -0.2, sums > 0.2))
    largest = np.argmax([less, 1 - less - more, more], axis=0)
    found = signed_rank(d[:-1], 0.1, seed=5, samples=1000)
    assert shares_of(found) == tuple((np.bincount(largest, minlength=3) / 1000).tolist())


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_the_unit_does_not_matter(size):
    d = np.random.default_rng(2).normal(0.1, 0.3, 20)
    assert signed_rank(d * size, 0.1 * size) == signed_rank(d, 0.1)


def test_what_is_no_number_has_no_chance():
    for wrong in (math.nan, math.inf):
        assert all(map(math.isnan, shares_of(signed_rank(np.array([0.1, wrong]), 0.1))))


@pytest.mark.parametrize("rope", [-0.1, math.nan])
def test_a_region_below_0_is_refused(rope):
    with pytest.raises(ValueError, match=f"the region of practical equivalence is {rope:g}"):
        signed_rank(np.ones(3), rope)


def test_it_is_about_differences_and_not_about_their_mean():
    """As the docstring says: a mean of 0 that is known to 0.03, and differences of which few are within 0.1."""
    d = np.random.default_rng(3).normal(0, 1, 1000)
    d -= d.mean()
    found = signed_rank(d, 0.1)
    assert found.within < 0.001
    assert 0.2 < found.more < 0.8


def test_of_many_items_fewer_samples_are_drawn():
    """As many above as below, each as likely to weigh more: one half, in steps of one of 5,000 draws."""
    found = signed_rank(np.linspace(-1, 1, 2000), 0.1)
    assert found.more == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(5000))
    assert [round(share * 5000, 6) % 1 for share in shares_of(found)] == [0, 0, 0]
