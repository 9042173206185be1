"""A ranking from a list of grades: for examples, and to compute a ranking metric by hand."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.ranking.ranking import Ranking
from neraca.records import Answer, Hit, Item


def ranking(grades: Sequence[float | None], unseen: Sequence[float] = (), expects: str | None = None) -> Ranking:
    """The view of one answer whose hits have these grades (None: not judged).

    Parameters
    ----------
    grades
        The grades of the returned hits, best rank first.
    unseen
        Grades of judged documents that were not returned.
    expects
        `results`, `none` or None.

    Examples
    --------
    >>> ranking([1, 0], unseen=[1]).pool
    array([1., 1., 0.])
    """
    judged = {f"d{rank}": grade for rank, grade in enumerate(grades, start=1) if grade is not None}
    judged |= {f"u{number}": grade for number, grade in enumerate(unseen, start=1)}
    item = Item(id="1", query="?", relevant=judged, expects=expects)  # type: ignore[arg-type]
    answer = Answer(item="1", hits=tuple(Hit(id=f"d{rank}") for rank in range(1, len(grades) + 1)))
    return Ranking.of(scorable_of_answers([item], [answer]))
