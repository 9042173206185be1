"""The order in which a rater sees the tasks, and the tasks that come twice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.files import fingerprint
from neraca.people.assignment import Task
from neraca.people.rating import Rating

T = TypeVar("T", bound=Task)
#: Suffix of the id of a repeated task, and of the keys of its hits.
AGAIN = "~2"


def ordered(tasks: Sequence[T], rater: str, seed: int = 0, repeat: float = 0.0) -> list[T]:
    """Return the tasks in the order of this rater, some of them a second time.

    The order is drawn by seed and name, and does not change when tasks are added.  A repeated task comes half of all
    tasks after its first time.  Its id and the keys of its hits end with `~2`, so that the first ratings are neither
    shown nor replaced.

    Parameters
    ----------
    tasks
        The tasks, each once.
    rater
        The name of the rater.
    seed
        Seed of the order and of the choice of repeated tasks.
    repeat
        Share of the tasks to repeat, 0 to 0.5; rounded up to whole tasks.

    Raises
    ------
    SpecError
        If the share is out of range.
    """
    if not 0 <= repeat <= 0.5:
        raise SpecError(f"repeat: from 0 to half (0.5) of the tasks can be repeated, not {repeat:g}")
    order = sorted(tasks, key=lambda task: fingerprint((seed, rater, task.id)))
    half = len(order) // 2
    n_again = min(half, math.ceil(round(repeat * len(order), 6)))
    again = sorted(range(half), key=lambda place: fingerprint((seed, rater, order[place].id, AGAIN)))[:n_again]
    places = [(float(place), task) for place, task in enumerate(order)]
    places += [(place + len(order) - half + 0.5, _again(order[place])) for place in again]
    return [task for _, task in sorted(places, key=lambda pair: pair[0])]


def _again(task: Any) -> Any:
    changes: dict[str, Any] = {"id": task.id + AGAIN}
    if hits := getattr(task, "hits", ()):
        changes["hits"] = tuple(replace(hit, key=hit.key + AGAIN) for hit in hits)
    return replace(task, **changes)


def is_again(rating: Rating) -> bool:
    """Return whether a rating belongs to the second time of a repeated task."""
    return rating.task.endswith(AGAIN)


def as_first(rating: Rating) -> Rating:
    """Return a rating of a repeated task as if it were of the first time.

    >>> as_first(Rating(id="r", task="a~2", on="hit:k~2", value=1))
    Rating(id='r', task='a', on='hit:k', value=1, at='')
    """
    if not is_again(rating):
        return rating
    return replace(rating, task=rating.task.removesuffix(AGAIN), on=rating.on.removesuffix(AGAIN))
