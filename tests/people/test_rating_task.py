"""Tasks of raters: what stands beside an answer of a conversation."""

import pytest
from builders import make_run

from neraca.people.pair_task import PairTasks
from neraca.people.rating_task import RatingTasks, task_id
from neraca.records import Answer, Hit, Item
from neraca.reports.formats.full_answers import blind_text

ITEMS = [Item(id="1", query="rooms?", session="s"), Item(id="2", query="a pool?", session="s"), Item(id="3", query="?")]


@pytest.fixture
def runs(tmp_path):
    """The systems answer the first question differently, and the second and third in the same words."""
    return [
        make_run(tmp_path / name, ITEMS, [first, Answer(item="2", text="Yes."), Answer(item="3", text="No.")])
        for name, first in (
            ("hybrid", Answer(item="1", hits=(Hit(id="d7", text="Villa Melati"),))),
            ("vector", Answer(item="1", status="timeout")),
        )
    ]


def test_an_answer_stands_beside_the_earlier_answers_of_its_own_system(runs):
    """Equal answers are one task, so each conversation that they ended is shown; their ids are those of before."""
    hybrid, vector = (RatingTasks.of([run]).by_id for run in runs)
    both = RatingTasks.of(runs)
    key = task_id(ITEMS[1], Answer(item="2", text="Yes."))
    assert [tasks[key].replies for tasks in (hybrid, vector, both.by_id)] == [
        (("1. Villa Melati",),),
        (("(timeout)",),),
        (("1. Villa Melati",), ("(timeout)",)),
    ]
    assert [task.replies for task in both.tasks if task.query_id != "2"] == [(), ()]
    assert both.named == ()


def test_a_system_that_names_itself_in_an_earlier_answer_is_noticed(tmp_path):
    answers = [Answer(item="1", text="I am Hybrid."), Answer(item="2", text="Yes.")]
    tasks = RatingTasks.of([make_run(tmp_path / "hybrid", ITEMS[:2], answers)])
    assert tasks.of_items(["2"]).named == ("hybrid",)


def test_the_text_beside_a_table_has_them_too(runs):
    lines = [line.strip() for line in blind_text(RatingTasks.of(runs).tasks).splitlines()]
    at = lines.index("earlier in this conversation:")
    assert lines[at : at + 8] == [
        "earlier in this conversation:",
        "> rooms?",
        "1. Villa Melati",
        "the same answer came after this, too:",
        "> rooms?",
        "(timeout)",
        "its answer:",
        "Yes.",
    ]


def test_earlier_answers_are_no_part_of_what_a_pair_compares(tmp_path):
    """Equal answers stay equal, whatever came before, and the ids of pairs stay those of the answers alone."""
    texts = {"a": ("one", "same"), "b": ("two", "same")}
    runs = [
        make_run(tmp_path / name, ITEMS[:2], [Answer(item="1", text=first), Answer(item="2", text=second)])
        for name, (first, second) in texts.items()
    ]
    assert [task.query for task in PairTasks.of(runs).tasks] == ["rooms?"]
    runs[1] = make_run(tmp_path / "c", ITEMS[:2], [Answer(item="1", text="two"), Answer(item="2", text="other")])
    pairs = PairTasks.of(runs)
    (task,) = [task for task in pairs.tasks if task.query == "a pool?"]
    assert {side.text: side.replies for side in (task.left, task.right)} == {"same": (("one",),), "other": (("two",),)}
    alone = [make_run(tmp_path / "x" / run.name, ITEMS[1:2], [run.answers()["2", 0]]) for run in runs]
    assert [other.id for other in PairTasks.of(alone).tasks] == [task.id]
