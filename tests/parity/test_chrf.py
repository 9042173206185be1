"""The same numbers as sacreBLEU's chrF and chrF++, of sentences and of corpora, for any texts in NFC."""

import random
import unicodedata

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from neraca.metrics.metric import Metric
from neraca.metrics.text.corpus import Corpus
from neraca.metrics.text.texts import Texts

HARD = (
    *(
        "",
        " \n",
        "a",
        "aa",
        "aaaaaaaaaa",
        "ab ab ab",
        "the cat sat on the mat",
        "The Cat",
        "...",
        "!",
        "(hi) 'tis",
        "a- -b --",
    ),
    *(
        "it's 3.5, 1,000.50!",
        "x\x1cy\x85z\xa0w",
        "a\nb\tc",
        " lead and trail ",
        "🙂 🙂🙂 👍🏽",
        "👩\u200d👩\u200d👧 ok",
        "Straße ﬁne",
    ),
    *(
        "café",
        "cafe\u0301",
        "بِسْمِ اللَّهِ",
        "بسم الله",
        "שלום עולם",
        "東京は大きいです。",
        "東京 は",
        "สวัสดีครับ",
        "नमस्ते दुनिया",
    ),
    *("İstanbul Iğdır", "i̇stanbul", "ΣΑΣ ΣΑΣ.", "“quoted” – dash…"),
)
WORDS = ("the", "cat", "mat", "sat", "hat,", "at.", "(that)", "it's", "東京", "🙂")
TEXTS = st.text("ab .,\n(東", max_size=14) | st.text(max_size=20)
KINDS = [
    ("chrF", {}),
    ("chrF++", {"word_order": 2}),
    ("chrF(order=4)", {"char_order": 4}),
    ("chrF(beta=1,lower=true)", {"beta": 1, "lowercase": True}),
    ("chrF++(order=3,beta=3,lower=true)", {"char_order": 3, "word_order": 2, "beta": 3, "lowercase": True}),
]


def sentence(rng, most):
    return " ".join(rng.choices(WORDS, k=rng.randint(0, most)))


def made():
    """Cases of a response and its references: all hard pairs, random ones, several references, one of 5,000 words."""
    rng = random.Random(11)
    cases = [(one, [other]) for one in HARD for other in HARD]
    cases += [(sentence(rng, 14), [sentence(rng, 14)]) for _ in range(150)]
    cases += [(sentence(rng, 6), [sentence(rng, 6) for _ in range(3)]) for _ in range(150)]
    cases += [(one, rng.sample(HARD, 3)) for one in HARD]
    long = rng.choices(WORDS, k=5000)
    return [*cases, (" ".join(long), [" ".join(long[40:] + long[:2000])])]


CASES = made()


def view(cases):
    known, response, reference, owner = Corpus(), [], [], []
    for row, (text, references) in enumerate(cases):
        response.append(known.number(text))
        reference += [known.number(each) for each in references]
        owner += [row] * len(references)
    return Texts(known, response, reference, owner, [""] * len(cases))


def views(step=1, start=0):
    """The view of some of the cases, and the cases."""
    return view(CASES[start::step]), CASES[start::step]


def nfc(case):
    """A response and its references as sacreBLEU must get them: it compares texts in whatever form they are."""
    text, references = case
    return unicodedata.normalize("NFC", text), [unicodedata.normalize("NFC", reference) for reference in references]


def same(found, expected):
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(expected, dtype=float), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name, parameters", KINDS)
def test_sentences(name, parameters):
    peer = sacrebleu.CHRF(**parameters)
    texts, cases = views(1 if name in ("chrF", "chrF++") else 4)
    same(Metric.of(name)(texts), [peer.sentence_score(*nfc(case)).score / 100 for case in cases])


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_any_text(text, references):
    for name, parameters in KINDS[:2]:
        expected = sacrebleu.CHRF(**parameters).sentence_score(*nfc((text, references))).score / 100
        same(Metric.of(name)(view([(text, references)])), [expected])


def test_one_pair_alone():
    for name, parameters in KINDS:
        peer = sacrebleu.CHRF(**parameters)
        for text, (reference, *_) in CASES[::11]:
            same(Metric.of(name).pair(reference, text), peer.sentence_score(*nfc((text, [reference]))).score / 100)


@pytest.mark.parametrize("words", [0, 2])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("start", range(3))
def test_corpora(words, several, start):
    """Over items, and each item for itself."""
    _, cases = views(5, start)
    cases = [(text, references[:1] + references[-1:] * several) for text, references in cases]
    peer = sacrebleu.CHRF(word_order=words, beta=2)
    composed = list(map(nfc, cases))
    columns = [list(column) for column in zip(*(references for _, references in composed), strict=True)]
    expected = [peer.corpus_score([text for text, _ in composed], columns).score / 100]
    expected += [peer.sentence_score(*nfc(case)).score / 100 for case in cases]
    metric = Metric.of(f"CorpusChrF(words={words})")
    rows = np.array(metric(view(cases)), dtype=float)
    same([metric.total(rows.sum(axis=0)), *metric.total(rows)], expected)
