"""Rank texts by BM25: texts that share rare words with a query come first.

Forty lines on scipy's sparse matrices, which the package has anyway.  A library would bring its own splitting of words,
which does not know scripts without spaces.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from neraca.judges.rules.phrases import fold
from neraca.unicode_words import unicode_words

#: The usual values of k1 (saturation of repeated words) and b (normalisation by text length).
K1, B = 1.2, 0.75


class Bm25:
    r"""An index of n texts by their words, compared without case and accents.

    $$ s(q, d) = \sum_{w \in q} \ln\left(1 + \frac{n - n_w + 0.5}{n_w + 0.5}\right)
       \frac{f_{w,d}}{f_{w,d} + k_1 (1 - b + b \, l_d / \bar{l})} $$

    $f_{w,d}$ is the number of times that the word occurs in the text, $n_w$ the number of texts with the word, $l_d$
    the number of words of the text, and $\bar{l}$ the mean of $l_d$.  Weights are stored by word, twelve bytes for each
    distinct word of a text.

    Parameters
    ----------
    texts
        The texts; each is read once and not kept.

    References
    ----------
    Robertson, S. and Zaragoza, H. (2009). The probabilistic relevance framework: BM25 and beyond. Foundations and
    Trends in Information Retrieval 3(4), 333-389; the logarithm never falls below 0, as in Lucene.

    Examples
    --------
    >>> Bm25(["a red house", "a dog", "a red red dog"]).rank("red dog", 2).tolist()
    [2, 1]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        from scipy.sparse import csr_array

        self._numbers: dict[str, int] = {}
        terms, counts, starts = array("i"), array("f"), array("q", [0])
        lengths = array("q")
        for text in texts:
            words = _folded_words(text)
            word_counts = Counter(words)
            terms.extend(self._numbers.setdefault(word, len(self._numbers)) for word in word_counts)
            counts.extend(word_counts.values())
            starts.append(len(terms))
            lengths.append(len(words))
        n, size = len(lengths), np.asarray(lengths, np.float32)
        dampers = K1 * (1 - B + B * size / max(1.0, float(size.mean()) if n else 1.0))
        weights = np.frombuffer(counts, np.float32) if counts else np.empty(0, np.float32)
        weights = weights / (weights + np.repeat(dampers, np.diff(np.asarray(starts))).astype(np.float32))
        columns = np.asarray(terms, np.int32)
        by_word = csr_array((weights, columns, np.asarray(starts)), shape=(n, len(self._numbers))).tocsc()
        texts_with = np.diff(by_word.indptr)
        by_word.data *= np.repeat(np.log1p((n - texts_with + 0.5) / (texts_with + 0.5)), texts_with).astype(np.float32)
        self._starts, self._texts, self._weights = by_word.indptr, by_word.indices, by_word.data
        self._n = n

    def rank(self, query: str, most: int) -> NDArray[np.int64]:
        """Return the numbers of the texts that share a word with the query, best first, at most `most` of them.

        Texts with equal scores keep their order.
        """
        scores = np.zeros(self._n, np.float32)
        for word in dict.fromkeys(_folded_words(query)):
            if (number := self._numbers.get(word)) is not None:
                part = slice(self._starts[number], self._starts[number + 1])
                scores[self._texts[part]] += self._weights[part]
        return best(scores, int(np.count_nonzero(scores)), most)


def best(scores: NDArray[np.float32], positive: int, most: int) -> NDArray[np.int64]:
    """Return the positions of the highest scores, highest first; equal scores keep their order.

    Parameters
    ----------
    scores
        Shape (n,).
    positive, most
        Number of scores, from the highest, that may be chosen; the most to return.

    Examples
    --------
    >>> best(np.array([1, 3, 3, 0], np.float32), 3, 2).tolist()
    [1, 2]
    """
    count = min(positive, most)
    if count == 0:
        return np.empty(0, np.int64)
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")][:count]


def _folded_words(text: str) -> list[str]:
    return unicode_words(fold(text))
