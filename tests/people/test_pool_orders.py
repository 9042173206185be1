"""Orders of judging: fusion by hand, move-to-front and max-mean simulated by hand."""

import pytest

from neraca.people.pool_orders import fused, max_mean, move_to_front

#: Three runs; b is returned by two of them.
RUNS = [["a", "b", "c"], ["d", "b", "e"], ["f", "g", "h"]]


def test_fusion_by_hand():
    scores = fused(RUNS)
    assert scores["b"] == pytest.approx(2 / 62)
    assert scores["c"] == pytest.approx(1 / 63)
    assert list(scores) == ["b", "a", "d", "f", "g", "c", "e", "h"]


def test_a_repeated_document_takes_no_rank_in_fusion():
    assert fused([["a", "a", "b"]]) == pytest.approx({"a": 1 / 61, "b": 1 / 62})


def judged_one_by_one(order, runs, relevant):
    """The order in which documents come to a rater who judges each at once."""
    judged, sequence = {}, []
    for _ in range(20):
        following = order(runs, judged, 1)
        if not following:
            break
        sequence += following
        judged[following[0]] = 1 if following[0] in relevant else 0
    return sequence


def test_move_to_front_by_hand():
    """a not relevant: run 1 at -1.  d relevant: run 2 stays.  b not: run 2 at -1.  f not: run 3 at -1.

    All are at -1.  Run 1 goes on: b is seen, c relevant, then it is empty.  Run 2: e not.  Run 3: g, h.
    """
    assert judged_one_by_one(move_to_front, RUNS, {"c", "d"}) == ["a", "d", "b", "f", "c", "e", "g", "h"]


def test_max_mean_by_hand():
    """a not relevant: run 1 at 1/3, the others at 1/2.  d not: run 2 at 1/3.  f relevant: run 3 at 2/3.

    g not relevant: run 3 at 2/4, still the largest.  h not: run 3 at 2/5, and it is empty.  Runs 1 and 2 at 1/3: b of
    run 1 is relevant and counts for run 2, too: both at 2/4.  c not: run 1 at 2/5.  Then e.
    """
    assert judged_one_by_one(max_mean, RUNS, {"b", "f"}) == ["a", "d", "f", "g", "h", "b", "c", "e"]


@pytest.mark.parametrize("order", [move_to_front, max_mean])
def test_several_at_a_time_come_from_several_runs_and_none_twice(order):
    assert order(RUNS, {}, 3) == ["a", "d", "f"]
    assert sorted(order(RUNS, {}, 99)) == list("abcdefgh")
    assert order(RUNS, dict.fromkeys("abcdefgh", 0), 3) == []
    assert order([[], ["a"]], {}, 2) == ["a"]


def test_move_to_front_replays_so_that_only_what_it_came_to_moves_a_run():
    assert move_to_front(RUNS, {"f": 2}, 1) == ["a"]
    assert move_to_front(RUNS, {"a": 0, "d": 0, "f": 2}, 2) == ["g", "b"], "g waits: all runs are at -1"


def test_max_mean_takes_every_judgment_and_chooses_none_of_them_again():
    """Run 3 is at 2/3 by f.  While g waits it is at 2/4, and the others are at 1/2 or 1/3."""
    assert max_mean(RUNS, {"f": 2}, 2) == ["g", "a"]
    assert max_mean(RUNS, {"a": 0, "d": 0, "f": 2}, 2) == ["g", "h"]
