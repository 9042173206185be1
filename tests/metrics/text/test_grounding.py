"""The view of answers beside their contexts."""

import math

import pytest
from builders import make_scorable

from neraca.errors import SpecError
from neraca.metrics.scorable import RunGroup
from neraca.metrics.text.grounding import NO_TEXT, NO_WORDS, Contexts, Support, read_sentences
from neraca.records import Answer, Hit, Item


def pair(text, *contexts, id="1", language="", **fields):
    tags = {"language": language} if language else {}
    hits = tuple(Hit(id=f"d{place}", text=each) for place, each in enumerate(contexts))
    return Item(id=id, query="?", tags=tags), Answer(item=id, text=text, hits=hits, **fields)


def names(text, language=""):
    return [key for sentence in read_sentences(text, language) for (key,) in sentence.names]


def terms(text, language=""):
    return [term for sentence in read_sentences(text, language) for term in sentence.terms]


def test_a_sentence_says_its_stems_and_its_numbers():
    """The commonest words of English are left out, here the, in, has and and."""
    found = read_sentences("The houses in Medan has 3 rooms and 1,250 houses.", "en")[0]
    assert found.words == ("the", "houses", "in", "medan", "has", "3", "rooms", "and", "1250", "houses")
    assert found.terms == (("hous",), ("medan",), ("room",), ("#3",), ("#1250",))
    assert found.names == (("medan",),)
    assert found.numbers == (("#3",), ("#1250",))


def test_a_number_that_can_be_two_has_two_keys():
    assert terms("1.250") == [("#1250", "#1.25")]


def test_writing_does_not_count():
    assert terms("القُرْآنُ") == terms("القران")
    assert terms("Café ṢALĀH") == terms("cafe\u0301 salah")
    assert terms("ﬁne Ａ") == terms("fine a")


def test_a_citation_says_nothing():
    """Alone after a full stop, in a sentence, of several, and as some services write it."""
    for cited in ("Three rooms. [1]", "Three[2] rooms.", "Three rooms [1, 2][^3]–[4-6].", "Three rooms 【4:0†a.pdf】."):
        assert terms(cited, "en") == [("three",), ("room",)], cited
        assert len(read_sentences(cited, "en")) == 1, cited
    assert terms("[x] 【3】 (3) [2024]") == [("x",), ("#3",), ("#2024",)]


def test_a_text_without_words_has_no_sentence():
    assert read_sentences("... !!! 😀\n---") == ()


@pytest.mark.parametrize(
    "text, language, expected",
    [
        ("Medan has a Zoo.", "en", ["zoo"]),
        ("He and I saw The Hague, Rome and Rome.", "en", ["hagu", "rome"]),
        ("Silakan hubungi Anda di Medan, Rp 500.", "id", ["medan"]),
        ("WELCOME TO MEDAN", "en", []),
        ("3 Rooms near Ritz", "en", ["ritz"]),
        ("بيت في جدة", "ar", []),
        ("東京 大阪", "ja", []),
        ("Das Haus in Köln", "de", ["haus", "koln"]),
        ("Он живёт в Москве", "ru", ["москв"]),
    ],
)
def test_names_are_words_with_a_capital(text, language, expected):
    assert names(text, language) == expected


def test_a_word_that_few_contexts_have_weighs_most():
    shared = Contexts([("two floors", "en"), ("two rooms", "en"), ("two rooms", "en"), ("garden", "en")])
    assert len(shared.texts) == 3
    assert shared.weight(("two",)) == pytest.approx(math.log(4 / 3) + 1)
    assert shared.weight(("floor",)) == pytest.approx(math.log(4 / 2) + 1)
    assert shared.weight(("roof",)) == pytest.approx(math.log(4 / 1) + 1)
    assert shared.weight(("roof", "two")) == shared.weight(("two",))


def test_weights_are_of_all_runs_that_are_scored_together():
    one, other = [pair("a", "two floors", id="1")], [pair("a", "two rooms", id="2"), pair("a", "", id="3")]
    shared = RunGroup([make_scorable(one), make_scorable(other)]).share(Contexts)
    assert shared.texts == (("two floors", ""), ("two rooms", ""))
    assert shared.weight(("two",)) == 1.0


def test_contexts_are_read_in_the_language_that_is_asked_for():
    shared = Contexts([("houses", "en"), ("houses", "")])
    assert shared.weight(("hous",)) == pytest.approx(math.log(3 / 2) + 1)
    assert shared.weight(("hous",), "en") == 1.0


def test_what_cannot_be_scored_says_why():
    batch = make_scorable(
        [
            pair("It is.", "text"),
            pair("It is.", " ", ""),
            pair("It is."),
            pair("", "text"),
            pair("?!", "text"),
            pair("It is.", "text", status="error"),
            pair("It is.", "text", status="suspect"),
        ]
    )
    suspect = "suspect: the answer may not be whole"
    assert batch.view(Support).unscored == ["", NO_TEXT, NO_TEXT, "", NO_WORDS, "", suspect]
    assert batch.view(Support).silent == [False, False, False, True, False, True, False]


def test_a_signal_gets_the_sentences_of_the_answer_and_of_each_context():
    view = Support.of(make_scorable([pair("One. Two.", "Three. Four. Five.", " ", "Six."), pair("", "Seven.")]))
    seen = []
    values = view.signals(lambda evidence: seen.append(evidence) or 0.5)
    assert [len(evidence.answer) for evidence in seen] == [2]
    assert [len(context) for context in seen[0].contexts] == [3, 1]
    assert values[0] == 0.5
    assert values[1] == 0, "no system gains by saying nothing"


def test_an_unknown_language_is_told():
    with pytest.raises(SpecError, match="no language is called"):
        Support.pair("a", "a").signals(lambda evidence: 0.0, "klingon")
