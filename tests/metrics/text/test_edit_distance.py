"""Similarities of strings by hand; rapidfuzz's numbers are in tests/parity/test_edit.py."""

import math

import pytest
from builders import make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Item

ALL = ("Levenshtein", "DamerauLevenshtein", "JaroWinkler")


def test_edits_by_the_longer_length():
    assert Metric.of("Levenshtein").pair("kitten", "sitting") == pytest.approx(1 - 3 / 7)
    assert Metric.of("Levenshtein").pair("abcd", "wxyz") == 0.0


def test_neighbours_that_changed_places_are_one_edit_or_two():
    assert Metric.of("DamerauLevenshtein").pair("rumah", "rumha") == pytest.approx(0.8)
    assert Metric.of("Levenshtein").pair("rumah", "rumha") == pytest.approx(0.6)


def test_a_part_can_be_edited_after_it_changed_places():
    """CA to ABC: change places, insert B between them (Boytsov 2011); without the second edit it would be three."""
    assert Metric.of("DamerauLevenshtein").pair("ABC", "CA") == pytest.approx(1 - 2 / 3)


@pytest.mark.parametrize(
    "one, other, expected",
    [("martha", "marhta", 0.961), ("dwayne", "duane", 0.84), ("dixon", "dicksonx", 0.813), ("jones", "johnson", 0.832)],
)
def test_names_of_winkler(one, other, expected):
    """From the tables in Winkler (1990, 2006)."""
    assert Metric.of("JaroWinkler").pair(one, other) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("name", ALL)
def test_writing_does_not_count_unless_raw(name):
    one, other = "Café  Ａ\tb\u00a0c ", "cafe\u0301 a b c"
    assert Metric.of(name).pair(one, other) == 1.0
    assert Metric.of(f"{name}(tokens=raw)").pair(one, other) < 1.0


@pytest.mark.parametrize("name", ALL)
def test_empty_texts(name):
    assert Metric.of(name).pair("abc", "") == 0.0
    assert math.isnan(Metric.of(name).pair(" ", "abc"))
    assert math.isnan(Metric.of(name).pair("", ""))
    assert Metric.of(f"{name}(tokens=raw)").pair("", "") == 1.0
    assert Metric.of(f"{name}(tokens=raw)").pair("", "abc") == 0.0


@pytest.mark.parametrize("name", ALL)
def test_of_several_references_the_most_alike_counts(name):
    item = Item(id="1", query="?", references=("xyz", "", "Medan Kota", "xyz"))
    pairs = [(item, Answer(item="1", text="medan  kota")), (item, Answer(item="1", text="kota medan", trial=1))]
    found = score_metric(Metric.of(name), make_scorable(pairs)).rows[:, 0]
    assert found[0] == 1.0
    assert found[1] == Metric.of(name).pair("Medan Kota", "kota medan")


def test_marks_and_punctuation_can_be_left_out():
    assert Metric.of("Levenshtein(tokens=space+fold)").pair("القُرْآن", "القران") == 1.0
    assert Metric.of("Levenshtein(tokens=word)").pair("Jl. Sudirman, 5", "jl sudirman 5") == 1.0
    assert Metric.of("Levenshtein(tokens=space+case)").pair("AB", "ab") == 0.0


def test_an_unknown_reading_is_told():
    with pytest.raises(SpecError, match="no such way to read words"):
        Metric.of("Levenshtein(tokens=row)").pair("a", "b")
