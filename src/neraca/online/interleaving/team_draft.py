"""Team-draft interleaving and multileaving: rankers pick in rounds, as captains pick their teams."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown, even, team_credit


@METHODS.register("team_draft")
class TeamDraft:
    """The team-draft method: in each round, in random order, each ranker adds its best document not in the list yet.

    A click is credited to the ranker that added the document.  A round counts only if each ranker can pick a document
    in every order.  If a ranker runs out of documents, the others go on, but their documents have no team: a ranker
    must not win because another returned fewer documents.  So if clicks depend on the rank alone, all rankers get the
    same credit on average.

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
    balances_first: ClassVar[bool] = True

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        n = len(rankings)
        documents: list[str] = []
        teams: list[int] = []
        in_list: set[str] = set()
        places = [0] * n
        fair = True
        shortest = min(map(len, rankings)) - n
        while len(documents) < length:
            before = len(documents)
            if fair and before > shortest:  # otherwise each ranker has at least n documents left
                fair = _all_can_pick(rankings, places, in_list)
            waiting = list(range(n))
            while waiting and len(documents) < length:
                ranker = waiting.pop(choose(even(len(waiting))) if len(waiting) > 1 else 0)
                ranking, place = rankings[ranker], places[ranker]
                while place < len(ranking) and ranking[place] in in_list:
                    place += 1
                places[ranker] = place
                if place < len(ranking):
                    documents.append(ranking[place])
                    teams.append(ranker if fair else NO_TEAM)
                    in_list.add(ranking[place])
            if len(documents) == before:
                break
        return documents, teams

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Credit each click to the team of its document; see `Method.credit`."""
        return team_credit(shown, clicked)


def _all_can_pick(rankings: Rankings, places: Sequence[int], in_list: Collection[str]) -> bool:
    """Return whether each ranker has a document to pick in this round, in every order of the rankers."""
    n = len(rankings)
    candidates = []
    for ranking, start in zip(rankings, places, strict=True):
        unused: list[str] = []
        place = start
        while len(unused) < n and place < len(ranking):
            if ranking[place] not in in_list:
                unused.append(ranking[place])
            place += 1
        candidates.append(unused)
    for ranker, unused in enumerate(candidates):
        if len(unused) < n:
            picked_by_others = {
                document for other in range(n) if other != ranker for document in candidates[other][: n - 1]
            }
            if picked_by_others.issuperset(unused):
                return False
    return True
