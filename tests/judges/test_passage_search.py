"""Passages of a corpus: how documents are cut, and which passages are nearest to a claim."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges.scripted_model import Letters

from neraca.errors import InputError
from neraca.judges.llm.context_matrix import WORD_BYTES
from neraca.judges.passage_search import CorpusSource, PassageSearch, cut_passages, fuse


def source(path, words=100):
    return CorpusSource(str(path), "", "", "", words)


class Told:
    """A session that a search tells how far it is."""

    def __init__(self, dry_run=False):
        self.dry_run, self.progress = dry_run, lambda done, total, note: None


def nearest(index, claims, embedder=None, most=3):
    return asyncio.run(PassageSearch(index, embedder, Told(), most).nearest(claims))


@given(st.text(alphabet="ab. \n東", max_size=120), st.integers(1, 9))
def test_no_letter_is_lost_and_no_passage_is_longer(text, words):
    passages = list(cut_passages(text, words))
    assert "".join("".join(passages).split()) == "".join(text.split())
    assert all(0 < len(one.encode()) <= words * WORD_BYTES for one in passages)


def test_passages_carry_their_document_and_its_title(tmp_path):
    (tmp_path / "kb.csv").write_text(
        'id,title,text\nd1,Elm street,"Three rooms and more. A lift of 2019."\nd2,Only a title,\n'
    )
    index = source(tmp_path / "kb.csv", 4).index()
    assert list(zip(index.documents, index.texts, strict=True)) == [
        ("d1", "Elm street\nThree rooms and more."),
        ("d1", "Elm street\nA lift of 2019."),
        ("d2", "Only a title"),
    ]
    assert index.count == 2


def test_a_corpus_without_text_is_an_error(tmp_path):
    (tmp_path / "a.txt").write_text(" \n")
    with pytest.raises(InputError, match="no text in it"):
        source(tmp_path).index()


def test_it_is_read_again_when_a_file_changes(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    first = source(tmp_path).index()
    assert source(tmp_path).index() is first
    (tmp_path / "b.txt").write_text("Two.")
    assert source(tmp_path).index().texts == ["One.", "Two."]


def test_fusion_by_hand():
    """1 is second and first: 1/62 + 1/61; 2 is first and third: 1/61 + 1/63; 3 is second once: 1/62."""
    assert fuse([[2, 1], [1, 3, 2]], 9) == [1, 2, 3]
    assert fuse([[2, 1], [1, 3, 2]], 2) == [1, 2]
    assert fuse([[4], [3]], 2) == [3, 4]
    assert fuse([], 2) == []
    assert fuse([[7, 1, 5], [9, 2, 5]], 1) == [5], "third in both, 2/63, goes before first in one, 1/61"


def test_words_alone_find_what_shares_one_and_meaning_finds_the_rest(tmp_path):
    for name, text in {"a": "abab", "b": "xyz dog", "c": "bbaa", "d": "xxyyzz"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    index = source(tmp_path).index()
    assert nearest(index, ["dog", "none"]) == [[1], []]
    letters = Letters()
    assert nearest(index, ["ab", "xyz"], letters, most=2) == [[0, 2], [1, 3]]
    assert len(letters.texts) == 4 + 2, "passages are embedded once"


class OtherSizes(Letters):
    """Vectors of another size for one text."""

    async def embed(self, texts):
        vectors = await super().embed(texts)
        return vectors[:, :5] if "odd" in texts else vectors


def test_vectors_of_two_sizes_are_an_error_but_in_a_dry_run(tmp_path, monkeypatch):
    (tmp_path / "kb.csv").write_text("text\n" + "dog\n" * 1000 + "odd\n")
    index = source(tmp_path / "kb.csv").index()
    with pytest.raises(InputError, match="vectors of 26 and of 5 numbers"):
        asyncio.run(PassageSearch(index, OtherSizes(), Told(), 3).nearest(["dog"]))
    dry = PassageSearch(index, OtherSizes(), Told(dry_run=True), 3)
    assert asyncio.run(dry.nearest(["odd"])) == [[0, 1000, 1]], "any passages will do"


def test_it_says_how_far_the_embedding_is(tmp_path):
    (tmp_path / "kb.csv").write_text("text\n" + "dog\n" * 1001)
    told, session = [], Told()
    session.progress = lambda *words: told.append(words)
    asyncio.run(PassageSearch(source(tmp_path / "kb.csv").index(), Letters(), session, 3).nearest(["dog"]))
    assert told == [(1000, 1001, "passages embedded")]
