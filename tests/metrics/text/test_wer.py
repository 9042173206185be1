"""Error rates by hand."""

import numpy as np
import pytest
from builders import make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Item


def scored(name, *answers, language=""):
    tags = {"language": language} if language else {}
    pairs = [
        (
            Item(id=str(number), query="?", references=tuple(references), tags=tags),
            Answer(item=str(number), text=response),
        )
        for number, (response, references) in enumerate(answers)
    ]
    return score_metric(Metric.of(name), make_scorable(pairs))


def test_words_are_compared_without_case_and_punctuation():
    """sits for sat, a for the, one word too many; six words."""
    assert Metric.of("WER").pair("the cat sat on the mat", "The cat sits on a mat, now.") == 0.5
    assert Metric.of("WER(tokens=split)").pair("the cat", "The cat.") == 1.0


def test_a_rate_can_be_above_one():
    assert Metric.of("WER").pair("a", "b c d") == 3.0
    assert Metric.of("CER").pair("ab", "xyz vw") == 3.0


def test_over_answers_edits_and_lengths_are_summed():
    """1 of 2 and 0 of 8 words; 3 of 6 and 0 of 4 characters."""
    words = scored("WER", ("a x", ["a b"]), ("c d e f g h i j", ["c d e f g h i j"]))
    assert words.metric.total(words.rows.sum(axis=0)) == pytest.approx(0.1)
    signs = scored("CER", ("sitting", ["kitten"]), ("baru", ["Baru"]))
    assert signs.metric.total(signs.rows.sum(axis=0)) == pytest.approx(0.3)


@pytest.mark.parametrize("name", ["WER", "CER"])
def test_of_several_references_the_lowest_rate_counts(name):
    """The first has fewer edits, 3 words or 6 characters; the second the lower rate, with 4 or 8."""
    column = scored(name, ("p q r s", ["p", "p q r s t u v w", "z"]), ("z", ["", "z"]))
    assert column.rows[0].tolist() == ([4.0, 8.0] if name == "WER" else [8.0, 15.0])
    assert column.metric.total(column.rows)[1] == 0.0


@pytest.mark.parametrize("name", ["WER", "CER"])
def test_of_references_with_the_same_rate_the_shortest_counts(name):
    """An answer that failed has a rate of 1 with each; how much it weighs may not depend on their order."""
    forwards = scored(name, ("", ["p q r", "z"]), ("p q", ["r s t u", "r s", "v w x"]))
    backwards = scored(name, ("", ["z", "p q r"]), ("p q", ["v w x", "r s", "r s t u"]))
    assert forwards.rows.tolist() == backwards.rows.tolist()
    assert forwards.rows[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["WER", "CER"])
def test_an_empty_response_has_a_rate_of_one(name):
    column = scored(name, ("", ["two words"]))
    assert column.metric.total(column.rows).tolist() == [1.0]


def test_a_reference_without_a_word_has_no_rate():
    column = scored("WER", ("a", ["..."]), ("a", ["...", "a"]))
    assert column.why == ("no reference has a word in it", "")
    assert np.isnan(Metric.of("WER").pair("", "a"))
    assert np.isnan(Metric.of("CER").pair(" ", ""))
    assert np.isnan(Metric.of("CER(tokens=raw)").pair("", ""))


def test_characters_are_those_of_the_normal_form():
    """NFC and NFD, full width, case, and white space of any kind and length do not count."""
    assert Metric.of("CER").pair("Café  Ａ\tb\u00a0c ", "cafe\u0301 a b c") == 0.0
    assert Metric.of("CER(tokens=raw)").pair("Café", "Cafe\u0301") == pytest.approx(2 / 4)
    assert Metric.of("CER").pair("a b", "ab") == pytest.approx(1 / 3)
    assert Metric.of("CER(tokens=char)").pair("a b", "ab") == 0.0
    assert Metric.of("CER(tokens=word)").pair("Hello, world!", "hello world") == 0.0


def test_a_mark_that_cannot_be_composed_is_a_character():
    """Four letters of which one has a shadda and a fatha; folded they are gone."""
    assert Metric.of("CER").pair("محمَّد", "محمد") == pytest.approx(2 / 6)
    assert Metric.of("CER(tokens=space+fold)").pair("محمَّد", "محمد") == 0.0


def test_the_language_of_the_item_is_that_of_its_text():
    """Turkish I without a dot is another letter than i."""
    assert scored("CER", ("ısı", ["ISI"]), language="tr").rows[0].tolist() == [0.0, 3.0]
    assert scored("CER", ("ısı", ["ISI"]), language="en").rows[0].tolist() == [2.0, 3.0]
    assert scored("CER(language=tr)", ("ısı", ["ISI"]), language="en").rows[0].tolist() == [0.0, 3.0]
