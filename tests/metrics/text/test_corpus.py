"""Texts that are scored together: each different one is read once."""

from __future__ import annotations

import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.text.corpus import Corpus


@pytest.fixture(params=["one pair", "many"])
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return Corpus(one_pair=request.param == "one pair")


def test_equal_texts_are_one_in_one_language(corpus: Corpus):
    assert [corpus.number(text, code) for text, code in (("a", "en"), ("b", "en"), ("a", "en"), ("a", "es"))] == [
        *(0, 1, 0, 2),
    ]
    assert corpus.languages == ["en", "en", "es"]


def test_each_text_is_read_in_its_language_or_in_the_one_given(corpus: Corpus):
    corpus.number("las casas", "es")
    corpus.number("las casas", "en")
    assert list(map(list, read(corpus, "word+stem"))) == [["las", "cas"], ["las", "casa"]]
    assert list(map(list, read(corpus, "word+stem", "es"))) == [["las", "cas"], ["las", "cas"]]
    assert list(map(list, read(corpus, "word"))) == [["las", "casas"]] * 2


def test_characters(corpus: Corpus):
    corpus.number("A b")
    assert list(map(list, read(corpus, "char"))) == [["A", "b"]]
    assert list(map(list, read(corpus, "char+lower"))) == [["a", "b"]]


def test_stems_in_one_language(corpus: Corpus):
    corpus.number("Houses, houses!", "en")
    assert list(map(list, read(corpus, "word+stem"))) == [["hous", "hous"]]
    assert list(map(list, read(corpus, "word+maystem"))) == [["hous", "hous"]]


def read(corpus: Corpus, tokens: str, language: str = "") -> list[list[str]]:
    if corpus.one_pair:
        return [list(words) for words in corpus.words(tokens, language)]
    found = corpus.tokens(tokens, language)
    flat = [found.vocabulary[place] for place in found.ids]
    return [flat[start:end] for start, end in zip(found.starts, found.starts[1:], strict=False)]


def test_lengths_and_frequencies(corpus: Corpus):
    corpus.references |= {corpus.number("the cat the"), corpus.number("the dog"), corpus.number("The cat the")}
    corpus.number("no reference cat")
    assert corpus.lengths("word") == [3, 2, 3, 3]
    found = corpus.frequencies("word")
    assert (found.n, dict(found.df)) == (3, {"the": 3, "cat": 2, "dog": 1})


def test_an_empty_corpus(corpus: Corpus):
    assert read(corpus, "word") == read(corpus, "char") == []
    assert corpus.frequencies("word").n == 0


def test_failed_answers_have_no_text_and_blank_references_are_none():
    item = make_item("1", references=("yes", " "))
    failed = make_answer(item="1", text="half an ans", status="timeout")
    found = Corpus.of(make_scorable([(item, failed)], language="en").group)
    assert found.texts == ["", "yes"]
    assert found.references == {1}
    assert found.languages == ["en", "en"]
