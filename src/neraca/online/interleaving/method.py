"""The interface of interleaving methods: make one list of several rankings, and credit clicks to rankers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from neraca.errors import SpecError
from neraca.registry import Registry, Spec, bind

#: Makes a random choice: weights of the options → number of the chosen option.
Choose = Callable[[Sequence[float]], int]
Rankings = Sequence[Sequence[str]]

#: Team of a document for which no ranker gets credit.
NO_TEAM = -1


@dataclass(frozen=True, slots=True)
class Shown:
    """A list that a user saw.

    Attributes
    ----------
    documents, teams
        The document at each rank, and the number of the ranker that added it, or `NO_TEAM`.
    rankers
        Number of rankers.
    rankings
        Results of each ranker, best first; None if they are unknown.
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
        The largest number of rankers; None: no limit.
    grows
        Whether a longer list begins with the shorter one, so that a second page can follow.
    needs_rankings
        Whether credit needs the results of each ranker, besides the list that was shown.
    graded
        Whether credit by rankings is a fraction that is unbiased only on average, so that its sign in one search does
        not name a winner.
    balances_first
        Whether each ranker adds the first document equally often.  Any other method must give rankers the same credit
        for clicks by chance at each rank.  The check of a log's drafts tests the property that the method has.
    """

    most_rankers: ClassVar[int | None]
    grows: ClassVar[bool]
    needs_rankings: ClassVar[bool]
    graded: ClassVar[bool]
    balances_first: ClassVar[bool]

    def draft(self, rankings: Rankings, length: int, choose: Choose) -> tuple[list[str], list[int]]:
        """Make a list of at most `length` documents.

        Parameters
        ----------
        rankings
            Results of each ranker, best first, without repeats.
        length
            Largest number of documents.
        choose
            Makes every random choice.

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
            The list that was clicked on; it must have rankings if `needs_rankings`.
        clicked
            Ranks from 1, without repeats.

        Returns
        -------
        list
            The credit of each ranker.
        """
        ...


METHODS: Registry[Callable[..., Method]] = Registry("interleaving method", "neraca.online.interleaving")


@functools.lru_cache(maxsize=64)
def method_of(text: str) -> tuple[str, Method]:
    """Return the canonical name and the method for a name with parameters, such as `probabilistic(tau=2)`.

    Raise `SpecError` if the method or a parameter is unknown or invalid.
    """
    spec = Spec.parse(text)
    make = METHODS.get(spec.name)
    canonical, params = bind(spec, make)
    return str(canonical), make(**params)


def check_rankers(name: str, method: Method, count: int) -> None:
    """Raise `SpecError` if a method does not support this number of rankers."""
    most: Any = method.most_rankers
    if count < 2 or (most is not None and count > most):
        accepted = "two or more rankers" if most is None else "two rankers"
        hint = "; team_draft and probabilistic take more" if count > 2 else ""
        raise SpecError(f"{name} interleaves {accepted}, not {count}{hint}")


@functools.cache
def even(options: int) -> tuple[float, ...]:
    """Return equal weights for a number of options."""
    return (1.0,) * options


def outcome(a: float, b: float, clicks: int, graded: bool) -> float:
    """Return the outcome of a search for two rankers from their credit, between -1 (b won) and 1 (a won).

    The outcome is the sign of the difference in credit.  If credit is graded, it is the mean difference per click
    instead: for users who click at random, the mean difference is 0 on average, but its sign is not.

    >>> outcome(2, 1, 3, False), outcome(0.75, 0.25, 1, True), outcome(0, 0, 0, True)
    (1.0, 0.5, 0.0)
    """
    if graded:
        return (a - b) / clicks if clicks else 0.0
    return float((a > b) - (b > a))


def team_credit(shown: Shown, clicked: Collection[int]) -> list[float]:
    """Credit each click to the team of its document; ignore clicks on documents without a team.

    >>> team_credit(Shown("abc", [0, 1, NO_TEAM], 2), [1, 3])
    [1.0, 0.0]
    """
    credit = [0.0] * shown.rankers
    for rank in clicked:
        if (team := shown.teams[rank - 1]) != NO_TEAM:
            credit[team] += 1.0
    return credit
