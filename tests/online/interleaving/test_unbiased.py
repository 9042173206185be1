"""Users who click by chance prefer nobody; a method that favours a ranker is found out."""

from itertools import product

import pytest

from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.method import Shown, method_of, outcome
from neraca.online.interleaving.team_draft import TeamDraft
from neraca.online.interleaving.unbiased import check_bias

PAIRS = [("abcd", "bcda"), ("abc", "def"), ("abcd", "ab"), ("abc", "b"), ("abc", "cab"), ("a", ""), ("ab", "bxyz")]
FAIR = ["team_draft", "probabilistic", "probabilistic(tau=1)", "optimised", "optimised(credit=linear)"]


class CaptainA(TeamDraft):
    """Lets the first ranker begin each round."""

    def draft(self, rankings, length, choose):
        return super().draft(rankings, length, lambda weights: 0)


class ThreeOfFour(TeamDraft):
    """Lets the first ranker begin three of four rounds."""

    def draft(self, rankings, length, choose):
        return super().draft(rankings, length, lambda weights: int(choose((1, 1)) + choose((1, 1)) > 1))


@pytest.mark.parametrize("name, rankings", list(product(FAIR, PAIRS)))
def test_a_click_at_any_rank_speaks_for_nobody(name, rankings):
    found = check_bias(method_of(name)[1], rankings, 4)
    assert (found.draws, found.biased) == (0, False), found.differences


@pytest.mark.parametrize("name", ["team_draft", "probabilistic"])
def test_nor_among_three_rankers(name):
    assert not check_bias(method_of(name)[1], ["abc", "bca", "xay"], 4).biased


@pytest.mark.parametrize("method", [CaptainA(), ThreeOfFour()])
def test_a_method_that_favours_a_ranker_is_found_out(method):
    assert check_bias(method, ["abc", "def"], 2).biased
    long = "abcdefghijklmnopqrstuvwxyz"
    found = check_bias(ThreeOfFour(), [long, long.upper()], 30, draws=400)
    assert (found.draws, found.biased) == (400, True)


def test_long_lists_are_drawn():
    long = "abcdefghijklmnopqrstuvwxyz"
    found = check_bias(TeamDraft(), [long, long.upper()], 32, draws=400)
    assert (found.draws, found.biased) == (400, False)
    assert found.differences.shape == (32, 2)


def test_balanced_interleaving_favours_a_ranking_that_is_moved_up_by_a_rank():
    """Radlinski et al. (2008), section 4.2.  Shown is a b c d or b a c d; a click on c or d speaks for b both times."""
    found = check_bias(method_of("balanced")[1], ["abcd", "bcda"], 4)
    assert found.differences[2:].tolist() == [[-0.5, 0.5], [-0.5, 0.5]]


def expected(name, rankings, says):
    """What searches say on average if each rank is clicked with the chance 1/(rank + 1), over all lists and clicks."""
    method, total = method_of(name)[1], 0.0
    for (documents, teams), probability in outcomes(method, rankings, 4).items():
        for clicks in product((0, 1), repeat=len(documents)):
            chance = probability
            for rank, click in enumerate(clicks, start=1):
                chance *= 1 / (rank + 1) if click else rank / (rank + 1)
            clicked = [place + 1 for place, click in enumerate(clicks) if click]
            a, b = method.credit(Shown(documents, teams, 2, rankings), clicked)
            total += chance * says(a, b, len(clicked))
    return total


@pytest.mark.parametrize("name", FAIR)
def test_users_who_click_more_at_the_top_win_for_nobody_by_several_clicks(name):
    graded = method_of(name)[1].graded
    said = expected(name, ["abcd", "bcda"], lambda a, b, clicks: outcome(a, b, clicks, graded))
    assert said == pytest.approx(0, abs=1e-9)


def test_the_sign_of_graded_credit_would_favour_a_ranker():
    said = expected("probabilistic", ["abcd", "bcda"], lambda a, b, clicks: outcome(a, b, clicks, False))
    assert abs(said) > 0.01
