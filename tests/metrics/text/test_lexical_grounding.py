"""Signals of support by hand, in English, Indonesian and Arabic.

Weights with one context: 1 for a word that it has, 1 + ln 2 for one that it has not.
"""

import math

import numpy as np
import pytest
from builders import make_scorable

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric
from neraca.metrics.text.grounding import Support
from neraca.metrics.text.lexical_grounding import NO_NAMES
from neraca.records import Answer, Hit, Item

ALL = ("OverlapBigram", "OverlapStem", "OverlapNames", "OverlapWeakest", "OverlapSupport")
UNSEEN = 1 + math.log(2)


def column(name, *pairs, language=""):
    tags = {"language": language} if language else {}
    records = []
    for number, (text, *contexts) in enumerate(pairs):
        hits = tuple(Hit(id=f"d{place}", text=each) for place, each in enumerate(contexts))
        records.append((Item(id=str(number), query="?", tags=tags), Answer(item=str(number), text=text, hits=hits)))
    return score_metric(Metric.of(name), make_scorable(records))


def value(name, text, *contexts, language=""):
    return column(name, (text, *contexts), language=language).rows[0, 0]


ENGLISH = (
    "The villa in Medan has three floors. It costs 5 dollars.",
    "The villa is in Medan. It has two floors.",
)


def test_english():
    """Pairs: the villa, in Medan of nine.  Stems: villa, Medan, floor; not three, cost, dollar, 5.  Names: not 5.

    The first sentence has three of its four stems in the two of the context, the second none.
    """
    stem = 3 / (3 + 4 * UNSEEN)
    expected = {"OverlapBigram": 2 / 9, "OverlapStem": stem, "OverlapNames": 1 / 2, "OverlapWeakest": 0.0}
    for name, known in expected.items():
        assert value(name, *ENGLISH, language="en") == pytest.approx(known), name
    assert value("OverlapSupport", *ENGLISH, language="en") == pytest.approx(sum(expected.values()) / 4)
    first = value("OverlapWeakest", ENGLISH[0].partition(". ")[0], ENGLISH[1], language="en")
    assert first == pytest.approx(3 / (3 + UNSEEN))


def test_indonesian():
    """Pairs: Rp 1250000, 1250000 per, per bulan of eleven.  Names: Medan and the price, not Bandung; Anda is none.

    The point of Jl. ends no sentence, else Sudirman would be a first word.
    """
    context = "Rumah ini di Jl. Sudirman, Medan. Harganya Rp1.250.000 per bulan."
    answer = "Harga rumah di Medan Rp 1,250,000 per bulan. Silakan Anda datang ke Bandung."
    assert value("OverlapBigram", answer, context, language="id") == pytest.approx(3 / 11)
    assert value("OverlapNames", answer, context, language="id") == pytest.approx(2 / 3)
    assert value("OverlapStem", "Harga rumah-rumah", context, language="id") == 1.0
    assert value("OverlapWeakest", answer, context, language="id") == 0.0


def test_arabic():
    """Harakat, ta marbuta and the digits' script do not count; 30 is nowhere.  There are no capitals.

    Pairs: in it 114, 114 suras of six.
    """
    context = "القُرْآنُ الكريمُ فيهِ ١١٤ سورةً."
    answer = "القران فيه 114 سورة و 30 جزءا."
    assert value("OverlapBigram", answer, context, language="ar") == pytest.approx(2 / 6)
    assert value("OverlapNames", answer, context, language="ar") == 1 / 2
    assert value("OverlapStem", "القرآن ١١٤", context, language="ar") == 1.0


def test_every_word_can_stand_in_another_context():
    """Both for the whole answer, but a single sentence is looked for in one."""
    answer, contexts = "Roses and violins.", ("Roses.", "Violins.")
    assert value("OverlapStem", answer, *contexts, language="en") == 1.0
    assert value("OverlapWeakest", answer, *contexts, language="en") == pytest.approx(0.5)


def test_a_sentence_is_looked_for_in_two_neighbours():
    near, far = "Aurora is a villa. It has a pool.", "Aurora is a villa. It is old. It has a pool."
    assert value("OverlapWeakest", "Aurora has a pool.", near, language="en") == 1.0
    assert value("OverlapWeakest", "Aurora has a pool.", far, language="en") == pytest.approx(0.5)


def test_pairs_do_not_go_over_the_end_of_a_sentence():
    assert value("OverlapBigram", "big house", "It is big. House prices rise.") == 0.0
    assert value("OverlapBigram", "Big. House.", "The house is big.") == 1.0


def test_a_repeated_pair_counts_each_time_and_a_repeated_name_once():
    assert value("OverlapBigram", "red car red car red sea", "red car") == pytest.approx(2 / 5)
    assert value("OverlapNames", "In Rome, Rome, Rome and Pisa.", "Rome", language="en") == 1 / 2


def test_a_rare_word_weighs_more():
    """Of two contexts of other answers each has garden, and one has a fountain: 1 against 1 + ln 3/2."""
    pairs = [("garden fountain", "garden"), ("x", "garden fountain")]
    found = column("OverlapStem", *pairs).rows[:, 0]
    assert found[0] == pytest.approx(1 / (1 + 1 + math.log(3 / 2)))


def test_names_are_found_in_other_forms():
    assert value("OverlapNames", "In the Rosens' house", "rosen", language="en") == 1.0
    assert value("OverlapNames", "Он живёт в Москве", "Москва большая", language="ru") == 1.0


@pytest.mark.parametrize(
    "language, expected", [("en", 0.0), ("id", 1.0), ("", 1.0)], ids=["is 1.25", "is 1250", "can be either"]
)
def test_a_number_is_what_the_language_says(language, expected):
    assert value("OverlapNames", "the price 1.250", "price 1250", language=language) == expected
    assert value(f"OverlapNames(language={language or 'es'})", "price 1.250", "price 1250") == expected


def test_an_answer_without_names_and_numbers_has_no_such_value():
    pair = ("it is a house", "it is a house")
    found = column("OverlapNames", pair, language="en")
    assert found.why == (NO_NAMES,)
    assert np.isnan(found.rows).any()
    assert column("OverlapSupport", pair, language="en").rows[0, 0] == 1.0


def test_an_answer_of_common_words_has_pairs_alone():
    pair = ("It is the one.", "It is what it is.")
    assert column("OverlapBigram", pair, language="en").rows[0, 0] == pytest.approx(1 / 3)
    assert np.isnan(column("OverlapStem", pair, language="en").rows).any()
    assert np.isnan(column("OverlapWeakest", pair, language="en").rows).any()
    assert column("OverlapSupport", pair, language="en").rows[0, 0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ALL)
def test_what_cannot_be_scored_says_why(name):
    found = column(name, ("?!", "text"), ("In Medan 5", ""), ("In Medan 5", "in medan 5"), ("", "text"))
    assert found.why == ("the answer has no words that contexts could support", "no context has text", "", "")
    assert found.rows[2:, 0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("name", ALL)
def test_a_context_without_a_sentence_supports_nothing(name):
    assert value(name, "In Medan 5", "...") == 0.0


@pytest.mark.parametrize("text", ["²", "x\ufe0f²", "Ⅳ", "क्", "\u200d1\u200d", "𝟘", "½", "①", "1.", "'"])
@pytest.mark.parametrize("name", ALL)
def test_odd_signs_are_within_the_range(name, text):
    found = value(name, text, text)
    assert math.isnan(found) or 0 <= found <= 1


@pytest.mark.parametrize("name", ALL)
def test_an_answer_that_cites_its_contexts_is_supported_as_without(name):
    told, context = "The house in Medan has 3 rooms. It is new.", "The house in Medan has 3 rooms and is new."
    cited = "The house in Medan has 3 rooms [1]. It is new. [2]"
    assert value(name, cited, context, language="en") == value(name, told, context, language="en") > 0


@pytest.mark.parametrize("name", ALL)
def test_each_says_that_it_is_a_screen(name):
    told = METRICS.get(name).function.__doc__
    assert "screen" in told
    assert "no accuracy is claimed" in told


def test_a_long_answer_is_read_in_time():
    """5,000 words beside ten contexts of 500, among them 50 different sentences."""
    sentences = [f"Villa{n} in Medan{n} has {n} rooms and costs Rp1.{n:03}.000 a year." for n in range(500)]
    contexts = [" ".join(sentences[start : start + 50]) for start in range(0, 500, 50)]
    assert Support.pair(" ".join(sentences), *contexts, language="en").signals(lambda _: 1.0)[0] == 1.0
    assert value("OverlapSupport", " ".join(sentences), *contexts, language="en") == 1.0
