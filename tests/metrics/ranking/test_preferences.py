"""Preferences by hand.  Documents are numbered by where they stand; the first ones were returned."""

import math

import numpy as np
import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.preferences import Group, Preferences, RankedGroups, Tally, preferences_respected

NAN = math.nan


def group(*lists):
    return Group(tuple(np.array(levels, dtype=float) for levels in lists))


def view(returned, *groups):
    return Preferences([RankedGroups(groups, returned)], [""])


@pytest.mark.parametrize(
    "grades, unseen, all_, either, both",
    [
        ([0, 1], [2, 0], 1 / 5, 1 / 4, 0),  # the example of the metric
        ([2, 1, 0], [], 1, 1, 1),
        ([0, 1, 2], [], 0, 0, 0),
        ([None, 1], [0], 1, 1, 0),  # of the unjudged one nothing is known
        ([], [1, 0], 0, 0, 0),
        ([1, 1], [1], 0, 0, 0),  # no preference
        ([-1, 0], [], 0, 0, 0),  # a negative grade is below 0
    ],
)
def test_grades_are_preferences(grades, unseen, all_, either, both):
    for of, value in {"all": all_, "either": either, "both": both}.items():
        for per in ("preference", "pair", "group"):
            found = preferences_respected(Preferences.of_ranking(ranking(grades, unseen)), of=of, per=per)
            assert found == pytest.approx([value]), (of, per)


def test_what_counts_alike():
    # one prefers a over b, another b over a and both over c; a and b were returned in this order, c was not
    two = view(2, group([2, 1, NAN]), group([1, 2, 0]))
    for per, value in {"preference": 3 / 4, "pair": (1 / 2 + 1 + 1) / 3, "group": (1 + 2 / 3) / 2}.items():
        assert preferences_respected(two, per=per) == pytest.approx([value])
    for per, value in {"preference": 1 / 2, "pair": 1 / 2, "group": (1 + 0) / 2}.items():
        assert preferences_respected(two, per=per, of="both") == pytest.approx([value])


def test_a_pair_that_was_not_returned_counts_only_in_all():
    two = view(1, group([2, 1, NAN, NAN]), group([NAN, NAN, 1, 0]))
    values = {of: float(preferences_respected(two, of=of, per="pair")[0]) for of in ("all", "either", "both")}
    assert values == {"all": 1 / 2, "either": 1, "both": 0}


def test_preferences_of_several_lists_go_on():
    # a over b in one list, b over c in the other: a over c
    lists = group([2, 1, NAN], [NAN, 2, 1])
    assert lists.prefers().tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    assert lists.tally(2) == Tally(respected=1, both_returned=1, respected_mixed=2, mixed=2, unseen=0)
    assert lists.level.tolist() == [2, 2, 1]


def test_a_group_of_one_list_is_counted_as_pairs_are():
    draw = np.random.default_rng(1)
    for _ in range(50):
        level = draw.choice([NAN, 0.0, 1.0, 2.0], size=9)
        one, returned = group(level), int(draw.integers(0, 10))
        assert one.tally(returned) == Tally.of(one.prefers(), returned)


@pytest.mark.parametrize("name", ["Prefs(of=none)", "Prefs(per=query)"])
def test_what_is_not_known(name):
    with pytest.raises(SpecError, match=r"Prefs: (of|per) is"):
        Metric.of(name)(view(0))
