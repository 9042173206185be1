"""Random choices: reproducible ones for a live system, and the enumeration of all possible ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from struct import Struct

from neraca.errors import InputError
from neraca.online.interleaving.method import Method, Rankings

_EIGHT = Struct(">8Q")
_UNIT = 2.0**-53


class HashedChoices:
    """Random choices that depend only on a key, and are equal on every machine and in every version of Python.

    The n-th block of eight numbers is the BLAKE2b hash (64 bytes) of the key with the salt n (16 bytes, big-endian).
    It is read as eight big-endian 64-bit numbers, the last one first.  The first 53 bits of a number give a fraction
    between 0 and 1, which decides the choice.
    """

    __slots__ = ("_block", "_key", "_numbers")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._numbers: list[int] = []

    def __call__(self, weights: Sequence[float]) -> int:
        """Return the number of an option, chosen with probability proportional to its weight."""
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
    """Replays a prefix of choices, then always chooses the first possible option."""

    def __init__(self, prefix: Sequence[int]) -> None:
        self._prefix = prefix
        self.options: list[int] = []
        self.weights: list[Sequence[float]] = []
        self.probability = 1.0

    def __call__(self, weights: Sequence[float]) -> int:
        place = len(self.options)
        if place < len(self._prefix):
            option = self._prefix[place]
        else:
            option = next(option for option, weight in enumerate(weights) if weight > 0)
        self.options.append(option)
        self.weights.append(tuple(weights))
        self.probability *= weights[option] / sum(weights)
        return option


#: Most sequences of choices that are enumerated.
MOST_OUTCOMES = 20_000
Outcome = tuple[tuple[str, ...], tuple[int, ...]]


def outcomes(method: Method, rankings: Rankings, length: int, most: int = MOST_OUTCOMES) -> dict[Outcome, float]:
    """Return all (documents, teams) that a method can make of rankings, each with its probability.

    Raise `InputError` if there are more than `most` sequences of choices; draw a sample of lists instead.
    """
    probabilities: dict[Outcome, float] = {}
    for count, (documents, teams, probability) in enumerate(_enumerate_drafts(method, rankings, length)):
        if count == most:
            raise InputError(f"there are more than {most:,} ways to interleave these lists; give shorter lists")
        outcome = tuple(documents), tuple(teams)
        probabilities[outcome] = probabilities.get(outcome, 0.0) + probability
    return probabilities


def _enumerate_drafts(method: Method, rankings: Rankings, length: int) -> Iterator[tuple[list[str], list[int], float]]:
    prefixes: list[list[int]] = [[]]
    while prefixes:
        prefix = prefixes.pop()
        choose = _Replay(prefix)
        documents, teams = method.draft(rankings, length, choose)
        yield documents, teams, choose.probability
        for place in range(len(prefix), len(choose.options)):
            other_options = range(choose.options[place] + 1, len(choose.weights[place]))
            before = choose.options[:place]
            prefixes += [[*before, option] for option in other_options if choose.weights[place][option] > 0]
