import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric, metric
from neraca.metrics.text.average import average_of, band
from neraca.scores.answer_table import DEFAULT


@pytest.fixture
def own_scorers():
    @metric("MyScore")
    def my_score(reference: str, response: str, *, floor: float = 0) -> float | None:
        return None if response == "?" else max(floor, float(reference == response))

    @metric("MyErrors", better="lower")
    def my_errors(response: str) -> float:
        return 0.5

    @metric("MyDepth", low=-1)
    def my_depth(response: str) -> float:
        return 0.5

    yield
    for name in ("MyScore", "MyErrors", "MyDepth"):
        del METRICS._objects[name], METRICS._sources[name]


def column(name, *made):
    pairs = [
        (make_item(str(number), references=(reference,)), make_answer(item=str(number), text=response))
        for number, (reference, response) in enumerate(made)
    ]
    return score_metric(Metric.of(name), make_scorable(pairs))


def test_the_mean_of_metrics_and_a_scorer_of_ones_own(own_scorers):
    found = column("Average(TokenRecall,TokenPrecision,MyScore)", ("two floors", "it has two floors"), ("a", "a"))
    assert found.rows[:, 0] == pytest.approx([(1 + 0.5 + 0) / 3, 1])
    assert Metric.of("Average(MyScore)").total(found.rows.sum(axis=0)) == pytest.approx((0.5 + 1) / 2)


def test_a_metric_of_counts_takes_part_with_its_value_for_the_answer():
    """PassRatio counts 1 of 2; ExactMatch is 1."""
    from builders import make_verdict

    item, answer = make_item("1", "price floors", references=("x",)), make_answer("d", text="x", item="1")
    said = [make_verdict("d", "price", 1), make_verdict("d", "floors", 0)]
    found = score_metric(Metric.of("Average(PassRatio,ExactMatch)"), make_scorable([(item, answer)], said))
    assert found.rows.tolist() == [[0.75, 1]]


def test_an_answer_that_one_of_them_does_not_score_is_unscored(own_scorers):
    found = column("Average(MyScore,TokenF1)", ("?", "?"), ("a", "?"), ("...", "b"), ("a", "a"), ("", "a"))
    assert np.isnan(found.rows[:, 0]).tolist() == [True, True, True, False, True]
    assert found.why[:4] == (*["one of its metrics has no value for this answer"] * 3, "")


@pytest.mark.parametrize(
    "given, canonical",
    [
        ("Average( MyScore , TokenF1 )", "Average(MyScore,TokenF1)"),
        ("Average(MyScore(floor=0.5),TFIDF(idf=pair))", "Average(MyScore(floor=0.5),TFIDF)"),
        ("Average(METEOR(stem=false,alpha=0.5),Average(MyScore,MyScore))", None),
        ("Average(P@5,RBP(p=0.5)@10)", None),
    ],
)
def test_names_round_trip(given, canonical, own_scorers):
    found = Metric.of(given)
    assert Metric.of(str(found)) == found == str(found)
    if canonical:
        assert str(found) == canonical


def test_an_average_of_an_average_is_one(own_scorers):
    name = "Average(Average(TokenRecall,TokenPrecision),MyScore(floor=0.25))"
    found = column(name, ("two floors", "it has two floors"))
    assert found.rows[0, 0] == pytest.approx((0.75 + 0.25) / 2)


def test_what_it_is_made_of_is_scored_once_and_kept(own_scorers):
    part = make_scorable([(make_item(references=("a",)), make_answer(text="a"))])
    score_metric(Metric.of("Average(TokenF1,ExactMatch)"), part)
    inner = score_metric(Metric.of("TokenF1"), part)
    assert score_metric(Metric.of("TokenF1"), part) is inner


@pytest.mark.parametrize(
    "name, told",
    [
        ("Average(TokenF1,MyErrors)", "MyErrors cannot be averaged: less is better, from 0 to 1"),
        ("Average(MyDepth)", "MyDepth cannot be averaged: more is better, from -1 to 1"),
        ("Average(DCG@5)", "from 0 to inf; Average takes metrics of which more is better, from 0 to 1"),
    ],
)
def test_what_cannot_be_averaged_is_told(name, told, own_scorers):
    with pytest.raises(SpecError) as error:
        column(name, ("a", "a"))
    assert told in str(error.value)


def test_without_names_it_is_the_average_that_the_table_of_a_chat_page_shows():
    names = "Average(TFIDF,ROUGE-L,ExactMatch,TokenF1,METEOR,TokenRecall)"
    assert str(Metric.of("Average")) == names == str(average_of(Metric.several(DEFAULT)))
    assert list(map(str, Metric.several("Average"))) == list(map(str, Metric.several("average_score"))) == [names]


def test_an_unknown_metric_is_told_when_it_is_named():
    with pytest.raises(SpecError, match="no metric is called 'TokenF2'"):
        Metric.of("Average(TokenF2)")


@pytest.mark.parametrize(
    "value, word",
    [
        *((1.0, "excellent"), (0.8001, "excellent"), (0.8, "good"), (sum([0.8] * 3) / 3, "good"), (0.6, "good")),
        *((0.6 - 1e-12, "good"), (0.5999, "acceptable"), (0.4, "acceptable"), (0.3999, "poor"), (0.0, "poor")),
        (math.nan, "unscored"),
    ],
)
def test_bands_at_their_edges(value, word):
    assert band(value) == word


def test_bands_can_be_set_and_must_fall():
    words = [band(value, (0.5, 0.3, 0.1)) for value in (0.6, 0.5, 0.2, 0.05)]
    assert words == ["excellent", "good", "acceptable", "poor"]
    for bounds in [(0.8, 0.8, 0.4), (0.4, 0.6, 0.8), (0.8, 0.6), (0.8, math.nan, 0.4)]:
        with pytest.raises(SpecError, match="three numbers that fall"):
            band(0.5, bounds)


def test_the_average_of_a_table_is_the_one_that_is_named_or_that_of_the_metrics_that_fit():
    chosen = Metric.several("TokenF1 Average(ROUGE-1,ROUGE-L)")
    assert str(average_of(chosen)) == "Average(ROUGE-1,ROUGE-L)"
    assert average_of(Metric.several("TokenF1 Words")) is None, "one metric has no average"
