"""Team-draft interleaving and multileaving: rankers pick in rounds, as captains pick their teams."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown, even, team_credit


@METHODS.register("team_draft")
class TeamDraft:
    """Each round, in an order by chance, each ranker adds its best document that is not there yet.

    A click is credited to the ranker that added the document.  A round counts where each ranker can pick in every
    order.  Where one of them has no document left, the others go on, and those documents are of no team: a ranker must
    not win because another one found less.  So under clicks that depend on the rank alone all rankers get the same
    credit on average.

    References
    ----------
    Radlinski, F., Kurup, M. and Joachims, T. (2008). How does clickthrough data reflect retrieval quality? CIKM, 43-52.
    Schuth, A., Sietsma, F., Whiteson, S., Lefortier, D. and de Rijke, M. (2014). Multileaved comparisons for fast
    online evaluation. CIKM, 71-80 (more than two rankers).

    Examples
    --------
    >>> TeamDraft().draft([["68", "69"], ["53", "90"]], 4, lambda weights: 0)  # a picks first in each round
    (['68', '53', '69', '90'], [0, 1, 0, 1])
    """

    most_rankers: ClassVar[int | None] = None
    grows: ClassVar[bool] = True
    needs_rankings: ClassVar[bool] = False
    graded: ClassVar[bool] = False

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        n = len(rankings)
        documents: list[str] = []
        teams: list[int] = []
        shown: set[str] = set()
        places = [0] * n
        fair = True
        shortest = min(map(len, rankings)) - n
        while len(documents) < length:
            before = len(documents)
            if fair and before > shortest:  # else each ranker has n documents left, whatever was shown
                fair = _all_can_pick(rankings, places, shown)
            waiting = list(range(n))
            while waiting and len(documents) < length:
                ranker = waiting.pop(choose(even(len(waiting))) if len(waiting) > 1 else 0)
                ranking, place = rankings[ranker], places[ranker]
                while place < len(ranking) and ranking[place] in shown:
                    place += 1
                places[ranker] = place
                if place < len(ranking):
                    documents.append(ranking[place])
                    teams.append(ranker if fair else NO_TEAM)
                    shown.add(ranking[place])
            if len(documents) == before:
                break
        return documents, teams

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Credit each click to the team of its document; see `Method.credit`."""
        return team_credit(shown, clicked)


def _all_can_pick(rankings: Rankings, places: Sequence[int], shown: Collection[str]) -> bool:
    """Whether each ranker has a document to pick in this round, whoever picks before it."""
    n = len(rankings)
    firsts = []
    for ranking, start in zip(rankings, places, strict=True):
        first: list[str] = []
        place = start
        while len(first) < n and place < len(ranking):
            if ranking[place] not in shown:
                first.append(ranking[place])
            place += 1
        firsts.append(first)
    for ranker, first in enumerate(firsts):
        if len(first) < n:
            taken = {document for other in range(n) if other != ranker for document in firsts[other][: n - 1]}
            if taken.issuperset(first):
                return False
    return True
