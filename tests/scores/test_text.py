"""`neraca.text`: lists of texts in, metrics with what they rest on out."""

from __future__ import annotations

import gc
import math
import random
import weakref
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import neraca
from neraca.errors import InputError, SpecError
from neraca.language_detection import SAMPLE
from neraca.metrics import metric as metrics_of
from neraca.metrics.scorable import Scorable
from neraca.reports.sentences.notes import notes
from neraca.scores.scoring import score_parts
from neraca.scores.sources.texts import WORDS
from neraca.scores.text import TextLists, score_lists

#: Recall by hand: 2 of 2 words, 2 of 3, 0 of 1.
REFERENCES = ["two floors", "the red car", "yes"]
RESPONSES = ["It has two floors.", "The car", "no"]
RECALL = [1.0, 2 / 3, 0.0]
VOCABULARY = [
    "casa",
    "perro",
    "gato",
    "4",
    "km",
    "año",
    "niño",
    "über",
    "straße",
    "λόγος",
    "شقة",
    "你好",
    "the",
    "a",
    "of",
]


def texts(n: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(VOCABULARY, k=draw.randint(1, 9))) for _ in range(n)]


def in_blocks(rows, references, responses, metrics, language="", **more):
    return score_lists(TextLists.of(references, responses, **more), metrics, language=language, rows=rows)


@pytest.fixture
def own():
    """Metrics of a user's own, which are gone afterwards."""
    before = dict(metrics_of.METRICS._objects)

    yield neraca.metric
    metrics_of.METRICS._objects = before


def test_values_means_and_what_they_rest_on():
    found = neraca.text(REFERENCES, RESPONSES, "TokenRecall ExactMatch")
    assert found.values("TokenRecall") == pytest.approx(RECALL)
    assert found.mean("TokenRecall") == pytest.approx(5 / 9)
    recall, exact = found.overall()
    low, high = stats.t.interval(0.95, 2, np.mean(RECALL), stats.sem(RECALL))
    assert not 0 <= low <= high <= 1  # Student's t would leave the range
    # Wilson's of 5/9 with Student's quantile 4.302653 and at most n = 3 items; sem is 0.222, so (5/9)(4/9)/.222^2 > 3
    assert (recall.value, recall.method) == (pytest.approx(5 / 9), "bounded")
    n = min(3, (5 / 9) * (4 / 9) / stats.sem(RECALL) ** 2)
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, 2))
    assert (recall.low, recall.high) == pytest.approx(proportion_confint(n * 5 / 9, n, alpha, "wilson"))
    assert (recall.n, recall.unscored, recall.method, exact.method) == (3, 0, "bounded", "wilson")
    assert found.run().total(WORDS) == pytest.approx((4 + 2 + 1) / 3)


def test_the_level_is_that_of_the_intervals():
    draw = [str(n) for n in range(40)]
    wide, narrow = (
        neraca.text(draw, [text if n % 3 else "x y" for n, text in enumerate(draw)], "TokenF1", level=level)
        for level in (0.99, 0.5)
    )
    assert wide.overall()[0].high - wide.overall()[0].low > narrow.overall()[0].high - narrow.overall()[0].low
    with pytest.raises(SpecError, match="a share such as"):
        neraca.text(REFERENCES, RESPONSES, level=95)


def test_no_answer_counts_and_no_reference_does_not():
    nothing = [None, float("nan"), "", " \n", pd.NA]
    found = neraca.text(["a b"] * 5 + nothing, nothing + ["a b"] * 5, "TokenRecall")
    assert found.values("TokenRecall")[:5].tolist() == [0] * 5
    assert np.isnan(found.values("TokenRecall")[5:]).all()
    assert found.why("TokenRecall") == dict.fromkeys(range(5, 10), "the item has no reference")
    (score,) = found.overall()
    assert (score.value, score.n, score.unscored) == (0, 5, 5)
    assert any(note.startswith("5 of 10 responses are empty and count") for note in notes(found))
    assert "5 of 10 rows are unscored: the item has no reference" in notes(found)


def test_every_response_empty_is_asked_about():
    assert "is it the right column?" in notes(neraca.text(REFERENCES, [None] * 3))[0]


def test_of_several_references_the_best_counts():
    several = [["no", "two floors"], ("the red car", "car"), np.array(["yes", "no"]), [None, "x"], []]
    found = neraca.text(several, [*RESPONSES, "x", "x"], "TokenRecall")
    assert found.values("TokenRecall").tolist()[:4] == [1, 1, 1, 1]
    assert math.isnan(found.values("TokenRecall")[4])


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        iter,
        lambda values: np.array(values, dtype=object),
        pd.Series,
        lambda values: pd.Series(values, index=[7, 3, 5]),
        lambda values: pd.Series(values, dtype="string"),
        pl.Series,
        lambda values: pl.DataFrame({"a": values})["a"],
    ],
)
def test_whatever_holds_texts(make):
    found = in_blocks(2, make(REFERENCES), make(RESPONSES), "TokenRecall")
    assert found.values("TokenRecall") == pytest.approx(RECALL)


def test_numbers_are_texts_as_they_are_written():
    assert neraca.text([3.0, 12, np.int64(7)], ["3", "12", "7"], "ExactMatch").mean("ExactMatch") == 1


@pytest.mark.parametrize("rows", [1, 7, 64])
def test_where_a_block_ends_does_not_matter(rows):
    names = (
        "TokenRecall ROUGE-L METEOR TFIDF TFIDF(idf=corpus) CorpusBLEU BLEU chrF TER Average(TFIDF(idf=corpus),TokenF1)"
    )
    n = 22 if rows == 1 else 70  # each block costs as much as many rows
    references, responses = texts(n, 1), texts(n, 2)
    references[3] = responses[20] = ""
    whole = neraca.text(references, responses, names, language="es")
    found = in_blocks(rows, references, responses, names, language="es")
    for metric in whole.metrics:
        assert found.values(metric) == pytest.approx(whole.values(metric), abs=1e-12, nan_ok=True)
        assert found.mean(metric) == pytest.approx(whole.mean(metric), abs=1e-12)
    assert list(notes(found)) == list(notes(whole))


def test_words_are_counted_in_the_different_references_of_all_blocks():
    """N = 3 different ones; "the" in two of them, "cat" in two, "dog" in one: scikit-learn's smoothed idf."""
    references = ["the cat", "the dog", "the cat", "cat"]
    found = in_blocks(1, references, ["the", "cat", "the cat", "cat"], "TFIDF(idf=corpus)")
    idf = {word: math.log(4 / (1 + df)) + 1 for word, df in {"the": 2, "cat": 2, "dog": 1}.items()}
    expected = idf["the"] / math.hypot(idf["the"], idf["cat"])
    assert found.values("TFIDF(idf=corpus)") == pytest.approx([expected, 0, 1, 1])


def test_corpus_bleu_is_that_of_the_sums():
    """2 of 3 words and 1 of 2 pairs, then 1 of 1 and 0 of 0: the mean of the two would be another number."""
    name = "CorpusBLEU(order=2)"
    found = in_blocks(1, ["a b d", "a"], ["a b c", "a"], name)
    assert found.mean(name) == pytest.approx(math.sqrt(3 / 4 * 1 / 2))
    assert found.overall()[0].n == 2


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_a_ratio_of_counts_is_that_of_the_sums(rows):
    """Also where the references of a block have one word each."""
    found = in_blocks(rows, ["a", "b", "a b c", None], ["a b", "b", "a b", "c"], "LengthRatio")
    assert found.mean("LengthRatio") == pytest.approx((2 + 1 + 2) / (1 + 1 + 3))
    assert found.overall()[0].value == pytest.approx(1)
    np.testing.assert_allclose(found.values("LengthRatio"), [2, 1, 2 / 3, np.nan])


def test_several_systems_are_compared_in_pairs():
    references = texts(60, 1)
    draw = random.Random(4)
    old = [text if draw.random() < 0.3 else "nothing of it" for text in references]
    new = [text if draw.random() < 0.8 else "nothing of it" for text in references]
    found = neraca.text(references, {"old": old, "new": new}, "TokenRecall ExactMatch")
    difference, _ = neraca.compare(found, primary="TokenRecall")
    test = stats.ttest_rel(found.values("TokenRecall", "old"), found.values("TokenRecall", "new"))
    assert difference.p == pytest.approx(test.pvalue)
    assert (difference.a, difference.b, difference.better, difference.n) == ("old", "new", "new", 60)
    with pytest.raises(InputError, match="say which run: old, new"):
        found.values("TokenRecall")
    with pytest.raises(InputError, match="no run is called 'newer'; known: old, new"):
        found.mean("TokenRecall", "newer")


def test_metrics_of_ones_own_get_what_they_ask_for(own):

    @own("Asks")
    def asks(query: str, response: str, contexts: list[str]) -> float:
        return (query in response) + (contexts == ["x", "y"]) / 2 if response else None

    asked = {"queries": ["who", "who", ""], "contexts": [["x"], ["x", "y"], None]}
    found = in_blocks(2, ["r"] * 3, ["who", "so", None], "Asks", **asked)
    assert found.values("Asks") == pytest.approx([1, 0.5, math.nan], nan_ok=True)
    assert found.why("Asks") == {2: "not defined for this answer"}


def test_a_metric_of_ones_own_takes_part_in_the_average(own):
    @own("Half")
    def half(reference: str, response: str) -> float:
        return 0.5

    assert np.isnan(neraca.text(["", " ", None], ["a"] * 3, "Half").values("Half")).all()
    found = neraca.text(REFERENCES, RESPONSES, "Average(Half,TokenRecall)")
    assert found.values("Average(Half,TokenRecall)") == pytest.approx([(0.5 + value) / 2 for value in RECALL])


def test_the_language_is_said_or_found():
    references = [
        "La casa de mi abuela está en el centro de la ciudad, pero no tiene jardín y los vecinos se quejan"
    ] * 4
    said = neraca.text(references, ["las casas"] * 4, "METEOR", language="Spanish")
    found = neraca.text(references, ["las casas"] * 4, "METEOR", language="auto")
    assert found.values("METEOR").tolist() == said.values("METEOR").tolist()
    assert "language:es|" in said.signatures["METEOR"]
    assert "language:es(auto)|" in found.signatures["METEOR"]
    assert any("Spanish" in note for note in notes(found))
    assert neraca.text(references, ["las casas"] * 4, "METEOR").mean("METEOR") < said.mean("METEOR")


def test_the_language_of_much_text_is_found_in_some_of_it():
    """The part that is looked at is spread over all of it, and the same wherever blocks end."""
    spanish = "La casa está en el centro de la ciudad, pero no tiene jardín y los vecinos se quejan por la noche. "
    english = (
        "The house is in the centre of the town, but it has no garden and the people there are not happy with it. "
    )
    long = SAMPLE // 20 // len(spanish)
    found = []
    for rows in (1, 7, 100):
        with pytest.raises(SpecError, match="cannot tell the language") as error:
            in_blocks(rows, [spanish * long] * 50 + [english * long] * 50, [""] * 100, "METEOR", language="auto")
        found.append(str(error.value))
    assert len(set(found)) == 1
    much = in_blocks(7, [spanish * long] * 100, [""] * 100, "TokenRecall", language="auto")
    assert much.facts["languages"] == ("es",)


def test_it_prints_as_a_table():
    shown = str(neraca.text(REFERENCES, {"old": RESPONSES, "new": REFERENCES}, "TokenRecall")).splitlines()
    assert shown[0].split() == ["metric", "run", "value", "interval", "n", "unscored"]
    assert shown[2].split()[:3] == ["TokenRecall", "old", "0.556"]
    assert shown[3].split() == ["TokenRecall", "new", "1.000", "0.439", "to", "1.000", "3", "0"]


def test_nothing_to_score():
    found = neraca.text([], [], "TokenRecall BLEU")
    assert math.isnan(found.mean("TokenRecall"))
    assert [score.n for score in found.overall()] == [0, 0]
    assert "nan" not in str(found)


def test_the_default_leads_with_recall():
    names = list(map(str, neraca.text(REFERENCES, RESPONSES).metrics))
    assert names == ["TokenRecall", "TokenF1", "ROUGE-L", "METEOR", "TFIDF", "ExactMatch"]


@pytest.mark.parametrize(
    ("references", "responses", "told"),
    [
        (["a"], ["a", "b"], "1 references, 2 responses;"),
        (["a"], {"old": ["a"], "new": []}, "1 responses of old, 0 responses of new;"),
        (["a"], {}, "responses: the mapping is empty"),
        ("a", ["a"], "references: must be a list of texts, not str"),
        (["a"], "a", "must be a list of texts, not str"),
        (["a"], [{"text": "a"}], r"\[0\]: must be a text, found {"),
        (["a", ["b", ["c"]]], ["a", "b"], r"references\[1\]: must be a text"),
        ([b"a"], ["a"], r"references\[0\]: must be a text"),
        (["a"], np.array([["a"]]), "one dimension, not 2"),
    ],
)
def test_what_is_not_a_list_of_texts(references, responses, told):
    with pytest.raises(InputError, match=told):
        neraca.text(references, responses)


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        ("ROUGE-LL", "did you mean ROUGE-L"),
        ("nDCG@10", "needs more than texts"),
        ("Average(P@5,ROUGE-L)", "P@5 needs more than texts"),
        ("", "name at least one"),
        ([3], "not 3"),
        (7, "not 7"),
    ],
)
def test_metrics_that_cannot_be(metrics, told):
    with pytest.raises(SpecError, match=told):
        neraca.text(REFERENCES, RESPONSES, metrics)
    with pytest.raises(SpecError, match="was not scored"):
        neraca.text(REFERENCES, RESPONSES, "TokenRecall").mean("TokenF1")
    with pytest.raises(SpecError, match="no language is called"):
        neraca.text(REFERENCES, RESPONSES, language="Klingon")


def test_reasons_are_counted_once_for_all_metrics():
    found = neraca.text(["", "...", "a"], ["a"] * 3, "TokenRecall ROUGE-1 Levenshtein")
    told = Counter(note.split(":")[0] for note in notes(found))
    assert told["1 of 3 rows is unscored"] == 1


def test_the_texts_of_a_block_are_let_go_of_before_the_next_but_one(monkeypatch):
    """Also where the collector comes late: what is made of a block would else pile up."""
    there: list[weakref.ref[Scorable]] = []

    def seen(parts, metrics, prepared=None):
        alive = sum(known() is not None for known in there)
        assert alive <= 1
        there.extend(map(weakref.ref, parts))
        return score_parts(parts, metrics, prepared)

    monkeypatch.setattr("neraca.scores.text.score_parts", seen)
    gc.disable()
    try:
        lists = TextLists.of(REFERENCES * 4, RESPONSES * 4)
        assert score_lists(lists, "TokenRecall TFIDF(idf=corpus)", rows=3).mean("TokenRecall") == pytest.approx(5 / 9)
    finally:
        gc.enable()
    assert len(there) == 4


def test_vocalised_arabic_shares_the_words_of_a_text_without_marks():
    references, responses = ["الكتاب على الطاولة"], ["ٱلْكِتَابُ عَلَى ٱلطَّاوِلَةِ"]
    scores = neraca.text(references, responses, "TokenF1 TokenF1(tokens=word+marks)", language="ar")
    assert [scores.mean(str(metric)) for metric in scores.metrics] == [1.0, 0.0]
    assert "|marks:folded|" in scores.signatures["TokenF1"]
    assert any("in 1 of 1 row one side has harakat" in note for note in notes(scores))
    same = neraca.text(references, references, "TokenF1", language="ar")
    assert not any("harakat" in note for note in notes(same))


def test_vocalised_arabic_has_the_value_of_bare_arabic():
    """Of 10 times 25 words 227 are there, 119 of them without marks: .908 of the words, and .476 of the spellings."""
    words = "كتاب بيت باب قلم ولد بنت شمس قمر نهر جبل بحر شجر حجر خبز ملح سمك لحم زيت عسل لبن ورق حبر درس علم عمل"
    bare = words.split()
    responses = []
    for row in range(10):
        there, plain = 23 if row < 7 else 22, 12 if row < 9 else 11
        vocalised = [f"{word[0]}\u064e{word[1:]}" for word in bare[plain:there]]
        responses.append(" ".join(bare[:plain] + vocalised + ["سيارة"] * (25 - there)))
    folded, kept = "TokenRecall", "TokenRecall(tokens=word+marks)"
    scores = neraca.text([" ".join(bare)] * 10, responses, f"{folded} {kept}", language="ar")
    assert scores.mean(folded) == pytest.approx(0.908)
    assert scores.mean(kept) == pytest.approx(0.476)
    without = ["".join(letter for letter in text if letter != "\u064e") for text in responses]
    assert neraca.text([" ".join(bare)] * 10, without, folded, language="ar").mean(folded) == pytest.approx(0.908)
    assert any("in 10 of 10 rows one side has harakat" in note for note in notes(scores))
