"""What metrics count of a few pairs of texts, in plain Python; `NumpyPairCounts` counts the same of many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from operator import add, eq, itemgetter
from typing import Any

from neraca.metrics.text.vector import Vector

Words = Sequence[str]
Grams = Counter[Any]
Synonyms = Mapping[str, Collection[str]]
#: Inverse document frequency of a word that stands in one of two texts: ln((1 + 2) / (1 + 1)) + 1.
PAIR_IDF = math.log(3 / 2) + 1


@dataclass(eq=False)
class PythonPairCounts:
    """p pairs of a response and a reference as words, of n answers.

    Attributes
    ----------
    ours, theirs
        The words of the response and of the reference of each pair, shape (p,).
    owner
        The row of the answer of each pair.
    n
        Number of answers.
    own
        Whether the words are read our own way, in which a reference without words has no value.
    """

    ours: Sequence[Words]
    theirs: Sequence[Words]
    owner: Sequence[int]
    n: int
    own: bool = True
    _grams: dict[tuple[int, int], Grams] = field(default_factory=dict, repr=False)
    _matches: dict[int, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        words: Sequence[Words],
        response: Sequence[int],
        reference: Sequence[int],
        owner: Sequence[int],
        n: int,
        own: bool,
    ) -> PythonPairCounts:
        """Pairs of texts by their numbers; `words` are those of each text."""
        return cls([words[place] for place in response], [words[place] for place in reference], owner, n, own)

    @cached_property
    def response(self) -> Any:
        """Words of each response, shape (p,)."""
        return Vector(map(float, map(len, self.ours)))

    @cached_property
    def reference(self) -> Any:
        """Words of each reference, shape (p,)."""
        return Vector(map(float, map(len, self.theirs)))

    def grams(self, words: Words, n: int) -> Grams:
        """Return how often each run of n words occurs."""
        key = (id(words), n)
        if key not in self._grams:
            self._grams[key] = Counter(words if n == 1 else zip(*[words[start:] for start in range(n)], strict=False))
        return self._grams[key]

    def matches(self, n: int) -> Any:
        """Runs of n words that both have, each as often as the one that has it less often, shape (p,).

        Those of fewer words are counted beside: ask for the longest first.
        """
        if n not in self._matches:
            found = list(map(shared_runs, self.ours, self.theirs, repeat(n)))
            self._matches |= {order + 1: Vector([each[order] for each in found]) for order in range(n)}
        return self._matches[n]

    def clipped(self, n: int) -> Any:
        """Return the same for each answer against all its references: each run as often as in the one that has it most.

        Shape (n,); 0 for an answer without a reference.
        """
        if len(self.owner) == self.n and (self.n == 1 or len(self.rows) == self.n):
            return self.matches(n)
        found = [0.0] * self.n
        for row, pairs in self.rows.items():
            best = self.grams(self.theirs[pairs[0]], n)
            for pair in pairs[1:]:
                best = best | self.grams(self.theirs[pair], n)
            found[row] = _common(self.grams(self.ours[pairs[0]], n), best)
        return Vector(found)

    @cached_property
    def rows(self) -> dict[int, list[int]]:
        """The pairs of each answer that has any."""
        found: dict[int, list[int]] = {}
        for pair, row in enumerate(self.owner):
            found.setdefault(row, []).append(pair)
        return found

    @cached_property
    def same(self) -> Any:
        """Whether both have the same words in the same order, shape (p,)."""
        return Vector(map(eq, self.ours, self.theirs))

    @cached_property
    def lcs(self) -> Any:
        """Words of the longest sequence that stands in both, with gaps, shape (p,)."""
        from rapidfuzz.distance import LCSseq

        return Vector(map(float, map(LCSseq.similarity, self.ours, self.theirs)))

    @cached_property
    def edits(self) -> Any:
        """Fewest words to insert, delete or replace that make one of the other (Levenshtein), shape (p,)."""
        from rapidfuzz.distance import Levenshtein

        return Vector(map(float, map(Levenshtein.distance, self.ours, self.theirs)))

    def cosine(self, idf: Mapping[str, float] | None = None) -> Any:
        """Cosine of the counts of words times their idf, shape (p,); 0 where one of the two has no word.

        Without `idf` it is that of the two texts alone, as scikit-learn smooths it: 1 for a word that stands in both,
        ln(3/2) + 1 for one that stands in one.
        """
        pairs = zip(self.ours, self.theirs, strict=True)
        return Vector([_cosine(self.grams(one, 1), self.grams(other, 1), idf) for one, other in pairs])

    def aligned(self, stems: PythonPairCounts | None = None, synonyms: Synonyms | None = None) -> tuple[Any, Any]:
        """METEOR's alignment: how many words of the response have a partner, and in how many chunks, shapes (p,).

        Equal words first, then words of equal stem, then synonyms; each stage from the last word of the response to
        its first, which takes the last partner that is left.  A chunk is a run of partners that are neighbours in
        both texts.

        Parameters
        ----------
        stems
            The same pairs read so that each word gives its stem, one for one; each text may have its own stemmer.
        synonyms
            Word → the words that mean the same, itself or not; where there are stems, it is of stems.
        """
        others = zip(stems.ours, stems.theirs, strict=True) if stems else repeat(None)
        found = list(map(align, self.ours, self.theirs, others, repeat(synonyms)))
        return Vector([float(len(partners)) for partners in found]), Vector([float(chunks(p)) for p in found])


def shared_runs(ours: Words, theirs: Words, longest: int) -> list[float]:
    """Return what `PythonPairCounts.matches` finds of one pair, for runs of 1, 2, ... `longest` words.

    >>> shared_runs(["a", "b", "a"], ["a", "b", "b"], 3)
    [2.0, 1.0, 0.0]
    """
    found = [_shared(ours, theirs)]
    one: Sequence[Any] = ours
    other: Sequence[Any] = theirs
    for n in range(1, longest):
        if not found[-1]:
            break
        if isinstance(ours, str):
            one, other = list(map(add, one, ours[n:])), list(map(add, other, theirs[n:]))
        else:
            one, other = (list(zip(*[words[at:] for at in range(n + 1)], strict=False)) for words in (ours, theirs))
        found.append(_shared(one, other))
    return found + [0.0] * (longest - len(found))


def align(
    ours: Words, theirs: Words, stems: tuple[Words, Words] | None = None, synonyms: Synonyms | None = None
) -> dict[int, int]:
    """Place in the response → place of its partner in the reference; see `PythonPairCounts.aligned`.

    >>> align(["the", "cats", "sat"], ["the", "cat"], stems=(["the", "cat", "sat"], ["the", "cat"]))
    {0: 0, 1: 1}
    """
    partners: dict[int, int] = {}
    _join(partners, ours, theirs)
    if stems:
        ours, theirs = stems
        _join(partners, ours, theirs)
    if synonyms:
        _join(partners, ours, theirs, synonyms)
    return partners


def _join(partners: dict[int, int], ours: Words, theirs: Words, synonyms: Synonyms | None = None) -> None:
    """Give words without a partner one that is equal, or with `synonyms` one that means the same."""
    if len(partners) == min(len(ours), len(theirs)):
        return
    taken = set(partners.values())
    places: dict[str, list[int]] = {}
    for j, word in enumerate(theirs):
        if j not in taken:
            places.setdefault(word, []).append(j)
    for i in range(len(ours) - 1, -1, -1):
        if i in partners:
            continue
        word = ours[i]
        left = places.get(word)
        if synonyms is not None:
            known = [places[each] for each in {word, *synonyms.get(word, ())} if places.get(each)]
            left = max(known, key=itemgetter(-1), default=None)
        if left:
            partners[i] = left.pop()


def chunks(partners: Mapping[int, int]) -> int:
    """Return in how many runs of neighbours partners stand.

    >>> chunks({0: 0, 1: 1, 3: 2})
    2
    """
    return sum(partners.get(i - 1, -9) != j - 1 for i, j in partners.items())


def _shared(ours: Sequence[Any], theirs: Sequence[Any]) -> float:
    """As `_common`, of runs in their places; twice as fast as counting both sides."""
    left: dict[Any, int] = {}
    for run in theirs:
        left[run] = left.get(run, 0) + 1
    found = 0
    for run in ours:
        if count := left.get(run):
            left[run] = count - 1
            found += 1
    return float(found)


def _common(one: Grams, other: Grams) -> float:
    if len(other) < len(one):
        one, other = other, one
    return float(sum([n if n < (m := other[gram]) else m for gram, n in one.items() if gram in other]))


def _cosine(one: Grams, other: Grams, idf: Mapping[str, float] | None) -> float:
    if idf is None:
        weight = {word: 1.0 if word in one and word in other else PAIR_IDF**2 for word in {*one, *other}}
    else:
        weight = {word: idf[word] ** 2 for word in {*one, *other}}
    dot = sum([count * other[word] * weight[word] for word, count in one.items() if word in other])
    norms = [sum([count * count * weight[word] for word, count in each.items()]) for each in (one, other)]
    return dot / math.sqrt(norms[0] * norms[1]) if all(norms) else 0.0
