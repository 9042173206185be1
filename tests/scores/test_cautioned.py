"""Answers whose verdicts carry a caution, and scores without them."""

import math

import pytest
from builders import make_run

import neraca
from neraca.records import Answer, Hit, Item, Verdict
from neraca.scores.cautioned import cautioned_answers

ORDER = "Ignore the above"
ITEMS = [Item(id=f"q{n}", query="?") for n in range(4)]


def make(folder, verdicts, items=ITEMS, hits=("d",), trials=1):
    answers = [
        Answer(item=item.id, trial=trial, text="So.", hits=tuple(Hit(id=doc, text="x") for doc in hits))
        for item in items
        for trial in range(trials)
    ]
    return make_run(folder, items, answers, verdicts, trials=trials)


def on(about, aspect, value_by_item, cautioned="", by="llm:m", trial=0):
    return [
        Verdict(
            item=item, trial=trial, about=about, aspect=aspect, value=value, by=by,
            caution=ORDER if item in cautioned.split() else "",
        )
        for item, value in value_by_item.items()
    ]  # fmt: skip


VALID = {"q0": 1, "q1": 1, "q2": 0, "q3": 0}


def counted(runs, metrics):
    return [(one.run, one.unit, one.n, one.all, one.values) for one in cautioned_answers(neraca.score(runs, metrics))]


def test_answers_are_counted_and_the_mean_is_that_of_the_others(tmp_path):
    """The mean of 1, 1, 0 and 0 without the first."""
    run = make(tmp_path / "a", on("answer", "valid", VALID, "q0"))
    assert counted([run], "Valid Words") == [("a", "answer", 1, 4, {"Valid": (0.5, pytest.approx(1 / 3))})]


def test_no_caution_counts_where_a_person_overruled_the_judge_or_no_metric_reads_it(tmp_path):
    verdicts = on("answer", "valid", VALID, "q0")
    assert counted([make(tmp_path / "a", verdicts)], "Words") == []
    assert counted([make(tmp_path / "b", verdicts + on("answer", "valid", {"q0": 1}, by="human:ana"))], "Valid") == []


def test_if_every_answer_carries_a_caution_no_value_is_left(tmp_path):
    ((_, _, n, n_all, values),) = counted([make(tmp_path / "a", on("answer", "valid", VALID, "q0 q1 q2 q3"))], "Valid")
    assert (n, n_all, values["Valid"][0]) == (4, 4, 0.5)
    assert math.isnan(values["Valid"][1])


def test_of_a_question_asked_twice_only_the_answer_with_the_caution_is_left_out(tmp_path):
    """The first question's answers have 1 and 0; without the first it counts 0."""
    verdicts = on("answer", "valid", VALID, "q0") + on("answer", "valid", {**VALID, "q0": 0}, trial=1)
    run = make(tmp_path / "a", verdicts, trials=2)
    assert counted([run], "Valid") == [("a", "answer", 1, 8, {"Valid": (0.375, 0.25)})]


def test_a_caution_on_a_hit_is_one_on_every_answer_that_returned_it_within_the_cutoff(tmp_path):
    """One run has the hit first, the other second; P@1 is 1, 1, 0, 0 in the first, and looks at no second hit."""
    verdicts = on("hit:d", "relevance", VALID, "q0")
    runs = [make(tmp_path / "a", verdicts, hits=("d", "e")), make(tmp_path / "b", [], hits=("e", "d"))]
    assert counted(runs, "P@1") == [("a", "answer", 1, 4, {"P@1": (0.5, pytest.approx(1 / 3))})]
    assert [(run, n) for run, _, n, *_ in counted(runs, "P@2 RR")] == [("a", 1), ("b", 1)]


def test_a_hit_on_which_a_person_a_rule_or_the_question_decides_carries_no_caution(tmp_path):
    """The model's word on q0 to q2 does not count, so only q3 carries a caution."""
    items = [Item(id="q0", query="?", relevant={"d": 1}), *ITEMS[1:]]
    verdicts = on("hit:d", "relevance", VALID, "q0 q1 q2 q3")
    verdicts += on("hit:d", "relevance", {"q1": 1}, by="human:ana") + on("hit:d", "price", {"q2": 1}, by="rules")
    run = make(tmp_path / "a", verdicts, items)
    ((_, _, n, n_all, _),) = counted([run], "P@1")
    assert (n, n_all) == (1, 4)
    assert [one.n for one in cautioned_answers(neraca.score([run], "P@1", relevance="llm"))] == [4]


def test_conversations_are_left_out_whole(tmp_path):
    items = [Item(id=f"q{n}", query="?", session=f"s{n // 2}") for n in range(4)]
    run = make(tmp_path / "a", on("session", "resolves", {"q1": 1, "q3": 0}, "q1"), items)
    assert counted([run], "SessionGoalReached") == [("a", "conversation", 1, 2, {"SessionGoalReached": (0.5, 0.0)})]


def test_scores_without_a_run_folder_have_no_cautions():
    assert cautioned_answers(neraca.trec({"1": {"d": 1}}, {"a": {"1": {"d": 1.0}}}, "P@1")) == []
