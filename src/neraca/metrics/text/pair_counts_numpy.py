"""Count words and n-grams in many pairs of texts, in numpy; `PythonPairCounts` counts one pair."""

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


class NumpyPairCounts:
    """p pairs of a response and a reference as words, for n answers; the interface is that of `PythonPairCounts`.

    The words of a block of pairs are sorted once, and all counts come from their groups.

    Attributes
    ----------
    tokens
        The words of all texts.
    texts
        The numbers of the responses and of the references, shape (2, p).
    owner
        The row of the answer of each pair, shape (p,).
    n
        Number of answers.
    own
        Whether our own tokenizer read the words; then a reference without words is undefined.
    """

    #: Words that are sorted at a time, so that they fit into a cache; a single pair may have more.
    block_words = 1 << 15

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
        """Make pairs of texts from their numbers."""
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
        """The pairs in order, in blocks of about `block_words` words."""
        ends = np.cumsum(self.response + self.reference + 2)
        blocks, start = [], 0
        while start < len(ends):
            limit = self.block_words + (ends[start - 1] if start else 0)
            end = max(int(np.searchsorted(ends, limit, "right")), start + 1)
            blocks.append(PairBlock(self.tokens, *self.texts[:, start:end]))
            start = end
        return blocks

    def _per_pair(self, function: Callable[[PairBlock], Any]) -> Floats:
        """Return the values of a function of blocks for all pairs, shape (p,)."""
        return np.concatenate([np.zeros(0), *map(function, self.blocks)])

    def matches(self, n: int) -> Floats:
        """Count the runs of n words that both texts have, each as often as the text with fewer, shape (p,)."""
        while len(self._matches) < n:
            self._matches.append(np.concatenate([np.zeros(0), *map(next, self._counting)]))
        return self._matches[n - 1]

    @cached_property
    def _counting(self) -> list[Iterator[Floats]]:
        return [block.matches() for block in self.blocks]

    def clipped(self, n: int) -> Floats:
        """Count each answer's runs of n words at most as often as the reference that has them most, shape (n,).

        0 for an answer without a reference.
        """
        if not self._has_several:
            return np.bincount(self.owner, self.matches(n), self.n).astype(np.float64)
        while len(self._clipped) < n:
            self._clipped.append(self._most())
        return self._clipped[n - 1]

    @cached_property
    def _has_several(self) -> bool:
        """Whether any answer has several references."""
        return len(np.unique(self.owner)) < len(self.owner)

    @cached_property
    def _clipping(self) -> list[Iterator[Groups]]:
        return [block.runs() for block in self.blocks]

    def _most(self) -> Floats:
        """Return `clipped` for the next n if some answers have several references.

        Each run counts as in the pair that shares it most.  Its first place in the response identifies it in all pairs
        of an answer.
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
        """Whether both texts have the same words in the same order, shape (p,)."""
        return self._per_pair(PairBlock.same).astype(np.bool_)

    @cached_property
    def lcs(self) -> Floats:
        """Words of the longest common subsequence, shape (p,)."""
        from rapidfuzz.distance import LCSseq

        return self._scored(LCSseq.similarity)

    @cached_property
    def edits(self) -> Floats:
        """Fewest words to insert, delete or replace to turn one text into the other (Levenshtein), shape (p,)."""
        from rapidfuzz.distance import Levenshtein

        return self._scored(Levenshtein.distance)

    def _scored(self, scorer: Any) -> Floats:
        from rapidfuzz.process import cpdist

        def score(block: PairBlock) -> Floats:
            texts = block.sequences()
            return np.asarray(cpdist(texts[: block.pairs], texts[block.pairs :], scorer=scorer, dtype=np.float64))

        return self._per_pair(score)

    def cosine(self, idf: Mapping[str, float] | None = None) -> Floats:
        """Return the cosine of word counts times idf, shape (p,); 0 if one of the texts has no word.

        Without `idf`, the idf is that of the two texts alone, smoothed as in scikit-learn: 1 for a word of both texts,
        ln(3/2) + 1 for a word of one text.
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
            norm = np.sqrt(block.per_pair(pairs, ours * ours * square)) * np.sqrt(
                block.per_pair(pairs, theirs * theirs * square)
            )
            return np.where(norm > 0, dot / np.maximum(norm, 1e-300), 0.0)

        return self._per_pair(cosine)

    def _weights(self, idf: Mapping[str, float]) -> Floats:
        """Return the idf of each word of the vocabulary that occurs in a pair, otherwise 0, shape (v,)."""
        used = np.zeros(len(self.tokens.vocabulary), np.bool_)
        for block in self.blocks:
            used[block.word] = True
        weights = np.zeros(len(used))
        weights[used] = [idf[self.tokens.vocabulary[word]] for word in np.flatnonzero(used).tolist()]
        return weights

    def aligned(self, stems: NumpyPairCounts | None = None, synonyms: Synonyms | None = None) -> tuple[Floats, Floats]:
        """Return METEOR's alignment: the number of aligned words, and of chunks, shapes (p,).

        The stages are those of `PythonPairCounts.aligned`.  A pair in which an unaligned word has synonyms is aligned
        in plain Python.
        """
        last_stage = stems or self
        has_synonyms = np.array([bool(synonyms and synonyms.get(w)) for w in last_stage.tokens.vocabulary], np.bool_)
        counts_of_blocks = [np.zeros((2, 0))]
        for block, stem_block in zip(self.blocks, last_stage.blocks, strict=True):
            in_response, in_reference = block.groups.partners()
            unpaired = np.ones(block.size, np.bool_)
            unpaired[in_response] = unpaired[in_reference] = False
            if stems is not None:
                at = unpaired[block.place]
                equal_stems = Groups.of(block.pair[at], stem_block.word[at], block.place[at], block.border)
                more_in_response, more_in_reference = equal_stems.partners()
                unpaired[more_in_response] = unpaired[more_in_reference] = False
                in_response = np.append(in_response, more_in_response)
                in_reference = np.append(in_reference, more_in_reference)
            counts = block.chunks(in_response, in_reference)
            if synonyms:
                open_words = unpaired[block.place] & has_synonyms[stem_block.word] & (block.place < block.border)
                for pair in np.unique(block.pair[open_words]).tolist():
                    stem_words = stems._words(stem_block, pair) if stems else None
                    alignment = align(*self._words(block, pair), stem_words, synonyms)
                    counts[:, pair] = len(alignment), chunks(alignment)
            counts_of_blocks.append(counts)
        matched, runs = np.concatenate(counts_of_blocks, axis=1)
        return matched, runs

    def _words(self, block: PairBlock, pair: int) -> tuple[list[str], list[str]]:
        """Return the words of the response and of the reference of a pair of a block."""
        response_words, reference_words = (
            [self.tokens.vocabulary[word] for word in words] for words in block.words(pair)
        )
        return response_words, reference_words
