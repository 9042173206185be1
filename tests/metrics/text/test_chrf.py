import numpy as np
import pytest
import sacrebleu
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric


def column(name, *cases):
    """The metric's column for responses with their references."""
    return score_metric(
        Metric.of(name),
        make_scorable(
            [
                (make_item(str(row), references=tuple(references)), make_answer(item=str(row), text=response))
                for row, (response, *references) in enumerate(cases)
            ]
        ),
    )


def values(name, *cases):
    return column(name, *cases).rows[:, 0].tolist()


def f(precision, recall, beta=2):
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def test_runs_of_characters_by_hand():
    """abcd against abxd: 3 of 4 characters, 1 of 3 pairs, none longer; four orders have runs in both."""
    assert values("chrF", ("abcd", "abxd")) == pytest.approx([(3 / 4 + 1 / 3) / 4])
    assert values("chrF(order=2)", ("abcd", "abxd")) == pytest.approx([(3 / 4 + 1 / 3) / 2])


def test_recall_counts_twice_as_much():
    """ab against abc: all of the response's runs match, of the reference's 2/3 and 1/2."""
    recall = (2 / 3 + 1 / 2) / 2
    assert values("chrF", ("ab", "abc")) == pytest.approx([f(1, recall)])
    assert values("chrF(beta=1)", ("ab", "abc")) == pytest.approx([f(1, recall, 1)])
    assert values("chrF(beta=0)", ("ab", "abc")) == pytest.approx([1])


def test_white_space_is_taken_away_and_case_is_kept():
    assert values("chrF", ("a b\tc", "abc"), ("a\nbc", "ab c")) == pytest.approx([1, 1])
    assert values("chrF(order=1)", ("AB", "Ab"))[0] == pytest.approx(0.5)
    assert values("chrF(order=1,case=false)", ("AB", "Ab")) == pytest.approx([1])


def test_a_repeated_run_matches_as_often_as_the_text_that_has_it_less_often():
    assert values("chrF(order=1,beta=1)", ("aaab", "aac")) == pytest.approx([f(2 / 4, 2 / 3, 1)])


def test_words_beside_characters():
    """a b. has the words a, b and a full stop; a b. c shares three of its four, and two of its three pairs."""
    characters = 1, 3 / 4
    recall = (characters[1] + 3 / 4 + 2 / 3) / 3
    assert values("chrF++(order=1)", ("a b.", "a b. c")) == pytest.approx([f(1, recall)])
    assert values("chrF++", ("a", "a")) == pytest.approx([1])


@pytest.mark.parametrize("name", ["chrF", "chrF++"])
def test_the_best_reference_counts(name):
    best, worst = values(name, ("the cat", "the cats"), ("the cat", "a dog"))
    assert values(name, ("the cat", "a dog", "the cats")) == [best]
    assert values(name, ("the cat", "the cats", "a dog")) == [best]
    assert best > worst


def test_empty_texts():
    found = column("chrF", ("", "a"), ("a", ""), ("b", "a"))
    assert found.rows[[0, 2], 0].tolist() == [0, 0]
    assert np.isnan(found.rows[1, 0])
    assert found.why[1] == "the item has no reference"
    assert Metric.of("chrF").pair("", "a") == Metric.of("chrF++").pair("", "") == 0


def test_counts_of_each_answer():
    """For one and two characters, then one word: runs of the response, of the reference, matches."""
    found = column("CorpusChrF(order=2,words=1)", ("ab c", "abc"), ("a", "ab"))
    assert found.rows.tolist() == [[3, 3, 3, 2, 2, 2, 2, 1, 0], [1, 2, 1, 0, 1, 0, 1, 1, 0]]


def test_a_reference_that_is_too_short_has_no_say():
    assert column("CorpusChrF(order=2)", ("abc", "a")).rows.tolist() == [[3, 1, 1, 0, 0, 0]]


def test_the_total_is_of_summed_counts_of_the_best_references():
    found = column("CorpusChrF(order=1)", ("ab", "xy", "abc"), ("a", "a", "b"), ("ab", " "))
    assert found.rows[:2].tolist() == [[2, 3, 2], [1, 1, 1]]
    assert np.isnan(found.rows[2]).all()
    assert found.metric.total(found.rows[:2].sum(axis=0)) == pytest.approx(f(1, 3 / 4))
    assert found.metric.total(found.rows[:2]) == pytest.approx([f(1, 2 / 3), 1])


def test_of_two_equally_good_references_the_first_gives_the_counts():
    """Both have one letter of two; ax has the F of ay."""
    assert column("CorpusChrF(order=1)", ("ab", "axxx", "ayyy")).rows.tolist() == [[2, 4, 1]]
    cases = [("a", "xx", "yyy"), ("a", "yyy", "xx")]
    assert column("CorpusChrF(order=1)", *cases).rows.tolist() == [[1, 2, 0], [1, 3, 0]]


def test_beta_of_the_total():
    found = column("CorpusChrF(order=1,beta=1)", ("ab", "abc"))
    assert found.metric.total(found.rows) == pytest.approx([f(1, 2 / 3, 1)])


def test_no_answers():
    assert column("chrF").rows.shape == (0, 2)
    assert column("CorpusChrF(words=2)").rows.shape == (0, 24)


@pytest.mark.parametrize(
    "name, told",
    [
        ("chrF(order=0)", "order is a whole number from 1 to 9"),
        ("chrF(order=2.5)", "order"),
        ("chrF++(beta=-1)", "beta"),
        ("chrF(beta=inf)", "beta"),
        ("CorpusChrF(words=-1)", "words is a whole number from 0 to 9"),
        ("CorpusChrF(words=0.5)", "words"),
    ],
)
def test_what_cannot_be_meant_is_told(name, told):
    with pytest.raises(SpecError, match=told):
        values(name, ("a", "a"))


@pytest.mark.parametrize("name", ["chrF", "chrF++", "CorpusChrF", "chrF(case=false)"])
def test_a_letter_typed_in_two_ways_is_one(name):
    """As sacreBLEU sees them the two have .157 of chrF in common."""
    decomposed, composed = "s\u0323ala\u0304h", "\u1e63al\u0101h"
    part = make_scorable([(make_item(references=(composed,)), make_answer(text=decomposed))])
    counts = score_metric(Metric.of(name), part)
    assert counts.metric.total(counts.rows[0]) == pytest.approx(1)
    assert sacrebleu.CHRF().sentence_score(decomposed, [composed]).score == pytest.approx(15.7, abs=0.05)


@pytest.mark.parametrize("name", ["chrF", "chrF++", "CorpusChrF", "CorpusChrF(words=2)"])
def test_other_forms_of_characters_are_one_where_nfkc_is_asked_for(name):
    """Full-width digits, a no-break space and a mark of direction: sacreBLEU sees other characters, and so do we."""
    response, reference = "\u200f１２\u00a0km", "12 km"
    asked = f"{name[:-1]},norm=nfkc)" if name.endswith(")") else f"{name}(norm=nfkc)"
    assert Metric.of(asked).pair(reference, response) == pytest.approx(1)
    words = 2 if "++" in name or "words" in name else 0
    theirs = sacrebleu.CHRF(word_order=words).sentence_score(response, [reference]).score / 100
    assert Metric.of(name).pair(reference, response) == pytest.approx(theirs)
    assert theirs < 0.4


def test_capitals_are_kept_by_their_usual_name_and_that_of_sacrebleu():
    assert str(Metric.of("chrF(lower=true)")) == "chrF(case=false)"
    assert str(Metric.of("CorpusChrF(words=2,lower=false)")) == "CorpusChrF(words=2)"
    with pytest.raises(SpecError, match="no parameter 'lower'"):
        Metric.of("chrF(lower=true,case=false)")


@pytest.mark.parametrize("name", ["chrF(norm=nfd)", "TER(norm=nfd)"])
def test_a_form_that_there_is_not_is_told(name):
    with pytest.raises(SpecError, match="norm is nfc or nfkc, not 'nfd'"):
        Metric.of(name).pair("a", "a")
