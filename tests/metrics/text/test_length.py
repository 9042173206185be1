import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric

WORDS, RATIO = Metric.of("Words"), Metric.of("LengthRatio")


def column(metric, *made):
    """Of (references, fields of the answer)."""
    pairs = [
        (make_item(str(number), references=tuple(references)), make_answer(item=str(number), **fields))
        for number, (references, fields) in enumerate(made)
    ]
    return score_metric(metric, make_scorable(pairs))


def test_words_are_counted_with_or_without_a_reference():
    """A failed answer gave no words, whatever came before it failed; a suspect one may not be whole."""
    failed, suspect = {"text": "It has", "status": "timeout"}, {"text": "It has", "status": "suspect"}
    found = column(
        WORDS, ([], {"text": "It has two floors."}), (["x"], {"text": ""}), (["x"], failed), (["x"], suspect)
    )
    assert found.rows[:3, 0].tolist() == [4, 0, 0]
    assert found.why == ("", "", "", "suspect: the answer may not be whole")
    assert WORDS.total(found.rows[:3].sum(axis=0)) == pytest.approx(4 / 3)


def test_the_ratio_over_items_is_that_of_the_sums():
    """1 / 1 and 9 / 3: together 10 / 4, and not the mean 2."""
    found = column(RATIO, (["a"], {"text": "b"}), (["a b c"], {"text": "a " * 9}))
    assert RATIO.total(found.rows).tolist() == [1, 3]
    assert RATIO.total(found.rows.sum(axis=0)) == pytest.approx(10 / 4)


@pytest.mark.parametrize(
    "references, ratio", [(["a " * 9, "a a a"], 4 / 3), (["a " * 5, "a a a"], 4 / 3), (["a a", "a " * 5, "..."], 4 / 5)]
)
def test_the_reference_of_the_nearest_length_counts_and_the_shorter_of_two(references, ratio):
    found = column(RATIO, (references, {"text": "b b b b"}))
    assert RATIO.total(found.rows).tolist() == pytest.approx([ratio])


def test_no_ratio_without_words_in_a_reference():
    found = column(RATIO, (["..."], {"text": "b"}), ([], {"text": "b"}), (["a"], {"text": ""}))
    assert found.why == ("no reference has a word in it", "the item has no reference", "")
    assert found.rows[2].tolist() == [0, 1]


def test_of_two_texts():
    assert WORDS.pair("a", "b c") == 2
    assert RATIO.pair("a", "b c") == 2
    assert Metric.of("LengthRatio(tokens=squad)").pair("the", "b c") != 2, "SQuAD drops the article"


def test_lengths_cannot_be_averaged():
    with pytest.raises(SpecError, match=r"Words cannot be averaged: neither more nor less is better, from 0 to inf"):
        column(Metric.of("Average(Words)"), (["a"], {"text": "b"}))
