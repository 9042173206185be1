"""Probabilistic interleaving and multileaving: rankers draw documents at random, their best ones most often."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from neraca.errors import SpecError
from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown, even, team_credit


@METHODS.register("probabilistic")
class Probabilistic:
    r"""The probabilistic method: at each rank, a random ranker draws a document that is not in the list yet.

    Each ranker is equally likely.  It draws the document at rank $r$ of its ranking with probability proportional to
    $r^{-\tau}$.  The first `depth` documents of the list are drawn from the first `depth` of each ranking, the next
    `depth` from the first 2 `depth`, and so on.  So a list begins in the same way if the rankings are longer, as they
    are for a second page.

    A click is shared among the rankers by the probability that each of them drew the document, given the list so far:
    the expected credit over all assignments that could have led to this list.  If the rankings are unknown, a click is
    credited to the ranker that drew the document, which needs more clicks.  Once a ranker has no document left, the
    documents that others add have no team.

    Parameters
    ----------
    tau
        Preference for the best documents, above 0: the larger, the more often they are drawn.
    depth
        Number of documents that each ranking must have for each page, unless it has no more.

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
    balances_first: ClassVar[bool] = True

    def __init__(self, *, tau: float = 3.0, depth: int = 10) -> None:
        if not tau > 0:
            raise SpecError(f"probabilistic(tau={tau}): tau must be above 0; 3 is usual")
        if depth < 1:
            raise SpecError(f"probabilistic(depth={depth}): depth must be at least 1; 10 is usual")
        self._tau, self._depth = tau, depth

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        documents: list[str] = []
        teams: list[int] = []
        for remaining in self._urns(rankings, documents, length):
            with_documents = [ranker for ranker, weights in enumerate(remaining) if weights]
            if not with_documents:
                break
            ranker = with_documents[choose(even(len(with_documents)))] if len(with_documents) > 1 else with_documents[0]
            names = list(remaining[ranker])
            document = names[choose(list(remaining[ranker].values()))] if len(names) > 1 else names[0]
            documents.append(document)
            teams.append(ranker if len(with_documents) == len(remaining) else NO_TEAM)
        return documents, teams

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Share each click by the probability that each ranker drew the document; see `Method.credit`."""
        if shown.rankings is None:
            return team_credit(shown, clicked)
        credit = [0.0] * shown.rankers
        for rank, shares in enumerate(self.shares(shown.documents, shown.rankings), start=1):
            if rank in clicked:
                credit = [sum(pair) for pair in zip(credit, shares, strict=True)]
        return credit

    def shares(self, documents: Sequence[str], rankings: Rankings) -> Iterator[list[float]]:
        """Yield for each document the probability that each ranker drew it; zeros for a document without a team."""
        for document, remaining in zip(documents, self._urns(rankings, documents, len(documents)), strict=True):
            chances = [weights.get(document, 0.0) / sum(weights.values()) if weights else 0.0 for weights in remaining]
            total = sum(chances)
            yield [chance / total if all(remaining) and total else 0.0 for chance in chances]

    def _urns(self, rankings: Rankings, shown: Sequence[str], length: int) -> Iterator[list[dict[str, float]]]:
        """Yield for each rank the documents that each ranker can draw, with their weights: those not shown above it.

        `shown` must have the documents above a rank when its turn comes.
        """
        urns: list[dict[str, float]] = [{} for _ in rankings]
        for place in range(length):
            if place:
                for weights in urns:
                    weights.pop(shown[place - 1], None)
            if place % self._depth == 0:
                above = set(shown[:place])
                for weights, ranking in zip(urns, rankings, strict=True):
                    added = enumerate(ranking[place : place + self._depth], start=place + 1)
                    weights.update({name: rank**-self._tau for rank, name in added if name not in above})
            yield urns
