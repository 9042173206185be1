"""A misspelt aspect is said with the nearest one; aspects of one's own and constraints are none."""

import pytest
from builders import make_run

import neraca
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.reports.sentences.notes import notes


@pytest.mark.parametrize(
    ("aspect", "metrics", "near"),
    [
        ("relevence", "P@1", "relevance"),
        ("Relevance", "P@1", "relevance"),
        ("qualty", "Rubric(quality)", "quality"),
        ("politness", "Aspect(politeness)", "politeness"),
        ("politness", "Aspect(politness)", ""),  # a name that a metric reads
        ("politness", "P@1", ""),  # a name of one's own
        ("relevance", "P@1", ""),
        ("claim", "P@1", ""),
        ("invalid", "Valid", ""),
        ("quality2", "Rubric(quality)", ""),
        ("validd", "P@1", ""),  # a constraint of the question
    ],
)
def test_a_misspelt_aspect_is_said_with_the_nearest_one(tmp_path, aspect, metrics, near):
    items = [Item(id="q", query="?", relevant={"a": 1}, constraints={"validd": Constraint(max=5)})]
    answers = [Answer(item="q", text="so", hits=(Hit(id="a"),))]
    about = "hit:a" if "rel" in aspect.casefold() or aspect == "validd" else "answer"
    verdicts = [Verdict(item="q", about=about, aspect=aspect, by=f"human:{name}", value=1.0) for name in "xy"]
    scores = neraca.score(make_run(tmp_path / "run", items, answers, verdicts), metrics)
    sentences = [note for note in notes(scores) if note.startswith("no metric reads")]
    assert sentences == ([f"no metric reads 2 verdicts of the aspect {aspect}; is {near} meant?"] if near else [])
