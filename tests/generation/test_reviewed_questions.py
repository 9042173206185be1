"""Generated questions that people reviewed: whose word counts, what is asked, and how often people confirm checks."""

import pytest
from builders import make_question_folder

from neraca.errors import InputError, RunError
from neraca.generation.question_folder import QuestionFolder, write_written
from neraca.generation.reviewed_questions import read_reviewed
from neraca.records import Item, Verdict
from neraca.reports.reviewed_card import card_document, summary
from neraca.result import Table


def review(folder, words, aspect="accepted", by="ana"):
    """Add the words of a person on questions, by number."""
    opened = QuestionFolder(folder)
    with opened.writing():
        opened.add_verdicts(
            Verdict(
                item=f"d{n}", about="item", aspect=aspect, by=f"human:{by}", value=float(value), why=f"{by} says so"
            )
            for n, value in words.items()
        )


def asked(folder):
    return [item.id for item in read_reviewed(folder).dataset]


def test_people_take_questions_out_and_in(tmp_path):
    make_question_folder(tmp_path / "q", [True, True, False, False])
    review(tmp_path / "q", {1: 1, 2: 0, 3: 1})
    questions = read_reviewed(tmp_path / "q")
    assert asked(tmp_path / "q") == ["d1", "d3"]
    assert [(q.item.id, q.passed, q.why) for q in questions.overruled] == [
        ("d2", True, "ana: ana says so"),
        ("d3", False, "ana: ana says so"),
    ]
    review(tmp_path / "q", {2: 1, 3: 0})
    assert asked(tmp_path / "q") == ["d1", "d2"], "the newest word of a person counts"


def test_the_majority_decides_and_a_tie_leaves_it_to_the_checks(tmp_path):
    make_question_folder(tmp_path / "q", [True, True, False])
    for name, words in {"ana": {1: 0, 2: 0, 3: 1}, "budi": {1: 0, 2: 1, 3: 0}, "citra": {1: 1}}.items():
        review(tmp_path / "q", words, by=name)
    questions = read_reviewed(tmp_path / "q")
    assert asked(tmp_path / "q") == ["d2"]
    assert [q.undecided for q in questions.questions] == [False, True, True]
    assert [q.item.id for q in questions.reviewed] == ["d1"]
    assert "people disagree evenly on 2 questions; there the checks decide" in summary(questions)


def test_a_word_on_a_single_check_counts_for_the_question(tmp_path):
    make_question_folder(tmp_path / "q", [True, False, False])
    review(tmp_path / "q", {1: 0, 2: 1}, aspect="answerable")
    assert asked(tmp_path / "q") == ["d2"]
    assert read_reviewed(tmp_path / "q").precision.n == 0, "one check tells nothing about the whole question"
    review(tmp_path / "q", {3: 1}, aspect="grounded")
    assert asked(tmp_path / "q") == ["d2"], "it still has no answer"


def test_a_turn_is_not_asked_without_the_turn_before_it(tmp_path):
    turns = {1: {"turn": "first"}, 2: {"turn": "next"}, 3: {"turn": "first"}, 4: {"turn": "next"}}
    make_question_folder(tmp_path / "q", [True, True, True, False], turns)
    review(tmp_path / "q", {1: 0, 4: 1})
    questions = read_reviewed(tmp_path / "q")
    assert [(item.id, item.session) for item in questions.dataset] == [("d3", "sd3"), ("d4", "sd3")]
    assert "not asked, because the question before it in the conversation is refused: d2" in summary(questions)


def test_the_share_that_people_confirm_is_written_from_30_on(tmp_path):
    make_question_folder(tmp_path / "q", [True] * 31 + [False] * 9)
    review(tmp_path / "q", {n: n > 3 for n in range(1, 30)} | {35: 0})
    words = summary(read_reviewed(tmp_path / "q"))
    assert words[0] == "28 questions of q, as people left them: they reviewed 30 of 40 written questions."
    assert words[1].startswith("people reviewed 29 of the questions that passed all checks; from 30 on")
    review(tmp_path / "q", {30: 1})
    questions = read_reviewed(tmp_path / "q")
    # Wilson (1927) of 27 of 30: (0.9 + z²/60 ± z √(0.09/30 + z²/3600)) / (1 + z²/30)
    assert questions.precision.value == 0.9
    assert (questions.precision.low, questions.precision.high) == pytest.approx((0.7438, 0.9654), abs=1e-4)
    said = "people confirm 90 % (74 % to 97 %) of the 30 questions that passed all checks and that they reviewed"
    assert summary(questions)[1] == said
    card = card_document(questions)
    card.save(tmp_path / "card.md")
    assert said in (tmp_path / "card.md").read_text("utf-8")
    counts = next(block for block in card.blocks if isinstance(block, Table) and block.name == "people")
    assert counts.rows == [["accepted", "31", "30", "27", "3"], ["refused", "9", "1", "1", "0"]]


def test_nobody_and_nothing(tmp_path):
    make_question_folder(tmp_path / "q", [True])
    with pytest.raises(InputError, match=r"nobody has reviewed its questions; neraca rate .* --kind review"):
        read_reviewed(tmp_path / "q")
    review(tmp_path / "q", {1: 0})
    with pytest.raises(InputError, match="people and checks accept none of its 1 questions"):
        read_reviewed(tmp_path / "q").save(tmp_path / "none")
    (tmp_path / "q/items.jsonl").unlink()
    with pytest.raises(RunError, match="generate them again into another folder"):
        QuestionFolder(tmp_path / "q")


def test_questions_that_are_written_again_keep_what_people_said(tmp_path):
    make_question_folder(tmp_path / "q", [True, False])
    review(tmp_path / "q", {1: 0})
    opened = QuestionFolder(tmp_path / "q")
    items, answers = list(opened.items), list(opened.answers().values())
    by_programs = [verdict for verdict in opened.verdicts() if not verdict.by.startswith("human:")]
    write_written(tmp_path / "q", items, answers, by_programs)
    assert [v.by for v in QuestionFolder(tmp_path / "q").verdicts()].count("human:ana") == 1
    assert asked(tmp_path / "q") == []
    with pytest.raises(InputError, match="people reviewed d1, which would be replaced by other questions"):
        write_written(tmp_path / "q", [Item(id="d1", query="other?"), *items[1:]], answers, by_programs)
    assert asked(tmp_path / "q") == [], "nothing is changed"
