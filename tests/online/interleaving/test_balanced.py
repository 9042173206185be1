"""Balanced interleaving, by the example of Radlinski, Kurup and Joachims (2008), figure 1, and by hand."""

import pytest

from neraca.online.interleaving.balanced import Balanced
from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.method import NO_TEAM, Shown

A, B = "abcdgh", "beafgh"


def test_the_two_lists_of_the_paper():
    found = outcomes(Balanced(), [A, B], 8)
    assert {"".join(documents): probability for (documents, _), probability in found.items()} == {
        "abecdfgh": 0.5,
        "baecfdgh": 0.5,
    }


@pytest.mark.parametrize(
    "clicked, credit",
    [
        ([1], [1, 0]),  # a: first of A, third of B, so k = 1; it is among the first of A alone
        ([2], [0, 1]),  # b: k = 1
        ([3], [0, 1]),  # e: k = 2, of B; A's first two are a and b
        ([2, 3], [1, 2]),  # b and e: both among B's first two, b among A's
        ([1, 4], [2, 1]),  # c: k = 3 of A; a is among the first three of both
        ([], [0, 0]),
    ],
)
def test_clicks_count_to_the_depth_of_the_lowest(clicked, credit):
    shown = Shown("abecdfgh", [0] * 8, 2, [A, B])
    assert Balanced().credit(shown, clicked) == credit


def test_what_follows_the_shorter_ranking_is_of_no_team():
    assert Balanced().draft(["a", "bcd"], 3, lambda weights: 1) == (["b", "a", "c"], [1, 0, NO_TEAM])
