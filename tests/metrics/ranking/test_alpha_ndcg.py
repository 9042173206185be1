from math import log2

import pytest

from neraca.metrics.ranking.alpha_ndcg import alpha_dcg, alpha_ndcg
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics

#: A topic like the running example of Clarke et al. (2008): eight documents in the order returned, six questions of
#: which nobody answers the fifth.  With alpha 1/2 their gains are GAINS, and in the ideal order IDEAL.
CRUISE = {"a": "24", "b": "2", "c": "2", "e": "16", "f": "1", "g": "3", "h": "1"}
GAINS = [2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4]
IDEAL = [2, 2, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 4, 0]
#: The example in the documentation of pyndeval 0.0.8 and the values printed there, cut after the fourth digit.
PYNDEVAL = Subtopics.judged([list("ADEB")], [{"A": "a", "B": "b", "D": "b", "C": "c"}])


def dcg(gains):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def one(docs, relevant):
    return Subtopics.judged([list(docs)], [relevant])


@pytest.mark.parametrize("at", range(1, 9))
def test_gains_of_a_topic_worked_by_hand(at):
    view = one("abcdefgh", CRUISE)
    assert alpha_ndcg(view, at=at) == pytest.approx([dcg(GAINS[:at]) / dcg(IDEAL[:at])])
    # five subtopics have a document; every document on each of them would gain 5, 5/2, 5/4, ...
    best = dcg([5 / 2**rank for rank in range(at)])
    assert alpha_dcg(view, at=at) == pytest.approx([dcg(GAINS[:at]) / best])


def test_a_hit_on_what_is_known_gains_as_much_as_alpha_leaves():
    view = one("ab", {"a": "1", "b": "1"})
    assert alpha_dcg(view, alpha=0.9, at=2) == pytest.approx([1])
    assert alpha_dcg(one("ab", {"b": "1"}), alpha=0.9, at=2) == pytest.approx([dcg([0, 1]) / dcg([1, 0.1])])
    assert alpha_ndcg(one("ba", {"a": "1", "b": "12"}), alpha=0, at=2) == pytest.approx([1])
    assert alpha_ndcg(one("ab", {"a": "1", "b": "12"}), alpha=0, at=2) == pytest.approx([dcg([1, 2]) / dcg([2, 1])])


@pytest.mark.parametrize("at, value", [(5, 0.4052), (10, 0.3998), (20, 0.3997)])
def test_alpha_dcg_as_printed_by_pyndeval(at, value):
    assert alpha_dcg(PYNDEVAL, at=at) == pytest.approx([value], abs=1e-4)


@pytest.mark.parametrize("at", [5, 10, 20])
def test_alpha_ndcg_as_printed_by_pyndeval(at):
    assert alpha_ndcg(PYNDEVAL, at=at) == pytest.approx([0.7868], abs=1e-4)
    assert alpha_ndcg(PYNDEVAL, at=at) == pytest.approx([dcg([1, 1, 0, 0.5]) / dcg([1, 1, 1, 0.5])])


def test_ties_in_the_ideal_order_go_to_the_last_id_even_if_that_is_not_best():
    # first x (4 subtopics), then 2 + 1/2 + 1/2 for either other one; p and q, 4 and 4, had been better
    greedy = one("pq", {"p": "abcd", "q": "efgh", "x": "abef"})
    assert alpha_ndcg(greedy, at=2) == pytest.approx([dcg([4, 4]) / dcg([4, 3])])
    assert 1 < alpha_ndcg(greedy, at=2)[0] < GREEDY
    # called otherwise, it comes last
    assert alpha_ndcg(one("pq", {"p": "abcd", "q": "efgh", "b": "abef"}), at=2) == pytest.approx([1])


def test_a_hit_below_the_cutoff_gains_nothing():
    assert alpha_ndcg(one("xxa", {"a": "1"}), at=2).tolist() == [0]
    assert alpha_ndcg(one("xya", {"a": "1"}), at=3) == pytest.approx([1 / 2])


def test_nothing_relevant_and_nothing_returned():
    for view in (one("ab", {}), one("", {"a": "1"})):
        assert alpha_dcg(view).tolist() == [0]
        assert alpha_ndcg(view).tolist() == [0]
