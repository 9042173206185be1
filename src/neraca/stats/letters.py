"""Groups of systems that cannot be told apart, as in a compact letter display."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

#: More groups than these nobody reads.
_MOST = 1000


def indistinct(apart: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The largest groups in which no two systems are told apart.

    Each group would be a letter of the compact letter display: two systems are told apart where they share no group.
    A system that is told apart from all others is a group of its own.  Systems may be in many groups: that a and b,
    and b and c are not told apart does not mean that a and c are not.

    All such groups are found (the maximal cliques); where they are more than 1,000, so many of them that every two
    systems which are not told apart share one.

    Parameters
    ----------
    apart
        Shape (k, k): whether the test tells the two apart; a pair is apart if either of its two cells says so.

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
    found = list(islice(_cliques(frozenset(), every, frozenset(), near), _MOST + 1)) if near else []
    return tuple(sorted(tuple(sorted(group)) for group in (found if len(found) <= _MOST else _cover(near))))


Systems = frozenset[int]


def _cliques(group: Systems, more: Systems, done: Systems, near: list[Systems]) -> Iterator[Systems]:
    """The largest groups with all of `group`, some of `more` and none of `done`."""
    if not more and not done:
        yield group
        return
    pivot = max(more | done, key=lambda system: (len(near[system] & more), -system))
    for system in sorted(more - near[pivot]):
        yield from _cliques(group | {system}, more & near[system], done & near[system], near)
        more, done = more - {system}, done | {system}


def _cover(near: list[Systems]) -> set[Systems]:
    """Groups that cannot be enlarged, until each two that are alike share one."""
    found: set[Systems] = set()
    for one, other in combinations(range(len(near)), 2):
        if other in near[one] and not any({one, other} <= group for group in found):
            group = frozenset({one, other})
            for system in range(len(near)):
                group |= {system} if group <= near[system] else frozenset()
            found.add(group)
    alone = (frozenset({system}) for system, others in enumerate(near) if not others)
    return found.union(alone)
