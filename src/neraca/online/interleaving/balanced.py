"""Balanced interleaving: one coin toss decides which ranker goes first, then the two rankings are merged in turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown, even


@METHODS.register("balanced")
class Balanced:
    r"""The balanced method: every top of the list consists of the tops of both rankings, almost equally deep.

    Each ranker gets credit for the clicks on documents among the first $k$ of its ranking.  $k$ is the smallest number
    for which the first $k$ documents of one ranking contain the lowest clicked document.

    The method is biased if one ranking is the other one shifted by a rank: then users who click at random seem to
    prefer a ranker.  The other methods do not have this bias.

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
    balances_first: ClassVar[bool] = True

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`."""
        first = choose(even(2))
        documents: list[str] = []
        teams: list[int] = []
        depth = max(map(len, rankings))
        shorter_length = min(map(len, rankings))
        for place in range(depth):
            for ranker in (first, 1 - first):
                ranking = rankings[ranker]
                if place < len(ranking) and ranking[place] not in documents and len(documents) < length:
                    documents.append(ranking[place])
                    teams.append(ranker if place < shorter_length else NO_TEAM)
        return documents, teams

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Credit clicks among the first k documents of each ranking; see `Method.credit`."""
        rankings: Rankings = shown.rankings or ()
        if not clicked:
            return [0.0, 0.0]
        lowest = shown.documents[max(clicked) - 1]
        k = min(_rank(ranking, lowest) for ranking in rankings)
        documents = {shown.documents[rank - 1] for rank in clicked}
        return [float(len(documents.intersection(ranking[:k]))) for ranking in rankings]


def _rank(ranking: Sequence[str], document: str) -> int:
    """Return the rank of a document from 1; if the ranking lacks it, one more than the last rank."""
    return ranking.index(document) + 1 if document in ranking else len(ranking) + 1
