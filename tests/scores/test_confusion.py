import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca.scores.confusion import Confusion, hits, outcomes, questions
from neraca.scores.score import score

ITEMS = [
    make_item("q1", "c d", relevant={"a": 1, "b": 1, "x": 0, "y": 0}, expects="results"),
    make_item("q2", "c d", relevant={"a": 1}, expects="results"),
    make_item("q3", "c d", relevant={}, expects="none"),
    make_item("q4", "c d", relevant={}, expects="none"),
    make_item("q5", "c d"),
    make_item("q6", "c d", expects="results"),
]


@pytest.fixture
def part(tmp_path):
    asked = [
        make_answer("a x z", "q1"),
        make_answer("", "q1", trial=1, status="timeout"),
        make_answer("u", "q2"),
        make_answer("", "q3"),
        make_answer("v", "q4"),
        make_answer("w", "q5"),
        make_answer("a", "q6", status="suspect"),
    ]
    said = [
        *(make_verdict(doc, "c", 1, item="q1") for doc in "axz"),
        *(make_verdict(doc, "d", value, item="q1") for doc, value in (("a", 1), ("x", 0), ("z", None))),
        make_verdict("u", "c", 0, item="q2"),
        make_verdict("u", "d", 1, item="q2"),
    ]
    return score([make_run(tmp_path / "run", ITEMS, asked, said, trials=2)], "RR").run("run").scorable


def test_hits(part):
    # q1: a | x, z | b | y; failed: nothing | nothing | a, b | x, y and z; q2: | u | a |; q4: | v | |
    # z and u were judged by rules (z by one constraint that passes and one that is missing, u fails): not relevant;
    # nobody judged v
    assert hits(part) == Confusion(tp=1, fp=3, fn=1 + 2 + 1, tn=1 + 3, unscored=2, unjudged=1)


def test_questions(part):
    # q1: (1 + 1/2 + 1) / 3 = .83 success, its failed trial not; q2: 1/2 is not .6; q3 rightly empty; q4 not
    assert questions(part) == Confusion(tp=1, fp=1, fn=2, tn=1, unscored=2)
    assert questions(part, at=0.5) == Confusion(tp=2, fp=1, fn=1, tn=1, unscored=2)
    assert questions(part, at=0.9) == Confusion(tp=0, fp=1, fn=3, tn=1, unscored=2)


def test_outcomes(part):
    assert list(outcomes(part).items()) == [
        ("relevant", 1),
        ("none relevant", 2),
        ("correct empty", 1),
        ("rightly refused", 0),
        ("false empty", 0),
        ("failed", 1),
        ("unscored", 2),
    ]


def test_shares():
    table = Confusion(tp=3, fp=1, fn=2, tn=4, unscored=7)
    assert (table.precision, table.recall, table.f1, table.accuracy) == pytest.approx((3 / 4, 3 / 5, 6 / 9, 7 / 10))


def test_shares_of_nothing():
    empty = Confusion(0, 0, 0, 0, 5)
    assert (empty.precision, empty.recall, empty.f1, empty.accuracy) == (None, None, None, None)
    assert (Confusion(0, 0, 0, 2, 0).accuracy, Confusion(0, 1, 0, 0, 0).precision) == (1, 0)
