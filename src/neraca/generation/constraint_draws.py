"""Draw constraints around a record, and look up how many records meet them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import msgspec

from neraca.generation.distances import Circles
from neraca.generation.record_fields import Field
from neraca.generation.record_search import RecordSearch
from neraca.generation.records_table import Records
from neraca.records import Constraint

#: Number of results → the name of its stratum, with the share of questions that it is to get.
STRATA = {"none": 0.2, "one": 0.2, "few": 0.4, "many": 0.2}
#: The most results of `few`, and the most that a question may have.
FEW, MOST_RESULTS = 10, 1_000
#: The most constraints in a question, and draws for each question before its stratum is given up.
MOST_CONSTRAINTS, DRAWS = 4, 400
#: How far a bound may lie from the number of the record around which it is drawn, as a share.
SPREAD = 0.3

Constraints = dict[str, Constraint]


def stratum_of(results: int) -> str:
    """Return the stratum of a number of results: none, one, few (2 to 10), many.

    >>> [stratum_of(number) for number in (0, 1, 2, 10, 11)]
    ['none', 'one', 'few', 'few', 'many']
    """
    return "none" if results == 0 else "one" if results == 1 else "few" if results <= FEW else "many"


def quotas(n: int) -> dict[str, int]:
    """Return how many of n questions each stratum is to get; what is left by rounding goes to `few` first.

    >>> quotas(10), quotas(3)
    ({'none': 2, 'one': 2, 'few': 4, 'many': 2}, {'none': 0, 'one': 0, 'few': 3, 'many': 0})
    """
    numbers = {name: math.floor(share * n) for name, share in STRATA.items()}
    numbers["few"] += n - sum(numbers.values())
    return numbers


@dataclass
class ConstraintDraws:
    """Draws sets of constraints, each once.

    Attributes
    ----------
    records, search
        The table, and the search in it.
    random
        The source of chance; equal seeds give equal questions.
    """

    records: Records
    search: RecordSearch
    random: Random
    _used: set[bytes] = field(default_factory=set)
    _circles: Circles | None = None

    def draw(self, stratum: str, names: Collection[str] = ()) -> Constraints | None:
        """Return constraints that as many records meet as the stratum says; None if none were found.

        With names of fields, the constraints are on just these.
        """
        for _ in range(DRAWS):
            constraints = self._of_a_record(names)
            if stratum == "none":
                constraints = self._nearly_met(constraints)
            if not constraints or not self._is_new(constraints):
                continue
            results = int(self.search.meeting(constraints).sum())
            if stratum_of(results) == stratum and results <= MOST_RESULTS:
                self._used.add(_key(constraints))
                return constraints
        return None

    def constraint(self, of: Field, place: int) -> Constraint | None:
        """Return a constraint on a field that the record at a place meets.

        None if the record has no value, or if all records with a value would meet it, so that it asks for nothing.
        """
        drawn = self._drawn(of, place)
        if drawn is None or self.search.meeting({of.name: drawn}).sum() == len(of.values) - of.missing:
            return None
        return drawn

    def _drawn(self, of: Field, place: int) -> Constraint | None:
        value = of.values[place]
        if value is None:
            return None
        if of.kind in ("category", "flag"):
            return Constraint(equals=value)
        if of.kind == "point":
            if self._circles is None:
                self._circles = Circles(of.values)
            circle = self._circles.around(value, self.random)
            return None if circle is None else Constraint(near=circle)
        if of.kind == "words":
            return Constraint(contains_any=[self.random.choice(value)])
        return self._count(value) if of.kind in ("count", "year") else self._number(value)

    def near_misses(self, constraints: Mapping[str, Constraint]) -> dict[str, int]:
        """Return constraint → how many records meet all the others, for those that would be met without it."""
        without = {name: {n: c for n, c in constraints.items() if n != name} for name in constraints}
        counts = {name: int(self.search.meeting(others).sum()) for name, others in without.items() if others}
        return {name: number for name, number in counts.items() if number}

    def _of_a_record(self, names: Collection[str] = ()) -> Constraints:
        """Return constraints on some fields of a record, which meets them all; what the record is is always said.

        With names, they are on these fields; none, if one of them has no constraint.
        """
        place = self.random.randrange(len(self.records))
        there = [f for f in self.records.fields if f.values[place] is not None]
        chosen = set(names)
        if not names:
            number = min(len(there), self.random.choice((1, 2, 2, 3, 3, MOST_CONSTRAINTS)))
            chosen = {f.name for f in self.random.sample(there, number)} | {f.name for f in there if f.role == "noun"}
            chosen -= excluded_by(chosen, self.records.fields)
        drawn = {f.name: self.constraint(f, place) for f in there if f.name in chosen}
        constraints = {name: constraint for name, constraint in drawn.items() if constraint is not None}
        return constraints if chosen == constraints.keys() or not names else {}

    def _nearly_met(self, constraints: Constraints) -> Constraints:
        """Return the constraints with one of them taken from another record, so that no record may meet them all."""
        if len(constraints) < 2:
            return {}
        name = self.random.choice(sorted(constraints))
        other = self.constraint(self._field(name), self.random.randrange(len(self.records)))
        changed = {**constraints, name: other} if other is not None else {}
        return changed if changed and self.near_misses(changed) else {}

    def _field(self, name: str) -> Field:
        return next(f for f in self.records.fields if f.name == name)

    def _is_new(self, constraints: Constraints) -> bool:
        return _key(constraints) not in self._used

    def _count(self, value: float) -> Constraint:
        kind = self.random.choice(("exact", "min", "max") if value > 0 else ("exact",))
        return _bounded(kind, value)

    def _number(self, value: float) -> Constraint:
        kind = self.random.choice(("max", "max", "min", "between", "about") if value > 0 else ("min", "max"))
        if value <= 0:
            return _bounded(kind, value)
        low = rounded(value * (1 - SPREAD * self.random.random()), math.floor)
        high = rounded(value * (1 + SPREAD * self.random.random()), math.ceil)
        near = rounded(value, round)
        if kind == "about" and abs(value - near) <= 0.1 * near:
            return Constraint(about=near)
        return Constraint(min=None if kind == "max" else low, max=None if kind == "min" else high)


def excluded_by(names: Collection[str], fields: Sequence[Field]) -> set[str]:
    """Return the fields that no question asks about beside these: a place beside a distance, and the reverse."""
    role_of = {f.name: f.role for f in fields}
    roles = {role_of[name] for name in names}
    if "distance" in roles:
        return {name for name, role in role_of.items() if role in ("place", "estate")}
    return {name for name, role in role_of.items() if role == "distance" and roles & {"place", "estate"}}


def _bounded(kind: str, value: float) -> Constraint:
    """Return one bound: `exact`, `min` or `max`."""
    at = {kind: value}
    return Constraint(exact=at.get("exact"), min=at.get("min"), max=at.get("max"))


def changed(number: Constraint, random: Random) -> Constraint:
    """Return a stricter bound on the same number: cheaper, or more rooms."""
    if number.max is not None:
        return msgspec.structs.replace(number, min=None, max=rounded(number.max * random.uniform(0.6, 0.9), math.floor))
    return msgspec.structs.replace(number, min=rounded((number.min or 0.0) * random.uniform(1.1, 1.4), math.ceil))


def rounded(value: float, how: object) -> float:
    """Return a number above 0 with two digits, rounded by `math.floor`, `math.ceil` or `round`.

    >>> rounded(1234567, math.ceil), rounded(1234567, math.floor), rounded(0.0472, round), rounded(47, math.ceil)
    (1300000.0, 1200000.0, 0.047, 47.0)
    """
    step = math.floor(math.log10(value)) - 1
    scaled = value / 10.0**step if step >= 0 else value * 10.0**-step
    digits = how(float(f"{scaled:.9g}"))  # type: ignore[operator]
    return float(digits * 10**step if step >= 0 else digits / 10**-step)


def _key(constraints: Mapping[str, Constraint]) -> bytes:
    return msgspec.json.encode(dict(constraints), order="sorted")
