"""Ready values are compared, grouped and gated as any other scores."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

import neraca
from neraca.errors import InputError, SpecError

#: Twelve queries of two systems, from a published lecture: t = 4.2445, p = .00138.
A = [32.3, 20.3, 31.4, 25.7, 28.4, 27.3, 29.3, 30.1, 25.5, 28.7, 29.1, 24.8]
B = [32.0, 20.4, 31.2, 25.0, 27.9, 26.9, 29.1, 30.0, 24.4, 28.2, 28.6, 24.6]


def test_the_paired_t_test_of_the_lecture():
    (difference,) = neraca.compare(neraca.values({"A": A, "B": B}))
    assert difference.p == pytest.approx(0.00138, abs=5e-6)
    assert difference.p == pytest.approx(ttest_rel(A, B).pvalue, rel=1e-12)
    assert ttest_rel(A, B).statistic == pytest.approx(4.2445, abs=5e-5)
    # the interval is difference -+ 2.201 standard errors (11 degrees of freedom), and t is difference / error
    error = (difference.high - difference.low) / 2 / 2.2009851600829497
    assert difference.difference / error == pytest.approx(4.2445, abs=5e-5)
    assert (difference.better, difference.n) == ("A", 12)


def test_where_less_is_better_the_other_one_is():
    (difference,) = neraca.compare(neraca.values({"A": A, "B": B}, "Value(better=lower)"))
    assert difference.better == "B"
    assert difference.p == pytest.approx(ttest_rel(A, B).pvalue, rel=1e-12)


def test_means_groups_and_what_is_missing():
    scores = neraca.values({"a": [1, math.nan, 5, 7]}, ids=list("wxyz"), tags={"kind": ["p", "p", "q", ""]})
    assert scores.mean("Value") == pytest.approx(13 / 3)
    assert scores.by_item("Value") == pytest.approx({"w": 1, "x": math.nan, "y": 5, "z": 7}, nan_ok=True)
    assert scores.why("Value") == {1: "no number was given"}
    groups = {row.group: (row.value, row.n, row.unscored) for row in scores.by_group("kind")}
    assert groups == {"kind=p": (1, 1, 1), "kind=q": (5, 1, 0), "kind=": (7, 1, 0)}


def test_a_session_is_one_source_of_chance():
    run = neraca.values({"a": [1, 2, 3, 4]}, sessions=["s", "", "s", " "]).run()
    assert run.clusters.tolist() == [0, 1, 0, 2]


def test_a_gate_and_reliability_take_them():
    scores = neraca.values({"new": A, "old": B})
    assert neraca.gate(scores, rules="Value > baseline").outcome == "pass"
    (stability,) = neraca.reliability(scores, splits=20).stability
    assert str(stability.metric) == "Value"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"systems": {}}, "there is no system"),
        ({"systems": {"a": [1, 2], "b": [1]}}, "b: 1 values for 2 items"),
        ({"systems": {"a": [1]}, "ids": ["x", "y"]}, "a: 1 values for 2 items"),
        ({"systems": {"a": [1]}, "tags": {"kind": []}}, "kind: 0 values for 1 items"),
        ({"systems": {"a": [1]}, "sessions": ["s", "s"]}, "sessions: 2 values for 1 items"),
    ],
)
def test_what_does_not_fit_together(given, told):
    with pytest.raises(InputError, match=told):
        neraca.values(**given)


def test_values_have_no_other_metric():
    with pytest.raises(SpecError, match="AP needs more than ready values"):
        neraca.values({"a": np.ones(3)}, "AP")
    with pytest.raises(SpecError, match="a share such as"):
        neraca.values({"a": np.ones(3)}, level=95)
