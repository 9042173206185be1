"""Which of many pairs a figure draws: those of the best run, or of the baseline, and never more than it can hold."""

from itertools import combinations

import pytest

from neraca.comparisons.difference import Difference
from neraca.reports.figures.pairs_drawn import MOST, pairs_drawn


def pair(a, b, difference, metric="AP"):
    sizes = {"difference": difference, "low": 0, "high": 0.2, "p": 0.5, "p_adjusted": 0.5, "effect": 0.1}
    counts = {"wins": 1, "ties": 0, "losses": 0, "n": 9, "sessions": 9, "needed": None}
    return Difference(metric=metric, a=a, b=b, better="", test="t", correction="holm", **sizes, **counts)


def every_pair(n, metric="AP"):
    """Each run is 0.1 above the next one."""
    return [pair(f"r{a}", f"r{b}", (b - a) / 10, metric) for a, b in combinations(range(n), 2)]


def test_up_to_twenty_pairs_are_all_drawn():
    assert MOST == 20
    six = every_pair(6)
    assert pairs_drawn(six) == (six, "")


@pytest.mark.parametrize("metric, best", [("AP", "r0"), ("Value(better=lower)", "r6")])
def test_of_more_those_of_the_best_run_are_drawn(metric, best):
    """Seven runs make 21 pairs; where lower is better, the last run is ahead of all others."""
    drawn, note = pairs_drawn(every_pair(7, metric))
    assert len(drawn) == 6
    assert all(best in (d.a, d.b) for d in drawn)
    assert note == f"Drawn are 6 pairs of {best}, which has the best value; 15 other pairs are not."
    assert pairs_drawn(every_pair(7, metric), "r3").note.startswith("Drawn are 6 pairs of r3,")


def test_of_a_baseline_with_many_runs_the_first_are_drawn():
    drawn, note = pairs_drawn([pair(f"r{n}", "base", 0.1) for n in range(23)])
    assert [d.a for d in drawn] == [f"r{n}" for n in range(20)]
    assert note == "Drawn are the first 20 pairs with base; 3 other pairs are not."
