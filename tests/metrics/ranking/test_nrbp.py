import pytest

from neraca.metrics.ranking.nrbp import nnrbp, nrbp
from neraca.metrics.ranking.subtopics import Subtopics


def one(docs, relevant):
    return Subtopics.judged([list(docs)], [relevant])


def test_as_printed_by_pyndeval():
    # the example in the documentation of pyndeval 0.0.8, cut after the fourth digit
    view = one("ADEB", {"A": "a", "B": "b", "D": "b", "C": "c"})
    assert nrbp(view) == pytest.approx([0.3906], abs=1e-4)
    assert nnrbp(view) == pytest.approx([0.8620], abs=1e-4)
    # 3/4 of 1 + 1/2 + 1/2 * 1/8, over 3 subtopics; in the best order 1 + 1/2 + 1/4 + 1/2 * 1/8
    assert nrbp(view) == pytest.approx([0.75 * 1.5625 / 3])
    assert nnrbp(view) == pytest.approx([1.5625 / 1.8125])


def test_by_hand_with_other_parameters():
    view = one("bxa", {"a": "12", "b": "1"})
    gained = 1 + (1 + 0.75) * 0.9**2
    assert nrbp(view, alpha=0.25, beta=0.9) == pytest.approx([gained * (1 - 0.75 * 0.9) / 2])
    assert nnrbp(view, alpha=0.25, beta=0.9) == pytest.approx([gained / (2 + 0.75 * 0.9)])


def test_without_novelty_it_is_rank_biased_precision():
    # Moffat and Zobel (2008): (1-p) (1 + p^2) with p = 0.8 for hits at 1 and 3
    assert nrbp(one("axb", {"a": "1", "b": "1"}), alpha=0, beta=0.8) == pytest.approx([0.2 * (1 + 0.64)])


def test_1_is_approached_by_hits_that_all_serve_everything():
    docs = [f"d{number}" for number in range(60)]
    view = Subtopics.judged([docs], [dict.fromkeys(docs, "123")])
    assert nrbp(view, beta=0.8) == pytest.approx([1])
    assert nnrbp(view, beta=0.8) == pytest.approx([1])


@pytest.mark.parametrize("beta", [0.01, 0.5, 0.95])
def test_the_ideal_order_is_followed_as_deep_as_it_counts(beta):
    docs = [f"d{number:04}" for number in range(600)]
    view = Subtopics.judged([docs], [{doc: {doc} for doc in docs}])
    assert nnrbp(view, beta=beta) == pytest.approx([1], abs=1e-12)
    assert nrbp(view, beta=beta) == pytest.approx([(1 - beta / 2) / (1 - beta) / 600])


def test_nothing_relevant_and_nothing_returned():
    for view in (one("ab", {}), one("", {"a": "1"})):
        assert nrbp(view).tolist() == [0]
        assert nnrbp(view).tolist() == [0]
