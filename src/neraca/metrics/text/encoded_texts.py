"""Texts as arrays of numbers: each different word has one number in all texts."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress, count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.text.tokenizer import MARK, Tokenizer

if TYPE_CHECKING:
    import polars as pl

Ints = NDArray[np.int64]
#: Above this number of characters polars splits texts: it then saves 3 ms, and importing it takes 100 ms or more.
FEWEST_FOR_POLARS = 200_000


@dataclass(frozen=True)
class EncodedTexts:
    """The words of k texts, one text after the other: t words, v different ones.

    Attributes
    ----------
    ids
        Shape (t,), int32: the number of each word, below v.
    starts
        Shape (k + 1,), int64: text i is `ids[starts[i]:starts[i + 1]]`.
    vocabulary
        The v words by number.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    vocabulary: list[str]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Words of each text, shape (k,)."""
        return np.diff(self.starts)

    def changed(self, change: Callable[[list[str]], list[str]]) -> EncodedTexts:
        """Change each word to another word by a function of all words.

        >>> spellings(["A a", "b"]).changed(lambda words: [word.lower() for word in words]).ids.tolist()
        [0, 0, 1]
        """
        table, vocabulary = _numbered(change(self.vocabulary))
        return EncodedTexts(table[self.ids], self.starts, vocabulary)

    def frequencies(self, places: Sequence[int]) -> dict[str, int]:
        """Return, for each word of the texts at these places, the number of these texts that contain it.

        >>> spellings(["to be", "not to be", "or not"]).frequencies([0, 1])
        {'to': 2, 'be': 2, 'not': 1}
        """
        chosen = np.zeros(len(self.starts) - 1, bool)
        chosen[places] = True
        in_chosen = np.repeat(chosen, self.lengths)
        owner = np.repeat(np.arange(len(chosen)), self.lengths)[in_chosen]
        size = max(len(self.vocabulary), 1)
        words = np.unique(owner * size + self.ids[in_chosen]) % size
        counts = np.bincount(words, minlength=len(self.vocabulary)).tolist()
        return {word: count for word, count in zip(self.vocabulary, counts, strict=True) if count}


def spellings(texts: Sequence[str]) -> EncodedTexts:
    """Split texts at spaces and encode the parts.

    >>> encoded = spellings(["to be or", "not  to be"])
    >>> [encoded.vocabulary[number] for number in encoded.ids]
    ['to', 'be', 'or', 'not', '', 'to', 'be']
    """
    lists = _split_by_polars(texts) if sum(map(len, texts)) > FEWEST_FOR_POLARS else None
    if lists is None:
        split_texts = [text.split(" ") for text in texts]
        numbers, vocabulary = _numbered(chain.from_iterable(split_texts))
        lengths = np.fromiter(map(len, split_texts), np.int64, len(split_texts))
        return EncodedTexts(numbers, _starts(lengths), vocabulary)
    import polars as pl

    starts = _starts(lists.list.len().to_numpy())
    flat = lists.explode()
    codes = flat.cast(pl.Categorical(pl.Categories.random())).to_physical().to_numpy()
    first = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the first place of a code is written last
    used = np.flatnonzero(first >= 0)
    number = np.zeros(len(first), np.int32)
    number[used] = np.arange(len(used))
    return EncodedTexts(number[codes], starts, flat.gather(first[used]).to_list())


def _split_by_polars(texts: Sequence[str]) -> pl.Series | None:
    """Split each text at spaces; None if a text has half of a surrogate pair, which polars cannot hold."""
    import polars as pl

    try:
        return pl.Series(texts, dtype=pl.String).str.split(" ")
    except UnicodeEncodeError:
        return None


def tokenize(spelt: EncodedTexts, readings: Sequence[Tokenizer]) -> EncodedTexts:
    """Tokenize texts from their encoded spellings, each text with its own tokenizer.

    >>> encoded = tokenize(spellings(["To be, or", "(not) to be"]), [Tokenizer.of("word")] * 2)
    >>> [encoded.vocabulary[number] for number in encoded.ids]
    ['to', 'be', 'or', 'not', 'to', 'be']
    """
    place_of_tokenizer = {reading: tokenizer_place for tokenizer_place, reading in enumerate(dict.fromkeys(readings))}
    keys: NDArray[np.integer]
    if len(place_of_tokenizer) <= 1:
        keys, used = spelt.ids, np.arange(len(spelt.vocabulary))
    else:
        of_text = np.fromiter(map(place_of_tokenizer.__getitem__, readings), np.int64, len(readings))
        keys = spelt.ids + np.repeat(of_text, spelt.lengths) * len(spelt.vocabulary)
        used, keys = np.unique(keys, return_inverse=True)
    size = max(len(spelt.vocabulary), 1)
    number: dict[str, int] = defaultdict(count().__next__)
    parts, counts, first = [np.zeros(0, np.int32)], np.zeros(len(used), np.int64), np.zeros(len(used), np.int64)
    for tokenizer_place, reading in enumerate(place_of_tokenizer):
        of_tokenizer = slice(*np.searchsorted(used, [tokenizer_place * size, tokenizer_place * size + size]).tolist())
        chosen = [spelt.vocabulary[key] for key in (used[of_tokenizer] - tokenizer_place * size).tolist()]
        word_numbers, counts[of_tokenizer], first[of_tokenizer] = _spelt(reading, chosen, number)
        first[of_tokenizer] += sum(map(len, parts))
        parts.append(word_numbers)
    vocabulary, table = list(number), np.concatenate(parts)
    first, many = first[keys], counts[keys]
    if len(many) and bool((many == 1).all()):
        return EncodedTexts(table[first], spelt.starts, vocabulary)
    ends = _starts(many)
    first -= ends[:-1]
    places = np.repeat(first, many)
    places += np.arange(len(places))
    return EncodedTexts(table[places], ends[spelt.starts], vocabulary)


def _spelt(reading: Tokenizer, spellings: list[str], number: dict[str, int]) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Return the numbers of the words of spellings, and the number of words and first place of each spelling.

    ASCII spellings are tokenized together, and come first.
    """
    plain = np.fromiter(map(str.isascii, spellings), np.bool_, len(spellings))
    ascii_words = reading.together(list(compress(spellings, plain)))
    plain &= ascii_words is not None
    other_words = list(map(reading.spelt, compress(spellings, ~plain)))
    words = chain(ascii_words or (), *other_words)
    ids = np.fromiter(map(number.__getitem__, words), np.int32)
    lengths = np.fromiter(map(len, other_words), np.int64, len(other_words))
    counts, first = np.zeros(len(spellings), np.int64), np.zeros(len(spellings), np.int64)
    marks = np.flatnonzero(ids[: len(ascii_words or ())] == number[MARK])
    counts[plain], first[plain] = np.diff(marks, append=len(ascii_words or ())) - 1, marks + 1
    counts[~plain], first[~plain] = lengths, len(ascii_words or ()) + np.cumsum(lengths) - lengths
    return ids, counts, first


def characters(texts: Sequence[str]) -> EncodedTexts:
    """Encode the characters of texts without white space.

    >>> encoded = characters(["a b", "b"])
    >>> [encoded.vocabulary[number] for number in encoded.ids], encoded.lengths.tolist()
    (['a', 'b', 'b'], [2, 1])
    """
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    used = np.zeros(sys.maxunicode + 1, np.bool_)
    used[codes] = True
    letters = [letter for letter in map(chr, np.flatnonzero(used).tolist()) if not letter.isspace()]
    number = np.full(len(used), -1, np.int32)
    number[list(map(ord, letters))] = np.arange(len(letters))
    ids = number[codes]
    ends, spaces = _starts(np.fromiter(map(len, texts), np.int64, len(texts))), np.flatnonzero(ids < 0)
    return EncodedTexts(ids[ids >= 0], ends - np.searchsorted(spaces, ends), letters)


def _numbered(words: Iterable[str]) -> tuple[NDArray[np.int32], list[str]]:
    """Return the number of each word, and the different words by number."""
    numbers: dict[str, int] = defaultdict(count().__next__)
    flat = list(map(numbers.__getitem__, words))
    return np.array(flat, np.int32), list(numbers)


def _starts(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
