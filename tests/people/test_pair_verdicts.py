"""From what raters say of pairs to verdicts, metrics and what comes next."""

import re
import uuid

import pytest
from people.test_pair_task import runs

from neraca import score
from neraca.errors import InputError
from neraca.people.pair_task import PairTasks
from neraca.people.pair_verdicts import next_tasks, tournaments, verdicts_of_pairs
from neraca.people.rating import Rating
from neraca.records import Answer
from neraca.runs.run import content_of


def rating(task, value, on="preferred", at=""):
    return Rating(id=uuid.uuid4().hex, task=task.id, on=on, value=value, at=at)


def prefers(task, text):
    """Says that the one with this text is better."""
    return rating(task, "left" if task.left.text == text else "right")


def values(verdicts, aspect="preferred:"):
    return {(v.item, v.aspect): v.value for v in verdicts if v.aspect.startswith(aspect)}


def in_order(tasks, left):
    """The task with this text on the left."""
    return next(task for task in tasks.by_id.values() if task.left.text == left)


@pytest.fixture
def two(tmp_path):
    return PairTasks.of(runs(tmp_path, api=["one", "same"], vector=["two", "same"]))


def test_a_preference_stands_in_both_runs_with_its_reason_and_its_side(two):
    task = in_order(two, "two")
    said = [rating(task, "left", at="2026-01-01"), rating(task, "it names the price", "note")]
    api, vector = verdicts_of_pairs(said, two, "Ana")
    assert values(api) == {("q1", "preferred:vector"): 0, ("q2", "preferred:vector"): 0.5}
    assert values(vector) == {("q1", "preferred:api"): 1, ("q2", "preferred:api"): 0.5}
    assert values(vector, "preferred_first:") == {("q1", "preferred_first:api"): 1}
    assert values(api, "preferred_first:") == {}, "it stood on the right"
    first = api[0]
    assert (first.by, first.about, first.why, first.at) == ("human:Ana", "answer", "it names the price", "2026-01-01")
    assert first.of == content_of(two.runs[0].answers()["q1", 0])
    assert {v.why for v in (*api, *vector) if v.item == "q2"} == {"even: the answers are equal"}


def test_the_metric_and_later_words_follow(two):
    task = two.tasks[0]
    for run, verdicts in zip(two.runs, verdicts_of_pairs([prefers(task, "one")], two, "Ana"), strict=True):
        with run.writing():
            run.add_verdicts(verdicts)
    assert score(two.runs[:1], "Preferred(vector)").rows()[0]["value"] == 0.75
    for run, verdicts in zip(two.runs, verdicts_of_pairs([rating(task, None)], two, "Ana"), strict=True):
        with run.writing():
            run.add_verdicts(verdicts)
    after = score(two.runs[:1], "Preferred(vector)").rows()[0]
    assert after["unscored"] == 2, "it was taken back, and q3 has no answer"


def test_who_decides_by_the_side_finds_both_even(two):
    said = [rating(in_order(two, text), "left") for text in ("one", "two")]
    api, vector = verdicts_of_pairs(said, two, "Ana")
    assert values(api)["q1", "preferred:vector"] == values(vector)["q1", "preferred:api"] == 0.5
    assert values(api, "preferred_first:") == {("q1", "preferred_first:vector"): 1}
    assert values(vector, "preferred_first:") == {("q1", "preferred_first:api"): 1}


def test_who_says_the_same_in_both_orders_or_takes_one_back_keeps_it(two):
    one, two_left = in_order(two, "one"), in_order(two, "two")
    for said in (
        [rating(one, "left"), rating(two_left, "right")],
        [rating(one, "left"), rating(two_left, "left"), rating(two_left, None)],
    ):
        api, _ = verdicts_of_pairs(said, two, "Ana")
        assert values(api)["q1", "preferred:vector"] == 1


def test_equal_answers_to_questions_that_nobody_was_asked_about_wait_for_the_others(tmp_path):
    texts = {"api": ["a", "same", "c"], "vector": ["b", "same", "d"]}
    tasks = PairTasks.of(runs(tmp_path, **texts))
    first, second = tasks.tasks
    for said, items in (([], set()), ([first], {"q1"}), ([first, second], {"q1", "q2", "q3"})):
        verdicts = verdicts_of_pairs([rating(task, "tie") for task in said], tasks, "Ana")
        assert {v.item for run in verdicts for v in run} == items


def test_no_text_is_worse_without_being_asked(tmp_path):
    failed = Answer(item="", status="timeout")
    tasks = PairTasks.of(runs(tmp_path, api=["a"], vector=["b"], hybrid=[failed], none=[failed]))
    (task,) = tasks.tasks
    api, _, hybrid, none = verdicts_of_pairs([rating(task, "tie")], tasks, "Ana")
    assert values(api) == {
        ("q1", "preferred:vector"): 0.5,
        ("q1", "preferred:hybrid"): 1,
        ("q1", "preferred:none"): 1,
    }
    assert values(hybrid) == {("q1", "preferred:api"): 0, ("q1", "preferred:vector"): 0}, "of no text to another none"
    assert {v.why for v in none} == {"worse: the answer has no text"}


def test_what_comes_next_and_what_need_not_be_asked(tmp_path):
    tasks = PairTasks.of(runs(tmp_path, **{name: [name] for name in "abcd"}))
    assert len(tasks.tasks) == 6
    said = []
    while due := next_tasks(tasks, said):
        (task,) = due
        said.append(prefers(task, min(task.left.text, task.right.text)))
    (contest,) = tournaments(tasks, said)
    assert (contest.leaders, contest.asked, contest.saved) == ((0,), 3, 3)
    assert len(next_tasks(tasks, said, best=2)) == 1, "who is second is not known yet"
    taken_back = [*said, rating(tasks.by_id[said[-1].task], None)]
    assert len(next_tasks(tasks, taken_back)) == 1


def test_several_raters_go_through_one_tournament(tmp_path):
    tasks = PairTasks.of(runs(tmp_path, **{name: [name] for name in "abc"}))
    (first,) = next_tasks(tasks)
    (other,) = next_tasks(tasks, being_asked=[first.id, "of another set"])
    assert {first.left.text, first.right.text} != {other.left.text, other.right.text}
    ana, budi = [rating(first, "left")], [rating(first, "right")]
    (contest,) = tournaments(tasks, ana, budi)
    assert (contest.asked, contest.leaders) == (1, (0, 1, 2)), "they differ, so that both are even"
    (contest,) = tournaments(tasks, ana, budi, ana)
    assert len(contest.leaders) == 2


@pytest.mark.parametrize(
    ("on", "value", "words"),
    [
        ("preferred", "first", "better answer: 'first' is not one of A (left), equally good (tie), B (right)"),
        ("note", 3, "note: 3 is not a text"),
        ("quality", 3, "a rating on 'quality'; here it is preferred or note"),
    ],
)
def test_what_is_on_no_scale_is_refused(two, on, value, words):
    with pytest.raises(InputError, match=re.escape(words)):
        verdicts_of_pairs([rating(two.tasks[0], value, on)], two, "Ana")


def test_a_rating_of_another_set_is_refused(two):
    with pytest.raises(InputError, match="a rating of 'x', which is no pair of these runs"):
        tournaments(two, [Rating(id="1", task="x", on="preferred", value="left")])


def test_a_pair_seen_in_both_orders_is_decided_once(two):
    """Twenty minutes apart: one verdict for each run, with the time of the newer word, and one of each order."""
    first, second = in_order(two, "one"), in_order(two, "two")
    said = [
        rating(first, "left", at="2026-01-01T10:00:00"),
        rating(second, "left", at="2026-01-01T10:20:00"),
    ]
    api, _ = verdicts_of_pairs(said, two, "Ana")
    decided = [(v.value, v.at) for v in api if (v.item, v.aspect) == ("q1", "preferred:vector")]
    assert decided == [(0.5, "2026-01-01T10:20:00")]
