"""ROUGE as the package `rouge` (pltrdy) counts it: each different word or run of words once.

It is what `tokens=pltrdy` stands for in ROUGE-1 to ROUGE-4 and ROUGE-L.  A text is cut into sentences at every full
stop, also in "3.5", and into words at white space; case and other punctuation stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from neraca.metrics.text.overlap import check_stat
from neraca.metrics.text.texts import Texts
from neraca.metrics.text.union_lcs import union_lcs

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

PLTRDY = "pltrdy"
#: The package adds it where it divides for F, so that its F of two equal texts is just below 1.
EPSILON = 1e-8

_Counts = tuple[int, int, int]


def rouge_of_sets(texts: Texts, n: int, stat: str) -> Floats:
    """ROUGE-n with sets, shape (n,); with n = 0 ROUGE-L.  The best reference counts.

    Where the package raises there is a number here: 0 for a text without anything but full stops, and for sentences
    that are too long for its recursion what its definition gives.
    """
    check_stat(stat)

    def value(response: str, reference: str) -> float:
        response_sentences, reference_sentences = sentences(response), sentences(reference)
        return _share(
            count_runs(response_sentences, reference_sentences, n)
            if n
            else count_longest(response_sentences, reference_sentences),
            stat,
        )

    return texts.best(texts.each(value))


def sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence.  One of white space alone has one empty word, as the package has it.

    >>> sentences("The flat. It costs 3.5 m")
    [['The', 'flat'], ['It', 'costs', '3'], ['5', 'm']]
    """
    return [piece.split() or [""] for piece in text.split(".") if piece]


def count_runs(response_sentences: list[list[str]], reference_sentences: list[list[str]], n: int) -> _Counts:
    """Different runs of n words that both have, that the response has, and the reference; runs cross sentences.

    >>> count_runs([["a", "a"], ["b"]], [["a", "b"]], 2)  # a a, a b; a b
    (1, 2, 1)
    """
    response, reference = _runs(response_sentences, n), _runs(reference_sentences, n)
    return len(response & reference), len(response), len(reference)


def count_longest(response_sentences: list[list[str]], reference_sentences: list[list[str]]) -> _Counts:
    """Different words in the longest common subsequences of any two sentences, in the response, in the reference.

    >>> count_longest([["a", "b"], ["c"]], [["b", "a", "c"]])  # of a and b the package takes a
    (2, 3, 3)
    """
    shared: set[str] = set()
    for sentence in response_sentences:
        shared.update(word for word, count in union_lcs(sentence, reference_sentences).items() if count)
    return len(shared), len(_runs(response_sentences, 1)), len(_runs(reference_sentences, 1))


def _runs(sentences_of: list[list[str]], n: int) -> set[tuple[str, ...]]:
    words = list(chain.from_iterable(sentences_of))
    runs: Iterable[tuple[str, ...]] = zip(*(words[start:] for start in range(n)), strict=False)
    return set(runs)


def _share(counts: _Counts, stat: str) -> float:
    shared, response, reference = counts
    precision = shared / response if response else 0.0
    recall = shared / reference if reference else 0.0
    if stat != "f":
        return precision if stat == "p" else recall
    return 2.0 * (precision * recall / (precision + recall + EPSILON))
