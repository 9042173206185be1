"""What holds for every paired test."""

import numpy as np
import pytest

from neraca.stats.tests.paired import Sample, t_test
from neraca.stats.tests.paired_tests import TESTS

#: Five shares each way, six right on one side alone: every test takes them.
SHARES = np.repeat([1.0, -1.0, 0.0], [14, 5, 21])
EVERY = pytest.mark.parametrize("name", TESTS)


def run(name, d, clusters=None, level=0.95, seed=0):
    return TESTS[name](
        [Sample(np.array(d, dtype=float), None if clusters is None else np.array(clusters))], level, seed
    )[0]


@EVERY
def test_it_says_who_it_is_and_how_it_was_made(name):
    made = {"randomisation": "(flips=100000, seed=5)", "bootstrap": "(samples=10000, seed=5)", "wilcoxon": "(exact)"}
    assert run(name, SHARES, seed=5).test == name + made.get(name, "")


@EVERY
def test_the_difference_and_its_error_are_those_of_the_mean(name):
    clusters = np.arange(40) // 3
    found, student = run(name, SHARES, clusters), t_test(SHARES, clusters)
    assert (found.difference, found.error, found.n) == (pytest.approx(9 / 40), pytest.approx(student.error), 40)


@EVERY
@pytest.mark.parametrize("clusters", [None, np.arange(40) // 2])
def test_turning_the_sides_turns_the_signs(name, clusters):
    one, other = run(name, SHARES, clusters), run(name, -SHARES, clusters)
    # float32 and quantiles between two draws
    turned = pytest.approx((-other.difference, -other.high, -other.low, other.p), abs=0.003)
    assert (one.difference, one.low, one.high, one.p) == turned
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.statistic > 0


@EVERY
def test_the_order_of_items_and_the_numbers_of_sessions_do_not_matter(name):
    clusters = np.arange(40) // 8
    order = np.random.default_rng(1).permutation(40)
    one, other = run(name, SHARES, clusters), run(name, SHARES[order], 100 - 7 * clusters[order])
    assert (one.p, one.difference) == (pytest.approx(other.p, abs=0.02), pytest.approx(other.difference))


@EVERY
def test_sessions_of_one_item_are_no_sessions(name):
    one, other = run(name, SHARES), run(name, SHARES, np.arange(40))
    assert (one.p, one.low, one.high) == pytest.approx((other.p, other.low, other.high), rel=1e-9)


@EVERY
def test_a_wider_level_gives_a_wider_interval(name):
    narrow, wide = run(name, SHARES, level=0.5), run(name, SHARES, level=0.99)
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert wide.low < wide.high
    assert narrow.p == wide.p


@EVERY
@pytest.mark.parametrize("shares", [0.3, 0.05])
def test_the_interval_leaves_0_out_where_p_is_small_and_not_where_it_is_large(name, shares):
    d = np.random.default_rng(3).normal(0.3 if shares < 0.1 else 0.0, 1, 60)
    d = np.sign(d) if name == "mcnemar" else d
    found = run(name, d)
    assert (found.p < 0.05) == (shares < 0.1)
    assert (found.low <= 0 <= found.high) == (found.p >= 0.05)


@EVERY
def test_no_items(name):
    found = run(name, [])
    assert found.n == 0
    assert np.isnan([found.difference, found.low, found.high, found.p, found.statistic, found.error]).all()


@EVERY
@pytest.mark.parametrize("n", [1, 3, 60])
def test_no_difference_anywhere_is_no_evidence(name, n):
    found = run(name, np.zeros(n), np.arange(n) // 2)
    assert (found.difference, found.low, found.high, found.p, found.statistic, found.n) == (0, 0, 0, 1, 0, n)


@pytest.mark.parametrize("name", [name for name in TESTS if name != "mcnemar"])
def test_a_difference_that_is_not_defined_is_not_tested(name):
    for wrong in (np.nan, np.inf):
        found = run(name, [0.5, wrong, 0.25])
        assert not np.isfinite(found.difference)
        assert np.isnan([found.low, found.high, found.p, found.error]).all()


@EVERY
@pytest.mark.parametrize("d, clusters", [([1.0], None), ([1.0, 1, 0], [5, 5, 5])])
def test_a_single_source_of_chance_shows_nothing(name, d, clusters):
    """Several items of one source cannot be tested; of one item counting tests say p = 1 (either sign is as likely)."""
    found = run(name, d, clusters)
    p = 1 if clusters is None and name in ("wilcoxon", "sign", "randomisation", "mcnemar") else np.nan
    assert found.p == pytest.approx(p, nan_ok=True)
    assert found.difference == pytest.approx(np.mean(d))
    assert np.isnan(found.error)
    if name != "mcnemar":
        assert np.isnan([found.low, found.high]).all()


@EVERY
def test_the_same_difference_throughout(name):
    """Ten signs that agree are rare, however large the differences are: 2 of 1,024."""
    found = run(name, [1.0] * 10)
    assert found.difference == 1
    assert found.p == pytest.approx(np.nan if name in ("t", "bootstrap") else 2 / 1024, nan_ok=True)
    assert np.isnan(found.error)
    if name not in ("t", "bootstrap", "mcnemar"):
        assert (found.low, found.high) == (1, 1)


@pytest.mark.parametrize("name", ["wilcoxon", "sign"])
def test_ranks_and_signs_may_point_elsewhere_than_the_mean(name):
    found = run(name, [0.1] * 20 + [-9])
    assert found.difference < 0 < found.statistic
    assert found.p < 0.01
    assert 0 < found.low <= found.high


@EVERY
@pytest.mark.parametrize("n", [12, 45])
@pytest.mark.parametrize("size", [1e-300, 1e-12, 1e12, 1e300])
def test_the_size_of_the_numbers_does_not_matter(name, size, n):
    if name == "mcnemar":
        return
    d = np.random.default_rng(2).normal(0.3, 1, n).round(1)
    one, other = run(name, d), run(name, d * size)
    assert (other.p, other.low / size, other.high / size) == pytest.approx((one.p, one.low, one.high), rel=1e-3)
    assert other.error / size == pytest.approx(one.error)
