"""Grades of documents as columns, so that millions need little memory; one item becomes a mapping on demand."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Grades(Mapping[str, Mapping[str, float]]):
    """Item id → document id → grade; the documents of an item become a mapping when they are asked for.

    Parameters
    ----------
    rows
        Item id → row of the item.
    starts
        Shape (n + 1,): index of the first document of each item, and finally the number of documents.
    abouts
        Shape (p,): `hit:ID` of each document.
    grade
        Shape (p,): the grade of each document.

    Examples
    --------
    >>> grades = Grades.joined([{"q1": {"hit:a": 1, "hit:b": 0}}, {"q2": {"hit:a": 2}}])
    >>> grades["q1"], grades.top, len(grades)
    ({'a': 1.0, 'b': 0.0}, 2.0, 2)
    """

    def __init__(self, rows: Mapping[str, int], starts: Sequence[int], abouts: Sequence[str], grade: Floats) -> None:
        self._rows = rows
        self._starts = starts
        self._abouts = abouts
        self._grade = grade

    @classmethod
    def joined(cls, blocks: Iterable[Mapping[str, Mapping[str, float]]]) -> Self:
        """Join blocks of item id → `hit:ID` → grade; no item may be in two blocks.

        The strings are not copied: a table of verdicts and its grades share them.
        """
        rows: dict[str, int] = {}
        starts, grade, abouts = array("q", [0]), array("d"), list[str]()
        for block in blocks:
            for item, grades_by_document in block.items():
                rows[item] = len(rows)
                abouts.extend(grades_by_document)
                grade.extend(grades_by_document.values())
                starts.append(len(grade))
        return cls(rows, starts, abouts, np.frombuffer(grade, dtype=np.float64))

    def __getitem__(self, item: str) -> dict[str, float]:
        row = self._rows[item]
        start, end = self._starts[row], self._starts[row + 1]
        docs = [about[4:] for about in self._abouts[start:end]]  # without "hit:"
        return dict(zip(docs, self._grade[start:end].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, item: object) -> bool:
        return item in self._rows

    @property
    def top(self) -> float:
        """The largest grade, at least 0."""
        return float(self._grade.max(initial=0.0))

    def of(self, items: Iterable[str]) -> Iterator[list[float]]:
        """Yield the grades of the documents of each item; empty for an unknown item."""
        for item in items:
            row = self._rows.get(item)
            yield [] if row is None else self._grade[self._starts[row] : self._starts[row + 1]].tolist()
