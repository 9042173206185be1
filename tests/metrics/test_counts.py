"""Counts of answers: put below each other, and errors that are our own."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import Counts, score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.records import Verdict


def test_parts_are_put_below_each_other_with_their_reasons():
    metric = Metric.of("Value")
    one = Counts.made(metric, [0.5, np.nan], ["", "gone"])
    two = Counts.made(metric, [[1, 2], [np.nan, np.nan]], ["", "lost"])
    assert Counts.joined([one]) is one
    both = Counts.joined([one, two])
    np.testing.assert_equal(both.rows, [[0.5, 1], [np.nan, np.nan], [1, 2], [np.nan, np.nan]])
    assert both.reasons == {1: "gone", 3: "lost"}


def test_an_error_of_ours_is_not_told_as_one_of_a_users_metric():
    with pytest.raises(ValueError, match="could not convert"):
        score_metric(Metric.of("Value"), Scorable("a", 1, {"values": lambda: ["x"]}))


def test_a_value_out_of_range_is_named_with_system_question_and_person():
    verdict = Verdict(item="2", about="answer", aspect="quality", by="human:ana", value=7)
    pairs = [(make_item(), make_answer()), (make_item("2"), make_answer(item="2"))]
    with pytest.raises(SpecError, match=r"gave 7 for \S+, item '2' \(a verdict by human:ana\), which is outside"):
        score_metric(Metric.of("Rubric(quality)"), make_scorable(pairs, [verdict]))
