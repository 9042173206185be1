"""Counts of words and runs of words in many pairs of texts, in numpy; `PythonPairCounts` counts one pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.text.encoded_texts import EncodedTexts
from neraca.metrics.text.ngram_counts import Groups, Ints, PairBlock
from neraca.metrics.text.pair_counts_python import PAIR_IDF, Synonyms, align, chunks

Floats = NDArray[np.float64]

#: So many words are sorted at a time, as many as a processor keeps near; one pair may have more.
WORDS = 1 << 15


class NumpyPairCounts:
    """p pairs of a response and a reference as words, of n answers; the interface is that of `PythonPairCounts`.

    The words of a block of pairs are sorted once; all counts come out of their groups.

    Attributes
    ----------
    tokens
        The words of all texts.
    texts
        The numbers of the response and of the reference of each pair, shape (2, p).
    owner
        The row of the answer of each pair, shape (p,).
    n
        Number of answers.
    own
        Whether the words are read our own way, in which a reference without words has no value.
    """

    def __init__(self, tokens: EncodedTexts, texts: Ints, owner: Ints, n: int, own: bool = True) -> None:
        self.tokens, self.texts, self.owner, self.n, self.own = tokens, texts, owner, n, own
        self._matches: list[Floats] = []
        self._clipped: list[Floats] = []

    @classmethod
    def of(
        cls,
        tokens: EncodedTexts,
        response: Sequence[int],
        reference: Sequence[int],
        owner: Sequence[int],
        n: int,
        own: bool,
    ) -> NumpyPairCounts:
        """Pairs of texts by their numbers."""
        return cls(tokens, np.array([response, reference], np.int64), np.array(owner, np.int64), n, own)

    @cached_property
    def _lengths(self) -> list[Floats]:
        return list(self.tokens.lengths[self.texts].astype(np.float64))

    @property
    def response(self) -> Floats:
        """Words of each response, shape (p,)."""
        return self._lengths[0]

    @property
    def reference(self) -> Floats:
        """Words of each reference, shape (p,)."""
        return self._lengths[1]

    @cached_property
    def blocks(self) -> list[PairBlock]:
        """The pairs in their order, so many at a time that they have about `WORDS` words."""
        ends = np.cumsum(self.response + self.reference + 2)
        blocks, start = [], 0
        while start < len(ends):
            limit = WORDS + (ends[start - 1] if start else 0)
            end = max(int(np.searchsorted(ends, limit, "right")), start + 1)
            blocks.append(PairBlock(self.tokens, *self.texts[:, start:end]))
            start = end
        return blocks

    def _each(self, function: Callable[[PairBlock], Any]) -> Floats:
        """Return what a function finds for the pairs of each block, one after the other."""
        return np.concatenate([np.zeros(0), *map(function, self.blocks)])

    def matches(self, n: int) -> Floats:
        """Runs of n words that both have, each as often as the one that has it less often, shape (p,)."""
        while len(self._matches) < n:
            self._matches.append(np.concatenate([np.zeros(0), *map(next, self._counting)]))
        return self._matches[n - 1]

    @cached_property
    def _counting(self) -> list[Iterator[Floats]]:
        return [block.matches() for block in self.blocks]

    def clipped(self, n: int) -> Floats:
        """Return the same for each answer against all its references: each run as often as in the one that has it most.

        Shape (n,); 0 for an answer without a reference.
        """
        if not self._several:
            return np.bincount(self.owner, self.matches(n), self.n).astype(np.float64)
        while len(self._clipped) < n:
            self._clipped.append(self._most())
        return self._clipped[n - 1]

    @cached_property
    def _several(self) -> bool:
        """Whether any answer has several references."""
        return len(np.unique(self.owner)) < len(self.owner)

    @cached_property
    def _clipping(self) -> list[Iterator[Groups]]:
        return [block.runs() for block in self.blocks]

    def _most(self) -> Floats:
        """`clipped` of the next n, where some of the answers have several references.

        The lesser of ours and of the most of theirs is the most of the lessers.  A run is known in all pairs of an
        answer by its first place in the response.
        """
        parts, start = [np.zeros((3, 0), np.int64)], 0
        for block, groups in zip(self.blocks, map(next, self._clipping), strict=True):
            is_shared = groups.shared > 0
            first = groups.first[is_shared]
            pairs = block.pair_at[first]
            parts.append(np.array([self.owner[start + pairs], first - block.begins[pairs], groups.shared[is_shared]]))
            start += block.pairs
        rows, first, shared = np.concatenate(parts, axis=1)
        order = np.lexsort((first, rows))
        rows, first = rows[order], first[order]
        starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(first, prepend=-1) != 0))
        most = np.maximum.reduceat(shared[order], starts) if len(starts) else starts
        return np.bincount(rows[starts], most, self.n).astype(np.float64)

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Whether both have the same words in the same order, shape (p,)."""
        return self._each(PairBlock.same).astype(np.bool_)

    @cached_property
    def lcs(self) -> Floats:
        """Words of the longest sequence that stands in both, with gaps, shape (p,)."""
        from rapidfuzz.distance import LCSseq

        return self._scored(LCSseq.similarity)

    @cached_property
    def edits(self) -> Floats:
        """Fewest words to insert, delete or replace that make one of the other (Levenshtein), shape (p,)."""
        from rapidfuzz.distance import Levenshtein

        return self._scored(Levenshtein.distance)

    def _scored(self, scorer: Any) -> Floats:
        from rapidfuzz.process import cpdist

        def score(block: PairBlock) -> Floats:
            texts = block.sequences()
            return np.asarray(cpdist(texts[: block.pairs], texts[block.pairs :], scorer=scorer, dtype=np.float64))

        return self._each(score)

    def cosine(self, idf: Mapping[str, float] | None = None) -> Floats:
        """Cosine of the counts of words times their idf, shape (p,); 0 where one of the two has no word.

        Without `idf` it is that of the two texts alone, as scikit-learn smooths it: 1 for a word that stands in both,
        ln(3/2) + 1 for one that stands in one.
        """
        weights = None if idf is None else self._weights(idf)

        def cosine(block: PairBlock) -> Floats:
            groups = block.groups
            pairs, ours, theirs = block.pair_at[groups.first], groups.ours, groups.sizes - groups.ours
            if weights is None:
                square = np.where(groups.shared > 0, 1.0, PAIR_IDF**2)
            else:
                square = weights[block.word_at[groups.first]] ** 2
            # The order of words in the vocabulary follows the block; ordered by counts and weights, sums do not.
            order = np.lexsort((theirs, ours, square, pairs))
            pairs, ours, theirs, square = pairs[order], ours[order], theirs[order], square[order]
            dot = block.per_pair(pairs, ours * theirs * square)
            norms = [np.sqrt(block.per_pair(pairs, each * each * square)) for each in (ours, theirs)]
            norm = norms[0] * norms[1]
            return np.where(norm > 0, dot / np.maximum(norm, 1e-300), 0.0)

        return self._each(cosine)

    def _weights(self, idf: Mapping[str, float]) -> Floats:
        """Return the idf of each word of the vocabulary that stands in one of the pairs, shape (v,)."""
        used = np.zeros(len(self.tokens.vocabulary), np.bool_)
        for block in self.blocks:
            used[block.word] = True
        weights = np.zeros(len(used))
        weights[used] = [idf[self.tokens.vocabulary[word]] for word in np.flatnonzero(used).tolist()]
        return weights

    def aligned(self, stems: NumpyPairCounts | None = None, synonyms: Synonyms | None = None) -> tuple[Floats, Floats]:
        """METEOR's alignment: how many words of the response have a partner, and in how many chunks, shapes (p,).

        Equal words first, then words of equal stem, then synonyms, as `PythonPairCounts.aligned` says; pairs
        in which a word is left that has synonyms are aligned one by one.
        """
        last = stems or self
        means = np.array([bool(synonyms and synonyms.get(word)) for word in last.tokens.vocabulary], np.bool_)
        counts_of_blocks = [np.zeros((2, 0))]
        for block, other in zip(self.blocks, last.blocks, strict=True):
            ones, partners = block.groups.partners()
            unpaired = np.ones(block.size, np.bool_)
            unpaired[ones] = unpaired[partners] = False
            if stems is not None:
                at = unpaired[block.place]
                more = Groups.of(block.pair[at], other.word[at], block.place[at], block.border).partners()
                unpaired[more[0]] = unpaired[more[1]] = False
                ones, partners = np.append(ones, more[0]), np.append(partners, more[1])
            counts = block.chunks(ones, partners)
            if synonyms:
                open_words = unpaired[block.place] & means[other.word] & (block.place < block.border)
                for pair in np.unique(block.pair[open_words]).tolist():
                    joined = align(*self._words(block, pair), stems._words(other, pair) if stems else None, synonyms)
                    counts[:, pair] = len(joined), chunks(joined)
            counts_of_blocks.append(counts)
        matched, runs = np.concatenate(counts_of_blocks, axis=1)
        return matched, runs

    def _words(self, block: PairBlock, pair: int) -> tuple[list[str], list[str]]:
        """Return the words of the response and of the reference of a pair of a block."""
        response_words, reference_words = (
            [self.tokens.vocabulary[word] for word in words] for words in block.words(pair)
        )
        return response_words, reference_words
