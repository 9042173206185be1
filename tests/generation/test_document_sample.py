"""Near duplicates count once, and each document is drawn with the same chance."""

from collections import Counter
from random import Random

import pytest

from neraca.errors import SpecError
from neraca.generation.document_sample import sample_documents
from neraca.generation.documents import Document
from neraca.generation.near_duplicates import near_duplicates

WORDS = [f"word{number}" for number in range(5_000)]


def text(random, words=100):
    return " ".join(random.choices(WORDS, k=words))


def document(name, body="", source="a.md", section=""):
    return Document(name, "", body or name, source, section)


def test_texts_that_share_four_fifths_of_their_runs_are_near_duplicates():
    words = [f"w{number}" for number in range(102)]  # 100 runs of three words
    longer = [*words, *(f"x{number}" for number in range(25))]  # 100 of 125 runs are shared: 0.8
    too_long = [*words, *(f"y{number}" for number in range(26))]  # 100 of 126
    assert near_duplicates([" ".join(part) for part in (words, longer, too_long)]) == [0, 0, 2]


def test_case_accents_and_punctuation_do_not_count():
    assert near_duplicates(["¿Dónde está el baño?", "donde esta el bano", "Bezahlen", "!", "?"]) == [0, 0, 2, 3, 4]


def test_many_near_duplicates_are_found_among_many_texts():
    random = Random(1)
    originals = [text(random) for _ in range(1_000)]
    copies = [f"{original} and more" for original in originals]  # 98 of 100 runs are shared
    assert near_duplicates(originals + copies) == [*range(1_000), *range(1_000)]


def test_a_thousand_copies_have_one_original():
    assert near_duplicates(["the same text of five words"] * 1_000) == [0] * 1_000
    assert near_duplicates([]) == []


def test_near_duplicates_are_drawn_once_and_named():
    body = text(Random(2))
    sample = sample_documents([document("a", body), document("b"), document("c", body.upper())], 5)
    assert [drawn.id for drawn in sample.documents] == ["a", "b"]
    assert (sample.total, dict(sample.duplicates)) == (2, {"c": "a"})
    assert sample.alike("a") == ["c"]
    assert sample.alike("c") == ["a"]
    assert sample.alike("b") == []


def test_every_source_section_and_length_gets_its_share():
    random = Random(3)
    documents = [
        document(f"{source}{section}{words}{number}", text(random, words), source, section)
        for source in "ab"
        for section in ("x", "y > z")
        for words in (20, 200)
        for number in range(10)
    ]
    drawn = sample_documents(documents, 8, seed=4).documents
    assert Counter((d.source, d.section, len(d.text.split())) for d in drawn) == {
        (source, section, words): 1 for source in "ab" for section in ("x", "y > z") for words in (20, 200)
    }


def test_every_document_is_drawn_with_the_same_chance():
    documents = [document(str(number), source="ab"[number > 2]) for number in range(7)]
    drawn = Counter(d.id for seed in range(700) for d in sample_documents(documents, 2, seed).documents)
    # 700 draws of 2 of 7: each 200 times; the standard deviation is 12.
    assert all(abs(count - 200) < 5 * 12 for count in drawn.values())
    assert len(drawn) == 7


def test_equal_seeds_draw_equal_documents():
    documents = [document(str(number)) for number in range(50)]
    first, second, other = (sample_documents(documents, 5, seed).documents for seed in (1, 1, 2))
    assert first == second != other
    with pytest.raises(SpecError, match="at least 1"):
        sample_documents(documents, 0)
