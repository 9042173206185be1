"""Samples: the probabilities are those with which documents are drawn."""

from collections import Counter

import pytest

from neraca.errors import SpecError
from neraca.people.sample import draws_of, parse_strata, shuffled, stratified, uniform


def test_the_order_depends_on_seed_and_question_and_on_nothing_else():
    documents = [f"d{n}" for n in range(50)]
    order = shuffled(documents, draws_of(1, "q"))
    assert order == shuffled(reversed(documents), draws_of(1, "q"))
    assert sorted(order) == sorted(documents)
    assert order != documents
    assert order != shuffled(documents, draws_of(2, "q"))
    assert order != shuffled(documents, draws_of(1, "r"))


def test_each_document_is_drawn_as_often_as_its_probability_says():
    """2 of 5: 0.4; of 2,000 draws 800, with a standard deviation of 22."""
    counts = Counter(one.document for seed in range(2000) for one in uniform("abcde", 2, draws_of(seed, "q")))
    assert {one.probability for one in uniform("abcde", 2, draws_of(0, "q"))} == {0.4}
    assert all(700 < counts[document] < 900 for document in "abcde")


def test_strata_have_shares_of_their_own():
    ranks = {"a": 1, "b": 1, **{f"m{n}": 5 for n in range(8)}, **{f"x{n}": 30 for n in range(3)}, "below": 41}
    sample = stratified(ranks, parse_strata("2=1 10=0.25 40=0.1"), draws_of(0, "q"))
    drawn = Counter((one.stratum, one.probability) for one in sample)
    assert drawn == {("1-2", 1.0): 2, ("3-10", 0.25): 2, ("11-40", 1 / 3): 1}


def test_the_order_of_a_stratified_sample_does_not_show_the_strata():
    ranks = {f"d{n}": n for n in range(1, 41)}
    strata = [one.stratum for one in stratified(ranks, parse_strata("20=1,40=1"), draws_of(0, "q"))]
    assert strata != sorted(strata)
    assert Counter(strata) == {"1-20": 20, "21-40": 20}


def test_nothing_is_drawn_of_nothing():
    assert uniform([], 3, draws_of(0, "q")) == []
    assert [one.probability for one in uniform("ab", 5, draws_of(0, "q"))] == [1, 1], "more is wanted than there is"
    assert stratified({"a": 9}, parse_strata("1=1"), draws_of(0, "q")) == []
    assert stratified({"a": 1}, parse_strata("1=0.1"), draws_of(0, "q"))[0].stratum == "1"


@pytest.mark.parametrize("text", ["", "10", "10=0", "10=1.5", "10=1 5=1", "0=1", "ten=1", "10=x"])
def test_strata_that_cannot_be_read(text):
    with pytest.raises(SpecError, match="rising depths, each with the share to draw"):
        parse_strata(text)
