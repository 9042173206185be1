"""The section of a matrix: cost and seconds of each cell, questions left out, and what cannot be said."""

from dataclasses import replace

import pytest
from builders import make_item

from neraca import Answer, report, score
from neraca.reports.blocks.factors import MATRIX

NAMES = ["a+x", "a+y", "b+x", "b+y"]
LEVELS = {name: dict(zip(("prompt", "model"), name.split("+"), strict=True)) for name in NAMES}


@pytest.fixture
def sentences_and_rows(folder):
    def make(texts, sessions=None, levels=LEVELS):
        """Texts of each run; the reference is "one two three four"."""
        n = len(texts[NAMES[0]])
        items = [
            make_item(str(i), references=("one two three four",), session=sessions[i] if sessions else None)
            for i in range(n)
        ]
        runs = [
            folder(
                name,
                items,
                [
                    Answer(item=str(i), text=text or "", status="complete" if text else "suspect",
                           usage={"cost": 0.5}, seconds=2.0)
                    for i, text in enumerate(texts[name])
                ],
                [],
            )
            for name in NAMES
        ]  # fmt: skip
        scores = score(runs, "TokenRecall")
        section = report(replace(scores, facts={**scores.facts, MATRIX: levels})).factors
        return section and (section.sentences, section.tables[0].rows)

    return make


def test_each_cell_has_its_cost_and_seconds(sentences_and_rows):
    texts = {name: ["one two", "one", "one two three"] for name in NAMES}
    sentences, rows = sentences_and_rows(texts)
    assert [row[4:] for row in rows] == [["1.5000", "2.0 s"]] * 4
    assert sentences == ("All cells have the same value: no factor makes a difference.",)


def test_questions_that_lack_a_cell_are_counted(sentences_and_rows):
    texts = {name: ["one two", "one", "one two three", "one"] for name in NAMES}
    texts["b+y"] = ["one", None, "one two", "one two"]
    sentences, _ = sentences_and_rows(texts)
    assert sentences[0] == "Left out, because not every cell has a value: 1 question."
    assert sentences[1] == "No factor is shown to explain the differences between cells."
    assert "(n = 3 observations)" in sentences[-1]


def test_one_conversation_is_no_sample(sentences_and_rows):
    texts = {name: ["one two", "one", "one two three", "one"] for name in NAMES}
    sentences, _ = sentences_and_rows(texts, sessions=["s", "s", "t", "t"])
    assert sentences == ("There are too few observations to say which factor explains the differences.",)


def test_factors_that_work_together_are_named(sentences_and_rows):
    good, bad = ["one two three four"] * 5 + ["one two three"], ["one"] * 5 + ["one two"]
    sentences, _ = sentences_and_rows({"a+x": good, "a+y": bad, "b+x": bad, "b+y": good})
    assert sentences[0] == (
        "prompt and model together explains the most: 100 % of the differences between cells. "
        "The best model depends on the prompt."
    )


def test_runs_that_are_no_whole_matrix_have_no_section(sentences_and_rows):
    texts = {name: ["one two", "one", "one two three"] for name in NAMES}
    assert sentences_and_rows(texts, levels={name: LEVELS[name] for name in NAMES[:3]}) is None
