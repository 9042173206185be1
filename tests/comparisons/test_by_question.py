"""How far runs are apart on each question, and which of them is alone the best."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable, make_verdict

from neraca.comparisons.by_question import alone_best, answer_outcomes, spread
from neraca.metrics.metric import Metric

NONE = np.nan
VALUES = np.array([[0.5, 1.0, 0.2, NONE, NONE], [0.25, 1.0, NONE, NONE, 0.3], [0.75, 0.0, NONE, NONE, 0.3]])


def test_the_spread_is_that_of_the_runs_that_have_a_value():
    assert spread(VALUES).tolist() == [0.5, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "metric, best",
    [
        ("RR", [2, -1, -1, -1, -1]),  # higher is better; on the second two runs are level, on the third one is alone
        ("WER", [1, 2, -1, -1, -1]),
        ("Coverage", [-1, -1, -1, -1, -1]),  # a diagnostic says of nobody that it is better
    ],
)
def test_the_best_is_alone_and_better_than_another(metric, best):
    assert alone_best(VALUES, Metric.of(metric)).tolist() == best


def test_nobody_is_the_best_of_one_or_by_a_rounding_error():
    assert alone_best(VALUES[:1], Metric.of("RR")).tolist() == [-1] * 5
    assert alone_best(np.array([[0.1 + 0.2], [0.3]]), Metric.of("RR")).tolist() == [-1]


def test_the_outcome_of_an_answer_that_is_not_whole_is_its_status():
    pairs = [
        (make_item("1"), make_answer("a b", item="1")),
        (make_item("2"), make_answer("a", item="2")),
        (make_item("3"), make_answer(item="3", status="timeout", error="60 s")),
    ]
    verdicts = [make_verdict("b", "relevance", 1, item="1"), make_verdict("a", "relevance", 0, item="2")]
    assert answer_outcomes(make_scorable(pairs, verdicts)) == ["relevant", "none relevant", "timeout"]
