"""Count words and n-grams in one pair of texts, in plain Python; `NumpyPairCounts` counts many pairs.

For a single pair this takes a thirtieth of the time of numpy: 25 µs instead of 800 µs for ROUGE-1 of ten words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from operator import add, itemgetter
from typing import Any

Words = Sequence[str]
Grams = Counter[Any]
Synonyms = Mapping[str, Collection[str]]
#: Inverse document frequency of a word in one of two texts: ln((1 + 2) / (1 + 1)) + 1.
PAIR_IDF = math.log(3 / 2) + 1


class PythonPairCounts:
    """The words of a response and of a reference.

    Attributes
    ----------
    ours, theirs
        The words of the response and of the reference.
    own
        Whether our own tokenizer read the words; then a reference without words has no value.
    """

    def __init__(self, ours: Words, theirs: Words, own: bool = True) -> None:
        self.ours, self.theirs, self.own = ours, theirs, own
        self.response, self.reference = float(len(ours)), float(len(theirs))
        self._matches: list[float] = []

    def matches(self, n: int) -> float:
        """Count the runs of n words that both texts have, each as often as the text that has it less often.

        Shorter runs are counted on the way: ask for the longest first.
        """
        if len(self._matches) < n:
            self._matches = shared_runs(self.ours, self.theirs, n)
        return self._matches[n - 1]

    #: With a single reference, matches with all references are matches with that one.
    clipped = matches

    @property
    def same(self) -> bool:
        """Whether both texts have the same words in the same order."""
        return self.ours == self.theirs

    @property
    def lcs(self) -> float:
        """Words of the longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        return float(LCSseq.similarity(self.ours, self.theirs))

    @property
    def edits(self) -> float:
        """Fewest words to insert, delete or replace to turn one text into the other (Levenshtein)."""
        from rapidfuzz.distance import Levenshtein

        return float(Levenshtein.distance(self.ours, self.theirs))

    def cosine(self, idf: Mapping[str, float] | None = None) -> float:
        """Return the cosine of word counts times idf; 0 if one of the texts has no word.

        Without `idf`, the idf is that of the two texts alone, smoothed as in scikit-learn: 1 for a word of both texts,
        ln(3/2) + 1 for a word of one text.
        """
        return _cosine(Counter(self.ours), Counter(self.theirs), idf)

    def aligned(self, stems: PythonPairCounts | None = None, synonyms: Synonyms | None = None) -> tuple[float, float]:
        """Return METEOR's alignment: the number of words of the response with a partner, and the number of chunks.

        Equal words are aligned first, then words of equal stem, then synonyms.  Each stage goes from the last word of
        the response to its first, and each word takes the last free partner.  A chunk is a run of partners that are
        neighbours in both texts.

        Parameters
        ----------
        stems
            The same pair read so that each word gives its stem, one for one; each text may have its own stemmer.
        synonyms
            Word → the words with the same meaning; with `stems`, stem → stems.
        """
        partners = align(self.ours, self.theirs, (stems.ours, stems.theirs) if stems else None, synonyms)
        return float(len(partners)), float(chunks(partners))


def shared_runs(response_words: Words, reference_words: Words, longest: int) -> list[float]:
    """Count the shared runs of 1, 2, ... `longest` words, as `PythonPairCounts.matches` does.

    >>> shared_runs(["a", "b", "a"], ["a", "b", "b"], 3)
    [2.0, 1.0, 0.0]
    """
    shared = [_shared(response_words, reference_words)]
    response_runs: Sequence[Any] = response_words
    reference_runs: Sequence[Any] = reference_words
    for n in range(1, longest):
        if not shared[-1]:
            break
        if isinstance(response_words, str):
            response_runs = list(map(add, response_runs, response_words[n:]))
            reference_runs = list(map(add, reference_runs, reference_words[n:]))
        else:
            response_runs, reference_runs = (
                list(zip(*[words[at:] for at in range(n + 1)], strict=False))
                for words in (response_words, reference_words)
            )
        shared.append(_shared(response_runs, reference_runs))
    return shared + [0.0] * (longest - len(shared))


def align(
    response_words: Words,
    reference_words: Words,
    stems: tuple[Words, Words] | None = None,
    synonyms: Synonyms | None = None,
) -> dict[int, int]:
    """Return place in the response → place of its partner in the reference; see `PythonPairCounts.aligned`.

    >>> align(["the", "cats", "sat"], ["the", "cat"], stems=(["the", "cat", "sat"], ["the", "cat"]))
    {0: 0, 1: 1}
    """
    partners: dict[int, int] = {}
    _join(partners, response_words, reference_words)
    if stems:
        response_words, reference_words = stems
        _join(partners, response_words, reference_words)
    if synonyms:
        _join(partners, response_words, reference_words, synonyms)
    return partners


def _join(
    partners: dict[int, int], response_words: Words, reference_words: Words, synonyms: Synonyms | None = None
) -> None:
    """Pair words without a partner with equal words or, with `synonyms`, with words of the same meaning."""
    if len(partners) == min(len(response_words), len(reference_words)):
        return
    taken_places = set(partners.values())
    places: dict[str, list[int]] = {}
    for j, word in enumerate(reference_words):
        if j not in taken_places:
            places.setdefault(word, []).append(j)
    for i in range(len(response_words) - 1, -1, -1):
        if i in partners:
            continue
        word = response_words[i]
        free_places = places.get(word)
        if synonyms is not None:
            candidates = [places[synonym] for synonym in {word, *synonyms.get(word, ())} if places.get(synonym)]
            free_places = max(candidates, key=itemgetter(-1), default=None)
        if free_places:
            partners[i] = free_places.pop()


def chunks(partners: Mapping[int, int]) -> int:
    """Count the runs of neighbours among partners.

    >>> chunks({0: 0, 1: 1, 3: 2})
    2
    """
    return sum(partners.get(i - 1, -9) != j - 1 for i, j in partners.items())


def _shared(response_runs: Sequence[Any], reference_runs: Sequence[Any]) -> float:
    """Count the runs that both lists have, each as often as the list that has it less often."""
    free_runs: dict[Any, int] = {}
    for run in reference_runs:
        free_runs[run] = free_runs.get(run, 0) + 1
    shared = 0
    for run in response_runs:
        if count := free_runs.get(run):
            free_runs[run] = count - 1
            shared += 1
    return float(shared)


def _cosine(ours: Grams, theirs: Grams, idf: Mapping[str, float] | None) -> float:
    if idf is None:
        weight = {word: 1.0 if word in ours and word in theirs else PAIR_IDF**2 for word in {*ours, *theirs}}
    else:
        weight = {word: idf[word] ** 2 for word in {*ours, *theirs}}
    dot = sum([count * theirs[word] * weight[word] for word, count in ours.items() if word in theirs])
    norms = [sum([count * count * weight[word] for word, count in counts.items()]) for counts in (ours, theirs)]
    return dot / math.sqrt(norms[0] * norms[1]) if all(norms) else 0.0
