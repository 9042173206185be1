"""In which order a rater sees the tasks, and which of them come twice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.files import fingerprint
from neraca.people.assignment import Task
from neraca.people.rating import Rating

T = TypeVar("T", bound=Task)
#: Ends the id of a task that comes a second time, and the keys of its hits.
AGAIN = "~2"


def ordered(tasks: Sequence[T], rater: str, seed: int = 0, repeat: float = 0.0) -> list[T]:
    """Return the tasks in the order of this rater, some of them a second time.

    The order is drawn by seed and name, and stays as it is when tasks are added.  A task that comes again lies half of
    all tasks behind its first time; its id and the keys of its hits end with `~2`, so that nothing that was said the
    first time is shown or replaced.

    Parameters
    ----------
    tasks
        Each once.
    rater
        The rater's name.
    seed
        Of the order, and of the choice of what comes again.
    repeat
        Which share of the tasks comes again, 0 to 0.5; rounded up to whole tasks.

    Raises
    ------
    SpecError
        For another share.
    """
    if not 0 <= repeat <= 0.5:
        raise SpecError(f"repeat: from 0 to half (0.5) of the tasks can come again, not {repeat:g}")
    drawn = sorted(tasks, key=lambda task: fingerprint((seed, rater, task.id)))
    half = len(drawn) // 2
    often = min(half, math.ceil(round(repeat * len(drawn), 6)))
    again = sorted(range(half), key=lambda place: fingerprint((seed, rater, drawn[place].id, AGAIN)))[:often]
    places = [(float(place), task) for place, task in enumerate(drawn)]
    places += [(place + len(drawn) - half + 0.5, _again(drawn[place])) for place in again]
    return [task for _, task in sorted(places, key=lambda pair: pair[0])]


def _again(task: Any) -> Any:
    changes: dict[str, Any] = {"id": task.id + AGAIN}
    if hits := getattr(task, "hits", ()):
        changes["hits"] = tuple(replace(hit, key=hit.key + AGAIN) for hit in hits)
    return replace(task, **changes)


def is_again(rating: Rating) -> bool:
    """Whether a rating was given when its task came the second time."""
    return rating.task.endswith(AGAIN)


def as_first(rating: Rating) -> Rating:
    """The same rating as one of the first time.

    >>> as_first(Rating(id="r", task="a~2", on="hit:k~2", value=1))
    Rating(id='r', task='a', on='hit:k', value=1, at='')
    """
    if not is_again(rating):
        return rating
    return replace(rating, task=rating.task.removesuffix(AGAIN), on=rating.on.removesuffix(AGAIN))


def newest(ratings: Iterable[Rating]) -> dict[tuple[str, str], Rating]:
    """The newest rating on each thing, unless it takes back what was said; `ratings` stand in the order given.

    A hit is the same thing in whatever task it recurs: its task is "".
    """
    found: dict[tuple[str, str], Rating] = {}
    for rating in ratings:
        thing = ("" if rating.on.startswith("hit:") else rating.task, rating.on)
        found.pop(thing, None)
        if rating.value is not None:
            found[thing] = rating
    return found
