"""Texts as numbers: the same words as one text at a time gives, in every kind of reading."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text.encoded_texts import FEWEST_FOR_POLARS, EncodedTexts, characters, spellings, tokenize
from neraca.metrics.text.tokenizer import KINDS, MARK, Tokenizer, _sign

#: Of everything that readings treat in different ways.
PIECES = (
    *("a", "The", "AN", "casas", "Running", "1,200", "3.5", "x-y", "don't", "&amp;", "(Q)", "-", ".", "_"),
    *("é", "e\u0301", "ﬁ", "ß", "İ", "I", "Σ", "ﷺ", "東京", "ไทย", "नमस्ते", "القُرْآن", "\u200d", "👩\u200d👧"),
    *("\xa0", "\u2009", "\t", "\n", "\x1c", "\x01", "\x7f", MARK, MARK.upper(), "ｚｑ0ｑｚ"),
)
READINGS = [
    f"{kind}{option}"
    for kind, known in KINDS.items()
    for option in ("", *(f"{_sign(name)}{name}" for name in known.options))
]


def words(tokens: EncodedTexts) -> list[list[str]]:
    flat = [tokens.vocabulary[place] for place in tokens.ids]
    return [flat[start:end] for start, end in zip(tokens.starts, tokens.starts[1:], strict=False)]


def texts(seed: int, count: int, pieces: Sequence[str] = PIECES) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choice((*pieces, *[" "] * 9)) for _ in range(rng.randrange(12))) for _ in range(count)]


@pytest.mark.parametrize("tokens", READINGS)
def test_as_one_text_at_a_time(tokens: str):
    several = [Tokenizer.of(tokens, language) for language in ("en", "tr", "es")]
    plain = [piece for piece in PIECES if piece.isascii() and piece.lower() != MARK]
    for pieces in (plain, PIECES):
        made = texts(1, 300, pieces)
        found = tokenize(spellings(made), [several[0]] * 300)
        assert words(found) == [several[0].words(text) for text in made]
    mixed = [several[place % 3] for place in range(300)]
    assert words(tokenize(spellings(made), mixed)) == [way.words(text) for way, text in zip(mixed, made, strict=True)]


@pytest.mark.parametrize("tokens", READINGS)
def test_a_text_is_its_spellings(tokens: str):
    for language in ("en", "tr"):
        reading = Tokenizer.of(tokens, language)
        for pieces in (PIECES, [piece for piece in PIECES if piece.isascii()]):
            for text in texts(3, 300, pieces):
                assert reading.words(text) == [word for part in text.split(" ") for word in reading.spelt(part)]


def test_a_word_has_one_number_in_all_texts_and_readings():
    ways = [Tokenizer.of("word", "en"), Tokenizer.of("word", "tr")]
    found = tokenize(spellings(["Casa casa", "casa, CASA-casa"]), ways)
    assert len(set(found.ids.tolist())) == 1


@pytest.mark.parametrize("tokens", ["word+stem", "word+maystem", "word+stem-articles", "google+stem", "nltk+stem"])
@pytest.mark.parametrize("language", ["en", "es", "fa", "th"])
def test_stems_of_the_vocabulary_are_stems_of_the_texts(tokens: str, language: str):
    if "+stem" in tokens and language == "th" and tokens.startswith("word"):
        return  # there is no stemmer of Thai
    reading = Tokenizer.of(tokens, language)
    made = texts(2, 200)
    plain = tokenize(spellings(made), [reading.unstemmed] * 200)
    found = plain if reading.unstemmed is reading else plain.changed(reading.stemmed)
    assert words(found) == [reading.words(text) for text in made]


@given(st.lists(st.text(st.characters(), max_size=9), max_size=5))
def test_characters_are_those_of_the_reading(made: list[str]):
    made = [text.encode("utf-8", "replace").decode() for text in made]
    reading = Tokenizer.of("char")
    assert words(characters(made)) == [reading.words(text) for text in made]


def test_characters_that_are_no_text_in_utf8():
    """JSON can hold half of a surrogate pair."""
    assert words(characters(["a\ud800 b", ""])) == [["a", "\ud800", "b"], []]


@pytest.mark.parametrize("tokens", ["word+stem", "space+stem", "space", "13a"])
def test_words_that_are_no_text_in_utf8(tokens: str):
    """JSON can hold half of a surrogate pair; a spelling with one is its own stem, the others have theirs."""
    reading, made = Tokenizer.of(tokens, "en"), ["cats \ud83d dogs\udfff cats", "", " \ud83dcats"]
    plain = tokenize(spellings(made), [reading.unstemmed] * 3)
    found = plain if reading.unstemmed is reading else plain.changed(reading.stemmed)
    assert words(found) == [reading.words(text) for text in made]
    assert words(spellings(made)) == [text.split(" ") for text in made]
    assert Tokenizer.of("space+stem", "en").words(made[0]) == ["cat", "\ud83d", "dogs\udfff", "cat"]


@given(st.lists(st.text("ab \t", max_size=9), max_size=5))
def test_spellings_stand_between_spaces(made: list[str]):
    found = spellings(made)
    assert words(found) == [text.split(" ") for text in made]
    assert len(set(found.vocabulary)) == len(found.vocabulary)


@pytest.mark.parametrize("text", ["to be  or not", "tö bé", "half a \ud83d pair", ""])
def test_spellings_of_many_texts_stand_between_spaces_too(text: str):
    """Above a size polars splits; half of a surrogate pair, which polars refuses, makes no difference."""
    made = ["or not to be", text, "x" * FEWEST_FOR_POLARS, text]
    found = spellings(made)
    assert words(found) == [each.split(" ") for each in made]
    assert found.vocabulary == list(dict.fromkeys(word for each in made for word in each.split(" ")))


def test_frequencies_count_texts_and_not_words():
    found = spellings(["to to be", "be", "or"]).frequencies([0, 1])
    assert found == {"to": 1, "be": 2}
    assert spellings([]).frequencies([]) == {}


def test_no_text():
    found = tokenize(spellings([]), [])
    assert (found.ids.tolist(), found.starts.tolist(), found.lengths.tolist()) == ([], [0], [])
    assert words(characters([])) == []
