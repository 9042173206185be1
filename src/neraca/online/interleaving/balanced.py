"""Balanced interleaving: both rankings are gone through side by side, after one toss of a coin."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown, even


@METHODS.register("balanced")
class Balanced:
    r"""The first k documents shown are always the first ones of both rankings, of one at most one more.

    Of the clicks, those on documents among the first $k$ of a ranking are credited to its ranker.  $k$ is the smallest
    number for which the first $k$ documents of one of the rankings hold the lowest document that was clicked.

    Users who click by chance can prefer a ranker by this rule, where one ranking is the other one moved by a rank; the
    other methods are free of that.

    References
    ----------
    Joachims, T. (2002). Unbiased evaluation of retrieval quality using clickthrough data. SIGIR workshop on
    mathematical/formal methods in IR.  Radlinski, F., Kurup, M. and Joachims, T. (2008). CIKM, 43-52 (algorithm 1, and
    the bias in section 4.2).

    Examples
    --------
    >>> Balanced().draft(["abcdgh", "beafgh"], 5, lambda weights: 0)  # a goes first
    (['a', 'b', 'e', 'c', 'd'], [0, 1, 1, 0, 0])
    """

    most_rankers: ClassVar[int | None] = 2
    grows: ClassVar[bool] = True
    needs_rankings: ClassVar[bool] = True
    graded: ClassVar[bool] = False

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        first = choose(even(2))
        documents: list[str] = []
        teams: list[int] = []
        depth = max(map(len, rankings))
        both = min(map(len, rankings))
        for place in range(depth):
            for ranker in (first, 1 - first):
                ranking = rankings[ranker]
                if place < len(ranking) and ranking[place] not in documents and len(documents) < length:
                    documents.append(ranking[place])
                    teams.append(ranker if place < both else NO_TEAM)
        return documents, teams

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Credit clicks by the rule of the smallest rank; see `Method.credit`."""
        rankings: Rankings = shown.rankings or ()
        if not clicked:
            return [0.0, 0.0]
        lowest = shown.documents[max(clicked) - 1]
        k = min(_rank(ranking, lowest) for ranking in rankings)
        documents = {shown.documents[rank - 1] for rank in clicked}
        return [float(len(documents.intersection(ranking[:k]))) for ranking in rankings]


def _rank(ranking: Sequence[str], document: str) -> int:
    """The rank of a document from 1; one more than the last where it is not there."""
    return ranking.index(document) + 1 if document in ranking else len(ranking) + 1
