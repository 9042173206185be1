import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable, make_verdict

from neraca.errors import SpecError
from neraca.metrics.constraints.pass_ratio import hit_ratios, pass_rate, pass_ratio, strict_pass
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.rag.example import checks

#: Right district, for sale, price in range, two bedrooms where three are asked, two floors, and the certificate.
HOUSE = [1, 1, 1, 0, 1, 1]


def value(counts):
    part, whole = counts[0]
    return part / whole


def test_worked_example():
    # 5 of 6 pass
    assert value(pass_ratio(checks([HOUSE]))) == pytest.approx(0.8333, abs=5e-5)
    assert value(strict_pass(checks([HOUSE]))) == 0


@pytest.mark.parametrize(
    "hits, missing, unjudged, counts",
    [
        ([[1, 0], [1, 1]], "skip", "skip", [1.5, 2]),
        ([[1, None], [0, 1]], "skip", "skip", [1.5, 2]),
        ([[1, None], [0, 1]], "fail", "skip", [1.0, 2]),
        ([[None, None], [1, 1]], "skip", "skip", [1, 1]),
        ([[None, None], [1, 1]], "fail", "skip", [1, 2]),
        ([[], [1, 0]], "skip", "skip", [0.5, 1]),
        ([[], [1, 0]], "skip", "fail", [0.5, 2]),
        ([[None, None], [1, 0]], "skip", "fail", [0.5, 2]),
    ],
)
def test_missing_and_unjudged(hits, missing, unjudged, counts):
    assert pass_ratio(checks(hits), missing=missing, unjudged=unjudged).tolist() == [counts]


@pytest.mark.parametrize("hits", [[], [[]], [[None]]])
def test_nothing_decided_is_not_scored(hits):
    assert np.isnan(pass_ratio(checks(hits))).all()


def test_over_questions_it_is_weighted_by_hits():
    # one hit of 1/1 and three hits of 0/1 each: 1 of 4, and not the mean 1/2 of the two questions
    items = [make_item("1", "c", expects="results"), make_item("2", "c", expects="results")]
    verdicts = [make_verdict("a", "c", 1, item="1"), *(make_verdict(d, "c", 0, item="2") for d in "abc")]
    metric = Metric.of("PassRatio")
    batch = make_scorable([(items[0], make_answer("a", "1")), (items[1], make_answer("a b c", "2"))], verdicts)
    assert metric.total(score_metric(metric, batch).rows.sum(axis=0)) == pytest.approx(1 / 4)


@pytest.mark.parametrize("missing, ratio", [("skip", [1, 0.5, 1, np.nan]), ("fail", [1, 0.5, 0.5, 0])])
def test_ratio_of_each_hit(missing, ratio):
    view = checks([[1, 1], [1, 0], [1, None], [None, None]])
    assert hit_ratios(view, missing) == pytest.approx(ratio, nan_ok=True)


@pytest.mark.parametrize("aspect, counts", [("price", [2, 3]), ("floors", [1, 3])])
def test_rate_of_one_constraint_counts_missing_as_not_passed(aspect, counts):
    view = checks([[1, 0], [1, None], [0, 1]], names=["price", "floors"])
    assert pass_rate(view, aspect=aspect).tolist() == [counts]


def test_rate_of_a_constraint_that_nobody_asked_for():
    assert np.isnan(pass_rate(checks([[1]], names=["price"]), aspect="floors")).all()


def test_rate_of_a_constraint_whose_name_looks_like_a_number():
    item = make_item("1", "2024", expects="results")
    batch = make_scorable([(item, make_answer("a"))], [make_verdict("a", "2024", 1)])
    assert score_metric(Metric.of("PassRate(2024)"), batch).rows.tolist() == [[1, 1]]


@pytest.mark.parametrize("missing, counts", [("fail", [1, 4]), ("skip", [2, 3])])
def test_strict(missing, counts):
    view = checks([[1, 1], [1, 0], [1, None], [None, None]])
    assert strict_pass(view, missing=missing).tolist() == [counts]


def test_a_house_returned_twice_is_one_hit():
    batch = make_scorable(
        [(make_item("1", "c"), make_answer("a b a"))], [make_verdict("a", "c", 1), make_verdict("b", "c", 0)]
    )
    assert score_metric(Metric.of("PassRatio"), batch).rows.tolist() == [[1, 2]]


def test_verdicts_on_what_the_question_does_not_ask_do_not_count():
    batch = make_scorable(
        [(make_item("1", "price"), make_answer("a"))], [make_verdict("a", "price", 1), make_verdict("a", "pool", 0)]
    )
    assert score_metric(Metric.of("PassRatio"), batch).rows.tolist() == [[1, 1]]


def test_verdicts_on_another_trial_do_not_count():
    pairs = [(make_item("1", "c"), make_answer("a", trial=trial)) for trial in (0, 1)]
    batch = make_scorable(pairs, [make_verdict("a", "c", 1), make_verdict("a", "c", 0, trial=1)])
    assert score_metric(Metric.of("PassRatio"), batch).rows.tolist() == [[1, 1], [0, 1]]


def test_one_persons_word_can_be_asked_for():
    said = [
        make_verdict("a", "c", 1),
        make_verdict("a", "c", 0, by="human:Ana"),
        make_verdict("a", "c", 1, by="human:Ben"),
    ]
    pair = [(make_item("1", "c"), make_answer("a"))]
    passed = {
        by: score_metric(Metric.of("PassRatio"), make_scorable(pair, said, by=by)).rows[0, 0]
        for by in ("", "rules", "human", "human:Ana")
    }
    assert passed == {"": 1, "rules": 1, "human": 1, "human:Ana": 0}


@pytest.mark.parametrize("name", ["PassRatio", "StrictPass", "PassRate(c)"])
def test_suspect_and_failed_answers(name):
    item, said = make_item("1", "c", expects="results"), [make_verdict("a", "c", 1)]
    suspect = score_metric(Metric.of(name), make_scorable([(item, make_answer("a", status="suspect"))], said))
    assert np.isnan(suspect.rows).all()
    assert suspect.why[0].startswith("suspect")
    failed = score_metric(Metric.of(name), make_scorable([(item, make_answer("a", status="timeout"))], said))
    assert np.isnan(failed.rows).all()
    assert failed.why[0].startswith("no hit with a verdict")


@pytest.mark.parametrize("metric", [pass_ratio, strict_pass])
def test_unknown_words(metric):
    with pytest.raises(SpecError, match="missing is skip or fail, not 'drop'"):
        metric(checks([[1]]), missing="drop")


def test_unknown_word_for_unjudged():
    with pytest.raises(SpecError, match="unjudged is skip or fail, not 'drop'"):
        pass_ratio(checks([[1]]), unjudged="drop")
