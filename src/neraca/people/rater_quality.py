"""How far a rater agrees with what is known to be right, and with what the same rater said before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neraca.people.rater_order import as_first, is_again, newest
from neraca.people.rating import Rating
from neraca.stats.intervals.interval import Estimate, interval

_Things = Mapping[tuple[str, str], Rating]


@dataclass(frozen=True)
class RaterQuality:
    """What can be said of one rater.

    Attributes
    ----------
    rater
        The name.
    rated
        How many different tasks the rater said something of.
    repeated
        Share of the things rated twice that were rated equally, with its interval; `n` counts things, not tasks.
    gold
        Share of the things known that were rated as they are.
    """

    rater: str
    rated: int
    repeated: Estimate
    gold: Estimate


def rater_quality(
    rater: str, ratings: Sequence[Rating], gold: Iterable[Rating] = (), level: float = 0.95
) -> RaterQuality:
    """Compare what a rater said the first time with the second, and with what is known.  Notes are not compared.

    Parameters
    ----------
    rater
        The name.
    ratings
        In the order in which they were given, with those of tasks that came again.
    gold
        Ratings of the same tasks by somebody who is trusted.
    level
        Confidence of the intervals, which are Wilson's; what is of one task is one source of chance.

    Examples
    --------
    >>> said = [Rating(id=str(n), task=t, on="quality", value=v) for n, (t, v) in enumerate([("a", 4), ("a~2", 3)])]
    >>> rater_quality("ana", said).repeated.value
    0.0
    """
    first = newest(rating for rating in ratings if not is_again(rating))
    second = newest(as_first(rating) for rating in ratings if is_again(rating))
    rated = {rating.task for rating in first.values()}
    return RaterQuality(rater, len(rated), _agreed(second, first, level), _agreed(newest(gold), first, level))


def _agreed(known: _Things, given: _Things, level: float) -> Estimate:
    both = [(rating, given[thing]) for thing, rating in known.items() if thing in given and rating.on != "note"]
    rows = np.array([(one.value == other.value, 1) for one, other in both], float).reshape(-1, 2)
    _, tasks = np.unique([one.task for one, _ in both], return_inverse=True)
    return interval(rows, clusters=tasks.astype(np.int64), level=level)
