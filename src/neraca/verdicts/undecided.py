"""Things that several people left undecided, and every way in which these could be decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product, zip_longest
from typing import NamedTuple

#: A question with more ways than these in which its undecided things could be decided has some of them tried.
MOST_WAYS = 81
#: Number of the run of what holds in all runs: relevance of a document, and what a question expects.
ALL_RUNS = -1


class Place(NamedTuple):
    """A thing on which a verdict can be given; `run` is `ALL_RUNS` where it holds in all of them."""

    run: int
    item: str
    trial: int
    about: str
    aspect: str


#: What each undecided thing could be decided to be: the values that people gave, rising.
Open = Mapping[Place, tuple[float, ...]]
#: What undecided things are taken to be; the others stay undecided.
Decisions = Mapping[Place, float]


def ways_to_decide(places: Open) -> list[Decisions]:
    """Return the ways in which the undecided things of one question could be decided, first: not at all.

    Each thing takes every value that it could have, or stays undecided.  Answers of other runs and trials do not
    matter to each other, so they are decided side by side.  If there are more than `MOST_WAYS`, each thing is tried
    alone, and all are tried together.

    Examples
    --------
    >>> ways_to_decide({Place(ALL_RUNS, "q", 0, "item", "expects"): (0.0, 1.0)})[1:]
    [{Place(run=-1, item='q', trial=0, about='item', aspect='expects'): 0.0}, \
{Place(run=-1, item='q', trial=0, about='item', aspect='expects'): 1.0}]
    """
    shared = {place: values for place, values in places.items() if _is_shared(place)}
    places_by_answer: dict[tuple[int, int], dict[Place, tuple[float, ...]]] = {}
    for place, values in places.items():
        if place not in shared:
            places_by_answer.setdefault((place.run, place.trial), {})[place] = values
    ways_of_answers = [_all_ways(of_answer) for of_answer in places_by_answer.values()]
    ways_of_shared = _all_ways(shared)
    if None in ways_of_answers or ways_of_shared is None:
        return _some_ways(places)
    answers = [
        dict(chain.from_iterable(each.items() for each in several))
        for several in zip_longest(*filter(None, ways_of_answers), fillvalue={})
    ] or [{}]
    if len(answers) * len(ways_of_shared) > MOST_WAYS:
        return _some_ways(places)
    return [{**first, **second} for first, second in product(ways_of_shared, answers)]


def ways_by_item(places: Open) -> dict[str, list[Decisions]]:
    """Return `ways_to_decide` for each question on which something is undecided."""
    by_item: dict[str, dict[Place, tuple[float, ...]]] = {}
    for place, values in places.items():
        by_item.setdefault(place.item, {})[place] = values
    return {item: ways_to_decide(of_item) for item, of_item in by_item.items()}


def _is_shared(place: Place) -> bool:
    """Return whether more than one answer can depend on it: a person's word on a hit counts in all runs."""
    return place.run == ALL_RUNS or place.about.startswith("hit:")


def _all_ways(places: Open) -> list[Decisions] | None:
    """Return every way, first: not at all; None if these are too many."""
    number = 1
    for values in places.values():
        number *= 1 + len(values)
        if number > MOST_WAYS:
            return None
    outcomes = product(*((None, *values) for values in places.values()))
    return [_decided(zip(places, outcome, strict=True)) for outcome in outcomes]


def _decided(outcomes: Iterable[tuple[Place, float | None]]) -> Decisions:
    return {place: value for place, value in outcomes if value is not None}


def _some_ways(places: Open) -> list[Decisions]:
    """Return ways in which all are decided low or high, each kind of thing by itself, and each thing alone."""
    kinds: dict[str, list[Place]] = {}
    for place in places:
        kinds.setdefault("expects" if place.about == "item" else "other", []).append(place)
    together: Sequence[Sequence[Decisions]] = [
        [{}, {place: places[place][0] for place in of_kind}, {place: places[place][-1] for place in of_kind}]
        for of_kind in kinds.values()
    ]
    ways = [dict(chain.from_iterable(each.items() for each in several)) for several in product(*together)]
    return [*ways, *({place: value} for place, values in places.items() for value in values)]
