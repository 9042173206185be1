import pytest

from neraca.metrics.ranking.err_ia import err_ia, nerr_ia
from neraca.metrics.ranking.subtopics import Subtopics

#: The example in the documentation of pyndeval 0.0.8 and the values printed there, cut after the fourth digit.
PYNDEVAL = Subtopics.judged([list("ADEB")], [{"A": "a", "B": "b", "D": "b", "C": "c"}])


def one(docs, relevant):
    return Subtopics.judged([list(docs)], [relevant])


@pytest.mark.parametrize("at, value", [(5, 0.3933), (10, 0.3907), (20, 0.3907)])
def test_as_printed_by_pyndeval(at, value):
    assert err_ia(PYNDEVAL, at=at) == pytest.approx([value], abs=1e-4)
    assert nerr_ia(PYNDEVAL, at=at) == pytest.approx([0.8297], abs=1e-4)


def test_by_hand():
    # ERR of subtopic 1: hits at 1 and 3; of 2: at 3.  Highest: a hit at 1, 2 and 3 for each of both
    view = one("bxa", {"a": "12", "b": "1"})
    highest = 1 + 1 / 4 + 1 / 12
    assert err_ia(view, at=3) == pytest.approx([((1 + 1 / 6) + 1 / 3) / 2 / highest])
    assert err_ia(view, at=1) == pytest.approx([1 / 2])
    # ideal: a, then b on the known subtopic 1
    assert nerr_ia(view, at=3) == pytest.approx([(1 + 1 / 6 + 1 / 3) / (2 + 1 / 4)])
    assert nerr_ia(view, at=1) == pytest.approx([1 / 2])


def test_other_probabilities_that_a_hit_satisfies():
    view = one("ab", {"a": "1", "b": "1"})
    assert err_ia(view, alpha=0.9, at=2) == pytest.approx([1])
    assert err_ia(one("xb", {"b": "1"}), alpha=0.9, at=2) == pytest.approx([(1 / 2) / (1 + 0.1 / 2)])
    assert err_ia(one("xb", {"b": "1"}), alpha=0, at=2) == pytest.approx([(1 / 2) / (3 / 2)])
    assert nerr_ia(one("xb", {"a": "1", "b": "1"}), alpha=0.9, at=2) == pytest.approx([(1 / 2) / (1 + 0.1 / 2)])


def test_a_hit_below_the_cutoff_gains_nothing():
    for metric in (err_ia, nerr_ia):
        assert metric(one("xya", {"a": "1"}), at=2).tolist() == [0]


def test_nothing_relevant_and_nothing_returned():
    for view in (one("ab", {}), one("", {"a": "1"})):
        assert err_ia(view).tolist() == [0]
        assert nerr_ia(view).tolist() == [0]
