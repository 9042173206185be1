"""Random choices: those of a live system, which follow from a key alone, and all that are possible, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from struct import Struct

from neraca.errors import InputError
from neraca.online.interleaving.method import Method, Rankings

_EIGHT = Struct(">8Q")
_UNIT = 2.0**-53


class HashedChoices:
    """Choices that follow from a key, the same on every machine and in every version of Python.

    The n-th block of eight numbers is the BLAKE2b hash (64 bytes) of the key with the salt n (16 bytes, big-endian),
    read as eight 64-bit numbers, big-endian, the last one first.  The first 53 bits of a number are the place between
    0 and 1 that decides.
    """

    __slots__ = ("_block", "_key", "_numbers")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._numbers: list[int] = []

    def __call__(self, weights: Sequence[float]) -> int:
        """Choose an option; its chance is its share of the weights."""
        if not self._numbers:
            digest = blake2b(self._key, salt=self._block.to_bytes(16, "big")).digest()
            self._numbers = list(_EIGHT.unpack(digest))
            self._block += 1
        place = (self._numbers.pop() >> 11) * _UNIT * sum(weights)
        for option, weight in enumerate(weights):
            place -= weight
            if place < 0:
                return option
        return len(weights) - 1


class _Replay:
    """Takes choices that are given, and after them always the first option that is possible."""

    def __init__(self, given: Sequence[int]) -> None:
        self._given = given
        self.taken: list[int] = []
        self.weights: list[Sequence[float]] = []
        self.probability = 1.0

    def __call__(self, weights: Sequence[float]) -> int:
        place = len(self.taken)
        if place < len(self._given):
            option = self._given[place]
        else:
            option = next(option for option, weight in enumerate(weights) if weight > 0)
        self.taken.append(option)
        self.weights.append(tuple(weights))
        self.probability *= weights[option] / sum(weights)
        return option


#: So many ways to make a list are gone through one by one.
MOST_OUTCOMES = 20_000
Outcome = tuple[tuple[str, ...], tuple[int, ...]]


def outcomes(method: Method, rankings: Rankings, length: int, most: int = MOST_OUTCOMES) -> dict[Outcome, float]:
    """List all (documents, teams) that a method can make of rankings, each with its probability.

    Raises `InputError` where there are more than `most` ways to make one; draw some of them instead.
    """
    found: dict[Outcome, float] = {}
    for ways, (documents, teams, probability) in enumerate(_ways(method, rankings, length)):
        if ways == most:
            raise InputError(f"there are more than {most:,} ways to interleave these lists; give shorter ones")
        outcome = tuple(documents), tuple(teams)
        found[outcome] = found.get(outcome, 0.0) + probability
    return found


def _ways(method: Method, rankings: Rankings, length: int) -> Iterator[tuple[list[str], list[int], float]]:
    waiting: list[list[int]] = [[]]
    while waiting:
        given = waiting.pop()
        choose = _Replay(given)
        documents, teams = method.draft(rankings, length, choose)
        yield documents, teams, choose.probability
        for place in range(len(given), len(choose.taken)):
            others = range(choose.taken[place] + 1, len(choose.weights[place]))
            before = choose.taken[:place]
            waiting += [[*before, option] for option in others if choose.weights[place][option] > 0]
