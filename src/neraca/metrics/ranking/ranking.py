"""The view that all ranking metrics share: grades of the returned hits in rank order, as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.batch import Batch
from neraca.records import Hit
from neraca.stats.interval import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
    """Grades of what was returned, and of all that is known, for n answers.

    Attributes
    ----------
    grades, lengths
        Grades of the returned hits, in rank order, one answer after the other: shape (m,), with lengths (n,)
        summing to m.  NaN: judged by nobody.  A document that stood higher already has -inf: it gains nothing.
    pool, pool_lengths
        All judged grades of each answer's item, best first.
    expects
        For each answer what its item expects: `results`, `none`, or "" where nobody said.
    failed
        Shape (n,): the target gave no answer; it counts as an empty one, whatever came before it failed.
    undecided
        Why nobody can say anything of an answer, or "".
    unscored
        The same, and besides it the correct empties, of which no ranking metric is defined.
    """

    grades: Floats
    lengths: Ints
    pool: Floats
    pool_lengths: Ints
    expects: NDArray[np.str_]
    failed: NDArray[np.bool_]
    undecided: Sequence[str]
    unscored: Sequence[str]

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Look up the grade of every hit of a batch."""
        known = [batch.relevance.grades.get(item.id) for item, _ in batch.pairs]
        hits = [() if answer.failed else answer.hits for _, answer in batch.pairs]
        expects = [item.expected for item, _ in batch.pairs]
        undecided = batch.why_not()
        unscored = list(undecided)
        for row, (_, answer) in enumerate(batch.pairs):
            if undecided[row]:
                continue
            if known[row] is None and not expects[row]:
                undecided[row] = unscored[row] = "nobody judged its hits, and what it expects is not said"
            elif known[row] is None and expects[row] == "results" and hits[row]:
                undecided[row] = unscored[row] = "nobody judged its hits"
            elif expects[row] == "none" and not hits[row] and not answer.failed:
                unscored[row] = "correct empty: nothing to find, nothing returned"
        return cls(
            *_flat([_grades(found, grades or {}) for found, grades in zip(hits, known, strict=True)]),
            *_flat([sorted((grades or {}).values(), reverse=True) for grades in known]),
            np.array(expects, dtype=np.str_),
            np.array([answer.failed for _, answer in batch.pairs], dtype=bool),
            undecided,
            unscored,
        )

    @cached_property
    def owner(self) -> Ints:
        """For each hit the row of its answer, shape (m,)."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def rank(self) -> Ints:
        """For each hit its rank, from 1, shape (m,)."""
        return _ranks(self.lengths)

    @cached_property
    def pool_owner(self) -> Ints:
        """For each judged document the row of the answer, shape as `pool`."""
        return np.repeat(np.arange(len(self.pool_lengths)), self.pool_lengths)

    @cached_property
    def pool_rank(self) -> Ints:
        """For each judged document its rank in the ideal order, from 1."""
        return _ranks(self.pool_lengths)

    def relevant(self, rel: float, at: int = 0) -> Floats:
        """1 for each hit with a grade of at least `rel` in the first `at` ranks (0: all), else 0; shape (m,)."""
        good = self.grades >= rel
        return (good & (self.rank <= at) if at else good).astype(np.float64)

    def known_relevant(self, rel: float) -> Floats:
        """How many judged documents have a grade of at least `rel`, shape (n,)."""
        return np.bincount(self.pool_owner, weights=self.pool >= rel, minlength=len(self.lengths)).astype(
            np.float64, copy=False
        )

    def sum(self, values: Floats) -> Floats:
        """Sum over the hits of each answer, shapes (m,) -> (n,)."""
        return np.bincount(self.owner, weights=values, minlength=len(self.lengths)).astype(np.float64, copy=False)


def _grades(hits: Iterable[Hit], known: Mapping[str, float]) -> list[float]:
    """Grade of each hit; a document that stood higher already brings nothing new: -inf."""
    seen: set[str] = set()
    found = []
    for hit in hits:
        found.append(-np.inf if hit.id in seen else known.get(hit.id, np.nan))
        seen.add(hit.id)
    return found


def _flat(lists: Sequence[Sequence[float]]) -> tuple[Floats, Ints]:
    return (
        np.array([value for part in lists for value in part], dtype=np.float64),
        np.array([len(part) for part in lists], dtype=np.int64),
    )


def _ranks(lengths: Ints) -> Ints:
    starts = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(starts, lengths) + 1
