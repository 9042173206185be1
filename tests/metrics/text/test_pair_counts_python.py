"""Counts of a pair in plain Python: worked by hand, and against definitions followed to the letter."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text.pair_counts_python import PythonPairCounts, align, chunks

WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


def pair(response: str, reference: str) -> PythonPairCounts:
    """Texts whose words stand between spaces."""
    return PythonPairCounts(response.split(), reference.split())


def test_runs_count_as_often_as_the_text_that_has_them_less_often():
    counts = pair("the cat the cat the", "the cat sat on the the mat")
    assert counts.matches(1) == 4.0  # the 3 and 3, cat 2 and 1
    assert counts.matches(2) == counts.clipped(2) == 1.0  # "the cat" 2 and 1; "cat the" not there
    assert counts.matches(6) == 0.0


def test_sequences_by_hand():
    cases = [pair("a b c d", "b x d"), pair("", "a"), pair("", "")]
    assert [counts.lcs for counts in cases] == [2.0, 0.0, 0.0]
    assert [counts.edits for counts in cases] == [2.0, 1.0, 0.0]  # a goes, c becomes x
    assert [counts.same for counts in cases] == [False, False, True]


def test_cosine_by_hand():
    idf = math.log(3 / 2) + 1
    assert pair("red car", "blue car").cosine() == pytest.approx(1 / (1 + idf**2))
    assert pair("a a b", "a b b").cosine() == pytest.approx(4 / 5)
    assert pair("a b", "a").cosine({"a": 2.0, "b": 1.0}) == pytest.approx(4 / (math.sqrt(5) * 2))
    assert pair("", "a").cosine() == pair("", "").cosine() == 0.0


def test_words_are_aligned_from_the_end():
    assert align(["a", "b", "a"], ["a", "c"]) == {2: 0}
    assert align(["cats", "cat"], ["cat"], (["cat", "cat"], ["cat"])) == {1: 0}  # equal words come first
    assert align(["car"], ["bus", "auto"], synonyms={"car": {"auto"}}) == {0: 1}
    assert chunks({0: 0, 1: 1, 3: 2}) == 2


def matched(one: list[str], other: list[str], n: int) -> int:
    """Runs of the one, each crossed out in the other when it is found there."""
    left = [tuple(other[i : i + n]) for i in range(len(other) - n + 1)]
    found = 0
    for i in range(len(one) - n + 1):
        run = tuple(one[i : i + n])
        if run in left:
            left.remove(run)
            found += 1
    return found


def longest(one: list[str], other: list[str]) -> int:
    """Every choice of words of the one, the longest first."""
    for size in range(len(one), 0, -1):
        for choice in itertools.combinations(one, size):
            rest = iter(other)
            if all(word in rest for word in choice):
                return size
    return 0


def edits(one: list[str], other: list[str]) -> int:
    """Levenshtein as defined, word by word."""
    if not one or not other:
        return len(one) + len(other)
    kept = edits(one[1:], other[1:]) + (one[0] != other[0])
    return kept if one[0] == other[0] else min(kept, edits(one[1:], other) + 1, edits(one, other[1:]) + 1)


@given(WORDS, WORDS)
def test_against_the_definitions(one: list[str], other: list[str]):
    counts = PythonPairCounts(one, other)
    for n in (1, 2, 3, 4):
        assert counts.matches(n) == matched(one, other, n)
    assert counts.lcs == longest(one, other)
    assert counts.edits == edits(one, other)
    assert counts.response + counts.reference == len(one) + len(other)


@given(WORDS, WORDS)
def test_an_alignment_joins_equal_words_once_and_as_many_as_possible(one: list[str], other: list[str]):
    partners = align(one, other)
    assert all(one[i] == other[j] for i, j in partners.items())
    assert len(set(partners.values())) == len(partners) == matched(one, other, 1)
