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
    $r^{-\tau}$.  A click is shared among the rankers by the probability that each of them drew the document, given the
    list so far: the expected credit over all assignments that could have led to this list.  If the rankings are
    unknown, a click is credited to the ranker that drew the document, which needs more clicks.  Once a ranker has no
    document left, the documents that others add have no team.

    Parameters
    ----------
    tau
        Preference for the best documents, above 0: the larger, the more often they are drawn.

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
            raise SpecError(f"probabilistic(tau={tau}): tau must be above 0; 3 is usual")
        self._tau = tau

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        remaining = self._weighted(rankings)
        documents: list[str] = []
        teams: list[int] = []
        while len(documents) < length and any(remaining):
            with_documents = [ranker for ranker, weights in enumerate(remaining) if weights]
            ranker = with_documents[choose(even(len(with_documents)))] if len(with_documents) > 1 else with_documents[0]
            names = list(remaining[ranker])
            document = names[choose(list(remaining[ranker].values()))] if len(names) > 1 else names[0]
            documents.append(document)
            teams.append(ranker if len(with_documents) == len(remaining) else NO_TEAM)
            for weights in remaining:
                weights.pop(document, None)
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
        remaining = self._weighted(rankings)
        for document in documents:
            chances = [weights.get(document, 0.0) / sum(weights.values()) if weights else 0.0 for weights in remaining]
            total = sum(chances)
            yield [chance / total if all(remaining) and total else 0.0 for chance in chances]
            for weights in remaining:
                weights.pop(document, None)

    def _weighted(self, rankings: Rankings) -> list[dict[str, float]]:
        """Return document → weight for each ranker."""
        tau = self._tau
        return [{name: rank**-tau for rank, name in enumerate(ranking, start=1)} for ranking in rankings]
