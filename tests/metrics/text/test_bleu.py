import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric


def column(name, *cases, **fields):
    """The metric's column for responses with their references."""
    return score_metric(
        Metric.of(name),
        make_scorable(
            [
                (make_item(str(row), references=tuple(references), **fields), make_answer(item=str(row), text=response))
                for row, (response, *references) in enumerate(cases)
            ]
        ),
    )


def values(name, *cases, **fields):
    return column(name, *cases, **fields).rows[:, 0].tolist()


def test_the_example_of_papineni():
    """Papineni et al. (2002), section 2.1: of seven times "the" two match, as often as reference 1 has it."""
    found = values(
        "BLEU(order=1)", ("the the the the the the the", "The cat is on the mat", "There is a cat on the mat")
    )
    assert found == pytest.approx([2 / 7])


@pytest.mark.parametrize(
    "smoothing, precisions",
    [  # response a b c d e, reference a b x d e: 3, 2, 0, 0 matches of 5, 4, 3, 2 runs; of the last two the share is
        ("method1", (0.1 / 3, 0.1 / 2)),
        ("method1[0.5]", (0.5 / 3, 0.5 / 2)),
        ("method3", (1 / 2 / 3, 1 / 4 / 2)),
        ("method4", (math.log(5) / 5 / 2 / 3, math.log(5) / 5 / 4 / 2)),
        ("exp", (1 / 2 / 3, 1 / 4 / 2)),
        ("floor", (0.1 / 3, 0.1 / 2)),
        ("floor[0.3]", (0.3 / 3, 0.3 / 2)),
        ("none", (0, 0)),
        ("method0", (0, 0)),
    ],
)
def test_smoothing_by_hand(smoothing, precisions):
    found = values(f"BLEU(smoothing={smoothing})", ("a b c d e", "a b x d e"))
    assert found == pytest.approx([math.prod((4 / 5, 2 / 4, *precisions)) ** (1 / 4)])


@pytest.mark.parametrize("smoothing, added", [("method2", 1), ("add-k", 1), ("add-k[3]", 3)])
def test_added_counts_by_hand(smoothing, added):
    counts = [(4, 5), (2 + added, 4 + added), (added, 3 + added), (added, 2 + added)]
    expected = math.prod(m / t for m, t in counts) ** (1 / 4)
    assert values(f"BLEU(smoothing={smoothing})", ("a b c d e", "a b x d e")) == pytest.approx([expected])


def test_the_averages_of_method5_by_hand():
    """Shares 1, 1 and, of runs of three and more words, 0: (1+1 + 1 + 1)/3 = 4/3, then (4/3 + 1 + 0)/3 = 7/9."""
    found = values("BLEU(smoothing=method5,weights=0.5/0.5)", ("a b", "a b"))
    assert found == pytest.approx([math.sqrt(4 / 3 * 7 / 9)])


def test_methods_5_and_7_may_pass_1_and_say_so():
    """All shares 1: the averages are 4/3, 10/9, 28/27, 82/81."""
    text = "a b c d e"
    best = (4 / 3 * 10 / 9 * 28 / 27 * 82 / 81) ** (1 / 4)
    assert values("BLEU(smoothing=method5)", (text, text)) == pytest.approx([best])
    assert values("BLEU(smoothing=method7)", (text, text)) == pytest.approx([best])
    assert Metric.of("BLEU(smoothing=method5)").definition.high == pytest.approx(4 / 3)
    assert Metric.of("BLEU").definition.high == Metric.of("BLEU(smoothing=method2)").definition.high == 1


def test_method6_has_no_value_without_a_run_of_three_words():
    found = column("BLEU(smoothing=method6)", ("a b x c", "a b c"), ("a b c", "a b c d"), ("x", "a b c"))
    assert np.isnan(found.rows[:, 0]).tolist() == [True, False, False]
    assert "method6" in found.why[0]
    assert not found.why[1]
    assert found.rows[2, 0] == 0


def test_an_identical_answer_of_one_word():
    assert values("BLEU", ("Medan", "Medan")) == pytest.approx([0.1 ** (3 / 4)])  # 0.178
    assert values("BLEU(effective=true)", ("Medan", "Medan"), ("a b", "a c")) == pytest.approx([1, math.sqrt(0.05)])


def test_the_brevity_penalty_takes_the_nearest_reference():
    """Three words against 5 and 2: the nearest is 2, no penalty; against 5 and 1 the shorter of two equally near."""
    three = "a b c"
    assert values("BLEU(order=1)", (three, "a b c d e", "a b")) == pytest.approx([1])
    assert values("BLEU(order=1)", (three, "a b c d e", "a")) == pytest.approx([1])
    assert values("BLEU(order=1)", (three, "a b c d e")) == pytest.approx([math.exp(1 - 5 / 3)])


def test_each_run_matches_as_often_as_in_the_reference_that_has_it_most():
    """a twice by the first, b twice by the second reference: 4 of 5."""
    assert values("BLEU(order=1)", ("a a b b c", "a a b x x", "a b b x x")) == pytest.approx([4 / 5])


def test_references_without_a_word_do_not_count():
    found = column("BLEU(order=1)", ("a b c", "..."), ("a b c", "...", "a b c d e f"), ("a b c", "a b c d e f"))
    assert found.rows[1:, 0] == pytest.approx([math.exp(-1)] * 2)  # and not as a reference of length 0
    assert np.isnan(found.rows[0, 0])
    assert "no reference has a word" in found.why[0]
    assert values("BLEU(tokens=nltk)", ("a b c", "..."))[0] == 0  # a word for str.split


def test_answers_of_which_nothing_can_be_said_or_gained():
    found = column("BLEU", ("", "a b"), ("x", "a b"), ("a b", " "), ("...", "a"))
    assert found.rows[[0, 1, 3], 0].tolist() == [0, 0, 0]
    assert np.isnan(found.rows[2, 0])
    assert found.why[2] == "the item has no reference"


def test_words_are_read_as_asked():
    assert values("BLEU(order=1)", ("The CAT!", "the cat")) == [1]
    assert values("BLEU(order=1,tokens=nltk)", ("The CAT", "the CAT")) == [0.5]
    assert values("BLEU(order=1,tokens=nltk+lower)", ("The CAT", "the CAT")) == [1]
    assert values("BLEU(order=1,tokens=word+stem)", ("casas", "casa"), tags={"language": "es"}) == [1]
    assert values("BLEU(order=1,tokens=word+stem,language=es)", ("casas", "casa")) == [1]


def test_weights_set_the_order():
    case = "a b c x", "a b c d"  # 3/4, 2/3
    expected = (3 / 4) ** 0.6 * (2 / 3) ** 0.4
    assert values("BLEU(weights=0.6/0.4)", case) == pytest.approx([expected])
    assert values("BLEU(weights=0.6/0.4,order=2)", case) == pytest.approx([expected])


@pytest.mark.parametrize(
    "inside, told",
    [
        ("smoothing=method8", "method7"),
        ("smoothing=floor[", "no smoothing"),
        ("smoothing=method2[3]", r"takes no value; leave \[3\] out"),
        ("smoothing=floor[x]", "a number above 0"),
        ("smoothing=floor[0]", "a number above 0"),
        ("smoothing=floor[-1]", "a number above 0"),
        ("smoothing=floor[inf]", "a number above 0"),
        ("smoothing=floor[1.5]", "of at most 1"),
        ("smoothing=method1[2]", "of at most 1"),
        ("smoothing=method4[0.5]", "of at least 1"),
        ("smoothing=method6[0]", "without bound"),
        ("order=0", "from 1 to 9"),
        ("order=2.5", "from 1 to 9"),
        ("order=10", "from 1 to 9"),
        ("weights=0.5/0.6", "make 1 together"),
        ("weights=1.5/-0.5", "make 1 together"),
        ("weights=0.5/x", "make 1 together"),
        ("weights=0.5/0.5,order=3", "leave order and effective out"),
        ("weights=0.5/0.5,effective=true", "leave order and effective out"),
        ("smoothing=method6,order=2", "at least 3"),
        ("tokens=nltk+stem", "split"),
    ],
)
def test_what_cannot_be_meant_is_told(inside, told):
    with pytest.raises(SpecError, match=told):
        values(f"BLEU({inside})", ("a b c", "a b c"), ("a", "b"))


def test_no_answers():
    assert column("BLEU").rows.shape == (0, 2)


def test_one_pair():
    assert Metric.of("BLEU(order=2)").pair("a b d", "a b c") == pytest.approx(math.sqrt(2 / 3 * 1 / 2))
    assert math.isnan(Metric.of("BLEU").pair("...", "a b c"))
    assert Metric.of("BLEU").pair("a b", "...") == 0
    assert math.isnan(Metric.of("BLEU").pair("", ""))
    assert Metric.of("BLEU(tokens=nltk)").pair("", "") == 0
