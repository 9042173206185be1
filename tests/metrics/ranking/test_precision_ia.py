import pytest

from neraca.metrics.ranking.precision_ia import average_precision_ia, precision_ia
from neraca.metrics.ranking.subtopics import Subtopics

#: The example in the documentation of pyndeval 0.0.8 and the values printed there.  (Its P-IA@5 is 3 hits on one
#: subtopic each: 3 / (5 * 3).)
PYNDEVAL = Subtopics.judged([list("ADEB")], [{"A": "a", "B": "b", "D": "b", "C": "c"}])


@pytest.mark.parametrize("at, value", [(5, 0.2), (10, 0.1), (20, 0.05)])
def test_as_printed_by_pyndeval(at, value):
    assert precision_ia(PYNDEVAL, at=at) == pytest.approx([value])
    assert average_precision_ia(PYNDEVAL) == pytest.approx([0.5])


def test_by_hand():
    view = Subtopics.judged([list("bxa")], [{"a": "12", "b": "1", "u": "1"}])
    # subtopic 1: 2 of 3, subtopic 2: 1 of 3
    assert precision_ia(view, at=3) == pytest.approx([(2 / 3 + 1 / 3) / 2])
    assert precision_ia(view, at=2) == pytest.approx([(1 / 2) / 2])
    # AP of subtopic 1: precision 1 at rank 1, 2/3 at rank 3, of 3 documents; of subtopic 2: 1/3 at rank 3, of 1
    assert average_precision_ia(view) == pytest.approx([((1 + 2 / 3) / 3 + 1 / 3) / 2])


def test_nothing_relevant_and_nothing_returned():
    view = Subtopics.judged([["a"], []], [{}, {"a": "1"}])
    assert precision_ia(view).tolist() == [0, 0]
    assert average_precision_ia(view).tolist() == [0, 0]
