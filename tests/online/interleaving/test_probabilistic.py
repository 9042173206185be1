"""Probabilistic interleaving: by hand, and the lists of Hofmann, Whiteson and de Rijke (2011), figure 1."""

import pytest

from neraca.errors import SpecError
from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.method import NO_TEAM, Shown
from neraca.online.interleaving.probabilistic import Probabilistic

EIGHTH = 1 / 8
FIRST = 1 / (1 + EIGHTH)  # probability of the first of two documents


def test_the_probability_of_each_list_of_two():
    """Rankers (1, 2) and (1, 3); the second document is drawn by either ranker with a coin of its own."""
    found: dict[str, float] = {}
    for (documents, _), probability in outcomes(Probabilistic(), ["12", "13"], 2).items():
        found["".join(documents)] = found.get("".join(documents), 0.0) + probability
    assert found == pytest.approx(
        {
            "12": FIRST / 2,
            "13": FIRST / 2,
            "21": (1 - FIRST) / 2 * (1 + FIRST) / 2,
            "23": (1 - FIRST) / 2 * (1 - FIRST) / 2,
            "31": (1 - FIRST) / 2 * (1 + FIRST) / 2,
            "32": (1 - FIRST) / 2 * (1 - FIRST) / 2,
        }
    )


def test_the_softmax_of_the_paper_over_four_documents():
    """Its figure gives 0.85, 0.10, 0.03 and 0.02 (tau = 3), rounded so that they add up to 1."""
    found = {documents[0]: p for (documents, _), p in outcomes(Probabilistic(), ["1234", "1234"], 1).items()}
    firsts = {name: 2 * probability for name, probability in found.items()}
    assert firsts == pytest.approx({"1": 0.849, "2": 0.106, "3": 0.0314, "4": 0.0133}, abs=5e-4)


def test_clicks_on_the_second_and_third_prefer_the_second_ranker_of_the_paper():
    """l1 = 1 2 3 4 and l2 = 2 3 4 1; shown 1 2 3 4; clicked 2 and 3.  Weights are 1, 1/8, 1/27, 1/64.

    Document 2 after 1: of l1 1/8 in 1/8 + 1/27 + 1/64, of l2 1 in 1 + 1/8 + 1/27.  Document 3 after both: of l1 1/27
    in 1/27 + 1/64, of l2 1/8 in 1/8 + 1/27.
    """
    second = [(1 / 8) / (1 / 8 + 1 / 27 + 1 / 64), 1 / (1 + 1 / 8 + 1 / 27)]
    third = [(1 / 27) / (1 / 27 + 1 / 64), (1 / 8) / (1 / 8 + 1 / 27)]
    expected = [second[n] / sum(second) + third[n] / sum(third) for n in (0, 1)]
    shown = Shown("1234", [0, 0, 0, 0], 2, ["1234", "2341"])
    assert Probabilistic().credit(shown, [2, 3]) == pytest.approx(expected)
    assert expected[1] > expected[0]


def test_without_the_rankings_the_ranker_that_drew_gets_the_credit():
    assert Probabilistic().credit(Shown("12", [0, 1], 2), [2]) == [0, 1]


def test_three_rankers_share_a_click():
    """Document 2: weights 1/8 of 1 + 1/8, 1 of 1 + 1/8, and not there."""
    shown = Shown("2", [0], 3, ["12", "21", "13"])
    assert Probabilistic().credit(shown, [1]) == pytest.approx([1 / 9, 8 / 9, 0])


def test_what_the_last_ranker_adds_alone_is_of_no_team():
    assert {teams for _, teams in outcomes(Probabilistic(), ["1", "23"], 3)} <= {
        (0, NO_TEAM, NO_TEAM),
        (1, 0, NO_TEAM),
        (1, 1, NO_TEAM),
    }
    shown = Shown("123", [0, NO_TEAM, NO_TEAM], 2, ["1", "23"])
    assert Probabilistic().credit(shown, [2, 3]) == [0, 0]


def test_credit_follows_the_documents_that_could_be_drawn_at_each_rank():
    """Depth 1: rank 1 is the first of either ranking.  So 1 is of the first ranker alone, though both rank it.

    At rank 2 the first two of each are open: the first ranker has 2 left, the second 2 and 1 without 1, so both draw 2.
    """
    method = Probabilistic(depth=1)
    assert {documents[0] for documents, _ in outcomes(method, ["123", "213"], 3)} == {"1", "2"}
    shown = Shown("12", [0, 1], 2, ["123", "213"])
    assert method.credit(shown, [1]) == [1, 0]
    assert method.credit(shown, [2]) == [0.5, 0.5]


def test_longer_rankings_change_no_earlier_document():
    """With depth 2, the third documents of the rankings are open from rank 3 on."""
    first = {key[0][:2]: 0.0 for key in outcomes(Probabilistic(depth=2), ["1234", "2143"], 4)}
    for (documents, _), probability in outcomes(Probabilistic(depth=2), ["1234", "2143"], 4).items():
        first[documents[:2]] += probability
    short: dict[tuple[str, ...], float] = {}
    for (documents, _), probability in outcomes(Probabilistic(depth=2), ["12", "21"], 2).items():
        short[documents] = short.get(documents, 0.0) + probability
    assert first == pytest.approx(short)


def test_the_depth_is_at_least_one():
    with pytest.raises(SpecError, match="depth must be at least 1"):
        Probabilistic(depth=0)


def test_tau_is_positive():
    with pytest.raises(SpecError, match="tau must be above 0"):
        Probabilistic(tau=0)
