"""Counts of answers: put below each other, and errors that are our own."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import Counts, _place_of, _texts_in, score_metric
from neraca.metrics.metric import Metric, metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.scorable import RunGroup, Scorable
from neraca.records import Verdict
from neraca.stats.intervals.interval import Floats


def test_parts_are_put_below_each_other_with_their_reasons():
    metric = Metric.of("Value")
    one = Counts.of(metric, [0.5, np.nan], ["", "gone"])
    two = Counts.of(metric, [[1, 2], [np.nan, np.nan]], ["", "lost"])
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


def test_a_value_out_of_range_is_named_with_its_row_where_nobody_judges():
    metric = Metric.of("Rubric(quality)")
    table = Scorable("a.csv", 2, {"values": lambda: [1, 2], "ids": lambda: ["line 2", "line 3"]})
    assert _place_of(table, 1, 7.0) == " for a.csv, item 'line 3'"
    assert _place_of(Scorable("b.csv", 2, {}), 1, 7.0) == " for b.csv, item '2'"
    with pytest.raises(SpecError, match=r"gave 7, which is outside its range"):
        Counts.of(metric, [7.0], [""])


def test_a_text_that_cannot_be_stemmed_is_found_in_whichever_run_it_stands():
    runs = [
        Scorable("one", 1, {"language": lambda: ["en"], "ids": lambda: ["one's row"]}),
        Scorable("two", 1, {"language": lambda: ["vi"], "ids": lambda: ["two's row"]}),
    ]
    RunGroup(runs)
    assert [_texts_in("vi", run) for run in runs] == ["two's row: "] * 2
    assert _texts_in("en", runs[0]) == "one's row: "
    nameless = Scorable("three", 3, {"language": lambda: ["en", "vi", "vi"]})
    RunGroup([nameless])
    assert _texts_in("vi", nameless) == "2 (and 1 more of 3): "


@metric("TestFailsOrShort", high=1)
def failing(ranking: Ranking, *, short: bool = False) -> Floats:
    if not short:
        raise ZeroDivisionError("division by zero")
    return np.zeros(1)


def test_a_metric_of_a_user_that_fails_or_gives_too_few_values_is_named_with_its_run():
    part = make_scorable([(make_item(name, relevant={}), make_answer(item=name)) for name in "12"])
    with pytest.raises(SpecError, match=r"TestFailsOrShort: failed on run: .*division by zero"):
        score_metric(Metric.of("TestFailsOrShort"), part)
    with pytest.raises(SpecError, match="it gave 1 values for 2"):
        score_metric(Metric.of("TestFailsOrShort(short=true)"), part)


def test_a_language_without_stems_is_named_with_what_to_do():
    part = make_scorable([(make_item(references=("cái nhà",)), make_answer(text="cái nhà"))], language="vi")
    with pytest.raises(SpecError, match="or leave the stems out"):
        score_metric(Metric.of("METEOR(stem=true)"), part)
