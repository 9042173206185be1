"""TER by hand; the same numbers as sacreBLEU's are in tests/parity/test_edit.py."""

import numpy as np
import pytest
import sacrebleu
from builders import make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer, Item


def scored(name, *answers):
    pairs = [
        (Item(id=str(number), query="?", references=tuple(references)), Answer(item=str(number), text=response))
        for number, (response, references) in enumerate(answers)
    ]
    return score_metric(Metric.of(name), make_scorable(pairs))


def test_a_run_of_words_that_moved_is_one_edit():
    """Snover et al. (2006), figure 1: one shift, two words replaced, one inserted; the reference has 13 words."""
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    response = "THIS WEEK THE SAUDIS denied information published in the new york times"
    assert Metric.of("TER").pair(reference, response) == pytest.approx(4 / 13)


def test_a_shift_of_any_length_costs_as_much_as_one_of_one_word():
    words = [f"w{number}" for number in range(30)]
    for size in (1, 5, 10):
        moved = words[size:] + words[:size]
        assert Metric.of("TER").pair(" ".join(words), " ".join(moved)) == pytest.approx(1 / 30)


def test_a_run_of_more_than_ten_words_is_moved_in_parts():
    """Twelve words behind twelve others: ten of them, then two."""
    words = [f"w{number}" for number in range(24)]
    assert Metric.of("TER").pair(" ".join(words), " ".join(words[12:] + words[:12])) == pytest.approx(2 / 24)


def test_no_run_moves_farther_than_fifty_places():
    """The first word at the end: of 51 words it is moved, of 52 it is deleted and inserted."""
    for size, edited in ((51, 1), (52, 2)):
        words = [f"w{number}" for number in range(size)]
        value = Metric.of("TER").pair(" ".join(words), " ".join([*words[1:], words[0]]))
        assert value == pytest.approx(edited / size)


def test_a_long_response_has_more_than_one():
    assert Metric.of("TER").pair("a b", "c d e f") == 2.0


def test_an_empty_response_deletes_every_word():
    assert Metric.of("TER").pair("a b c", "") == 1.0


def test_a_reference_without_words_is_the_worst_unless_the_response_has_none_either():
    assert Metric.of("TER(no_punct=true)").pair("...", "a b c") == 1.0
    assert Metric.of("TER(no_punct=true)").pair("...", "!") == 0.0


def test_of_several_references_the_fewest_edits_count_by_the_mean_length():
    """One edit to the first, three to the second; (2 + 6) / 2 words."""
    column = scored("TER", ("a b", ["a c", "a b c d e f"]))
    assert column.rows[0, 0] == pytest.approx(1 / 4)


def test_over_answers_edits_and_words_are_summed():
    """One edit of two words and none of eight: 1/10; the mean of TER is 1/4."""
    given = [("a x", ["a b"]), ("c d e f g h i j", ["c d e f g h i j"])]
    corpus = scored("CorpusTER", *given)
    assert corpus.metric.total(corpus.rows.sum(axis=0)) == pytest.approx(0.1)
    assert scored("TER", *given).rows[:, 0].mean() == pytest.approx(0.25)


def test_an_answer_without_a_reference_says_so():
    for name in ("TER", "CorpusTER"):
        column = scored(name, ("a", []), ("a", ["a"]))
        assert column.why == ("the item has no reference", "")
        assert np.isnan(column.rows[0]).any()


def test_case_and_punctuation_count_as_the_parameters_say():
    assert Metric.of("TER").pair("Hello, world.", "hello, World.") == 0.0
    assert Metric.of("TER(case=true)").pair("Hello, world.", "hello, World.") == 1.0
    assert Metric.of("TER").pair("Hello, world.", "hello world") == 1.0
    assert Metric.of("TER(no_punct=true)").pair("Hello, world.", "hello world") == 0.0
    assert Metric.of("TER(normalized=true)").pair("Hello, world.", "hello world") == 0.5


def test_chinese_characters_are_words_if_asked_for():
    assert Metric.of("TER(normalized=true)").pair("東京都", "東京") == 1.0
    assert Metric.of("TER(normalized=true,asian=true)").pair("東京都", "東京") == pytest.approx(1 / 3)


def test_equal_texts_are_equal_however_they_are_read():
    """sacreBLEU 2.6.0 reads a reference twice, which parts it and 's only then: 2 edits of 3 words."""
    assert Metric.of("TER(normalized=true)").pair("it's.", "it's.") == 0.0
    assert sacrebleu.TER(normalized=True).sentence_score("it's.", ["it's."]).score == pytest.approx(200 / 3)


def test_less_is_better():
    assert not Metric.of("TER").higher_is_better
    assert not Metric.of("CorpusTER").higher_is_better


def test_other_forms_of_characters_are_one_where_nfkc_is_asked_for():
    """Ten words, of which one has full-width digits: one edit in ten, .1, as sacreBLEU has it; none after NFKC."""
    reference = "the house in Mill Street has 12 rooms and one"
    for response in (reference.replace("12", "１２"), f"\u200f{reference}"):
        assert Metric.of("TER").pair(reference, response) == pytest.approx(0.1)
        assert sacrebleu.TER().sentence_score(response, [reference]).score == pytest.approx(10)
        assert Metric.of("TER(norm=nfkc)").pair(reference, response) == 0
        assert Metric.of("CorpusTER(norm=nfkc)").pair(reference, response) == 0
    assert Metric.of("TER(case=true)").pair(reference, reference.title()) == pytest.approx(0.7)
    assert Metric.of("TER").pair(reference, reference.title()) == 0


def test_long_texts_of_other_lengths_and_many_moves_are_counted_as_sacrebleu_does():
    chance = np.random.default_rng(3)
    for vocabulary, sizes in ((40, (20, 70)), (20, (50, 30)), (12, (40, 40))):
        words = [f"w{number}" for number in range(vocabulary)]
        response, reference = (" ".join(chance.choice(words, n)) for n in sizes)
        theirs = sacrebleu.metrics.TER().sentence_score(response, [reference]).score / 100
        assert Metric.of("TER").pair(reference, response) == pytest.approx(theirs, abs=1e-12)


def test_marks_of_asian_scripts_are_left_out_as_sacrebleu_does():
    name, theirs = "TER(no_punct=true,asian=true,normalized=true)", {"no_punct": True, "asian_support": True}
    texts = "今天天气，很好。", "今天天气很好"
    score = sacrebleu.metrics.TER(normalized=True, **theirs).sentence_score(texts[0], [texts[1]]).score / 100
    assert Metric.of(name).pair(texts[1], texts[0]) == pytest.approx(score) == pytest.approx(0)
