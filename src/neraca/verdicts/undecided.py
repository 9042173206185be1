"""Things that several people left undecided, and the scenarios: the possible decisions on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product, zip_longest
from typing import NamedTuple

#: If a question has more scenarios than these, only some are tried.
MOST_SCENARIOS = 81
#: Number of the run for a verdict that holds in all runs: on relevance, and on what a question expects.
ALL_RUNS = -1


class Place(NamedTuple):
    """A thing on which a verdict can be given; `run` is `ALL_RUNS` if the verdict holds in all runs."""

    run: int
    item: str
    trial: int
    about: str
    aspect: str


#: Undecided thing → its possible values, which people gave, in ascending order.
Open = Mapping[Place, tuple[float, ...]]
#: A scenario: undecided thing → assumed value; things that are missing here stay undecided.
Decisions = Mapping[Place, float]


def scenarios(places: Open) -> list[Decisions]:
    """Return the scenarios of one question; the first one decides nothing.

    Each thing takes every possible value, or stays undecided.  Answers of different runs and trials do not affect each
    other, so one scenario decides things of all answers.  If there are more scenarios than
    `MOST_SCENARIOS`, each thing is decided alone, and all are decided together.

    >>> scenarios({Place(ALL_RUNS, "q", 0, "item", "expects"): (0.0, 1.0)})[1:]
    [{Place(run=-1, item='q', trial=0, about='item', aspect='expects'): 0.0}, \
{Place(run=-1, item='q', trial=0, about='item', aspect='expects'): 1.0}]
    """
    shared = {place: values for place, values in places.items() if _is_shared(place)}
    places_by_answer: dict[tuple[int, int], dict[Place, tuple[float, ...]]] = {}
    for place, values in places.items():
        if place not in shared:
            places_by_answer.setdefault((place.run, place.trial), {})[place] = values
    scenarios_of_answers = [_all_scenarios(of_answer) for of_answer in places_by_answer.values()]
    scenarios_of_shared = _all_scenarios(shared)
    if None in scenarios_of_answers or scenarios_of_shared is None:
        return _some_scenarios(places)
    answers = [
        dict(chain.from_iterable(decisions.items() for decisions in several))
        for several in zip_longest(*filter(None, scenarios_of_answers), fillvalue={})
    ] or [{}]
    if len(answers) * len(scenarios_of_shared) > MOST_SCENARIOS:
        return _some_scenarios(places)
    return [{**first, **second} for first, second in product(scenarios_of_shared, answers)]


def scenarios_by_item(places: Open) -> dict[str, list[Decisions]]:
    """Return `scenarios` for each question on which something is undecided."""
    by_item: dict[str, dict[Place, tuple[float, ...]]] = {}
    for place, values in places.items():
        by_item.setdefault(place.item, {})[place] = values
    return {item: scenarios(of_item) for item, of_item in by_item.items()}


def _is_shared(place: Place) -> bool:
    """Return whether several answers depend on it: a person's verdict on a hit counts in all runs."""
    return place.run == ALL_RUNS or place.about.startswith("hit:")


def _all_scenarios(places: Open) -> list[Decisions] | None:
    """Return every scenario, first the one that decides nothing; None if there are too many."""
    number = 1
    for values in places.values():
        number *= 1 + len(values)
        if number > MOST_SCENARIOS:
            return None
    outcomes = product(*((None, *values) for values in places.values()))
    return [_decided(zip(places, outcome, strict=True)) for outcome in outcomes]


def _decided(outcomes: Iterable[tuple[Place, float | None]]) -> Decisions:
    return {place: value for place, value in outcomes if value is not None}


def _some_scenarios(places: Open) -> list[Decisions]:
    """Return scenarios that decide all things of a kind low or high, and scenarios that decide one thing alone."""
    kinds: dict[str, list[Place]] = {}
    for place in places:
        kinds.setdefault("expects" if place.about == "item" else "other", []).append(place)
    together: Sequence[Sequence[Decisions]] = [
        [{}, {place: places[place][0] for place in of_kind}, {place: places[place][-1] for place in of_kind}]
        for of_kind in kinds.values()
    ]
    joint = [dict(chain.from_iterable(part.items() for part in parts)) for parts in product(*together)]
    return [*joint, *({place: value} for place, values in places.items() for value in values)]
