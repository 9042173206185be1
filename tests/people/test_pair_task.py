"""Answers beside each other: what is shown, what is asked, and on which side."""

import msgspec
import pytest
from builders import make_run

from neraca.errors import InputError, SpecError
from neraca.people.pair_task import PairTasks
from neraca.records import Answer, Hit, Item

ITEMS = [
    Item(id="q1", query="houses in Cemara?", session="s", tags={"category": "place"}),
    Item(id="q2", query="cheaper ones?", session="s"),
    Item(id="q3", query="a garage?"),
]


def runs(folder, **answers):
    """Runs by name; of each a text, a list of documents or an answer for each item."""
    made = []
    for name, given in answers.items():
        records = []
        for item, one in zip(ITEMS, given, strict=False):
            if isinstance(one, str):
                records.append(Answer(item=item.id, text=one))
            elif isinstance(one, list):
                hits = tuple(Hit(id=doc, text=f"text of {doc}", fields={"price": len(doc)}) for doc in one)
                records.append(Answer(item=item.id, hits=hits))
            elif one is not None:
                records.append(msgspec.structs.replace(one, item=item.id))
        made.append(make_run(folder / name, ITEMS, records))
    return made


def test_every_two_different_answers_stand_beside_each_other_once(tmp_path):
    tasks = PairTasks.of(runs(tmp_path, api=["one", "same"], vector=["two", "same"], hybrid=["two", "three"]))
    assert tasks.show == "answers"
    assert [(task.number, {task.left.text, task.right.text}) for task in tasks.tasks] == [
        (1, {"one", "two"}),
        (2, {"same", "three"}),
    ]
    assert [contest.runs for contest in tasks.contests] == [((0,), (1, 2)), ((0, 1), (2,))]
    assert tasks.tasks[1].before == ("houses in Cemara?",)
    assert tasks.tasks[0].tags == {"category": "place"}


def test_a_task_tells_its_kind_and_no_system(tmp_path):
    tasks = PairTasks.of(runs(tmp_path, api=["one"], vector=["two"]))
    shown = msgspec.json.encode(tasks.tasks[0]).decode()
    assert '"kind":"pair"' in shown
    assert "api" not in shown
    assert "vector" not in shown


def test_lists_of_results_are_shown_whole_with_what_both_have(tmp_path):
    both = runs(tmp_path, api=[["d1", "d22"]], vector=[["d22", "d3"]])
    (task,) = PairTasks.of(both).tasks
    assert {task.left.hits[0].text, task.right.hits[0].text} == {"text of d1", "text of d22"}
    shared = next(hit for hit in task.left.hits if hit.text == "text of d22")
    assert (shared.fields, task.both) == ({"price": 3}, (shared.key,))
    assert "d22" not in shared.key


def test_what_is_shown_can_be_chosen(tmp_path):
    both = runs(tmp_path, api=[Answer(item="", text="x", hits=(Hit(id="a"),))], vector=[Answer(item="", text="y")])
    assert PairTasks.of(both).tasks[0].left.hits == ()
    (task,) = PairTasks.of(both, "results").tasks
    assert (task.left.text, len(task.left.hits) + len(task.right.hits)) == ("", 1)
    with pytest.raises(SpecError, match="a pair shows answers or results, not 'both'"):
        PairTasks.of(both, "both")


def test_sides_are_drawn_by_seed_and_the_id_tells_them(tmp_path):
    both = runs(tmp_path, api=["one"], vector=["two"])
    drawn = [PairTasks.of(both, seed=f"rater {n}").tasks[0] for n in range(200)]
    left = [task.left.text for task in drawn]
    assert 70 <= left.count("one") <= 130, "four standard deviations around a hundred"
    assert len({(task.id, task.left.text) for task in drawn}) == len({task.id for task in drawn}) == 2
    tasks = PairTasks.of(both)
    assert tasks.task(0, 0, 1) == tasks.task(0, 1, 0) == tasks.tasks[0]
    assert {tasks.by_id[task.id] == task for task in drawn} == {True}, "either order is known to every set"


def test_no_text_and_some_need_not_be_asked_and_what_may_not_be_whole_is_left_out(tmp_path):
    failed, suspect = Answer(item="", status="error"), Answer(item="", text="ha", status="suspect")
    tasks = PairTasks.of(runs(tmp_path, api=["one", "x"], vector=[failed, suspect], hybrid=["two", "y"]))
    assert [(len(contest.sides), len(list(contest.plain()))) for contest in tasks.contests] == [(3, 2), (2, 0)]
    assert len(tasks.tasks) == 2
    nothing_beside_something = PairTasks.of(runs(tmp_path / "lists", api=[["a"]], vector=[[]]), "results")
    assert len(nothing_beside_something.tasks) == 1, "to return nothing may be right"


def test_what_cannot_be_compared(tmp_path):
    one, two = runs(tmp_path, api=["one"], vector=[None, "two"])
    with pytest.raises(InputError, match="api, vector: no two of these runs answered the same question"):
        PairTasks.of([one, two])
    with pytest.raises(SpecError, match=r"two runs are called 'api': .*api and .*old.api; verdicts name runs"):
        PairTasks.of([one, two, *runs(tmp_path / "old", api=["one"])])


def test_another_question_of_the_same_id_is_another_contest(tmp_path):
    one = make_run(tmp_path / "one", ITEMS[:1], [Answer(item="q1", text="a")])
    two = make_run(tmp_path / "two", [Item(id="q1", query="else?")], [Answer(item="q1", text="b")])
    with pytest.raises(InputError, match="no two of these runs"):
        PairTasks.of([one, two])


def test_empty_sides_and_questions_left_out_are_counted(tmp_path):
    """q1: one list is empty; q2: the system failed; q3: one run did not answer."""
    both = runs(tmp_path, api=[["d1"], ["d2"], ["d3"]], vector=[[], Answer(item="", status="timeout"), None])
    assert PairTasks.of(both).notes == (
        "pairs with one empty side, of which the page says that nothing was found: 2",
        "failed answers, which count as empty: 1",
        "questions left out, because fewer than two runs answered them: 1",
    )
    texts = runs(tmp_path / "texts", api=["one", "", "three"], vector=["two", "text", "three"])
    assert PairTasks.of(texts).notes == (
        "pairs of identical answers, which are even by construction and are not shown: 1",
        "pairs with a text on one side only, which is better by construction and is not shown: 1",
    )
