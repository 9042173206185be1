"""Optimised interleaving: among the lists that keep the order of both rankings, draw from the most sensitive mix."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from neraca.errors import SpecError
from neraca.online.interleaving.method import METHODS, NO_TEAM, Choose, Rankings, Shown

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

#: Longest list. Each further document doubles the number of possible lists.
MOST_DOCUMENTS = 12
#: Cost of a unit of bias in the linear program. Sensitivity is at most 1, so bias remains only if it is unavoidable.
_BIAS_COST = 1e3

#: Credit of a click for a, between -1 and 1, from the rank in a, the rank in b, and the number of documents that count.
CREDITS: dict[str, Callable[[int, int, int], float]] = {
    "linear": lambda a, b, count: (b - a) / count,
    "inverse": lambda a, b, count: 1 / a - 1 / b,
}


@METHODS.register("optimised")
class Optimised:
    r"""The optimised method: draw a list with probabilities that maximise sensitivity without bias.

    The possible lists are those in which each document is the next one of either ranking.

    A click on document d has the credit $\delta(d)$.  With `inverse`, it is 1/rank in a minus 1/rank in b.  With
    `linear`, it is rank in b minus rank in a, divided by the number of documents that count.  Both rankings count down
    to the length of the shorter one.  A document that a ranking lacks has the rank after its last.  Documents below
    that length have no team.

    The probabilities satisfy two conditions.  The expected credit of a click is 0 at each rank, so that clicks at
    random prefer neither ranker.  The mean sensitivity $(1 - t) H(w)$ is as large as possible.  For a random click,
    with probability proportional to 1/k at rank k, $t$ is the probability of no credit, $w$ the probability that the
    credit favours a, given that there is some, and $H$ the binary entropy.  They are computed by linear programming in
    milliseconds, and cached by rankings.

    Parameters
    ----------
    credit
        `inverse` or `linear`.

    References
    ----------
    Radlinski, F. and Craswell, N. (2013). Optimized interleaving for online retrieval evaluation. WSDM, 245-254.
    """

    most_rankers: ClassVar[int | None] = 2
    grows: ClassVar[bool] = False
    needs_rankings: ClassVar[bool] = True
    graded: ClassVar[bool] = True
    balances_first: ClassVar[bool] = False

    def __init__(self, *, credit: str = "inverse") -> None:
        if credit not in CREDITS:
            raise SpecError(f"optimised(credit={credit}): the credit must be one of {', '.join(CREDITS)}")
        self._credit = credit

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Draw a list; see `Method.draft`.  Raise `SpecError` if `length` is above `MOST_DOCUMENTS`."""
        if length > MOST_DOCUMENTS:
            raise SpecError(
                f"optimised makes lists of at most {MOST_DOCUMENTS} documents, not {length}; team_draft has no limit"
            )
        a, b = _equal_lengths(rankings)
        lists, probabilities = _optimal_mix(a, b, length, self._credit)
        documents = list(lists[choose(probabilities)])
        remaining = (document for ranking in rankings for document in ranking if document not in documents)
        documents += list(dict.fromkeys(remaining))[: length - len(documents)]
        deltas = (self._delta(document, a, b) for document in documents)
        return documents, [NO_TEAM if delta == 0 else 0 if delta > 0 else 1 for delta in deltas]

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Sum the credit of the clicks for each ranker; see `Method.credit`."""
        a, b = _equal_lengths(shown.rankings or ((), ()))
        deltas = [self._delta(shown.documents[rank - 1], a, b) for rank in clicked]
        return [sum(max(delta, 0.0) for delta in deltas), sum(max(-delta, 0.0) for delta in deltas)]

    def _delta(self, document: str, a: Sequence[str], b: Sequence[str]) -> float:
        return CREDITS[self._credit](_rank(a, document), _rank(b, document), max(1, len(a)))


def _equal_lengths(rankings: Rankings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cut both rankings to the length of the shorter one."""
    a, b = rankings
    return tuple(a[: len(b)]), tuple(b[: len(a)])


def _rank(ranking: Sequence[str], document: str) -> int:
    return ranking.index(document) + 1 if document in ranking else len(ranking) + 1


def allowed(a: Sequence[str], b: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """Return all lists in which each document is the next one of a or of b.

    >>> allowed("xy", "yx", 2), len(allowed("12", "34", 4))
    ([('x', 'y'), ('y', 'x')], 6)
    """
    # A prefix, and how far down its next document of a and of b is.
    prefixes: list[tuple[tuple[str, ...], int, int]] = [((), 0, 0)]
    for _ in range(length):
        longer = []
        for prefix, place_a, place_b in prefixes:
            while place_a < len(a) and a[place_a] in prefix:
                place_a += 1
            while place_b < len(b) and b[place_b] in prefix:
                place_b += 1
            nexts = dict.fromkeys((*a[place_a : place_a + 1], *b[place_b : place_b + 1]))
            longer += [((*prefix, document), place_a, place_b) for document in nexts]
        if not longer:
            break
        prefixes = longer
    return list(dict.fromkeys(prefix for prefix, _, _ in prefixes))


@functools.lru_cache(maxsize=4096)
def _optimal_mix(
    a: tuple[str, ...], b: tuple[str, ...], length: int, credit: str
) -> tuple[list[tuple[str, ...]], list[float]]:
    """Return the lists with a positive probability, and their probabilities, by linear programming."""
    import numpy as np
    from scipy.optimize import linprog

    lists = allowed(a, b, length)
    credit_of = CREDITS[credit]
    delta_of = {d: credit_of(_rank(a, d), _rank(b, d), len(a)) for d in dict.fromkeys((*a, *b))}
    deltas = np.array([[delta_of[document] for document in documents] for documents in lists])
    ranks = deltas.shape[1]
    if not ranks:
        return lists, [1.0] * len(lists)
    slack = np.eye(ranks)
    equal = np.block([[np.ones((1, len(lists))), np.zeros((1, 2 * ranks))], [deltas.T, slack, -slack]])
    cost = np.concatenate([-_sensitivities(deltas), np.full(2 * ranks, _BIAS_COST)])
    solved = linprog(cost, A_eq=equal, b_eq=[1.0] + [0.0] * ranks, bounds=(0, None))
    probabilities = np.maximum(solved.x[: len(lists)], 0.0)
    positive = np.flatnonzero(probabilities > 1e-12)
    return [lists[place] for place in positive], (probabilities[positive] / probabilities[positive].sum()).tolist()


def _sensitivities(deltas: Floats) -> Floats:
    """Return the sensitivity of each list to a random click, between 0 and 1, from credits of shape (lists, ranks).

    >>> import numpy as np
    >>> of_1_to_half, of_1_to_five_sixths = _sensitivities(np.array([[1.0, -1.0, 0.0], [1.0, -1.0, -1.0]]))
    >>> bool(of_1_to_half < of_1_to_five_sixths)
    True
    """
    import numpy as np

    clicks = 1 / np.arange(1.0, deltas.shape[1] + 1)
    for_a, for_b = (deltas > 0) @ clicks, (deltas < 0) @ clicks
    credited = np.where((for_a > 0) & (for_b > 0), for_a + for_b, np.nan)
    share_a = for_a / credited
    entropy = -(share_a * np.log2(share_a) + (1 - share_a) * np.log2(1 - share_a))
    sensitivities: Floats = np.nan_to_num(credited / clicks.sum() * entropy)
    return sensitivities
