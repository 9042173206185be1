"""Answers without hits, and refusals: which are right, and what they are worth by the parameter `empty`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats

#: Why a value is not defined where nothing was to be found and nothing was returned.
CORRECT_EMPTY = "correct empty: nothing to find, nothing returned"
NOTHING = "nothing was returned"
REFUSED = "rightly refused: nothing to find, and the answer says so"


@dataclass(frozen=True, eq=False)
class EmptyAnswers:
    """The n answers of a view, of which some have no hits.

    Attributes
    ----------
    empty
        Shape (n,): nothing was returned, or the target failed.
    right
        Shape (n,): nothing was returned, the item expects nothing, and the target neither failed nor answered in words:
        the verdict that counts does not say that its text gives an answer.
    none_expected
        Shape (n,): the item expects nothing.
    refused
        Shape (n,): the item expects nothing, and the answer says so beside its hits: right as an empty one is.
    undecided
        For each answer why it cannot be evaluated at all, or "".
    """

    empty: NDArray[np.bool_]
    right: NDArray[np.bool_]
    none_expected: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    undecided: Sequence[str]

    @classmethod
    def of(cls, part: Scorable, undecided: Sequence[str]) -> EmptyAnswers:
        """Look which answers have no hits."""
        none = np.asarray(part.column("expects", "")) == "none"
        empty = np.asarray(part.column("grades").returned) == 0
        failed = np.asarray(part.column("failed", False), dtype=bool)
        chosen = none & ~failed
        declines, answers = _in_words(part, chosen)
        return cls(empty, chosen & empty & ~answers, none, chosen & ~empty & declines, undecided)

    @property
    def zero_or_nan(self) -> Floats:
        """Return the share of no hits, shape (n,): 0 for an empty answer, else undefined because no hit is judged."""
        return np.where(self.empty, 0.0, math.nan)

    def settled(self, values: Floats, policy: str) -> Floats:
        """Give empty answers what they are worth; shapes (n,) -> (n,).

        Parameters
        ----------
        values
            The values of all answers by the metric's formula.
        policy
            One of `neraca.metrics.metric.EMPTY`.

        Examples
        --------
        >>> table = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
        >>> answers = EmptyAnswers(*np.array(table, dtype=bool), [""] * 4)
        >>> answers.settled(np.array([0, 0, 0, 0]), "expected")  # a right empty, a false one, junk, a refusal
        array([nan,  0.,  0., nan])
        >>> answers.settled(np.array([0, 0, 1, 0]), "correct")  # also junk that somebody grades as relevant is 0
        array([1., 0., 0., 1.])
        """
        right = self.right | self.refused
        if policy == "expected":
            return np.where(right, math.nan, values)
        if policy in ("skip", "zero"):
            unscored = self.empty | self.refused
            return np.where(unscored, math.nan, values) if policy == "skip" else np.where(self.empty, 0.0, values)
        return np.where(right, 1.0, np.where(self.none_expected, 0.0, values))  # whatever grade a hit got

    def reasons(self, values: Floats) -> list[str]:
        """For each answer why it has no value, or "": it has one, or has none for the metric's usual reason."""
        undefined = np.isnan(values)
        words = np.where(undefined & self.empty, NOTHING, "")
        words = np.where(undefined & self.refused, REFUSED, words)
        words = np.where(undefined & self.right, CORRECT_EMPTY, words)
        return [why or word for why, word in zip(self.undecided, words.tolist(), strict=True)]


def _in_words(part: Scorable, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which answers decline and which give an answer, by verdict; none if none was chosen or nobody judged."""
    if not chosen.any() or not part.offers("verdicts"):
        return np.zeros(len(chosen), dtype=bool), np.zeros(len(chosen), dtype=bool)
    from neraca.verdicts.declined import declined  # what a small TREC run need not import

    declines = declined(part.column("verdicts"))
    return declines == 1, declines == 0
