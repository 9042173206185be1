"""Words of pairs of texts, packed into whole numbers whose order brings equal ones together."""

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

#: A key is a signed number of 64 bits.
BITS = 63
#: Runs of so many words are counted at once where the vocabulary is small; those of letters are asked for up to six.
LETTERS = 6


def bits(numbers: Integers) -> int:
    """Return how many bits the largest of some numbers takes.

    >>> bits(np.array([0, 7])), bits(np.array([8])), bits(np.array([], int))
    (3, 4, 0)
    """
    return int(numbers.max(initial=0)).bit_length()


def inside(sizes: Integers) -> Ints:
    """0, 1, 2 … anew for each size.

    >>> inside(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)


def up_to(numbers: NDArray[Any]) -> Ints:
    """Return the sum of all before each, and of all."""
    counts: Any = np.zeros(len(numbers) + 1, np.int32 if numbers.dtype.itemsize < 8 else np.int64)
    np.cumsum(numbers, out=counts[1:], dtype=counts.dtype)
    return counts  # type: ignore[no-any-return]


def edges_of(keys: Ints) -> Ints:
    """Return where a new key begins in sorted keys, and their end.

    >>> edges_of(np.array([3, 3, 5])).tolist()
    [0, 2, 3]
    """
    new = np.empty(len(keys) + 1, np.bool_)
    new[:1] = new[-1:] = True
    np.not_equal(keys[1:], keys[:-1], out=new[1:-1])
    return np.flatnonzero(new) if len(keys) else np.zeros(1, np.int64)


@dataclass(frozen=True, eq=False)
class Groups:
    """Places of equal words of one pair, brought together: g groups of t places.

    Attributes
    ----------
    places
        Shape (t,): those of a group in their order, so that those in the response come first.
    starts, sizes
        Shape (g,): where each group begins in `places`, and how many it has.
    shared, ours
        Shape (g,): how often both texts have the word, which is as often as the one that has it less often, and how
        often the response has it.
    """

    places: Ints
    starts: Ints
    sizes: Ints
    ours: Ints
    shared: Ints

    @classmethod
    def of(cls, kind: Integers, word: Integers, place: Ints, border: int) -> Groups:
        """Bring together what is of one kind and one word, shapes (t,).

        Places are given in their order; those from `border` on are of references.
        """
        low, wide = bits(place), bits(word)
        if low + wide + bits(kind) > BITS:  # one pair of millions of words
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
        """Places in the response, and of their partners in the reference: the last goes with the last of the same."""
        shared_groups = np.flatnonzero(self.shared)
        many = self.shared[shared_groups]
        ones = np.repeat(self.starts[shared_groups] + self.ours[shared_groups] - many, many) + inside(many)
        return self.places[ones], self.places[
            ones + np.repeat(self.sizes[shared_groups] - self.ours[shared_groups], many)
        ]

    def numbered(self, size: int) -> Ints:
        """For each of `size` places the number of its group among those that both texts have, from 1; 0: of none."""
        in_both = self.shared > 0
        numbers = np.zeros(size, np.int64)
        numbers[self.places] = np.repeat(np.cumsum(in_both) * in_both, self.sizes)
        return numbers


class PairBlock:
    """Some pairs, all of whose words are sorted at once: p pairs of t words.

    The responses stand one after the other, then the references; after each text one place is empty, so that a run
    of words ends there.

    Attributes
    ----------
    pairs
        The number of them.
    lengths
        Words of each response, then of each reference, shape (2p,).
    begins
        The place of the first word of each, shape (2p,).
    word, pair, place
        The number, the pair and the place of each word, shape (t,).
    border
        The place where the references begin.
    size
        Number of places, with the empty ones.
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
        """Equal words of each pair."""
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
        """Sums for each pair, shape (p,)."""
        return np.bincount(pairs, weights, self.pairs).astype(np.float64, copy=False)

    def same(self) -> NDArray[np.bool_]:
        """Return whether the two texts of each pair have the same words in the same order, shape (p,)."""
        equal_pairs: NDArray[np.bool_] = self.lengths[: self.pairs] == self.lengths[self.pairs :]
        in_equal_length, in_response = equal_pairs[self.pair], self.place < self.border
        one, other = self.word[in_equal_length & in_response], self.word[in_equal_length & ~in_response]
        equal_pairs[self.pair[in_equal_length & in_response][one != other]] = False
        return equal_pairs

    def chunks(self, ones: Ints, others: Ints) -> NDArray[np.float64]:
        """Return how many partners each pair has, and in how many runs of neighbours they stand, shape (2, p)."""
        partner = np.full(self.size, -9, np.int64)
        partner[ones] = others
        follows = partner[ones + 1] == others + 1
        pairs = self.pair_at[ones]
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
        """Equal runs of 1, 2 … words, each at its first place.

        A run of n words is a run of n - 1 and a word after it; none is shared that begins or ends with what is not.
        """
        groups = self.groups
        words = before = groups.numbered(self.size)
        yield groups
        for n in count(1):
            ends = words[n:]
            at = np.flatnonzero((before[: len(ends)] > 0) & (ends > 0))
            groups = Groups.of(before[at], ends[at], at, self.border)
            before = groups.numbered(self.size)
            yield groups

    def matches(self) -> Iterator[NDArray[np.float64]]:
        """Return how many runs of 1, 2 … words each pair shares, shape (p,) each."""
        wide, known = bits(self.word + 1), 0
        if int(self.pairs).bit_length() + wide * LETTERS + 1 <= BITS:
            yield from self._packed(wide, LETTERS)
            known = LETTERS
        for groups in islice(self.runs(), known, None):
            yield self.per_pair(self.pair_at[groups.first], groups.shared)

    def _packed(self, wide: int, top: int) -> NDArray[np.float64]:
        """`matches` up to `top` words of a small vocabulary, such as letters: numbers of `wide` bits, shape (top, p).

        A key is the pair, the run that begins at a place, and on which side it is.  Sorted, equal runs of any length
        stand together, and the groups of runs of n words are those of runs of n + 1 words put together.
        """
        code = np.zeros(self.size + top, np.int64)
        code[self.place] = self.word + 1
        part = code[: self.size]
        keys = self.pair_at << wide | part
        for n in range(1, top):
            part = code[n : n + self.size] * (part > 0)  # no run goes over the end of a text
            keys <<= wide
            keys |= part
        keys <<= 1
        keys[self.border :] |= 1
        keys = keys[code[: self.size] > 0]
        keys.sort()
        counts = up_to(np.array([1, 1 << 32])[keys & 1])  # those of both sides in one number
        keys >>= 1
        found, first = np.zeros((top, self.pairs)), np.arange(self.pairs + 1)
        for n in range(top, 0, -1):
            edges = edges_of(keys)
            counts, keys = counts[edges], keys[edges[:-1]]
            sides = np.diff(counts).view(np.int32)
            shared = np.minimum(sides[::2], sides[1::2])
            shared *= (keys & (1 << wide) - 1) > 0
            found[n - 1] = np.diff(up_to(shared)[np.searchsorted(keys, first << wide * n)])
            keys >>= wide
        return found

    def sequences(self) -> list[Any]:
        """Each text, responses first, as a sequence in which words that are equal in a pair are one letter."""
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
