import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.judged import judged


@pytest.mark.parametrize(
    "grades, at, of, value",
    [
        ([1, None, 0, -2], 0, "returned", 3 / 4),
        ([1, None, 0, -2], 3, "returned", 2 / 3),
        ([1, None, 0, -2], 8, "returned", 3 / 4),
        ([1, None, 0, -2], 8, "k", 3 / 8),
        ([1, -1, 0, -2], 0, "returned", 3 / 4),
        ([1, -1, 0, -2], 3, "returned", 2 / 3),
        ([1, -1, 0, -2], 8, "k", 3 / 8),
        ([-1, -1], 1, "returned", 0),
        ([1, None, 0, -1], 2, "k", 1 / 2),
        ([None, None], 1, "returned", 0),
        ([], 5, "k", 0),
    ],
)
def test_by_hand(grades, at, of, value):
    assert judged(ranking(grades, unseen=[1]), at=at, of=of) == pytest.approx([value])


@pytest.mark.parametrize("at", [0, 5])
def test_nothing_returned_is_no_share_of_what_was_returned(at):
    assert np.isnan(judged(ranking([], unseen=[1]), at=at))


def test_a_document_that_comes_again_needs_no_judgement():
    batch = make_scorable([(make_item(relevant={"a": 1}), make_answer("x x a y"))])
    assert score_metric(Metric.of("Judged"), batch).rows[0, 0] == 2 / 4


@pytest.mark.parametrize(
    "wrong, message",
    [({"of": "all"}, "of is k or returned, not 'all'"), ({"of": "k"}, r"needs a cutoff .* write Judged\(of=k\)@10")],
)
def test_words_that_do_not_fit(wrong, message):
    with pytest.raises(SpecError, match=message):
        judged(ranking([1]), **wrong)
