"""Team draft, by hand and by the example of Radlinski, Kurup and Joachims (2008), figure 1."""

import pytest

from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.method import NO_TEAM, Shown
from neraca.online.interleaving.team_draft import TeamDraft

A, B = "abcdgh", "beafgh"
NONE = NO_TEAM


def scripted(*options):
    """Takes these options, one after the other; each is a place among the rankers that have not picked yet."""
    waiting = list(options)
    return lambda weights: waiting.pop(0)


def test_two_lists_without_a_common_document_have_the_four_outcomes_of_two_coins():
    found = outcomes(TeamDraft(), [["D68", "D69"], ["D53", "D90"]], 4)
    assert found == {
        (("D68", "D53", "D69", "D90"), (0, 1, 0, 1)): 0.25,
        (("D68", "D53", "D90", "D69"), (0, 1, 1, 0)): 0.25,
        (("D53", "D68", "D69", "D90"), (1, 0, 0, 1)): 0.25,
        (("D53", "D68", "D90", "D69"), (1, 0, 1, 0)): 0.25,
    }


@pytest.mark.parametrize(
    "coins, documents, teams",
    [
        ((0, 0, 0), "abcedf", (0, 1, 0, 1, 0, 1)),  # a is first captain in each round
        ((1, 1, 1), "baecfd", (1, 0, 1, 0, 1, 0)),  # b is
        ((0, 0, 1), "abcefd", (0, 1, 0, 1, 1, 0)),
        ((1, 0, 1), "bacefd", (1, 0, 0, 1, 1, 0)),
    ],
)
def test_the_example_of_the_paper(coins, documents, teams):
    assert TeamDraft().draft([A, B], 6, scripted(*coins)) == (list(documents), list(teams))


def test_an_odd_list_ends_in_the_middle_of_a_round():
    assert TeamDraft().draft([A, B], 3, scripted(0, 1)) == (list("abe"), [0, 1, 1])


def test_a_ranker_without_results_leaves_a_list_that_says_nothing():
    found = outcomes(TeamDraft(), [["1", "2"], []], 5)
    assert found == {(("1", "2"), (NONE, NONE)): 1.0}


def test_what_only_one_ranker_found_is_of_no_team():
    """B has one document, which A returns first: A could not pick before B and leave B something."""
    assert {teams for _, teams in outcomes(TeamDraft(), ["123", "1"], 3)} == {(NONE, NONE, NONE)}
    assert {teams for _, teams in outcomes(TeamDraft(), ["213", "1"], 3)} == {(0, 1, NONE), (1, 0, NONE)}


def test_three_rankers_pick_once_in_each_round_in_any_of_six_orders():
    found = outcomes(TeamDraft(), ["ax", "by", "cz"], 3)
    assert len(found) == 6
    assert list(found.values()) == pytest.approx([1 / 6] * 6)
    assert all(sorted(teams) == [0, 1, 2] for _, teams in found)


def test_a_list_never_holds_a_document_twice():
    for documents, _ in outcomes(TeamDraft(), [A, B, "hgfe"], 6):
        assert len(set(documents)) == 6


def test_clicks_are_credited_to_the_team():
    shown = Shown("abced", [0, 1, 0, 1, NONE], 2)
    assert TeamDraft().credit(shown, [1, 3, 4, 5]) == [2, 1]
    assert TeamDraft().credit(shown, []) == [0, 0]
