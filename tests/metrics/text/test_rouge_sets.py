import pytest
from builders import make_item, make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.text.rouge_sets import sentences
from neraca.records import Answer


def value(name, reference, response, stat="r"):
    return Metric.of(f"{name}(stat={stat},tokens=pltrdy)").pair(reference, response)


def test_each_different_word_counts_once():
    assert value("ROUGE-1", "a b", "a a a a", "p") == 1
    assert value("ROUGE-1", "a b", "a a a a", "r") == 0.5
    assert Metric.of("ROUGE-1(stat=p,tokens=google)").pair("a b", "a a a a") == 0.25


def test_case_and_punctuation_stay():
    assert value("ROUGE-1", "the cat, sat", "The cat sat") == pytest.approx(1 / 3)


def test_runs_go_over_full_stops():
    assert value("ROUGE-2", "a. b", "a b") == 1
    assert value("ROUGE-3", "a. b. c", "a b c d") == 1
    assert value("ROUGE-4", "a. b. c", "a b c d") == 0


def test_the_longest_sequences_of_sentences_in_any_order():
    assert value("ROUGE-L", "a b. c d", "c d. a b") == 1
    assert value("ROUGE-L", "a b", "b a") == 0.5


def test_equal_texts_are_just_below_one():
    f = value("ROUGE-1", "a b", "a b", "f")
    assert f == pytest.approx(2 / (2 + 1e-8), abs=1e-15)
    assert f < 1


def test_white_space_between_full_stops_is_an_empty_word():
    assert sentences("a. .b") == [["a"], [""], ["b"]]
    assert value("ROUGE-1", " ", "\t") == 1
    assert value("ROUGE-1", "a. ", "a") == 0.5


@pytest.mark.parametrize("name", ["ROUGE-1", "ROUGE-2", "ROUGE-L"])
@pytest.mark.parametrize("reference, response", [("a b", ""), ("", "a b"), ("...", "a b"), ("", "")])
def test_texts_on_which_the_package_raises_have_zero(name, reference, response):
    assert value(name, reference, response, "f") == 0


def test_a_batch():
    """The best of several references; an answer without one has no value."""
    cases = [("a b", ["c", "a b c d", "a"]), ("a", ["a"]), ("a", [])]
    pairs = [
        (make_item(str(row), references=references), Answer(item=str(row), text=text))
        for row, (text, references) in enumerate(cases)
    ]
    column = score_metric(Metric.of("ROUGE-1(stat=p,tokens=pltrdy)"), make_scorable(pairs))
    assert column.rows[:, 0].tolist() == pytest.approx([1, 1, float("nan")], nan_ok=True)
    assert column.why[2] == "the item has no reference"
