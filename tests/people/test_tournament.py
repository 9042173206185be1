"""Who is compared next, and when the best are known."""

import random

import pytest

from neraca.people.tournament import Preference, Tournament


def played(players, best, seed, value):
    """Play until nothing is left to ask; `value` is what is said of two players."""
    said = ()
    while pair := (now := Tournament(players, said, best, seed)).next():
        said += (Preference(*pair, value(*pair)),)
    return now


@pytest.mark.parametrize("players", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("best", [1, 2, 3])
def test_the_best_are_found_with_few_comparisons(players, best):
    for seed in range(20):
        quality = list(range(players))
        random.Random(seed).shuffle(quality)
        told = played(players, best, seed, lambda a, b, quality=quality: float(quality[a] > quality[b]))
        assert set(told.leaders) == {p for p in range(players) if quality[p] >= players - best}
        assert told.asked + told.saved == told.pairs == players * (players - 1) // 2
        if best == 1:
            assert told.asked == players - 1, "as in a knockout"


def test_ten_systems_take_a_third_of_all_pairs_for_the_best_three():
    asked = [played(10, 3, seed, lambda a, b: float(a < b)).asked for seed in range(30)]
    assert max(asked) <= 16  # of 45


def test_a_tie_says_nothing_about_other_pairs():
    """0 and 1 are even, 1 and 2 are even: 0 and 2 must be asked."""
    said = (Preference(0, 1, 0.5), Preference(1, 2, 0.5))
    assert Tournament(3, said).next() == (0, 2)
    said += (Preference(0, 2, 1),)
    told = Tournament(3, said)
    assert (told.done, told.leaders) == (True, (0, 1)), "a tie leaves more than one"


def test_a_strict_preference_holds_over_a_chain():
    told = Tournament(4, (Preference(0, 1, 1), Preference(2, 1, 0)), best=3)
    assert told.next() in {(0, 3), (1, 3), (2, 3)}, "0 and 2 are told apart by 1"


def test_a_strict_chain_does_not_go_over_a_tie():
    said = (Preference(0, 1, 1), Preference(1, 2, 0.5))
    assert Tournament(3, said).leaders == (0, 2)


def test_a_circle_is_even():
    said = (Preference(0, 1, 1), Preference(1, 2, 1), Preference(2, 0, 1))
    told = Tournament(3, said)
    assert (told.leaders, told.done, told.saved) == ((0, 1, 2), True, 0)


def test_several_votes_are_averaged():
    said = (Preference(0, 1, 1), Preference(1, 0, 0), Preference(1, 0, 1))  # two of three for 0
    assert Tournament(2, said).leaders == (0,)
    assert Tournament(2, said[1:]).leaders == (0, 1), "one each"
    assert Tournament(2, said).asked == 1


def test_what_is_known_without_asking_is_not_counted():
    told = Tournament(3, (Preference(0, 2, 1, free=True), Preference(1, 2, 1, free=True)))
    assert (told.pairs, told.asked, told.saved, told.next()) == (1, 0, 0, (0, 1))


def test_two_raters_get_different_pairs():
    told = Tournament(4)
    one = told.next()
    other = told.next(being_asked=[one[::-1]])
    assert set(one) | set(other) == {0, 1, 2, 3} or set(one) != set(other)
    assert told.next([(a, b) for a in range(4) for b in range(4)]) is None
