"""Answers without hits: which of them are right, and what they are worth by the parameter `empty`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.scorable import Scorable
from neraca.stats.interval import Floats

#: Why a value is not defined where nothing was to be found and nothing was returned.
CORRECT_EMPTY = "correct empty: nothing to find, nothing returned"
NOTHING = "nothing was returned"


@dataclass(frozen=True, eq=False)
class EmptyAnswers:
    """The n answers of a view, of which some have no hits.

    Attributes
    ----------
    empty
        Shape (n,): nothing was returned, or the target failed.
    right
        Shape (n,): nothing was returned, the item expects nothing, and the target did not fail.
    none_expected
        Shape (n,): the item expects nothing.
    undecided
        For each answer why it cannot be evaluated at all, or "".
    """

    empty: NDArray[np.bool_]
    right: NDArray[np.bool_]
    none_expected: NDArray[np.bool_]
    undecided: Sequence[str]

    @classmethod
    def of(cls, part: Scorable, undecided: Sequence[str]) -> EmptyAnswers:
        """Look which answers have no hits."""
        none = np.asarray(part.column("expects", "")) == "none"
        empty = np.asarray(part.column("grades").returned) == 0
        return cls(empty, none & empty & ~np.asarray(part.column("failed", False), dtype=bool), none, undecided)

    @property
    def zero_or_nan(self) -> Floats:
        """What a share of no hits is, shape (n,): 0 of an empty answer, else (no hit is judged) not defined."""
        return np.where(self.empty, 0.0, math.nan)

    def settled(self, values: Floats, policy: str) -> Floats:
        """Give empty answers what they are worth; shapes (n,) -> (n,).

        Parameters
        ----------
        values
            Of all answers by the metric's formula.
        policy
            One of `neraca.metrics.metric.EMPTY`.

        Examples
        --------
        >>> answers = EmptyAnswers(*np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0]], dtype=bool), [""] * 4)
        >>> answers.settled(np.array([0, 0, 0, 0.5]), "expected")  # a right empty, a false one, junk, hits
        array([nan, 0. , 0. , 0.5])
        >>> answers.settled(np.array([0, 0, 1, 0.5]), "correct")  # also junk that somebody grades as relevant is 0
        array([1. , 0. , 0. , 0.5])
        """
        if policy == "expected":
            return np.where(self.right, math.nan, values)
        if policy in ("skip", "zero"):
            return np.where(self.empty, math.nan if policy == "skip" else 0.0, values)
        return np.where(self.right, 1.0, np.where(self.none_expected, 0.0, values))  # whatever grade a hit got

    def reasons(self, values: Floats) -> list[str]:
        """For each answer why it has no value, or "": it has one, or has none for the metric's usual reason."""
        undefined = np.isnan(values)
        reasons = zip(self.undecided, (undefined & self.right).tolist(), (undefined & self.empty).tolist(), strict=True)
        return [why or (CORRECT_EMPTY if right else NOTHING if empty else "") for why, right, empty in reasons]
