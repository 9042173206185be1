"""Count the joint decisions of several voters of one source."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neraca.verdicts.raters import Rule, Together
from neraca.verdicts.undecided import Decisions, Place


class Votes:
    """Joint decisions of several voters of one source, while they are settled.

    Parameters
    ----------
    rule
        The rule between voters.
    decisions
        The assumed values of undecided things.
    guessed
        Whether the rule was guessed from the values.
    """

    def __init__(self, rule: Rule, decisions: Decisions | None = None, guessed: bool = False) -> None:
        self.rule = rule
        self._guessed = guessed
        self._decisions = decisions or {}
        self._votes: dict[str, list[int]] = {}
        self._open: dict[str, dict[Place, tuple[float, ...]]] = {}
        self.contradicted: dict[Place, tuple[float, ...]] = {}

    def count(self, source: str, votes: int) -> None:
        """Count a thing on which so many voters of this source decided."""
        self._votes.setdefault(source, []).append(votes)

    def settle(self, source: str, place: Place, values: tuple[float, ...]) -> float:
        """Note that a thing is undecided between these values; return its assumed value, NaN if it stays undecided."""
        self._open.setdefault(source, {})[place] = values
        return self._decisions.get(place, np.nan)

    def contradict(self, place: Place, values: tuple[float, ...]) -> float:
        """Note that one person gave these values at the same time; return the assumed value, NaN: undecided."""
        self.contradicted[place] = values
        return self._decisions.get(place, np.nan)

    @property
    def together(self) -> Mapping[str, Together]:
        """Source → the joint decisions of its voters."""
        return {
            source: Together(self.rule, len(votes), max(votes), self._guessed, self._open.get(source, {}))
            for source, votes in self._votes.items()
        }
