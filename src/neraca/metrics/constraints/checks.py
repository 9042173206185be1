"""The view of constraint verdicts: for every hit of every answer which of its constraints pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.batch import Batch
from neraca.stats.interval import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Checks:
    """Verdicts on hits as flat arrays: n answers, h hits, c checks.

    Attributes
    ----------
    value
        Shape (c,): 1 pass, 0 fail, NaN missing.
    aspect
        Shape (c,): the constraint's name.
    hit
        Shape (c,): the row of the hit.
    owner
        Shape (h,): the row of the answer of each hit; a document returned twice is one hit here.
    expects
        For each answer what its item expects: `results`, `none`, or "".
    failed
        Shape (n,): the target gave no answer; hits that came before it failed do not count.
    unscored
        For each answer why it cannot be scored, or "".
    """

    value: Floats
    aspect: NDArray[np.str_]
    hit: Ints
    owner: Ints
    expects: NDArray[np.str_]
    failed: NDArray[np.bool_]
    unscored: Sequence[str]

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Collect the verdicts on the hits of a batch for the constraints of each item."""
        value: list[float] = []
        aspect: list[str] = []
        hit: list[int] = []
        owner: list[int] = []
        for row, (item, answer) in enumerate(batch.pairs):
            opinions = batch.opinions.get((item.id, answer.trial), {})
            for doc in dict.fromkeys(found.id for found in answer.hits if not answer.failed):
                for name in item.constraints:
                    verdict = opinions.get((f"hit:{doc}", name))
                    if verdict is not None:
                        value.append(np.nan if verdict.value is None else verdict.value)
                        aspect.append(name)
                        hit.append(len(owner))
                owner.append(row)
        return cls(
            np.array(value, dtype=np.float64),
            np.array(aspect, dtype=np.str_),
            np.array(hit, dtype=np.int64),
            np.array(owner, dtype=np.int64),
            np.array([item.expected for item, _ in batch.pairs], dtype=np.str_),
            np.array([answer.failed for _, answer in batch.pairs], dtype=bool),
            batch.why_not(),
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.unscored)

    def per_hit(self, values: Floats) -> Floats:
        """Sum over the checks of each hit, shapes (c,) -> (h,)."""
        return np.bincount(self.hit, weights=values, minlength=len(self.owner)).astype(np.float64, copy=False)

    def per_answer(self, values: Floats) -> Floats:
        """Sum over the hits of each answer, shapes (h,) -> (n,)."""
        return np.bincount(self.owner, weights=values, minlength=self.n).astype(np.float64, copy=False)


def ratio(sums: Floats) -> Floats:
    """The total of (part, whole) counts: part / whole; NaN where whole is 0.  Shapes (..., 2) -> (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = sums[..., 0] / sums[..., 1]
    return result


def counts(part: Floats, whole: Floats) -> Floats:
    """Counts per answer, shape (n, 2), with NaN where there is nothing to divide by."""
    return np.where((whole > 0)[:, None], np.column_stack([part, whole]), np.nan)
