import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from neraca.stats.correction import holm, uncorrected

PROBABILITY = st.floats(0, 1)


@settings(max_examples=30)  # statsmodels takes 30 ms for each
@given(st.lists(PROBABILITY, min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p):
    assert holm(np.array(p)) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


def test_holm_by_hand():
    # sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04, made monotone: .02 .03 .06 .06
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_test_that_could_not_be_made_is_not_counted():
    assert holm(np.array([np.nan, 0.02, np.nan, 0.03])) == pytest.approx([np.nan, 0.04, np.nan, 0.04], nan_ok=True)
    assert np.isnan(holm(np.full(3, np.nan))).all()


def test_no_tests_at_all():
    assert len(holm(np.array([]))) == 0


def test_without_correction_the_given_values_come_back_and_stay_as_they_are():
    given_p = np.array([0.2, np.nan, 0.01])
    found = uncorrected(given_p)
    assert found == pytest.approx(given_p, nan_ok=True)
    found[0] = 1
    assert given_p[0] == 0.2
