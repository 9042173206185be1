"""The view of responses beside references."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.metrics.metric import Metric
from neraca.metrics.text import corpus
from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
from neraca.metrics.text.pair_counts_python import PythonPairCounts
from neraca.metrics.text.texts import Texts


@pytest.fixture(params=[PythonPairCounts, NumpyPairCounts])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type:
    monkeypatch.setattr(corpus, "FEW", 10**9 if request.param is PythonPairCounts else -1)
    return request.param


def batch_of(*made: tuple[tuple[str, ...], str], **answer: str):
    return make_scorable(
        [
            (make_item(str(place), references=references), make_answer(item=str(place), text=text, **answer))
            for place, (references, text) in enumerate(made)
        ]
    )


def test_of_a_batch(engine: type):
    texts = Texts.of(batch_of((("a b", "b"), "b"), ((), "b"), ((" ",), "c"), (("b",), "a b")))
    assert isinstance(texts.pairs("word"), engine)
    assert list(texts.owner) == [0, 0, 3]
    assert [texts.corpus.texts[place] for place in texts.response] == ["b", "b", "c", "a b"]
    assert texts.unscored == ["", *["the item has no reference"] * 2, ""]
    assert [float(x) for x in texts.pairs("word").matches(1)] == [1, 1, 1]
    assert texts.pairs("word") is texts.pairs("word")


def test_a_failed_answer_said_nothing(engine: type):
    texts = Texts.of(batch_of((("a",), "a"), status="error"))
    assert [float(x) for x in texts.pairs("word").response] == [0]


def test_best_is_the_best_of_each_answer_and_nothing_is_none(engine: type):
    texts = Texts.of(batch_of((("a", "b"), "x"), ((), "x"), (("a", "b", "c"), "x"), (("d",), "x")))
    values = texts.column([0.2, 0.7, math.nan, 0.5, 0.1, math.nan])
    assert np.array(texts.best(values)) == pytest.approx([0.7, math.nan, 0.5, math.nan], nan_ok=True)
    assert np.array(texts.best(values, higher=False)) == pytest.approx([0.2, math.nan, 0.1, math.nan], nan_ok=True)


def test_best_of_one_reference_each_is_what_it_was(engine: type):
    texts = Texts.of_pairs(["a", "b"], ["a", "c"])
    values = texts.column([1.0, math.nan])
    assert texts.best(values) is values


def test_only_our_own_reading_needs_a_word_in_the_reference(engine: type):
    texts = Texts.of_pairs(["a", "a", "?"], ["a", "...", "!"])
    assert np.array(texts.defined(texts.column([1.0, 0.0, 0.0]), texts.pairs("word"))) == pytest.approx(
        [1, math.nan, math.nan], nan_ok=True
    )
    assert list(texts.defined(texts.column([1.0, 0.0, 0.0]), texts.pairs("google"))) == [1, 0, 0]


def test_each_computes_equal_pairs_once(engine: type):
    asked = []

    def length(response: str, reference: str) -> float:
        asked.append((response, reference))
        return float(len(response) - len(reference))

    texts = Texts.of_pairs(["aa", "b", "aa"], ["b", "aa", "b"])
    assert list(texts.each(length)) == [1, -1, 1]
    assert asked == [("aa", "b"), ("b", "aa")]


def test_one_pair_is_a_batch_of_one():
    made = [("red car", "the red car"), ("", "a"), ("a", "")]
    one = [Metric.of("ROUGE-1").pair(reference, response) for response, reference in made]
    together = Metric.of("ROUGE-1")(Texts.of_pairs(*map(list, zip(*made, strict=True))))
    assert one == pytest.approx(list(together), nan_ok=True)


def test_language_of_pairs(engine: type):
    texts = Texts.of_pairs(["casas"], ["casa"], "es")
    assert [float(x) for x in texts.pairs("word+stem").matches(1)] == [1]
    assert texts.n == 1
