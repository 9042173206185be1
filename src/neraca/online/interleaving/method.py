"""What a method of interleaving is: it makes one list of several, and credits clicks on it to rankers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from neraca.errors import SpecError
from neraca.registry import Registry, Spec, bind

#: Weights of the options of a random choice → the number of the option that is taken.
Choose = Callable[[Sequence[float]], int]
Rankings = Sequence[Sequence[str]]

#: The team of a document that no ranker gets credit for.
NO_TEAM = -1


@dataclass(frozen=True, slots=True)
class Shown:
    """A list that a user saw.

    Attributes
    ----------
    documents, teams
        Of each rank: the document, and the number of the ranker that it was drafted by, or `NO_TEAM`.
    rankers
        How many rankers there are.
    rankings
        What each ranker returned, best first; None where nobody knows.
    """

    documents: Sequence[str]
    teams: Sequence[int]
    rankers: int
    rankings: Rankings | None = None


class Method(Protocol):
    """A method of interleaving.

    Attributes
    ----------
    most_rankers
        How many rankers it takes; None: any number from two.
    grows
        Whether a longer list begins with the shorter one, so that a second page can follow.
    needs_rankings
        Whether credit needs what each ranker returned, besides the list that was shown.
    graded
        Whether credit by rankings comes in degrees that are fair on average alone, so that the sign of a difference is
        no winner.
    """

    most_rankers: ClassVar[int | None]
    grows: ClassVar[bool]
    needs_rankings: ClassVar[bool]
    graded: ClassVar[bool]

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Make a list of at most `length` documents.

        Parameters
        ----------
        rankings
            Of each ranker, best first, no document twice.
        length
            How many documents.
        choose
            Takes every random choice.

        Returns
        -------
        tuple
            Documents, and the team of each: the number of a ranker, or `NO_TEAM`.
        """
        ...

    def credit(self, shown: Shown, clicked: Collection[int]) -> list[float]:
        """Credit clicks to the rankers.

        Parameters
        ----------
        shown
            The list that was clicked on; with rankings where `needs_rankings`.
        clicked
            Ranks from 1, each once.

        Returns
        -------
        list
            The credit of each ranker.
        """
        ...


METHODS: Registry[Callable[..., Method]] = Registry("interleaving method", "neraca.online.interleaving")


@functools.lru_cache(maxsize=64)
def method_of(text: str) -> tuple[str, Method]:
    """Find a method by its name with parameters, such as `probabilistic(tau=2)`.

    Returns the canonical name and the method; raises `SpecError`.
    """
    spec = Spec.parse(text)
    make = METHODS.get(spec.name)
    canonical, params = bind(spec, make)
    return str(canonical), make(**params)


def check_rankers(name: str, method: Method, count: int) -> None:
    """Raise `SpecError` where a method does not take so many rankers."""
    most: Any = method.most_rankers
    if count < 2 or (most is not None and count > most):
        takes = "two or more rankers" if most is None else "two rankers"
        more = "; team_draft and probabilistic take more" if count > 2 else ""
        raise SpecError(f"{name} interleaves {takes}, not {count}{more}")


@functools.cache
def even(options: int) -> tuple[float, ...]:
    """Weights of so many options of the same chance."""
    return (1.0,) * options


def outcome(a: float, b: float, clicks: int, graded: bool) -> float:
    """What a search says of two rankers by their credit, between -1 (all for b) and 1 (all for a).

    That is who won it.  Where credit is graded, it is the mean over the clicks of the difference, which is linear:
    of users who click by chance it is 0 on average, which is not so of its sign.

    >>> outcome(2, 1, 3, False), outcome(0.75, 0.25, 1, True), outcome(0, 0, 0, True)
    (1.0, 0.5, 0.0)
    """
    if graded:
        return (a - b) / clicks if clicks else 0.0
    return float((a > b) - (b > a))


def team_credit(shown: Shown, clicked: Collection[int]) -> list[float]:
    """Credit each click to the team of its document; a document without team says nothing.

    >>> team_credit(Shown("abc", [0, 1, NO_TEAM], 2), [1, 3])
    [1.0, 0.0]
    """
    credit = [0.0] * shown.rankers
    for rank in clicked:
        if (team := shown.teams[rank - 1]) != NO_TEAM:
            credit[team] += 1.0
    return credit
