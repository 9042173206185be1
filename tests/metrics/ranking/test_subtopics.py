"""Whose word on a subtopic counts, which answers are scored, and what holds of every diversity metric."""

import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable, make_verdict
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.subtopics import GREEDY, Subtopics

NAMES = ["alpha_DCG@5", "alpha_nDCG@5", "ERR_IA@5", "nERR_IA@5", "NRBP", "nNRBP", "StRecall@5", "P_IA@5", "MAP_IA"]
METRICS = {name: Metric.of(name) for name in NAMES}


def subtopic_verdicts(doc, names, value=1.0, by="qrels", **fields):
    """A verdict on each subtopic named."""
    return [make_verdict(doc, f"subtopic:{name}", value, by, **fields) for name in names]


def view(docs, *verdicts, **fields):
    return make_scorable([(make_item(), make_answer(docs, **fields))], [v for part in verdicts for v in part]).view(
        Subtopics
    )


def seen(ranked):
    """The hits of one answer in words: rank → subtopics in order."""
    return {rank: "".join(sorted(names)) for rank, names in ranked}


def score(name, pairs, verdicts):
    column = score_metric(METRICS[name], make_scorable(pairs, verdicts))
    return column.rows[:, 0].tolist(), column.why


def test_hits_and_pool_hold_what_is_relevant_to_some_subtopic():
    made = view(
        "d1 d9 d2 d3",
        subtopic_verdicts("d1", "ab"),
        subtopic_verdicts("d2", "a", 0),
        subtopic_verdicts("d3", "b", 2),
        subtopic_verdicts("d7", "c"),
    )
    assert seen(made.hits[0]) == {1: "ab", 4: "b"}
    assert [(doc, "".join(sorted(names))) for doc, names in made.pool[0]] == [("d7", "c"), ("d3", "b"), ("d1", "ab")]
    assert made.unscored == [""]
    assert made.n == 1
    assert made.count.tolist() == [3]


def test_a_document_that_comes_again_keeps_its_first_rank_and_its_place():
    made = view("x a x a b a", subtopic_verdicts("a", "1"), subtopic_verdicts("b", "2"))
    assert seen(made.hits[0]) == {2: "1", 5: "2"}


def test_only_verdicts_on_subtopics_of_hits_are_heard():
    verdicts = [
        *subtopic_verdicts("a", "1", None),
        make_verdict("a", "relevance", 1),
        make_verdict("a", "subtopics:1", 1),
        *subtopic_verdicts("a", "1", item="2"),
        make_verdict("", "subtopic:1", 1),
    ]
    verdicts[-1] = type(verdicts[-1])(item="1", about="answer", aspect="subtopic:1", value=1, by="qrels")
    made = view("a", verdicts)
    assert (made.hits, made.pool) == ([[]], [[]])
    assert made.unscored == ["no subtopic was judged for it"]


@pytest.mark.parametrize("value, relevant", [(1, True), (2, True), (0.99, False), (0, False), (-1, False)])
def test_a_value_of_at_least_1_is_relevant(value, relevant):
    made = view("a", subtopic_verdicts("a", "1", value))
    assert seen(made.hits[0]) == ({1: "1"} if relevant else {})
    assert made.unscored == [""]


def test_what_is_said_of_one_trial_holds_for_all():
    item = make_item()
    pairs = [(item, make_answer("a b", trial=0)), (item, make_answer("b c", trial=1))]
    verdicts = [
        *subtopic_verdicts("a", "1", trial=0),
        *subtopic_verdicts("c", "2", trial=1),
        *subtopic_verdicts("b", "1", 0, trial=0),
    ]
    verdicts += subtopic_verdicts("b", "1", 1, trial=1)
    made = make_scorable(pairs, verdicts).view(Subtopics)
    assert [seen(hits) for hits in made.hits] == [{1: "1", 2: "1"}, {1: "1", 2: "2"}]
    assert [[doc for doc, _ in pool] for pool in made.pool] == [["c", "b", "a"]] * 2
    alone = make_scorable(pairs[:1], verdicts).view(Subtopics)
    assert alone.pool[0] == made.pool[0]


@pytest.mark.parametrize(
    "strong, weak", [("human:Ana", "qrels"), ("qrels", "rules"), ("rules", "llm:m"), ("embed:m", "oracle")]
)
@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("first", [0, 1])
def test_people_come_before_qrels_rules_and_llms_whatever_the_trial(strong, weak, value, first):
    made = view(
        "a",
        subtopic_verdicts("a", "1", value, strong, trial=first),
        subtopic_verdicts("a", "1", 1 - value, weak, trial=1 - first),
    )
    assert seen(made.hits[0]) == ({1: "1"} if value else {})


def test_failed_answers_are_empty_and_suspect_ones_unscored():
    verdicts = subtopic_verdicts("a", "1")
    for status in ("timeout", "refused", "error"):
        made = view("a", verdicts, status=status)
        assert (made.hits, made.unscored) == ([[]], [""])
        assert [doc for doc, _ in made.pool[0]] == ["a"]
    for known in (verdicts, []):
        assert view("a", known, status="suspect").unscored == ["suspect: the answer may not be whole"]


@pytest.mark.parametrize("status", ["timeout", "refused", "error"])
@pytest.mark.parametrize("name", NAMES)
def test_a_failed_answer_scores_0(name, status):
    assert score(name, [(make_item(), make_answer("a", status=status))], subtopic_verdicts("a", "1")) == ([0], ("",))


@pytest.mark.parametrize("name", NAMES)
def test_an_item_without_subtopics_is_unscored_and_the_others_are_scored(name):
    pairs = [(make_item(id), make_answer("a", id)) for id in "12"]
    values, why = score(name, pairs, subtopic_verdicts("a", "1", item="2"))
    assert math.isnan(values[0])
    assert values[1] > 0
    assert why == ("no subtopic was judged for it", "")


@pytest.mark.parametrize("name", NAMES)
def test_where_nothing_is_relevant_the_value_is_0(name):
    assert score(name, [(make_item(), make_answer("a"))], subtopic_verdicts("a", "12", 0)) == ([0], ("",))


def test_correct_empties_are_in_no_mean():
    item = make_item(expects="none")
    pairs = [(item, make_answer("", trial=0)), (item, make_answer("a", trial=1))]
    pairs.append((item, make_answer("", trial=2, status="error")))
    made = make_scorable(pairs, subtopic_verdicts("a", "1", 0, trial=1)).view(Subtopics)
    assert made.unscored == ["correct empty: nothing to find, nothing returned", "", ""]


def test_an_empty_batch():
    for name in NAMES:
        assert score(name, [], []) == ([], ())


def test_judgements_laid_beside_rankings_by_hand():
    made = Subtopics.judged([["b", "a"], []], [{"a": ["1", "2"], "b": []}, {}], ["", "why"])
    assert [seen(hits) for hits in made.hits] == [{2: "12"}, {}]
    assert made.pool == [[("a", frozenset("12"))], []]
    assert made.unscored == ["", "why"]
    assert made.count.tolist() == [2, 0]


@pytest.mark.parametrize("alpha", ["-0.1", "1", "1.0", "2"])
@pytest.mark.parametrize("name", ["alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"])
def test_alpha_is_from_0_to_below_1(name, alpha):
    with pytest.raises(SpecError, match=rf"{name}: alpha is at least 0 and less than 1, not {alpha}"):
        Metric.of(f"{name}(alpha={alpha})")(Subtopics.judged([["a"]], [{"a": ["1"]}]))


@pytest.mark.parametrize("beta", ["0", "1", "-0.5", "1.5"])
@pytest.mark.parametrize("name", ["NRBP", "nNRBP"])
def test_beta_is_between_0_and_1(name, beta):
    with pytest.raises(SpecError, match=rf"{name}: beta is more than 0 and less than 1, not {beta}"):
        Metric.of(f"{name}(beta={beta})")(Subtopics.judged([["a"]], [{"a": ["1"]}]))


@pytest.mark.parametrize("name", ["alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "StRecall", "P_IA"])
def test_the_cutoff_is_20_if_nobody_says_it_and_at_least_1(name):
    metric = Metric.of(name)
    assert str(metric) == f"{name}@20"
    made = Subtopics.judged([["a"]], [{"a": ["1"]}])
    with pytest.raises(SpecError, match=rf"{name}: the cutoff is a whole number from 1, not 0"):
        metric.definition.function(made, at=0)


DOCS = "abcdefgh"


@st.composite
def questions(draw):
    """A ranking of some documents, and the subtopics of some."""
    docs = draw(st.permutations(DOCS).flatmap(lambda order: st.integers(1, 8).map(lambda size: order[:size])))
    relevant = draw(st.dictionaries(st.sampled_from(DOCS), st.sets(st.sampled_from("12345")), max_size=8))
    return docs, relevant


@settings(max_examples=300)
@given(questions(), st.data())
def test_values_are_in_range_and_rise_when_what_is_relevant_climbs_over_what_is_not(question, data):
    docs, relevant = question
    before = Subtopics.judged([docs], [relevant])
    climbers = [i for i in range(1, len(docs)) if relevant.get(docs[i]) and not relevant.get(docs[i - 1])]
    place = data.draw(st.sampled_from(climbers)) if climbers else 0
    moved = [*docs[: place - 1], docs[place], docs[place - 1], *docs[place + 1 :]] if climbers else docs
    after = Subtopics.judged([moved], [relevant])
    for name, metric in METRICS.items():
        low, high = metric(before)[0], metric(after)[0]
        assert 0 <= low <= high + 1e-12, name
        assert high <= (GREEDY if name[0] == "n" or name.startswith("alpha_n") else 1) + 1e-12, name


@settings(max_examples=100)
@given(questions())
def test_nothing_is_better_than_the_greedy_order_where_each_document_serves_one_subtopic(question):
    docs, relevant = question
    single = {doc: {min(names)} for doc, names in relevant.items() if names}
    for name in ("alpha_nDCG@5", "nERR_IA@5", "nNRBP"):
        value = METRICS[name](Subtopics.judged([docs], [single]))[0]
        assert value <= 1 + 1e-12, name


def test_all_that_is_relevant_in_turn_is_perfect():
    # subtopics a, b, c in turn, as the greedy choice does
    made = Subtopics.judged([list("pqrst")], [{"p": "a", "q": "b", "r": "c", "s": "a", "t": "b"}])
    for name in ("alpha_nDCG@5", "nERR_IA@5", "nNRBP", "StRecall@5", "StRecall@3"):
        assert Metric.of(name)(made) == pytest.approx([1]), name


@pytest.mark.parametrize(
    "name, weights",
    [
        ("alpha_nDCG@3", [1, 1 / math.log2(3), 1 / 2]),
        ("nERR_IA@3", [1, 1 / 2, 1 / 3]),
        ("nNRBP(beta=0.9)", [1, 0.9, 0.81]),
    ],
)
def test_a_ranking_that_is_better_than_the_greedy_one_is_within_the_declared_range(name, weights):
    # gains of p, q, x: 4, 4, 4/2; the greedy order is x, q, p and gains 4, 2 + 2/2, 2 + 2/2
    verdicts = subtopic_verdicts("p", "abcd") + subtopic_verdicts("q", "efgh") + subtopic_verdicts("x", "abef")
    column = score_metric(Metric.of(name), make_scorable([(make_item(), make_answer("p q x"))], verdicts))
    assert column.rows[0, 0] == pytest.approx(np.dot([4, 4, 2], weights) / np.dot([4, 3, 3], weights))
    assert column.rows[0, 0] > 1


def test_values_have_the_type_and_shape_of_all_metrics():
    made = Subtopics.judged([["a"], ["b"]], [{"a": ["1"]}, {}])
    for name, metric in METRICS.items():
        values = metric(made)
        assert (values.dtype, values.shape) == (np.float64, (2,)), name
