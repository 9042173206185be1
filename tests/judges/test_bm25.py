"""BM25 by hand: k1 = 1.2, b = 0.75, and Lucene's logarithm."""

from math import log

import numpy as np
import pytest

from neraca.judges.bm25 import Bm25, best


def test_weights_by_hand():
    """Of two texts with 3 and 1 words (mean 2) `red` stands in one, twice: f = 2, n_w = 1."""
    index = Bm25(["red red dog", "dog"])
    by_hand = {
        "red": log(1 + 1.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2)),
        "dog": log(1 + 0.5 / 2.5) * 1 / (1 + 1.2 * (0.25 + 0.75 * 3 / 2)),
    }
    for word, weight in by_hand.items():
        number = index._numbers[word]
        first = index._starts[number]
        assert index._texts[first] == 0
        assert index._weights[first] == pytest.approx(weight, rel=1e-6)


def test_the_rarer_word_and_the_shorter_text_come_first():
    index = Bm25(["a flat with rooms", "the dog", "rooms " + "and more " * 9, "rooms", "a cat"])
    assert index.rank("rooms", 9).tolist() == [3, 0, 2]
    assert index.rank("dog rooms", 1).tolist() == [1]
    assert index.rank("dog rooms dog", 1).tolist() == [1]
    assert index.rank("nothing of this", 9).tolist() == []


def test_case_accents_and_scripts_without_spaces():
    index = Bm25(["EL BAÑO", "東京に住む", ""])
    assert index.rank("el bano", 3).tolist() == [0]
    assert index.rank("東京", 3).tolist() == [1]


def test_an_index_of_nothing_finds_nothing():
    assert Bm25([]).rank("a", 3).tolist() == []
    assert Bm25(["..."]).rank("a", 3).tolist() == []


def test_of_equal_scores_the_first_come_first():
    assert best(np.array([1, 2, 2, 2, 0], np.float32), 4, 2).tolist() == [1, 2]
    assert best(np.array([1, 2], np.float32), 2, 9).tolist() == [1, 0]
