from datetime import date

import numpy as np
import pytest

from neraca.categorical import Categorical
from neraca.comparisons.recorded_changes import recorded_changes

DAY = date(2026, 11, 10).toordinal()


def changes(values, days=None, name="model"):
    found = recorded_changes({name: Categorical.of(values)}, np.array(days or [DAY + n for n in range(len(values))]))
    return [(change.before, change.after, change.day.day) for change in found]


def test_the_day_on_which_a_new_value_is_in_use():
    assert changes(["mini", "mini", "4.1", "4.1"]) == [("mini", "4.1", 12)]


def test_a_day_without_a_value_or_without_a_time_says_nothing():
    assert changes(["mini", "", "mini", "4.1"]) == [("mini", "4.1", 13)]
    assert changes(["mini", "4.1"], [DAY, -1]) == []


@pytest.mark.parametrize("new, expected", [(7, []), (8, [("a", "b", 11)])])
def test_a_value_is_in_use_with_four_fifths_of_a_days_turns(new, expected):
    assert changes(["a"] * 10 + ["b"] * new + ["a"] * (10 - new), [DAY] * 10 + [DAY + 1] * 10) == expected


def test_half_and_half_is_no_change():
    assert changes(["a", "b"] * 20, [DAY + n // 4 for n in range(40)]) == []


def test_there_and_back_are_two_changes_whatever_the_order_of_rows():
    values, days = ["a", "b", "a"], [DAY, DAY + 1, DAY + 2]
    expected = [("a", "b", 11), ("b", "a", 12)]
    assert changes(values, days) == expected == changes(values[::-1], days[::-1])


def test_only_attributes_of_the_system_count():
    assert changes(["a", "b"], name="category") == []
