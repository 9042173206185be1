"""The check of the draft: no alarm about lists of a method's own, and an alarm about lists that were changed."""

import math
from functools import cache

import numpy as np
import pytest

from neraca.online.interleaving.choices import outcomes
from neraca.online.interleaving.click_credit import ClickCredit
from neraca.online.interleaving.fairness import FirstRank, first_rank, unfair_checks
from neraca.online.interleaving.method import METHODS, Shown, method_of

QUERIES, SEARCHES = 20, 5000


@cache
def lists_of(name, query):
    """All lists of three documents for a query: probability, first team, credit of a click by chance."""
    how = method_of(name)[1]
    rng = np.random.default_rng(query)
    rankings = ["".join(rng.permutation(list("uvwxyz"))[:4]) for _ in "ab"]
    drafts = outcomes(how, rankings, 3)
    weights = np.array([1, 1 / 4, 1 / 9]) / (1 + 1 / 4 + 1 / 9)
    credit = [
        weights @ [how.credit(Shown(documents, teams, 2, rankings), (rank,)) for rank in (1, 2, 3)]
        for documents, teams in drafts
    ]
    return np.array(list(drafts.values())), np.array([teams[0] for _, teams in drafts]), np.array(credit)


def make_log(rng, name, points=0.0, lists_by=lambda users, queries: np.arange(SEARCHES)):
    """Draw searches of 2,500 users; `points` of probability move to lists that the first ranker begins."""
    users, queries = rng.integers(0, 2500, SEARCHES), rng.integers(0, QUERIES, SEARCHES)
    place = rng.random(SEARCHES)[lists_by(users, queries)]
    first, credit = np.zeros(SEARCHES, dtype=np.int64), np.zeros((SEARCHES, 2))
    for query in range(QUERIES):
        chances, begins, by_chance = lists_of(name, query)
        chances = chances.copy()
        if (begins == 0).any() and (begins == 1).any():
            for team, sign in ((0, 1), (1, -1)):
                chances[begins == team] *= 1 + sign * points / chances[begins == team].sum()
        rows = np.flatnonzero(queries == query)
        drawn = np.minimum(np.searchsorted(np.cumsum(chances), place[rows]), len(chances) - 1)
        first[rows], credit[rows] = begins[drawn], by_chance[drawn]
    none, zeros = np.zeros(SEARCHES, dtype=np.int64), np.zeros((SEARCHES, 2))
    by_chance = None if method_of(name)[1].balances_first else credit
    words = tuple(map(str, range(QUERIES)))
    return ClickCredit(
        name, False, ("a", "b"), zeros, zeros, first, none, users, users, queries, words, {}, by_chance=by_chance
    )


def alarms(logs, *log_of):
    rng = np.random.default_rng(3)
    return sum(bool(unfair_checks([first_rank(make_log(rng, *log_of), (0, 1))])) for _ in range(logs))


@pytest.mark.parametrize("name", METHODS.names())
def test_each_method_finds_its_own_lists_fair(name):
    """With a rate of 1 %, more than 2 alarms in 20 logs have a probability of 0.1 %."""
    assert alarms(20, name) <= 2


@pytest.mark.parametrize("name", METHODS.names())
def test_a_bias_of_five_points_is_found(name):
    """Independent lists: 5 points are 7 standard errors of 5,000 coins, or nearly, if a few tops are equal."""
    assert alarms(10, name, 0.05) == 10
    assert alarms(10, name, -0.05) == 10


def test_one_list_for_each_query_is_no_bias_by_itself():
    """Twenty coins, each thrown once for all searches of a query: they are seldom ten to ten."""
    assert alarms(20, "team_draft", 0.0, lambda users, queries: queries) <= 2


def test_one_list_for_each_user_is_no_bias_by_itself():
    assert alarms(20, "team_draft", 0.0, lambda users, queries: users) <= 2


def test_a_ranker_that_is_first_in_every_query_is_not_excused():
    rng = np.random.default_rng(0)
    log = make_log(rng, "team_draft")
    always = ClickCredit(**{**vars(log), "first": np.zeros_like(log.first)})
    assert unfair_checks([first_rank(always, (0, 1))])


def test_p_is_that_of_all_changes_of_sign():
    """Ten users, each with one list that a begins: two of 2^10 sequences of signs are as extreme."""
    none, ones = np.zeros(10, dtype=np.int64), np.zeros((10, 2))
    users = np.arange(10)
    log = ClickCredit("team_draft", False, ("a", "b"), ones, ones, none, none, users, users, none, ("q",), {})
    check = first_rank(log, (0, 1))
    assert (check.of_a, check.of_b, check.p) == (10, 0, pytest.approx(2 / 1024))
    nine = ClickCredit(
        **{name: value[:9] if isinstance(value, np.ndarray) else value for name, value in vars(log).items()}
    )
    assert math.isnan(first_rank(nine, (0, 1)).p)


def test_many_pairs_are_corrected():
    checks = [FirstRank("a", "b", 9, 0, p) for p in (0.0015, 0.3)]
    assert unfair_checks(checks[:1]) == checks[:1]
    assert unfair_checks(checks) == []
