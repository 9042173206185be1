"""Make conversations: a question that stands alone, and turns that change what is sought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from neraca.generation.constraint_draws import FEW, ConstraintDraws, Constraints, changed, excluded_by
from neraca.generation.record_fields import Field
from neraca.generation.wording import Wording
from neraca.records import Constraint

#: The number of turns of a conversation, the first question included.
TURNS = 3
#: Kinds of a later turn: a constraint more, another one in its place, one less, or other results for the same.
KINDS = ("narrow", "change", "drop", "another")


class Turn(NamedTuple):
    """A turn: its kind (`first` or one of `KINDS`), its text, and what is sought from then on."""

    kind: str
    text: str
    constraints: Constraints


class Sessions:
    """Makes conversations by changing what was sought, turn after turn; each state is looked up in the table."""

    def __init__(self, draws: ConstraintDraws, wording: Wording, random: Random) -> None:
        self._draws, self._wording, self._random = draws, wording, random

    def session(self, turns: int) -> list[Turn]:
        """Return the turns of a conversation; none if no first question was found."""
        strata = self._random.sample(("few", "many"), 2)
        first = next(filter(None, map(self._draws.draw, (*strata, "one"))), None)
        if first is None:
            return []
        return self.continued(Turn("first", self._wording.first(first), first), turns)

    def continued(self, first: Turn, turns: int, kinds: Sequence[str] = ()) -> list[Turn]:
        """Return a conversation that begins with a turn; the second is of one of the kinds, if it can be."""
        made = [first]
        used: set[str] = set()
        while len(made) < turns:
            turn = self._next(made[-1].constraints, used, kinds if len(made) == 1 else ())
            if turn is None:
                break
            made.append(turn)
            used.add(turn.kind)
        return made

    def _next(self, sought: Constraints, used: set[str], first: Sequence[str]) -> Turn | None:
        """Return a turn of a kind in `first`, else of one that this conversation has not had, if one is possible."""
        kinds = self._random.sample(KINDS, len(KINDS))
        order = sorted(kinds, key=lambda kind: (kind not in first, kind in used))
        possible = (self._turn(kind, sought) for kind in order)
        return next((turn for turn in possible if turn is not None), None)

    def _turn(self, kind: str, sought: Constraints) -> Turn | None:
        if kind == "another":  # only where one answer cannot show all
            if self._draws.search.meeting(sought).sum() <= FEW:
                return None
            return Turn(kind, self._wording.next(kind), sought)
        if kind == "drop":
            return self._dropped(sought)
        for name, constraint in self._candidates(kind, sought):
            after = {**sought, name: constraint}
            if after != sought:
                return Turn(kind, self._wording.next(kind, name, constraint), after)
        return None

    def _dropped(self, sought: Constraints) -> Turn | None:
        """Return a turn without one of the constraints; what the records are and where is never dropped."""
        names = [f.name for f in self._fields if f.name in sought and not f.role]
        if len(sought) < 2 or not names:
            return None
        name = self._random.choice(names)
        return Turn("drop", self._wording.next("drop", name), {n: c for n, c in sought.items() if n != name})

    def _candidates(self, kind: str, sought: Constraints) -> Iterator[tuple[str, Constraint]]:
        """Yield constraints for the next turn: on fields without one (`narrow`), or in place of one (`change`)."""
        excluded = excluded_by(sought, self._fields)
        fields = [f for f in self._fields if (f.name in sought) == (kind == "change") and f.name not in excluded]
        for f in self._random.sample(fields, len(fields)):
            old = sought.get(f.name)
            if old is not None and f.kind == "number" and (old.min or old.max):
                yield f.name, changed(old, self._random)
            drawn = self._draws.constraint(f, self._random.randrange(len(f.values)))
            if drawn is not None:
                yield f.name, drawn

    @property
    def _fields(self) -> tuple[Field, ...]:
        return self._draws.records.fields
