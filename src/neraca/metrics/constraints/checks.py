"""The view of constraint verdicts: which constraints each hit of each answer passes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.declined import declined

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Checks:
    """Verdicts on constraints as flat arrays: n answers, h hits, c checks.

    Attributes
    ----------
    value
        Shape (c,): 1 pass, 0 fail, NaN missing.
    aspect
        Shape (c,): the constraint's name.
    hit
        Shape (c,): the row of the hit.
    owner
        Shape (h,): the row of each hit's answer; a document that was returned twice is one hit.
    expects
        Shape (n,): what the item expects: `results`, `none`, or "".
    declined
        Shape (n,): the answer declines to answer.
    failed
        Shape (n,): the target failed; hits that came before the failure do not count.
    unscored
        For each answer why it cannot be scored, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("verdicts", "constraints")
    value: Floats
    aspect: Categorical
    hit: Ints
    owner: Ints
    expects: NDArray[np.str_]
    declined: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Collect the verdicts on the hits for the constraints of each item."""
        verdicts: AnswerVerdicts = part.column("verdicts")
        abouts, owner = _distinct_hits(part.column("hits"), verdicts.table.about)
        rows = _on_constraints(verdicts, part.column("constraints"))
        hit = _hits_of(verdicts, rows, abouts, owner)
        order = np.argsort(hit, kind="stable")[np.count_nonzero(hit < 0) :]
        rows, aspects = rows[order], verdicts.table.aspect
        value, failed = verdicts.table.value[rows], part.column("failed")
        refused = declined(verdicts) == 1
        return cls(
            value, aspects.take(rows), hit[order], owner, part.column("expects"), refused, failed, part.why_not("hits")
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.unscored)

    def on(self, aspect: str) -> NDArray[np.bool_]:
        """Return the mask of the checks of one constraint, shape (c,)."""
        return self.aspect.isin([aspect])

    def per_hit(self, values: Floats) -> Floats:
        """Sum over the checks of each hit, shapes (c,) -> (h,)."""
        return np.bincount(self.hit, weights=values, minlength=len(self.owner)).astype(np.float64, copy=False)

    def per_answer(self, values: Floats) -> Floats:
        """Sum over the hits of each answer, shapes (h,) -> (n,)."""
        return np.bincount(self.owner, weights=values, minlength=self.n).astype(np.float64, copy=False)


def _on_constraints(verdicts: AnswerVerdicts, constraints: Sequence[Sequence[str]]) -> Ints:
    """Return the rows of the counting verdicts whose aspect is a constraint of their item."""
    has_constraint: dict[str, NDArray[np.bool_]] = {}
    for answer, names in enumerate(constraints):
        for name in names:
            has_constraint.setdefault(name, np.zeros(len(constraints), dtype=bool))[answer] = True
    rows = verdicts.rows[verdicts.answer[verdicts.rows] >= 0]
    aspects, chosen = verdicts.table.aspect, np.zeros(len(rows), dtype=bool)
    for code, name in enumerate(aspects.words):
        if name in has_constraint:
            chosen |= (aspects.codes[rows] == code) & has_constraint[name][verdicts.answer[rows]]
    return rows[chosen]


def _distinct_hits(hits: Iterable[Sequence[str]], about: Categorical) -> tuple[Ints, Ints]:
    """Return the code of each returned document in the verdict table (-1: no verdict), and its answer."""
    codes = {word: code for code, word in enumerate(about.words)}
    abouts, lengths = array("q"), array("q")
    for docs in hits:
        distinct = dict.fromkeys(docs)
        lengths.append(len(distinct))
        abouts.extend([codes.get(f"hit:{doc}", -1) for doc in distinct])
    sizes = np.array(lengths, dtype=np.int64)
    return np.array(abouts, dtype=np.int64), np.repeat(np.arange(len(sizes)), sizes)


def _hits_of(verdicts: AnswerVerdicts, rows: Ints, abouts: Ints, owner: Ints) -> Ints:
    """Return, for each of these verdicts, the row of its hit; -1 if the answer has no such hit."""
    about = verdicts.table.about
    keys = owner * (len(about.words) + 1) + abouts + 1
    order = np.argsort(keys, kind="stable")
    query = verdicts.answer[rows] * (len(about.words) + 1) + about.codes[rows] + 1
    place = order[np.minimum(np.searchsorted(keys, query, sorter=order), len(keys) - 1)] if len(keys) else query
    return np.where(keys[place] == query, place, -1) if len(keys) else np.full(len(rows), -1)


def ratio(sums: Floats) -> Floats:
    """Return part / whole of summed (part, whole) counts; NaN where whole is 0.  Shapes (..., 2) -> (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = sums[..., 0] / sums[..., 1]
    return result


def counts(part: Floats, whole: Floats) -> Floats:
    """Return (part, whole) counts, shape (n, 2), with NaN where whole is 0."""
    return np.where((whole > 0)[:, None], np.column_stack([part, whole]), np.nan)
