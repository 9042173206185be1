"""The same numbers as rouge_score (Google) and rouge (pltrdy), for texts that are easy and texts that are not.

Differences that are meant:
- pltrdy raises ValueError for a text without anything but full stops, where we have 0;
- pltrdy raises RecursionError for long sentences, where we have what its definition gives.
"""

import random

import pytest
from builders import make_item, make_scorable
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Answer

NAMES = {
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rouge3": "ROUGE-3",
    "rouge4": "ROUGE-4",
    "rougeL": "ROUGE-L",
    "rougeLsum": "ROUGE-Lsum",
}
STATS = {"f": "fmeasure", "p": "precision", "r": "recall"}
SCORERS = {"google": RougeScorer(list(NAMES)), "google+stem": RougeScorer(list(NAMES), use_stemmer=True)}
SETS = ("rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-l")
PLTRDY = Rouge(metrics=list(SETS))
HARD = (
    *("", " ", ".", "...", ". .", "?!", "\n", "\n\n\t", "a", "a.", ".a", "the the the", "a a a. a\na", "3.5 m. 1,000"),
    *("a b c d e f", "f e d c b a", "a b\nc d", "c d\na b", "A B. C D", "running nations flies", "runs nation fly"),
    *(
        "👩\u200d👩\u200d👧 👍🏽",
        "café",
        "cafe\u0301",
        "القُرْآنُ الكريم",
        "القران الكريم",
        "שלום עולם",
        "東京タワー",
        "ภาษาไทย",
    ),
    *(
        "हिन्दी भाषा",
        "İstanbul ISTANBUL",
        "straße STRASSE",
        "ﬁne ﬂat",
        "K\u212a \u0130s",
        "a\xa0b",
        "a\x1cb\x85c\u2028d",
    ),
    *("a_b-c'd", "e\u0301\n\u0301e", "Σας ΣΑΣ", "word " * 40, "a b " * 30 + "\n" + "b a. " * 20),
)
WORDS = (
    *("a", "b", "c", "the", "THE", "runs", "running", "nationally", "flies", "x.y", "3.5", "é", "İ", "東京", "القُرآن"),
    *("K", "!", "-", "e\u0301", "👍"),
)
#: Few different words and many ends of lines and sentences, so that there are ties.
TEXTS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "\n", ". ", ".", "\t"])), max_size=25
)


def joined(drawn):
    return "".join(word + end for word, end in drawn)


def check_google(reference, response):
    for tokens, scorer in SCORERS.items():
        for kind, score in scorer.score(reference, response).items():
            for stat, field in STATS.items():
                metric = Metric.of(f"{NAMES[kind]}(stat={stat},tokens={tokens})")
                assert metric.pair(reference, response) == pytest.approx(getattr(score, field), abs=1e-12), metric


def check_pltrdy(reference, response):
    raises = not (reference.strip(".") and response.strip("."))
    scores = {} if raises else PLTRDY.get_scores(response, reference)[0]
    for kind in SETS:
        for stat in STATS:
            metric = Metric.of(f"{kind.upper()}(stat={stat},tokens=pltrdy)")
            expected = 0 if raises else scores[kind][stat]
            assert metric.pair(reference, response) == pytest.approx(expected, abs=1e-12), metric


@pytest.mark.parametrize("reference", HARD)
def test_hard_texts(reference):
    for response in HARD:
        check_pltrdy(reference, response)
    for response in HARD[::3]:
        check_google(reference, response)


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_texts_with_ties(reference, response):
    check_google(joined(reference), joined(response))
    check_pltrdy(joined(reference), joined(response))


@given(st.text(max_size=30), st.text(max_size=30))
@settings(max_examples=100)
def test_any_text(reference, response):
    check_google(reference, response)
    check_pltrdy(reference, response)


@pytest.mark.parametrize("reference, response", [("", "a"), ("..", "a"), ("a", ""), ("a", "."), ("", "")])
def test_where_pltrdy_raises(reference, response):
    with pytest.raises(ValueError, match="is empty"):
        PLTRDY.get_scores(response, reference)


def test_a_sentence_that_is_too_long_for_pltrdy():
    response = " ".join(f"w{number}" for number in range(1_200))
    with pytest.raises(RecursionError):
        PLTRDY.get_scores(response, "w0")
    assert Metric.of("ROUGE-L(stat=p,tokens=pltrdy)").pair("w0", response) == 1 / 1_200
    assert Metric.of("ROUGE-L(stat=r,tokens=pltrdy)").pair("w0", response) == 1


def drawn_text(drawn, size, ends):
    return "".join(f"w{min(int(drawn.expovariate(0.02)), 300)}{drawn.choice(ends)}" for _ in range(size))


def test_a_batch_with_several_references():
    """As score_multi: for each measure the reference with the best F."""
    drawn = random.Random(11)
    cases = [
        [drawn_text(drawn, drawn.randint(0, 25), "  \n") for _ in range(drawn.randint(2, 5))] + ["w1 w2 w3\nw4"]
        for _ in range(60)
    ]
    items = [make_item(str(row), references=references) for row, (_, *references) in enumerate(cases)]
    answers = [Answer(item=item.id, text=text) for item, (text, *_) in zip(items, cases, strict=True)]
    batch = make_scorable(list(zip(items, answers, strict=True)))
    for tokens, scorer in SCORERS.items():
        expected = [scorer.score_multi([text for text in refs if text], response) for response, *refs in cases]
        for kind, name in NAMES.items():
            for stat, field in STATS.items():
                found = score_metric(Metric.of(f"{name}(stat={stat},tokens={tokens})"), batch).rows[:, 0]
                assert found == pytest.approx([getattr(scores[kind], field) for scores in expected], abs=1e-12)


def test_long_texts():
    """5,000 words for the measures that count, 400 for those that fill a table."""
    drawn = random.Random(5)
    for size, kinds in ((5_000, ["rouge1", "rouge2"]), (400, ["rougeL", "rougeLsum"])):
        reference, response = (drawn_text(drawn, size, " " * 30 + "\n.") for _ in range(2))
        for kind, score in RougeScorer(kinds).score(reference, response).items():
            found = Metric.of(f"{NAMES[kind]}(tokens=google)").pair(reference, response)
            assert found == pytest.approx(score.fmeasure, abs=1e-12)
            assert 0.1 < found < 1
        if size < 1_000:
            check_pltrdy(reference, response)
