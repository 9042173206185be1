"""Which answers count, and as what: failed, suspect, empty, unjudged; and documents that come twice."""

import math

import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.ranking import Ranking

RANKING = ["P@2", "P(of=returned)@2", "SetP", "SetR", "RR", "AP", "AP(R=returned)", "DCG", "nDCG"]


def one(name, item, answer):
    """The value of one answer, and why it has none."""
    column = score_metric(Metric.of(name), make_scorable([(item, answer)]))
    return float(column.rows[0, 0]), column.why[0]


def test_answers_lie_one_after_the_other():
    view = make_scorable(
        [
            (make_item("1", relevant={"a": 1, "z": 2}), make_answer("a b", "1")),
            (make_item("2", relevant={"a": 3}), make_answer("", "2")),
            (make_item("3", relevant={"c": 0, "a": 1}), make_answer("c x a", "3")),
        ]
    ).view(Ranking)
    assert view.grades.tolist() == [1, 0, 1]
    assert view.returned.tolist() == [2, 0, 3]
    assert view.owner.tolist() == [0, 2, 2]
    assert view.rank.tolist() == [1, 1, 3]
    assert view.pool.tolist() == [2, 1, 3, 1, 0]
    assert view.pool_owner.tolist() == [0, 0, 1, 2, 2]
    assert view.pool_rank.tolist() == [1, 2, 1, 1, 2]
    assert view.top == 3
    assert view.relevant(1, at=2).tolist() == [1, 0, 0]
    assert view.running(view.relevant(0)).tolist() == [1, 1, 2]


@pytest.mark.parametrize("name, value", [("P@4", 2 / 4), ("SetP", 2 / 4), ("SetR", 2 / 3), ("RR", 1)])
def test_a_document_that_comes_again_gains_nothing_more(name, value):
    found, _ = one(name, make_item(relevant={"a": 1, "b": 1, "c": 1}), make_answer("a a b a"))
    assert found == pytest.approx(value)


def test_a_document_that_comes_again_keeps_its_rank():
    # a at 1, b at 3: (1/1 + 2/3) / 3 known; 1 + 1/log2(4) over 1 + 1/log2(3) + 1/2
    item, answer = make_item(relevant={"a": 1, "b": 1, "c": 1}), make_answer("a a b")
    assert one("AP", item, answer)[0] == pytest.approx((1 + 2 / 3) / 3)
    assert one("nDCG", item, answer)[0] == pytest.approx(1.5 / (1.5 + 1 / math.log2(3)))
    assert one("DCG(gains=exp)", item, answer)[0] == pytest.approx(1.5)


def test_a_document_that_comes_again_is_not_relevant_however_little_is_asked():
    assert one("P(rel=0)@2", make_item(relevant={"a": 0, "b": 1}), make_answer("a a"))[0] == 0.5


@pytest.mark.parametrize("name", [*RANKING, "Success"])
def test_suspect_answers_are_never_scored(name):
    value, why = one(name, make_item(relevant={"a": 1}), make_answer("a", status="suspect"))
    assert math.isnan(value)
    assert why.startswith("suspect")


@pytest.mark.parametrize("status", ["timeout", "refused", "error"])
@pytest.mark.parametrize("docs", ["", "a"])
@pytest.mark.parametrize("name", ["P@2", "SetR", "RR", "AP", "DCG", "nDCG", "Success", "Coverage"])
def test_failed_answers_count_as_empty_even_if_something_came(name, docs, status):
    assert one(name, make_item(relevant={"a": 1}), make_answer(docs, status=status)) == (0, "")


@pytest.mark.parametrize("name", RANKING)
def test_correct_empties_are_in_no_mean_of_a_ranking_metric(name):
    value, why = one(name, make_item(expects="none"), make_answer(""))
    assert math.isnan(value)
    assert why.startswith("correct empty")


def test_a_failure_is_no_correct_empty():
    assert one("RR", make_item(expects="none"), make_answer("", status="error")) == (0, "")


@pytest.mark.parametrize("name", ["P@2", "SetP", "RR", "AP", "nDCG"])
def test_hits_where_none_are_expected_are_all_wrong(name):
    assert one(name, make_item(expects="none"), make_answer("a b")) == (0, "")


def test_what_is_expected_follows_from_the_labels_where_nobody_says_it():
    assert one("RR", make_item(relevant={}), make_answer(""))[1].startswith("correct empty")
    assert one("RR", make_item(relevant={"a": 0}), make_answer(""))[1].startswith("correct empty")
    assert one("RR", make_item(relevant={"a": 1}), make_answer("")) == (0, "")
    assert one("RR", make_item(relevant={"a": 1}, expects="none"), make_answer(""))[1].startswith("correct empty")


def test_false_empties_score_0_and_need_no_judge():
    assert one("RR", make_item(expects="results"), make_answer("")) == (0, "")
    assert one("P(of=returned)@2", make_item(expects="results"), make_answer(""))[1] == "nothing was returned"


@pytest.mark.parametrize("name", [*RANKING, "Success"])
def test_hits_that_nobody_judged_are_unscored(name):
    for expects, why in (
        (None, "nobody judged its hits, and what it expects is not said"),
        ("results", "nobody judged"),
    ):
        value, reason = one(name, make_item(expects=expects), make_answer("a"))
        assert math.isnan(value)
        assert reason.startswith(why)


def test_an_empty_answer_to_a_question_of_which_nothing_is_known_is_unscored():
    assert one("RR", make_item(), make_answer(""))[1].startswith("nobody judged")


def test_an_empty_batch():
    for name in [*RANKING, "Success", "Coverage", "PassRatio", "QuerySuccess", "QueryF1"]:
        column = score_metric(Metric.of(name), make_scorable([]))
        assert (len(column.rows), column.why) == (0, ())
