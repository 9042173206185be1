"""Success, Coverage, and the outcome of each question, including questions without results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import metric
from neraca.metrics.ranking.empty_answers import EmptyAnswers
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats

OUTCOMES = ("relevant", "none relevant", "correct empty", "rightly refused", "false empty", "failed")


@dataclass(frozen=True)
class Outcomes:
    """Rankings in which correct empty answers are scored, because they are a success.

    Attributes
    ----------
    ranking
        The ranking view.
    unscored
        The reason why an answer has no outcome, or "".
    """

    needs: ClassVar[tuple[str, ...]] = Ranking.needs
    ranking: Ranking
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look at these answers."""
        ranking = part.view(Ranking)
        return cls(ranking, ranking.undecided)

    @property
    def empties(self) -> EmptyAnswers:
        """The empty answers, and what they are worth."""
        return self.ranking.empties

    def names(self, rel: float = 1, at: int = 0) -> NDArray[np.str_]:
        """Return one of `OUTCOMES` for each answer, or "" if it is unscored; shape (n,).

        An empty answer is correct if the item expects none, otherwise it is a false empty.  For an item that expects
        none, no hit is relevant, whatever its grade, and an answer in words is not relevant either.  If such an answer
        says that there is nothing, it is rightly refused, whatever hits it has.
        """
        has_relevant = (self.ranking.sum(self.ranking.relevant(rel, at)) > 0) & (self.ranking.expects != "none")
        empty = self.ranking.returned == 0
        names = np.where(has_relevant, "relevant", "none relevant")
        empty_names = np.where(self.ranking.expects == "none", "none relevant", "false empty")
        names = np.where(empty, np.where(self.empties.right, "correct empty", empty_names), names)
        names = np.where(self.empties.refused, "rightly refused", names)
        names = np.where(self.ranking.failed, "failed", names)
        return np.where([bool(why) for why in self.unscored], "", names)


@metric(
    "Success",
    empty="correct",
    not_for="where how many are relevant, or how high they stand, matters: `P`, `RR`",
    binary=True,
)
def success(outcomes: Outcomes, *, at: int = 0, rel: float = 1) -> Floats:
    r"""1 if a relevant hit is among the first k (all without a cutoff), 1 for a correct empty answer, else 0.

    $$ \max_{i \le k} r_i $$

    with $r_i$ 1 where the hit at rank i is relevant, else 0.  If none are expected, no hit is relevant, whatever its
    grade; an answer that then says that there is nothing counts 1, whatever hits it has.

    References
    ----------
    Craswell, N. and Hawking, D. (2004). Overview of the TREC web track (success@k).

    Examples
    --------
    >>> from neraca.metrics.ranking.example import ranking
    >>> view = ranking([0, 0, 1])
    >>> success(Outcomes(view, view.undecided)), success(Outcomes(view, view.undecided), at=2)
    (array([1.]), array([0.]))
    """
    return np.isin(outcomes.names(rel, at), ("relevant", "correct empty", "rightly refused")).astype(np.float64)


@dataclass(frozen=True)
class Returned:
    """The number of hits of each answer, judged or not.

    Attributes
    ----------
    lengths
        Shape (n,); 0 for an answer that failed.
    unscored
        The reason why an answer cannot be counted, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("grades",)
    lengths: NDArray[np.int64]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look at these answers."""
        return cls(part.column("grades").returned, part.why_not("hits"))


@metric(
    "Coverage",
    kind="diagnostic",
    not_for="to say which run is better: returning junk raises it, a diagnostic",
    binary=True,
)
def coverage(returned: Returned) -> Floats:
    """1 if anything was returned, else 0: its mean is the share of items with results.

    $$ [h > 0] $$

    with h hits; a bracket is 1 where it is true.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> coverage(Returned(np.array([3, 0]), ["", ""]))
    array([1., 0.])
    """
    return (returned.lengths > 0).astype(np.float64)
