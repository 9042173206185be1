"""Quality of a rater: agreement with gold labels, and with the same rater's earlier ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neraca.people.rater_order import as_first, is_again
from neraca.people.rating import Rating, newest_ratings
from neraca.stats.intervals.interval import Estimate, interval

_RatingsBySubject = Mapping[tuple[str, str], Rating]


@dataclass(frozen=True)
class RaterQuality:
    """Quality of one rater.

    Attributes
    ----------
    rater
        The name.
    rated
        The number of different tasks with a rating.
    repeated
        Share of equal ratings among subjects rated twice, with its interval; `n` counts subjects, not tasks.
    gold
        Share of subjects with a gold label that were rated like it.
    """

    rater: str
    rated: int
    repeated: Estimate
    gold: Estimate


def rater_quality(
    rater: str, ratings: Sequence[Rating], gold: Iterable[Rating] = (), level: float = 0.95
) -> RaterQuality:
    """Compare the first ratings of a rater with the second ones, and with gold labels.  Notes are not compared.

    Parameters
    ----------
    rater
        The name.
    ratings
        All ratings in the order in which they were given, with those of repeated tasks.
    gold
        Ratings of the same tasks by a trusted person.
    level
        Confidence level of the intervals, which are Wilson's; the ratings of one task form one cluster.

    Examples
    --------
    >>> ratings = [Rating(id=str(n), task=t, on="quality", value=v) for n, (t, v) in enumerate([("a", 4), ("a~2", 3)])]
    >>> rater_quality("ana", ratings).repeated.value
    0.0
    """
    first = _current_ratings(rating for rating in ratings if not is_again(rating))
    second = _current_ratings(as_first(rating) for rating in ratings if is_again(rating))
    rated = {rating.task for rating in first.values()}
    return RaterQuality(
        rater, len(rated), _agreement(second, first, level), _agreement(_current_ratings(gold), first, level)
    )


def _current_ratings(ratings: Iterable[Rating]) -> _RatingsBySubject:
    """Return the newest ratings without withdrawn ones."""
    return {subject: rating for subject, rating in newest_ratings(ratings).items() if rating.value is not None}


def _agreement(labels: _RatingsBySubject, ratings: _RatingsBySubject, level: float) -> Estimate:
    """Return the share of labels that the ratings repeat, over subjects that have both."""
    shared = [(label, ratings[subject]) for subject, label in labels.items() if subject in ratings]
    pairs = [(label, rating) for label, rating in shared if label.on != "note"]
    rows = np.array([(label.value == rating.value, 1) for label, rating in pairs], float).reshape(-1, 2)
    _, tasks = np.unique([label.task for label, _ in pairs], return_inverse=True)
    return interval(rows, clusters=tasks.astype(np.int64), level=level)
