"""Optimised interleaving, after Radlinski and Craswell (2013); the small program is solved by hand."""

import pytest

from neraca.errors import SpecError
from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.method import NO_TEAM, Shown
from neraca.online.interleaving.optimised import Optimised, allowed


def test_each_prefix_is_made_of_the_first_documents_of_both():
    """Of a b c d and b d a c; c can come only after a, or after b, d and a."""
    lists = {"".join(one) for one in allowed("abcd", "bdac", 4)}
    assert lists == {"abcd", "abdc", "badc", "bacd", "bdac"}


def test_two_rankings_that_differ_in_order_alone_are_shown_equally_often():
    """A click on the first document speaks for a by 1 - 1/2, or for b by as much: a half each is the only fair mix."""
    found = outcomes(Optimised(), ["xy", "yx"], 2)
    assert {documents: round(p, 9) for (documents, _), p in found.items()} == {("x", "y"): 0.5, ("y", "x"): 0.5}


@pytest.mark.parametrize("credit, of_a, of_b", [("inverse", 1 - 1 / 3, 1 / 2), ("linear", 2 / 3, 1 / 3)])
def test_the_credit_of_a_click(credit, of_a, of_b):
    """a = 1 2 3, b = 2 3 1: document 1 has ranks 1 and 3, document 2 ranks 2 and 1."""
    shown = Shown("12", [0, 1], 2, ["123", "231"])
    assert Optimised(credit=credit).credit(shown, [1]) == pytest.approx([of_a, 0])
    assert Optimised(credit=credit).credit(shown, [2]) == pytest.approx([0, of_b])


def test_a_document_that_both_rank_alike_is_of_no_team():
    assert {teams[0] for _, teams in outcomes(Optimised(), ["abc", "acb"], 3)} == {NO_TEAM}


def test_limits_are_errors():
    with pytest.raises(SpecError, match="at most 12"):
        Optimised().draft(["a", "b"], 13, lambda weights: 0)
    with pytest.raises(SpecError, match="inverse"):
        Optimised(credit="square")


def test_nothing_found_makes_an_empty_list():
    assert Optimised().draft([[], []], 3, lambda weights: 0) == ([], [])


def test_documents_after_the_shorter_ranking_are_of_no_team():
    """Of a = 1 2 3 and b = 2 only 1 and 2 count: a click on 1 speaks for a by 1 - 1/2, on 2 for b by as much."""
    found = outcomes(Optimised(), ["123", "2"], 3)
    assert {key: round(p, 9) for key, p in found.items()} == {
        (("1", "2", "3"), (0, 1, NO_TEAM)): 0.5,
        (("2", "1", "3"), (1, 0, NO_TEAM)): 0.5,
    }
