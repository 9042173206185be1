"""Count equal n-grams of pairs of texts by sorting words that are packed into integers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.text.encoded_texts import EncodedTexts

Ints = NDArray[np.int64]
Integers = NDArray[np.integer]

#: Usable bits of a key, which is a signed integer of 64 bits.
BITS = 63
#: With a small vocabulary, such as letters, runs of up to this many words are counted at once.
LETTERS = 6


def bits(numbers: Integers) -> int:
    """Return the number of bits of the largest number.

    >>> bits(np.array([0, 7])), bits(np.array([8])), bits(np.array([], int))
    (3, 4, 0)
    """
    return int(numbers.max(initial=0)).bit_length()


def inside(sizes: Integers) -> Ints:
    """Return 0, 1, 2 … for each size, one after the other.

    >>> inside(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)


def up_to(numbers: NDArray[Any]) -> Ints:
    """Return the sums of the numbers before each number, and of all numbers."""
    counts: Any = np.zeros(len(numbers) + 1, np.int32 if numbers.dtype.itemsize < 8 else np.int64)
    np.cumsum(numbers, out=counts[1:], dtype=counts.dtype)
    return counts  # type: ignore[no-any-return]


def edges_of(keys: Ints) -> Ints:
    """Return the places where a new key begins in sorted keys, and their end.

    >>> edges_of(np.array([3, 3, 5])).tolist()
    [0, 2, 3]
    """
    new = np.empty(len(keys) + 1, np.bool_)
    new[:1] = new[-1:] = True
    np.not_equal(keys[1:], keys[:-1], out=new[1:-1])
    return np.flatnonzero(new) if len(keys) else np.zeros(1, np.int64)


@dataclass(frozen=True, eq=False)
class Groups:
    """The t places of words, in g groups of equal words of one pair.

    Attributes
    ----------
    places
        Shape (t,): the places group by group, in ascending order, so that the response's come first.
    starts, sizes
        Shape (g,): the beginning of each group in `places`, and its size.
    ours, shared
        Shape (g,): how often the response has the word, and the smaller of its numbers in the two texts.
    """

    places: Ints
    starts: Ints
    sizes: Ints
    ours: Ints
    shared: Ints

    @classmethod
    def of(cls, kind: Integers, word: Integers, place: Ints, border: int) -> Groups:
        """Group places of equal kind and word, shapes (t,).

        Places are in ascending order; those from `border` on belong to references.
        """
        low, wide = bits(place), bits(word)
        if low + wide + bits(kind) > BITS:  # a pair with millions of words
            order = np.lexsort((word, kind))
            places, kind, word = place[order], kind[order], word[order]
            keys = up_to((kind[1:] != kind[:-1]) | (word[1:] != word[:-1]))[: len(order)]
        else:
            keys = ((kind.astype(np.int64) << wide | word) << low) | place
            keys.sort()
            places = keys & ((1 << low) - 1)
            keys >>= low
        edges = edges_of(keys)
        sizes, theirs = np.diff(edges), np.diff(up_to(places >= border)[edges])
        ours = sizes - theirs
        return cls(places, edges[:-1], sizes, ours, np.minimum(ours, theirs))

    @property
    def first(self) -> Ints:
        """The first place of each group, shape (g,)."""
        return self.places[self.starts]

    def partners(self) -> tuple[Ints, Ints]:
        """Return places in the response and their partners in the reference; the last equal words are partners."""
        groups = np.flatnonzero(self.shared)
        pairs = self.shared[groups]
        in_response = np.repeat(self.starts[groups] + self.ours[groups] - pairs, pairs) + inside(pairs)
        in_reference = in_response + np.repeat(self.sizes[groups] - self.ours[groups], pairs)
        return self.places[in_response], self.places[in_reference]

    def numbered(self, size: int) -> Ints:
        """Return, for each of `size` places, the number (from 1) of its group if both texts have it; otherwise 0."""
        in_both = self.shared > 0
        numbers = np.zeros(size, np.int64)
        numbers[self.places] = np.repeat(np.cumsum(in_both) * in_both, self.sizes)
        return numbers


class PairBlock:
    """p pairs with t words, which are sorted at once.

    The places hold all responses, then all references.  One place after each text is empty, so that runs of words end
    there.

    Attributes
    ----------
    pairs
        The number p of pairs.
    lengths
        Words of each response, then of each reference, shape (2p,).
    begins
        The place of the first word of each text, shape (2p,).
    word, pair, place
        The number, the pair and the place of each word, shape (t,).
    border
        The place where the references begin.
    size
        The number of places, including the empty ones.
    """

    def __init__(self, tokens: EncodedTexts, response: Ints, reference: Ints) -> None:
        texts = np.concatenate([response, reference])
        self.pairs = len(response)
        self.lengths = tokens.lengths[texts]
        ends = np.cumsum(self.lengths + 1)
        self.begins = ends - self.lengths - 1
        self.border, self.size = int(ends[self.pairs - 1]), int(ends[-1])
        number = np.repeat(np.arange(len(texts)), self.lengths)
        self.pair = np.where(number < self.pairs, number, number - self.pairs)
        self.place = np.arange(len(number)) + number
        self.word = tokens.ids[self.place + (tokens.starts[texts] - self.begins)[number]]

    @cached_property
    def groups(self) -> Groups:
        """The groups of equal words of each pair."""
        return Groups.of(self.pair, self.word, self.place, self.border)

    @cached_property
    def pair_at(self) -> Ints:
        """The pair of each place."""
        return np.repeat(np.tile(np.arange(self.pairs), 2), self.lengths + 1)

    @cached_property
    def word_at(self) -> NDArray[np.int32]:
        """The word of each place."""
        words = np.zeros(self.size, np.int32)
        words[self.place] = self.word
        return words

    def per_pair(self, pairs: Ints, weights: Any = None) -> NDArray[np.float64]:
        """Count the entries of each pair, or sum their weights, shape (p,)."""
        return np.bincount(pairs, weights, self.pairs).astype(np.float64, copy=False)

    def same(self) -> NDArray[np.bool_]:
        """Return whether the two texts of each pair have the same words in the same order, shape (p,)."""
        equal_pairs: NDArray[np.bool_] = self.lengths[: self.pairs] == self.lengths[self.pairs :]
        in_equal_length, in_response = equal_pairs[self.pair], self.place < self.border
        response_words = self.word[in_equal_length & in_response]
        reference_words = self.word[in_equal_length & ~in_response]
        equal_pairs[self.pair[in_equal_length & in_response][response_words != reference_words]] = False
        return equal_pairs

    def chunks(self, in_response: Ints, in_reference: Ints) -> NDArray[np.float64]:
        """Return the number of partners of each pair, and of runs of neighbours among them, shape (2, p)."""
        partner = np.full(self.size, -9, np.int64)
        partner[in_response] = in_reference
        follows = partner[in_response + 1] == in_reference + 1
        pairs = self.pair_at[in_response]
        counts = self.per_pair(pairs)
        return np.array([counts, counts - self.per_pair(pairs[follows])])

    def words(self, pair: int) -> tuple[Any, Any]:
        """Return the words of the response and of the reference of a pair."""
        texts = (pair, self.pairs + pair)
        response_words, reference_words = (
            self.word_at[self.begins[i] : self.begins[i] + self.lengths[i]].tolist() for i in texts
        )
        return response_words, reference_words

    def runs(self) -> Iterator[Groups]:
        """Yield the groups of equal runs of 1, 2 … words, each run at its first place.

        A run of n words is a run of n - 1 words and one more word; it can be shared only if both are.
        """
        groups = self.groups
        words = shorter_runs = groups.numbered(self.size)
        yield groups
        for n in count(1):
            ends = words[n:]
            at = np.flatnonzero((shorter_runs[: len(ends)] > 0) & (ends > 0))
            groups = Groups.of(shorter_runs[at], ends[at], at, self.border)
            shorter_runs = groups.numbered(self.size)
            yield groups

    def matches(self) -> Iterator[NDArray[np.float64]]:
        """Yield the number of runs of 1, 2 … words that each pair shares, shape (p,) each."""
        wide, packed = bits(self.word + 1), 0
        if int(self.pairs).bit_length() + wide * LETTERS + 1 <= BITS:
            yield from self._packed(wide, LETTERS)
            packed = LETTERS
        for groups in islice(self.runs(), packed, None):
            yield self.per_pair(self.pair_at[groups.first], groups.shared)

    def _packed(self, wide: int, top: int) -> NDArray[np.float64]:
        """Return `matches` up to `top` words for a small vocabulary, whose words take `wide` bits, shape (top, p).

        A key is the pair, the run that begins at a place, and its side.  Sorted, equal runs of any length are
        neighbours, and a group of runs of n words consists of groups of runs of n + 1 words.
        """
        code = np.zeros(self.size + top, np.int64)
        code[self.place] = self.word + 1
        part = code[: self.size]
        keys = self.pair_at << wide | part
        for n in range(1, top):
            part = code[n : n + self.size] * (part > 0)  # no run crosses the end of a text
            keys <<= wide
            keys |= part
        keys <<= 1
        keys[self.border :] |= 1
        keys = keys[code[: self.size] > 0]
        keys.sort()
        counts = up_to(np.array([1, 1 << 32])[keys & 1])  # counts of both sides in one number
        keys >>= 1
        matches, first = np.zeros((top, self.pairs)), np.arange(self.pairs + 1)
        for n in range(top, 0, -1):
            edges = edges_of(keys)
            counts, keys = counts[edges], keys[edges[:-1]]
            sides = np.diff(counts).view(np.int32)
            shared = np.minimum(sides[::2], sides[1::2])
            shared *= (keys & (1 << wide) - 1) > 0
            matches[n - 1] = np.diff(up_to(shared)[np.searchsorted(keys, first << wide * n)])
            keys >>= wide
        return matches

    def sequences(self) -> list[Any]:
        """Return each text, responses first, as a sequence of letters; equal words of a pair have one letter."""
        groups = self.groups
        counts = np.bincount(self.pair_at[groups.first], minlength=self.pairs)
        ranks = np.arange(len(groups.starts)) - np.repeat(np.cumsum(counts) - counts, counts)
        few = int(counts.max(initial=0)) <= 256
        letters: Any = np.zeros(self.size, np.uint8 if few else np.uint32)
        letters[groups.places] = np.repeat(ranks.astype(letters.dtype), groups.sizes)
        flat: Any = letters.tobytes()
        if not few:
            flat = array("I", flat)
        bounds = zip(self.begins.tolist(), (self.begins + self.lengths).tolist(), strict=True)
        return [flat[start:end] for start, end in bounds]
