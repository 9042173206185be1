"""Numbers that were computed elsewhere are scored as they stand."""

import math

import numpy as np
import pytest

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable


def part(*values):
    return Scorable("a", len(values), {"values": lambda: np.array(values, float)}, holds="ready values")


@pytest.mark.parametrize(("name", "higher"), [("Value", True), ("Value(better=lower)", False)])
def test_they_are_taken_as_they_stand(name, higher):
    counts = score_metric(Metric.of(name), part(-7.5, math.nan, 1e9))
    assert counts.per_answer == pytest.approx([-7.5, math.nan, 1e9], nan_ok=True)
    assert counts.why == ("", "no number was given", "")
    assert Metric.of(name).higher_is_better is higher


def test_peoples_scores_are_taken_as_they_stand():
    counts = score_metric(Metric.of("HumanScore"), part(4.5, math.nan))
    assert counts.per_answer == pytest.approx([4.5, math.nan], nan_ok=True)
    assert counts.why == ("", "nobody scored it")


def test_other_metrics_need_more():
    with pytest.raises(SpecError, match="nDCG@10 needs more than ready values"):
        score_metric(Metric.of("nDCG@10"), part(1))


def test_what_holds_no_values_has_none():
    with pytest.raises(SpecError, match="Value needs more than texts"):
        score_metric(Metric.of("Value"), Scorable("a", 1, {"response": lambda: ["x"]}, holds="texts"))


def test_one_of_the_two_is_better():
    with pytest.raises(SpecError, match="better is higher or lower, not 'sideways'"):
        score_metric(Metric.of("Value(better=sideways)"), part(1))


def test_a_range_has_two_ends():
    with pytest.raises(SpecError, match="low is less than high, such as Value"):
        Metric.of("Value(low=5,high=5)")
