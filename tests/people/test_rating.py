"""From what runs returned to what raters see, and from what they say to verdicts."""

import re
import uuid

import pytest
from builders import make_run

from neraca import score
from neraca.errors import InputError
from neraca.people.rating import Rating, verdicts_of
from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item

ITEMS = [
    Item(id="q1", query="houses in Cemara?", session="s", tags={"category": "place"}),
    Item(id="q2", query="cheaper ones?", session="s"),
]
D1, D2, D3 = Hit(id="d1", text="one", fields={"price": 1}), Hit(id="d2", text="two"), Hit(id="d3", text="three")


@pytest.fixture
def tasks(tmp_path):
    api = make_run(tmp_path / "api", ITEMS, [Answer(item="q1", text="two", hits=(D1, D2)), Answer(item="q2")])
    vector = make_run(tmp_path / "vector", ITEMS, [Answer(item="q1", text="also", hits=(D2, D3)), Answer(item="q2")])
    return RatingTasks.of([api, vector])


def of(tasks, query, text):
    return next(task for task in tasks.tasks if (task.query, task.text) == (query, text))


def rating(task, on, value):
    return Rating(id=uuid.uuid4().hex, task=task.id, on=on, value=value)


def test_equal_answers_are_rated_once_and_nothing_tells_the_system(tasks):
    assert [(task.number, task.query, task.text) for task in tasks.tasks] == [
        (1, "houses in Cemara?", "two"),
        (1, "houses in Cemara?", "also"),
        (2, "cheaper ones?", ""),
    ]
    assert tasks.tasks[2].before == ("houses in Cemara?",)
    shown = str(tasks.tasks)
    assert not re.search("api|vector|d1|d2", shown), "neither system nor document ids"
    first, second, _ = tasks.tasks
    assert first.hits[1].key == second.hits[0].key, "the same document for the same question"
    assert tasks.named == ()


def test_a_grade_of_a_hit_holds_in_every_run_and_metrics_follow(tasks):
    first, second, empty = tasks.tasks
    said = [
        rating(first, f"hit:{first.hits[0].key}", 0),
        rating(first, f"hit:{first.hits[1].key}", 1),
        rating(second, f"hit:{second.hits[1].key}", 0),
        rating(first, "quality", 2),
        rating(first, "quality", 4),
        rating(first, "note", "the second is far"),
        rating(empty, "empty", "none"),
    ]
    verdicts = verdicts_of(said, tasks, "Ana")
    assert [[(v.item, v.about, v.aspect, v.value) for v in run] for run in verdicts] == [
        [
            ("q1", "hit:d1", "relevance", 0),
            ("q1", "hit:d2", "relevance", 1),
            ("q1", "answer", "quality", 4),
            ("q1", "answer", "note", None),
            ("q2", "item", "expects", 0),
        ],
        [("q1", "hit:d2", "relevance", 1), ("q1", "hit:d3", "relevance", 0), ("q2", "item", "expects", 0)],
    ]
    assert {v.by for run in verdicts for v in run} == {"human:Ana"}
    for run, given in zip(tasks.runs, verdicts, strict=True):
        with run.writing():
            run.add_verdicts(given)
    scores = score(tasks.runs, "RR Success Rubric(quality)")
    rr = {row["run"]: row["value"] for row in scores.rows() if row["metric"] == "RR"}
    assert rr == {"api": 1 / 2, "vector": 1}
    assert {row["value"] for row in scores.rows() if row["metric"] == "Success"} == {1}
    assert next(row["value"] for row in scores.rows() if row["metric"] == "Rubric(quality)") == 4


def test_what_is_taken_back_counts_no_more(tasks):
    first = tasks.tasks[0]
    said = [rating(first, "quality", 3), rating(first, "quality", None)]
    (withdrawn,), _ = verdicts_of(said, tasks, "Ana")
    assert (withdrawn.status, withdrawn.value) == ("withdrawn", None)


@pytest.mark.parametrize(
    ("on", "value", "told"),
    [
        ("quality", 6, "quality: 6 is not one of 0, 1, 2, 3, 4, 5"),
        ("quality", float("nan"), "quality: nan is not one of"),
        ("hit:nowhere", 1, "a rating of the hit 'nowhere', which is not among those"),
        (
            "empty",
            "perhaps",
            "found: 'perhaps' is not one of nothing exists (none), something should have come (results)",
        ),
        ("note", 3, "note: 3 is not a text"),
        ("mood", 1, "a rating on 'mood'; it is quality, note, empty, count:NAME or hit:KEY"),
    ],
)
def test_what_is_on_no_scale_is_refused(tasks, on, value, told):
    with pytest.raises(InputError, match=re.escape(told)):
        verdicts_of([rating(tasks.tasks[0], on, value)], tasks, "Ana")


def test_a_system_that_names_itself_is_said(tmp_path):
    run = make_run(tmp_path / "hybrid", ITEMS[:1], [Answer(item="q1", text="Hybrid found two")])
    assert RatingTasks.of([run]).named == ("hybrid",)


def test_nothing_to_rate_is_an_error(tmp_path):
    run = make_run(tmp_path / "run", ITEMS[:1], [Answer(item="q1", status="error")])
    with pytest.raises(InputError, match="there is no answer to rate"):
        RatingTasks.of([run])
