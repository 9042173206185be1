"""Groups of systems without a significant difference, as in a compact letter display."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

#: A reader cannot follow more groups.
_MOST = 1000


def indistinct(apart: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups in which no two systems are told apart.

    Each group is a letter of the compact letter display: two systems are told apart if they share no group.  A system
    that is told apart from all others is a group of its own.  A system can be in several groups: a and b, and b and c
    may be indistinguishable although a and c are not.

    The groups are the maximal cliques.  If there are more than 1,000, the result holds only enough of them to cover
    every pair of indistinguishable systems.

    Parameters
    ----------
    apart
        Shape (k, k): whether the test tells two systems apart; either of their two cells is enough.

    Returns
    -------
    tuple
        Groups of numbers of systems, in ascending order.

    References
    ----------
    Piepho, H.-P. (2004). J. Comput. Graph. Stat. 13, 456-466; Bron, C. and Kerbosch, J. (1973). Commun. ACM 16,
    575-577; Tomita, E., Tanaka, A. and Takahashi, H. (2006). Theor. Comput. Sci. 363, 28-42.

    Examples
    --------
    >>> indistinct(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))  # only the first and the last are told apart
    ((0, 1), (1, 2))
    """
    like = ~(apart | apart.T)
    near = [frozenset(np.flatnonzero(row).tolist()) - {system} for system, row in enumerate(like)]
    every = frozenset(range(len(near)))
    cliques = list(islice(_cliques(frozenset(), every, frozenset(), near), _MOST + 1)) if near else []
    return tuple(sorted(tuple(sorted(group)) for group in (cliques if len(cliques) <= _MOST else _cover(near))))


Systems = frozenset[int]


def _cliques(group: Systems, more: Systems, excluded: Systems, near: list[Systems]) -> Iterator[Systems]:
    """Yield the maximal cliques with all of `group`, some of `more` and none of `excluded`."""
    if not more and not excluded:
        yield group
        return
    pivot = max(more | excluded, key=lambda system: (len(near[system] & more), -system))
    for system in sorted(more - near[pivot]):
        yield from _cliques(group | {system}, more & near[system], excluded & near[system], near)
        more, excluded = more - {system}, excluded | {system}


def _cover(near: list[Systems]) -> set[Systems]:
    """Return maximal cliques that together cover every pair of indistinguishable systems."""
    groups: set[Systems] = set()
    for a, b in combinations(range(len(near)), 2):
        if b in near[a] and not any({a, b} <= group for group in groups):
            group = frozenset({a, b})
            for system in range(len(near)):
                group |= {system} if group <= near[system] else frozenset()
            groups.add(group)
    return groups.union(frozenset({system}) for system, neighbours in enumerate(near) if not neighbours)
