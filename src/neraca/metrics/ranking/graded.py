"""Columns of grades: of the returned hits, and of all judged documents."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats

Ints = NDArray[np.int64]


class GradedHits(NamedTuple):
    """The m judged hits of n rankings, by ranking and rank.

    Attributes
    ----------
    grade, rank, owner
        Shape (m,): grade, rank from 1, and row of the ranking.  A repeated document has the grade -inf, because it
        gains nothing.  Unjudged hits are in none of the arrays.
    returned
        Shape (n,): the number of hits of each ranking, judged or not.
    """

    grade: Floats
    rank: Ints
    owner: Ints
    returned: Ints

    @classmethod
    def of(cls, hits: Sequence[Sequence[str]], grades: Iterable[Mapping[str, float]]) -> Self:
        """Look up the grade of each document of each ranking.

        >>> GradedHits.of([["a", "x", "a"]], [{"a": 2.0}]).grade
        array([  2., -inf])
        """
        grade, rank, owner, returned = array("d"), array("q"), array("q"), array("q")
        for row, (docs, grade_by_document) in enumerate(zip(hits, grades, strict=True)):
            returned_documents: set[str] = set()
            for place, doc in enumerate(docs, start=1):
                if doc in returned_documents or doc in grade_by_document:
                    grade.append(-np.inf if doc in returned_documents else grade_by_document[doc])
                    rank.append(place)
                    owner.append(row)
                returned_documents.add(doc)
            returned.append(len(docs))
        return cls(*map(np.array, (grade, rank, owner, returned)))


class KnownGrades(NamedTuple):
    """The p judged documents of n items, item by item, best first.

    Attributes
    ----------
    grade, rank, owner
        Shape (p,): grade, rank from 1 in this ideal order, and row of the ranking.
    top
        The largest grade in the whole collection, at least 1.
    """

    grade: Floats
    rank: Ints
    owner: Ints
    top: float

    @classmethod
    def of(cls, grades: Iterable[Iterable[float]], top: float) -> Self:
        """Sort the grades of each item.

        >>> KnownGrades.of([[0, 2], [1]], 2).grade
        array([2., 0., 1.])
        """
        flat, lengths = array("d"), array("q")
        for grade_by_document in grades:
            before = len(flat)
            flat.extend(sorted(grade_by_document, reverse=True))
            lengths.append(len(flat) - before)
        return cls.sorted(np.array(flat), np.array(lengths), top)

    @classmethod
    def sorted(cls, grade: Floats, lengths: Ints, top: float) -> Self:
        """Return the known grades from sorted grades and the number of them in each ranking."""
        owner = np.repeat(np.arange(len(lengths)), lengths)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        return cls(grade, rank, owner, top)
