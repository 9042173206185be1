"""The same numbers as NLTK (sentence_bleu with all its smoothings, corpus_bleu) and sacreBLEU, for any texts.

sacreBLEU gets them in NFC, into which we bring them ourselves.

Differences that are meant: NLTK's method6 raises AssertionError where no run of three words matches, and we have NaN.
"""

import logging
import math
import random
import unicodedata
import warnings

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu

from neraca.metrics.metric import Metric
from neraca.metrics.text.corpus import Corpus
from neraca.metrics.text.texts import Texts

logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it advises against what is compared here

HARD = (
    *(
        "",
        "a",
        "the cat sat on the mat",
        "the the the the the the",
        "a a b b a a b b",
        "...",
        "!?",
        "Hello, world: 3.5",
    ),
    *(
        "at 5-6. 1,000.50 -5 5-",
        'The cat. Sat, on-the "mat"! (it did)',
        "end.",
        "x...y ,.,. a.b,c",
        "&quot;hi&quot; &lt;b&gt;",
    ),
    *(
        "<skipped> foo-\nbar",
        "foo-\n",
        "foo-",
        "foo-\n \t",
        "a\nb\tc  d",
        "x\x1cy\x85z",
        "a\xa0b c",
        " lead and trail ",
    ),
    *(
        "🙂 🙂🙂 👍🏽",
        "👩\u200d👩\u200d👧 ok",
        "café Straße ﬁne",
        "cafe\u0301 STRASSE fine",
        "بِسْمِ اللَّهِ الرحمن",
        "שלום עולם שלום",
    ),
    *(
        "東京 は 大きい です 。",
        "สวัสดีครับ คุณ",
        "नमस्ते दुनिया नमस्ते",
        "İstanbul Iğdır i̇stanbul",
        "ΣΑΣ ΣΑΣ.",
        "The cat sat on the mat .",
    ),
)
WORDS = (*(f"w{number}" for number in range(12)), "end.", "(x)", "a,b", "3.5")
SMOOTHINGS = [f"method{number}" for number in range(8)]
WEIGHTS = ((0.25,) * 4, (0.5, 0.5), (0.1, 0.3, 0.6), (0.2,) * 5, (0.7, 0.3, 0.0, 0.0))
EXAMPLES = st.lists(st.sampled_from([*"abc", "a-", "3.", "-\n", "\t"]), max_size=9).map(" ".join) | st.text(max_size=20)


def sentence(rng, vocabulary, most):
    return " ".join(rng.choices(vocabulary, k=rng.randint(0, most)))


def made():
    """Cases of a response and its references: all hard pairs, random ones, several references, one of 5,000 words."""
    rng = random.Random(7)
    cases = [(one, [other]) for one in HARD for other in HARD]
    cases += [(sentence(rng, WORDS, 14), [sentence(rng, WORDS, 14)]) for _ in range(200)]
    cases += [(sentence(rng, WORDS[:5], 9), [sentence(rng, WORDS[:5], 9) for _ in range(3)]) for _ in range(200)]
    cases += [(one, rng.sample(HARD, 3)) for one in HARD]
    long = rng.choices(WORDS, k=5000)
    return [*cases, (" ".join(long), [" ".join(long[40:] + long[:2000])])]


CASES = made()


def composed(text):
    return unicodedata.normalize("NFC", text)


def nfc(case):
    """A response and its references as sacreBLEU must get them: it compares texts in whatever form they are."""
    text, references = case
    return composed(text), list(map(composed, references))


def view(cases):
    known, response, reference, owner = Corpus(), [], [], []
    for row, (text, references) in enumerate(cases):
        response.append(known.number(text))
        reference += [known.number(each) for each in references]
        owner += [row] * len(references)
    return Texts(known, response, reference, owner, [""] * len(cases))


def same(found, expected):
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(expected, dtype=float), rtol=0, atol=1e-9)


def nltk(text, references, smoothing="method1", weights=(0.25,) * 4, **more):
    function = getattr(SmoothingFunction(**more), smoothing)
    try:
        with warnings.catch_warnings(action="ignore"):  # method0 warns of what it is for
            return float(sentence_bleu([each.split() for each in references], text.split(), weights, function))
    except AssertionError:
        return math.nan


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_nltk(smoothing):
    expected = [nltk(*case, smoothing) for case in CASES]
    same(Metric.of(f"BLEU(smoothing={smoothing},tokens=nltk)")(view(CASES)), expected)


#: Not method6 below order 3, where NLTK raises IndexError.
OTHERS = [(s, w) for s in SMOOTHINGS for w in WEIGHTS[1:] if s != "method6" or len(w) > 2]


@pytest.mark.parametrize(("smoothing", "weights"), OTHERS)
def test_nltk_with_other_orders_and_weights(smoothing, weights):
    cases = CASES[::5]
    name = f"BLEU(smoothing={smoothing},weights={'/'.join(map(str, weights))},tokens=nltk)"
    expected = [nltk(*case, smoothing, weights) for case in cases]
    if weights[2:] == (0.0, 0.0):  # what method6 cannot say has no weight here
        expected = [e if e == e else f for e, f in zip(expected, Metric.of(name)(view(cases)), strict=True)]
    same(Metric.of(name)(view(cases)), expected)


@pytest.mark.parametrize(
    "name, more",
    [
        ("BLEU(smoothing=method1[0.01],tokens=nltk)", {"smoothing": "method1", "epsilon": 0.01}),
        ("BLEU(smoothing=method4[3],tokens=nltk)", {"smoothing": "method4", "k": 3}),
        ("BLEU(smoothing=method6[2.5],tokens=nltk)", {"smoothing": "method6", "alpha": 2.5}),
        ("BLEU(smoothing=method7[8],tokens=nltk)", {"smoothing": "method7", "k": 8}),
    ],
)
def test_nltk_with_other_values(name, more):
    same(Metric.of(name)(view(CASES[::5])), [nltk(*case, **more) for case in CASES[::5]])


def test_nltk_that_weighs_the_orders_of_a_short_response_anew():
    expected = [
        sentence_bleu([r.split() for r in references], text.split(), auto_reweigh=True, smoothing_function=METHOD1)
        for text, references in CASES
    ]
    same(Metric.of("BLEU(effective=true,tokens=nltk)")(view(CASES)), expected)


METHOD1 = SmoothingFunction().method1


@pytest.mark.parametrize("effective", [True, False])
@pytest.mark.parametrize(
    "smoothing, method, value",
    [
        ("exp", "exp", None),
        ("floor", "floor", None),
        ("floor[0.3]", "floor", 0.3),
        ("add-k", "add-k", None),
        ("add-k[2]", "add-k", 2),
        ("none", "none", None),
    ],
)
def test_sacrebleu(smoothing, method, value, effective):
    for order in (4, 2, 5):
        cases = CASES if order == 4 and smoothing == "exp" else CASES[::6]
        peer = sacrebleu.BLEU(
            smooth_method=method, smooth_value=value, max_ngram_order=order, effective_order=effective
        )
        name = f"BLEU(smoothing={smoothing},order={order},effective={str(effective).lower()},tokens=13a)"
        same(Metric.of(name)(view(cases)), [peer.sentence_score(*nfc(case)).score / 100 for case in cases])


def test_sacrebleu_in_lower_case():
    peer = sacrebleu.BLEU(lowercase=True, effective_order=True)
    found = Metric.of("BLEU(smoothing=exp,effective=true,tokens=13a+lower)")(view(CASES))
    same(found, [peer.sentence_score(*nfc(case)).score / 100 for case in CASES])


@settings(max_examples=50, deadline=None)
@given(EXAMPLES, st.lists(EXAMPLES, min_size=1, max_size=3))
def test_any_text(text, references):
    case = text, references
    ours = [Metric.of(f"BLEU(smoothing={each},tokens=nltk)")(view([case]))[0] for each in SMOOTHINGS]
    same(ours, [nltk(*case, each) for each in SMOOTHINGS])
    peer = sacrebleu.BLEU(effective_order=True)
    name = "BLEU(smoothing=exp,effective=true,tokens=13a)"
    same(Metric.of(name)(view([case])), [peer.sentence_score(*nfc(case)).score / 100])


def test_one_pair_alone():
    peer = sacrebleu.BLEU(effective_order=True)
    for text, (reference, *_) in CASES[::9]:
        found = Metric.of("BLEU(smoothing=exp,effective=true,tokens=13a)").pair(reference, text)
        same(found, peer.sentence_score(*nfc((text, [reference]))).score / 100)
        same(Metric.of("BLEU(tokens=nltk)").pair(reference, text), nltk(text, [reference]))
        found = Metric.of("CorpusBLEU").pair(reference, text)
        same(found, sacrebleu.BLEU().corpus_score([composed(text)], [[composed(reference)]]).score / 100)


def total(name, cases):
    metric = Metric.of(name)
    rows = np.array(metric(view(cases)), dtype=float)
    return [float(metric.total(rows.sum(axis=0))), *metric.total(rows).tolist()]


@pytest.mark.parametrize("smoothing, effective", [("exp", False), ("floor", True), ("add-k", False), ("none", True)])
@pytest.mark.parametrize("start", range(4))
def test_corpora_of_sacrebleu(smoothing, effective, start):
    """Over items, and each item for itself; references as sacreBLEU wants them, one list for each place."""
    cases = [nfc((text, [references[0], references[-1]])) for text, references in CASES[start::9]]
    peer = sacrebleu.BLEU(smooth_method=smoothing, effective_order=effective)
    columns = [list(column) for column in zip(*(references for _, references in cases), strict=True)]
    expected = [peer.corpus_score([text for text, _ in cases], columns).score / 100]
    expected += [peer.corpus_score([text], [[each] for each in references]).score / 100 for text, references in cases]
    same(total(f"CorpusBLEU(smoothing={smoothing},effective={str(effective).lower()})", cases), expected)


@pytest.mark.parametrize("smoothing", SMOOTHINGS[:5])
@pytest.mark.parametrize("weights", WEIGHTS[:3])
def test_corpora_of_nltk(smoothing, weights):
    cases = CASES[::7]
    function = getattr(SmoothingFunction(), smoothing)
    references = [[each.split() for each in given] for _, given in cases]
    with warnings.catch_warnings(action="ignore"):
        expected = corpus_bleu(references, [text.split() for text, _ in cases], weights, function)
    name = f"CorpusBLEU(smoothing={smoothing},weights={'/'.join(map(str, weights))},tokens=nltk)"
    same(total(name, cases)[0], expected)
