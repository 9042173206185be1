"""Probabilistic interleaving and multileaving: each ranker draws documents by chance, its best ones most often."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from neraca.errors import SpecError
from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown, even, team_credit


@METHODS.register("probabilistic")
class Probabilistic:
    r"""For each rank a ranker is drawn, all with the same chance; it draws a document that is not there yet.

    It draws the document at rank $r$ of its ranking with a probability proportional to $r^{-\tau}$.  A click is shared
    among the rankers by the probability that the document was drawn by each of them, given the list so far: the
    expected credit over all assignments that could have led to this list.  Without the rankings, a click is credited to
    the ranker that did draw the document, which needs more clicks.  Once a ranker has no document left, what the others
    add is of no team.

    Parameters
    ----------
    tau
        How much more often the best documents are drawn; more than 0.

    References
    ----------
    Hofmann, K., Whiteson, S. and de Rijke, M. (2011). A probabilistic method for inferring preferences from clicks.
    CIKM, 249-258.  Schuth, A. et al. (2015). Probabilistic multileave for online retrieval evaluation. SIGIR, 955-958.

    Examples
    --------
    >>> shown = Shown(["2"], [0], 2, [["1", "2"], ["2", "3"]])
    >>> [round(credit, 4) for credit in Probabilistic().credit(shown, [1])]  # 1/8 and 1 of 1 + 1/8: 1 to 8
    [0.1111, 0.8889]
    """

    most_rankers: ClassVar[int | None] = None
    grows: ClassVar[bool] = True
    needs_rankings: ClassVar[bool] = False
    graded: ClassVar[bool] = True

    def __init__(self, *, tau: float = 3.0) -> None:
        if not tau > 0:
            raise SpecError(f"probabilistic(tau={tau}): tau is more than 0; 3 is usual")
        self._tau = tau

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        left = self._weighted(rankings)
        documents: list[str] = []
        teams: list[int] = []
        while len(documents) < length and any(left):
            able = [ranker for ranker, weights in enumerate(left) if weights]
            ranker = able[choose(even(len(able)))] if len(able) > 1 else able[0]
            names = list(left[ranker])
            document = names[choose(list(left[ranker].values()))] if len(names) > 1 else names[0]
            documents.append(document)
            teams.append(ranker if len(able) == len(left) else NO_TEAM)
            for weights in left:
                weights.pop(document, None)
        return documents, teams

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Share each click by how probably each ranker drew the document; see `Method.credit`."""
        if shown.rankings is None:
            return team_credit(shown, clicked)
        credit = [0.0] * shown.rankers
        for rank, shares in enumerate(self.shares(shown.documents, shown.rankings), start=1):
            if rank in clicked:
                credit = [sum(pair) for pair in zip(credit, shares, strict=True)]
        return credit

    def shares(self, documents: Sequence[str], rankings: Rankings) -> Iterator[list[float]]:
        """Yield for each document the probability that it was drawn by each ranker; zeros where it is of no team."""
        left = self._weighted(rankings)
        for document in documents:
            chances = [weights.get(document, 0.0) / sum(weights.values()) if weights else 0.0 for weights in left]
            total = sum(chances)
            yield [chance / total if all(left) and total else 0.0 for chance in chances]
            for weights in left:
                weights.pop(document, None)

    def _weighted(self, rankings: Rankings) -> list[dict[str, float]]:
        """Document → weight, of each ranker."""
        tau = self._tau
        return [{name: rank**-tau for rank, name in enumerate(ranking, start=1)} for ranking in rankings]
