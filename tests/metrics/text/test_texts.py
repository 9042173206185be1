"""The view of responses beside references."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable
from hard_texts import hard_pairs, random_pairs

from neraca.metrics.metric import METRICS, Metric, _view_of
from neraca.metrics.text.texts import Texts


def batch_of(*made: tuple[tuple[str, ...], str], **answer: str):
    return make_scorable(
        [
            (make_item(str(place), references=references), make_answer(item=str(place), text=text, **answer))
            for place, (references, text) in enumerate(made)
        ]
    )


def test_of_a_batch():
    texts = Texts.of(batch_of((("a b", "b"), "b"), ((), "b"), ((" ",), "c"), (("b",), "a b")))
    assert list(texts.owner) == [0, 0, 3]
    assert [texts.corpus.texts[place] for place in texts.response] == ["b", "b", "c", "a b"]
    assert texts.unscored == ["", *["the item has no reference"] * 2, ""]
    assert [float(x) for x in texts.pairs("word").matches(1)] == [1, 1, 1]
    assert texts.pairs("word") is texts.pairs("word")


def test_a_failed_answer_said_nothing():
    texts = Texts.of(batch_of((("a",), "a"), status="error"))
    assert [float(x) for x in texts.pairs("word").response] == [0]


def test_best_is_the_best_of_each_answer_and_nothing_is_none():
    texts = Texts.of(batch_of((("a", "b"), "x"), ((), "x"), (("a", "b", "c"), "x"), (("d",), "x")))
    values = texts.column([0.2, 0.7, math.nan, 0.5, 0.1, math.nan])
    assert np.array(texts.best(values)) == pytest.approx([0.7, math.nan, 0.5, math.nan], nan_ok=True)
    assert np.array(texts.best(values, higher=False)) == pytest.approx([0.2, math.nan, 0.1, math.nan], nan_ok=True)


def test_best_of_one_reference_each_is_what_it_was():
    texts = Texts.of_pairs(["a", "b"], ["a", "c"])
    values = texts.column([1.0, math.nan])
    assert texts.best(values) is values


def test_only_our_own_reading_needs_a_word_in_the_reference():
    texts = Texts.of_pairs(["a", "a", "?"], ["a", "...", "!"])
    assert np.array(texts.defined(texts.column([1.0, 0.0, 0.0]), texts.pairs("word"))) == pytest.approx(
        [1, math.nan, math.nan], nan_ok=True
    )
    assert list(texts.defined(texts.column([1.0, 0.0, 0.0]), texts.pairs("google"))) == [1, 0, 0]


def test_each_computes_equal_pairs_once():
    asked = []

    def length(response: str, reference: str) -> float:
        asked.append((response, reference))
        return float(len(response) - len(reference))

    texts = Texts.of_pairs(["aa", "b", "aa"], ["b", "aa", "b"])
    assert list(texts.per_pair(length)) == [1, -1, 1]
    assert asked == [("aa", "b"), ("b", "aa")]


PAIR_METRICS = [name for name in METRICS.names() if hasattr(_view_of(METRICS.get(name).function), "of_pairs")]


@pytest.mark.parametrize("name", [*PAIR_METRICS, "TFIDF(idf=corpus)", "ROUGE-2(stat=r,tokens=google)", "BLEU(order=2)"])
def test_a_single_pair_has_the_value_of_a_table_with_one_row(name: str):
    metric = Metric.of(name)
    for reference, response in [*hard_pairs()[::14], *random_pairs(1, 12)]:
        table = metric(Texts.of_pairs([response], [reference]))[0]
        value = float(metric.total(table)) if np.ndim(table) else float(table)
        assert metric.pair(reference, response) == pytest.approx(value, abs=1e-12, nan_ok=True), (reference, response)


def test_language_of_pairs():
    texts = Texts.of_pairs(["casas"], ["casa"], "es")
    assert [float(x) for x in texts.pairs("word+stem").matches(1)] == [1]
    assert texts.n == 1
