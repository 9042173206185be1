"""Offline metrics beside what users preferred, by hand."""

import pytest

from neraca.errors import InputError
from neraca.metaeval.online_preference import correlate_with_users
from neraca.scores.sources.values import values
from neraca.scores.trec import trec

#: The good document of each query is at these ranks of both runs.
RANKS = {"q1": (1, 2), "q2": (2, 1), "q3": (1, 3), "q4": (1, 1), "q5": (3, 1)}


def scored():
    qrels = {query: {"good": 1} for query in RANKS}
    runs = {
        name: {
            query: {("good" if rank == ranks[place] else f"x{rank}"): 4.0 - rank for rank in (1, 2, 3)}
            for query, ranks in RANKS.items()
        }
        for place, name in enumerate(("a", "b"))
    }
    return trec(qrels, runs, "RR P@1")


def test_the_metric_that_orders_queries_as_users_do_comes_first():
    """RR differs by 1/2, -1/2, 2/3, 0, -2/3, in the order of the preferences; P@1 by 1, -1, 1, 0, -1: with ties."""
    preference = {"q1": 0.5, "q2": -0.2, "q3": 0.9, "q4": 0.1, "q5": -0.8}
    first, second = correlate_with_users(scored(), preference).with_human
    assert (first.metric, first.value, first.n) == ("RR", 1, 5)
    # ranks of P@1: 4.5 1.5 4.5 3 1.5; of users 4 2 5 3 1: r = 9 / sqrt(9 * 10)
    assert second.metric == "P@1"
    assert second.value == pytest.approx(9 / 90**0.5)


def test_queries_that_users_did_not_type_are_left_out():
    found = correlate_with_users(scored(), {"q1": 0.5, "q2": -0.2, "q3": 0.9, "new": 1.0})
    assert found.with_human[0].n == 3


def test_what_does_not_fit_is_an_error():
    with pytest.raises(InputError, match="--topics FILE"):
        correlate_with_users(scored(), {"red shoes": 1.0})
    with pytest.raises(InputError, match="there are 3 runs"):
        correlate_with_users(values({"a": [1.0], "b": [2.0], "c": [0.0]}), {"1": 1.0})
