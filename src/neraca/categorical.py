"""A column of words of which many recur, as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Codes(dict[str, int]):
    """Word → number from 0, given at the first question.

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
        known = Codes()
        codes = np.array([known[word] for word in column], dtype=np.int32)
        return cls(tuple(known), codes)

    @classmethod
    def joined(cls, columns: Sequence[Self]) -> Self:
        """Put several columns below each other."""
        known = Codes()
        renamed = [np.array([known[word] for word in column.words], dtype=np.int32) for column in columns]
        parts = [codes[column.codes] for codes, column in zip(renamed, columns, strict=True) if len(column)]
        return cls(tuple(known), np.concatenate([np.zeros(0, np.int32), *parts]))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.words[int(self.codes[row])]

    def take(self, rows: Any) -> Self:
        """The column of some rows only."""
        return type(self)(self.words, self.codes[rows])

    def compact(self) -> Self:
        """The same rows with no other words than theirs.

        >>> column = Categorical.of("abc").take([2, 0]).compact()
        >>> column.words, column.codes.tolist()
        (('a', 'c'), [1, 0])
        """
        used, codes = np.unique(self.codes, return_inverse=True)
        return type(self)(tuple(self.words[code] for code in used.tolist()), codes.astype(np.int32))

    def where(self, holds: Sequence[bool] | NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row whether something holds of its word, given for each word; shape (n,)."""
        return np.asarray(holds, dtype=bool)[self.codes] if self.words else np.zeros(0, dtype=bool)
