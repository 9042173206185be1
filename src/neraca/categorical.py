"""Store a column of repeated words as numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Codes(dict[str, int]):
    """Word → number from 0, assigned at the first look-up.

    >>> codes = Codes()
    >>> [codes[word] for word in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self)
        return code


@dataclass(frozen=True, eq=False)
class Categorical:
    """n words: `words[codes[row]]` is the word of a row.

    >>> column = Categorical.of(["a", "b", "a"])
    >>> column.words, column.codes.tolist(), column[2]
    (('a', 'b'), [0, 1, 0], 'a')
    """

    words: tuple[str, ...]
    codes: NDArray[np.signedinteger[Any]]

    @classmethod
    def of(cls, column: Iterable[str]) -> Self:
        """Number the words in the order of their first occurrence."""
        codes_by_word = Codes()
        codes = np.array([codes_by_word[word] for word in column], dtype=np.int32)
        return cls(tuple(codes_by_word), codes)

    @classmethod
    def joined(cls, columns: Sequence[Self]) -> Self:
        """Put several columns below each other."""
        codes_by_word = Codes()
        new_codes = [np.array([codes_by_word[word] for word in column.words], dtype=np.int32) for column in columns]
        parts = [codes[column.codes] for codes, column in zip(new_codes, columns, strict=True) if len(column)]
        return cls(tuple(codes_by_word), np.concatenate([np.zeros(0, np.int32), *parts]))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.words[int(self.codes[row])]

    def take(self, rows: Any) -> Self:
        """Return the column of these rows."""
        return type(self)(self.words, self.codes[rows])

    def compact(self) -> Self:
        """Return the same rows without unused words.

        >>> column = Categorical.of("abc").take([2, 0]).compact()
        >>> column.words, column.codes.tolist()
        (('a', 'c'), [1, 0])
        """
        used, codes = np.unique(self.codes, return_inverse=True)
        return type(self)(tuple(self.words[code] for code in used.tolist()), codes.astype(np.int32))

    def where(self, test: Callable[[str], object]) -> NDArray[np.bool_]:
        """Return the mask of the rows whose word passes a test, shape (n,)."""
        mask: NDArray[np.bool_] = np.array([bool(test(word)) for word in self.words], dtype=bool)[self.codes]
        return mask

    def isin(self, words: Collection[str]) -> NDArray[np.bool_]:
        """Return the mask of the rows whose word is one of these, shape (n,)."""
        return self.where(words.__contains__)
