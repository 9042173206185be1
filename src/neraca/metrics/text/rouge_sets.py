"""ROUGE as the package `rouge` (pltrdy) counts it: each different word or run of words once.

ROUGE-1 to ROUGE-4 and ROUGE-L use it for `tokens=pltrdy`.  A text is cut into sentences at every full stop, even in
"3.5", and into words at white space; case and other punctuation stay.
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
#: Added to the denominator of F, as in the package.  F of two equal texts is therefore just below 1.
EPSILON = 1e-8

_Counts = tuple[int, int, int]


def rouge_of_sets(texts: Texts, n: int, stat: str) -> Floats:
    """Return ROUGE-n with sets, or ROUGE-L for n = 0, shape (n,); the best reference counts.

    Where the package raises, return a number: 0 for a text of full stops only, and the defined value for sentences too
    long for its recursion.
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

    return texts.best(texts.per_pair(value))


def sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence; as in the package, a sentence of white space has one empty word.

    >>> sentences("The flat. It costs 3.5 m")
    [['The', 'flat'], ['It', 'costs', '3'], ['5', 'm']]
    """
    return [piece.split() or [""] for piece in text.split(".") if piece]


def count_runs(response_sentences: list[list[str]], reference_sentences: list[list[str]], n: int) -> _Counts:
    """Return how many distinct runs of n words both texts, the response and the reference have.

    Runs cross the ends of sentences.

    >>> count_runs([["a", "a"], ["b"]], [["a", "b"]], 2)  # a a, a b; a b
    (1, 2, 1)
    """
    response, reference = _runs(response_sentences, n), _runs(reference_sentences, n)
    return len(response & reference), len(response), len(reference)


def count_longest(response_sentences: list[list[str]], reference_sentences: list[list[str]]) -> _Counts:
    """Return how many distinct words the longest common subsequences, the response and the reference have.

    >>> count_longest([["a", "b"], ["c"]], [["b", "a", "c"]])  # of a and b the package takes a
    (2, 3, 3)
    """
    shared: set[str] = set()
    for sentence in response_sentences:
        shared.update(word for word, count in union_lcs(sentence, reference_sentences).items() if count)
    return len(shared), len(_runs(response_sentences, 1)), len(_runs(reference_sentences, 1))


def _runs(words_by_sentence: list[list[str]], n: int) -> set[tuple[str, ...]]:
    words = list(chain.from_iterable(words_by_sentence))
    runs: Iterable[tuple[str, ...]] = zip(*(words[start:] for start in range(n)), strict=False)
    return set(runs)


def _share(counts: _Counts, stat: str) -> float:
    shared, response, reference = counts
    precision = shared / response if response else 0.0
    recall = shared / reference if reference else 0.0
    if stat != "f":
        return precision if stat == "p" else recall
    return 2.0 * (precision * recall / (precision + recall + EPSILON))
