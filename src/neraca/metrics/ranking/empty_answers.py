"""Answers without hits, and refusals: which of them are right, and what the parameter `empty` makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats

#: Reasons why a value is undefined.
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
        Shape (n,): the item expects nothing, nothing was returned, the target did not fail, and no counting verdict
        says that the text gives an answer.
    none_expected
        Shape (n,): the item expects nothing.
    refused
        Shape (n,): the item expects nothing, and the answer says so although it has hits; it counts as right.
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
        """Find the answers without hits, and the refusals."""
        none = np.asarray(part.column("expects", "")) == "none"
        empty = np.asarray(part.column("grades").returned) == 0
        failed = np.asarray(part.column("failed", False), dtype=bool)
        chosen = none & ~failed
        declining, answering = _in_words(part, chosen)
        return cls(empty, chosen & empty & ~answering, none, chosen & ~empty & declining, undecided)

    @property
    def zero_or_nan(self) -> Floats:
        """The value of a share without judged hits, shape (n,): 0 for an empty answer, otherwise NaN."""
        return np.where(self.empty, 0.0, math.nan)

    def apply_policy(self, values: Floats, policy: str) -> Floats:
        """Replace the values of empty answers and refusals by what a policy says, shapes (n,) -> (n,).

        Parameters
        ----------
        values
            The values of all answers, from the metric's formula.
        policy
            One of `neraca.metrics.definition.EMPTY`.

        Examples
        --------
        >>> table = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
        >>> answers = EmptyAnswers(*np.array(table, dtype=bool), [""] * 4)
        >>> answers.apply_policy(np.array([0, 0, 0, 0]), "expected")  # a right empty, a false one, junk, a refusal
        array([nan,  0.,  0., nan])
        >>> answers.apply_policy(np.array([0, 0, 1, 0]), "correct")  # junk that was graded relevant is 0 too
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
        """Return, for each answer, why its value is NaN; "": it is not, or for the metric's usual reason."""
        undefined = np.isnan(values)
        reasons = np.where(undefined & self.empty, NOTHING, "")
        reasons = np.where(undefined & self.refused, REFUSED, reasons)
        reasons = np.where(undefined & self.right, CORRECT_EMPTY, reasons)
        return [why or reason for why, reason in zip(self.undecided, reasons.tolist(), strict=True)]


def _in_words(part: Scorable, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which answers decline and which answer in words, by verdict; all False if none was chosen or judged."""
    if not chosen.any() or not part.offers("verdicts"):
        return np.zeros(len(chosen), dtype=bool), np.zeros(len(chosen), dtype=bool)
    from neraca.verdicts.declined import declined  # a small TREC run need not import it

    declines = declined(part.column("verdicts"))
    return declines == 1, declines == 0
