"""Verdicts of people about results that no run returned."""

import pytest
from builders import make_run

import neraca
from neraca.records import Answer, Hit, Item, Verdict

ITEMS = [Item(id="q1", query="houses?"), Item(id="q2", query="flats?")]


def word(item, document, value=1.0, by="human:ana"):
    return Verdict(item=item, about=f"hit:{document}", aspect="relevance", by=by, value=value)


@pytest.fixture
def runs(tmp_path):
    def answers(*documents):
        return [Answer(item=item, hits=tuple(Hit(id=one) for one in documents)) for item in ("q1", "q2")]

    return [make_run(tmp_path / "one", ITEMS, answers("a")), make_run(tmp_path / "two", ITEMS, answers("b"))]


def add(run, *verdicts):
    with run.writing():
        run.add_verdicts(verdicts)


def precision(scores):
    return [row["value"] for row in scores.rows() if row["run"] == "one"]


def test_they_do_not_make_a_question_judged_and_are_named(runs):
    """P@1 of q1 stays without a value; that of q2, whose hit is judged relevant, is 1."""
    add(runs[0], word("q1", "NOPE", 0.0), word("q2", "a"), word("q2", "NOPE"))
    scores = neraca.score(runs, "P@1 R@5")
    rows = scores.per_item().rows()
    p1 = {row["item"]: row["value"] for row in rows if (row["run"], row["metric"]) == ("one", "P@1")}
    assert p1["q1"] is None
    assert p1["q2"] == 1
    assert scores.mean("R@5", "one") == 1, "what no run returned is no miss"
    (note,) = [note for note in neraca.notes(scores) if "no run returned" in note]
    assert note.startswith("left out, because no run returned the result that they are about: 2 verdicts of people")
    assert note.endswith("such as hit:NOPE of q1 by human:ana")


def test_what_another_run_returned_counts(runs):
    """Of two relevant documents run one returned one."""
    add(runs[0], word("q1", "a"), word("q1", "b"))
    scores = neraca.score(runs, "R@5")
    assert scores.mean("R@5", "one") == 1 / 2
    assert not any("no run returned" in note for note in neraca.notes(scores))


def test_verdicts_of_programs_stay(runs):
    add(runs[0], word("q1", "a", by="llm:m"), word("q1", "NOPE", by="llm:m"))
    assert neraca.score(runs, "R@5").mean("R@5", "one") == 1 / 2
