"""Check that an interleaving method is unbiased: users who click at random must not prefer a ranker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from neraca.errors import InputError
from neraca.online.interleaving.choices import HashedChoices, outcomes
from neraca.online.interleaving.method import Method, Rankings, Shown
from neraca.stats.intervals.interval import Floats

#: Number of standard errors beyond which a simulated difference counts as bias.
_SURE = 5.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class BiasCheck:
    """The bias of a method under clicks at random.

    Attributes
    ----------
    differences
        Shape (ranks, rankers): expected credit of a click at each rank, minus the mean over rankers.  If all are 0, no
        ranker gets more credit from users whose clicks depend on the rank alone.
    errors
        Standard errors of `differences`, of the same shape; 0 if all lists were enumerated.
    draws
        Number of lists drawn; 0 if all lists were enumerated.
    """

    differences: Floats
    errors: Floats
    draws: int

    @property
    def biased(self) -> bool:
        """Whether a difference is not 0, beyond rounding and random error."""
        return bool((np.abs(self.differences) > _SURE * self.errors + _ROUNDING).any())


def check_bias(method: Method, rankings: Rankings, length: int, *, draws: int = 4000, seed: int = 0) -> BiasCheck:
    """Compute the expected credit of a click at each rank, for each ranker.

    If there are at most 20,000 sequences of choices, enumerate all lists; else draw `draws` lists.

    Examples
    --------
    >>> from neraca.online.interleaving.method import method_of
    >>> check_bias(method_of("team_draft")[1], ["abcd", "bcda"], 4).biased
    False
    >>> check_bias(method_of("balanced")[1], ["abcd", "bcda"], 4).biased  # Radlinski et al. (2008), section 4.2
    True
    """
    try:
        lists = outcomes(method, rankings, length)
    except InputError:
        credits = np.stack(
            [_credits(method, rankings, *draft) for draft in _draw_lists(method, rankings, length, draws, seed)]
        )
        centred = credits - credits.mean(axis=2, keepdims=True)
        return BiasCheck(centred.mean(axis=0), centred.std(axis=0, ddof=1) / np.sqrt(draws), draws)
    expected = sum(
        probability * _credits(method, rankings, list(documents), list(teams))
        for (documents, teams), probability in lists.items()
    )
    differences = expected - np.mean(expected, axis=1, keepdims=True)
    return BiasCheck(differences, np.zeros_like(differences), 0)


def _draw_lists(
    method: Method, rankings: Rankings, length: int, draws: int, seed: int
) -> Iterator[tuple[list[str], list[int]]]:
    for draw in range(draws):
        yield method.draft(rankings, length, HashedChoices(f"{seed} {draw}".encode()))


def _credits(method: Method, rankings: Rankings, documents: list[str], teams: list[int]) -> Floats:
    """Return the credit of each ranker for one click at each rank, shape (ranks, rankers)."""
    shown = Shown(documents, teams, len(rankings), rankings)
    return np.array([method.credit(shown, (rank,)) for rank in range(1, len(documents) + 1)])
