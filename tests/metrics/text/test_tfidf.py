import math

import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import RunGroup
from neraca.metrics.text.corpus import Corpus, Frequencies

PAIR, CORPUS = Metric.of("TFIDF"), Metric.of("TFIDF(idf=corpus)")
ONE = math.log(3 / 2) + 1


def pairs_of(*made, run=""):
    """Of (references, response)."""
    return [
        (make_item(str(number), references=tuple(references)), make_answer(item=str(number), text=response + run))
        for number, (references, response) in enumerate(made)
    ]


def values(metric, *made):
    return score_metric(metric, make_scorable(pairs_of(*made))).rows[:, 0].tolist()


@pytest.mark.parametrize(
    "reference, response, expected",
    [
        ("red car", "car red red car", 1.0),
        ("red car", "blue car", 1 / (1 + ONE**2)),
        ("red red car", "car", 1 / math.sqrt((2 * ONE) ** 2 + 1)),
        ("red car", "two bikes", 0.0),
        ("red car", "", 0.0),
    ],
)
def test_of_two_texts_by_hand(reference, response, expected):
    assert values(PAIR, ([reference], response)) == pytest.approx([expected])
    assert PAIR.pair(reference, response) == pytest.approx(expected)


def test_the_best_reference_counts_and_one_without_words_does_not():
    assert values(PAIR, (["red car", "blue car", "..."], "blue car")) == pytest.approx([1.0])
    assert score_metric(PAIR, make_scorable(pairs_of((["..."], "blue car")))).why == ("no reference has a word in it",)


def test_rare_words_weigh_more_by_hand():
    """N = 3 different references: the 3, house 1; villa is in none."""
    the, house, villa = 1.0, math.log(4 / 2) + 1, math.log(4 / 1) + 1
    found = values(CORPUS, (["the house"], "the villa"), (["the cat"], "the"), (["the dog", "the cat"], ""))
    expected = the**2 / math.sqrt((the**2 + house**2) * (the**2 + villa**2))
    assert found == pytest.approx([expected, the / math.sqrt(the**2 + house**2), 0.0])


def test_a_system_has_the_same_number_whatever_others_said():
    made = [(["the house"], "the villa"), (["the cat"], "a cat")]
    alone = values(CORPUS, *made)
    runs = [make_scorable(pairs_of(*made)), make_scorable(pairs_of(*made, run=" villa cat house"))]
    RunGroup(runs)
    assert score_metric(CORPUS, runs[0]).rows[:, 0].tolist() == alone
    assert runs[0].group.share(Corpus).frequencies("word") == (2, {"the": 2, "house": 1, "cat": 1})


def test_a_repeated_reference_is_counted_once_and_a_response_never():
    batch = make_scorable(pairs_of((["the cat"], "the cat"), (["the cat", " "], "cat")))
    assert batch.group.share(Corpus).frequencies("word") == (1, {"the": 1, "cat": 1})


def test_frequencies_of_a_whole_file_can_be_given():
    batch = make_scorable(pairs_of((["the house"], "the villa")))
    batch.group.share(Corpus).counted["word", ""] = Frequencies(99, {"the": 99, "house": 9})
    the, house, villa = 1.0, math.log(100 / 10) + 1, math.log(100) + 1
    expected = the**2 / math.sqrt((the**2 + house**2) * (the**2 + villa**2))
    assert score_metric(CORPUS, batch).rows[0, 0] == pytest.approx(expected)


def test_idf_is_pair_or_corpus():
    with pytest.raises(SpecError, match="idf is pair or corpus, not 'file'"):
        Metric.of("TFIDF(idf=file)").pair("a", "a")
