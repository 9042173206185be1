import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from neraca.stats.tests.correction import CORRECTIONS, benjamini_hochberg, bonferroni, holm, uncorrected

PROBABILITY = st.floats(0, 1)
THEIRS = {"holm": "holm", "bh": "fdr_bh", "bonferroni": "bonferroni"}


@pytest.mark.parametrize("name", THEIRS)
@settings(max_examples=10, deadline=None)  # statsmodels takes 30 ms for each
@given(p=st.lists(PROBABILITY | st.sampled_from([0.01, 0.02, 0.5]), min_size=1, max_size=12))
def test_adjustments_are_those_of_statsmodels(name, p):
    expected = multipletests(p, method=THEIRS[name])[1]
    assert CORRECTIONS[name](np.array(p)) == pytest.approx(expected, abs=1e-12)


def test_holm_by_hand():
    # sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04, made monotone: .02 .03 .06 .06
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_by_hand():
    # sorted .005 .01 .03 .04 times 4/1 4/2 4/3 4/4 = .02 .02 .04 .04
    assert benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    # .03 * 3/1 = .09 and .036 * 3/2 = .054 come down to .04: the largest of three below the level carries all
    assert benjamini_hochberg(np.array([0.03, 0.036, 0.04])) == pytest.approx([0.04, 0.04, 0.04])


def test_the_published_example_of_benjamini_and_hochberg():
    # Benjamini and Hochberg (1995), sec. 4.1: 15 p-values of Neuhaus et al. (1992); at .05 Bonferroni and Holm reject
    # the first three, the false discovery rate the first four
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p = np.array([*p, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0])
    assert (benjamini_hochberg(p) <= 0.05).sum() == 4
    assert (holm(p) <= 0.05).sum() == (bonferroni(p) <= 0.05).sum() == 3


@pytest.mark.parametrize("name", THEIRS)
def test_a_test_that_could_not_be_made_is_not_counted(name):
    p = np.array([np.nan, 0.02, np.nan, 0.03])
    made = CORRECTIONS[name](p[[1, 3]])
    assert CORRECTIONS[name](p) == pytest.approx([np.nan, made[0], np.nan, made[1]], nan_ok=True)
    assert np.isnan(CORRECTIONS[name](np.full(3, np.nan))).all()
    assert p[1] == 0.02


def test_numbers_beside_tests_that_could_not_be_made():
    p = np.array([np.nan, 0.02, np.nan, 0.03])
    assert holm(p) == pytest.approx([np.nan, 0.04, np.nan, 0.04], nan_ok=True)
    assert benjamini_hochberg(p) == pytest.approx([np.nan, 0.03, np.nan, 0.03], nan_ok=True)
    assert bonferroni(p) == pytest.approx([np.nan, 0.04, np.nan, 0.06], nan_ok=True)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_no_tests_at_all_and_one(name):
    assert len(CORRECTIONS[name](np.array([]))) == 0
    assert CORRECTIONS[name](np.array([0.3])).tolist() == [0.3]


def test_without_correction_the_given_values_come_back_and_stay_as_they_are():
    given_p = np.array([0.2, np.nan, 0.01])
    found = uncorrected(given_p)
    assert found == pytest.approx(given_p, nan_ok=True)
    found[0] = 1
    assert given_p[0] == 0.2


def discoveries(effects, seed, dependence=0.0):
    """Of many families of z-tests: false and all discoveries at 5 % by each adjustment."""
    from scipy.special import ndtr

    rng = np.random.default_rng(seed)
    found = {name: [] for name in CORRECTIONS}
    for _ in range(2000):
        shared = rng.normal()
        z = np.sqrt(1 - dependence) * rng.normal(size=len(effects)) + np.sqrt(dependence) * shared + effects
        p = 2 * ndtr(-np.abs(z))
        for name, adjust in CORRECTIONS.items():
            called = adjust(p) < 0.05
            found[name].append((int((called & (effects == 0)).sum()), int(called.sum())))
    return {name: np.array(counts) for name, counts in found.items()}


@pytest.mark.parametrize("dependence", [0.0, 0.5])
def test_what_each_correction_promises_and_that_doing_without_is_noticed(dependence):
    effects = np.r_[np.zeros(20), np.full(4, 3.0)]
    found = discoveries(effects, 3, dependence)
    rate = {name: (counts[:, 0] / np.maximum(counts[:, 1], 1)).mean() for name, counts in found.items()}
    any_false = {name: (counts[:, 0] > 0).mean() for name, counts in found.items()}
    slack = 4 * np.sqrt(0.05 * 0.95 / 2000)
    assert rate["bh"] <= 0.05 + slack
    assert any_false["holm"] <= 0.05 + slack
    assert any_false["bonferroni"] <= any_false["holm"]
    assert any_false["bh"] > 0.06 + slack  # it does not promise that there is none
    assert rate["none"] > 0.15
    called = {name: counts[:, 1].sum() for name, counts in found.items()}
    assert called["bh"] > 1.15 * called["holm"] > 1.15 * called["bonferroni"]


def test_the_false_discovery_rate_is_the_share_of_true_hypotheses_times_the_level():
    # Benjamini and Hochberg (1995), theorem 1, an equality for independent tests: 12 of 24, so 2.5 %
    counts = discoveries(np.r_[np.zeros(12), np.full(12, 3.0)], 4)["bh"]
    assert (counts[:, 0] / np.maximum(counts[:, 1], 1)).mean() == pytest.approx(0.025, abs=0.005)
