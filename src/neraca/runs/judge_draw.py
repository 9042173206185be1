"""The random part of a run's answers that a judge decides on, and the chance of each answer to be in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from neraca.counts_and_lists import count
from neraca.errors import SpecError
from neraca.records import LEFT_OUT, Item
from neraca.translation import say


class DrawSettings(NamedTuple):
    """The number of answers that a judge is to decide on, and the seed of the draw.

    The order of a draw depends on the seed and on the ids of the questions alone.  Two runs over the same questions get
    the same draw, so that they can be compared, and a larger draw holds the smaller one.
    """

    n: int
    seed: int = 0


class DrawRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a draw in the manifest of a run.

    Attributes
    ----------
    n, of
        The number of units drawn, and the number that they were drawn from.
    unit
        `answer`; `question` if each has several trials; `conversation` for a judge of whole conversations.
    seed
        The seed of the draw.
    sources
        The sources that the judge's verdicts name.
    file
        The plan, a table in the run's folder with a row for each question: {item, draw, stratum, probability}.
    """

    n: int
    of: int
    unit: str
    seed: int
    sources: tuple[str, ...]
    file: str


@dataclass(frozen=True)
class JudgeDraw:
    """A draw of questions for a judge.

    Attributes
    ----------
    units
        Question id → the unit that it is drawn with: itself, or its session.  These are all that could be drawn.
    order
        Drawn unit → its place in the draw, from 1.
    unit
        As in `DrawRecord`.
    settings
        What was asked for.
    """

    units: Mapping[str, str]
    order: Mapping[str, int]
    unit: str
    settings: DrawSettings

    @cached_property
    def of(self) -> int:
        """The number of units that could be drawn."""
        return len(set(self.units.values()))

    @cached_property
    def items(self) -> frozenset[str]:
        """The ids of the drawn questions."""
        return frozenset(item for item, unit in self.units.items() if unit in self.order)

    @property
    def is_part(self) -> bool:
        """Whether some answers were not drawn."""
        return len(self.order) < self.of

    @property
    def sentence(self) -> str:
        """The draw in words."""
        return say(
            "drawn at random: {n:,} of {questions} (seed {seed})",
            n=len(self.order),
            questions=count(self.of, self.unit, f"{self.unit}s"),
            seed=self.settings.seed,
        )


def draw_questions(
    items: Iterable[Item], statuses: Mapping[tuple[str, int], str], settings: DrawSettings, *, trials: int, whole: bool
) -> JudgeDraw:
    """Draw questions at random, each with the same chance, among those with an answer that can be scored.

    Parameters
    ----------
    statuses
        (item, trial) → status of the answer.
    trials
        The number of answers to each question; all answers to a drawn question are drawn.
    whole
        Draw whole conversations.

    Raises
    ------
    SpecError
        If fewer than one answer is to be drawn, or the seed is negative.
    """
    if settings.n < 1 or settings.seed < 0:
        raise SpecError(f"draw 1 answer or more, with a seed from 0, not {settings.n} with seed {settings.seed}")
    answered = {item for (item, _), status in statuses.items() if status not in LEFT_OUT}
    units = {
        item.id: f"session {item.session}" if whole and item.session is not None else f"item {item.id}"
        for item in items
        if item.id in answered
    }
    ordered = sorted(set(units.values()), key=lambda unit: _random_number(settings.seed, unit))
    unit = "conversation" if whole else "question" if trials > 1 else "answer"
    return JudgeDraw(units, {name: n for n, name in enumerate(ordered[: settings.n], 1)}, unit, settings)


def _random_number(seed: int, unit: str) -> bytes:
    """Return 16 bytes that depend on the seed and the unit alone, as random as a hash."""
    return hashlib.blake2b(f"{seed} {unit}".encode(), digest_size=16).digest()
