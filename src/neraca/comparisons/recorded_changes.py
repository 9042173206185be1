"""Days on which the system changed: its model, its prompt or its version, as the turns record them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.comparisons.time_buckets import NO_DAY

Ints = NDArray[np.int64]
#: Tags of questions that say which system answered.
ATTRIBUTES = ("model", "prompt", "prompt_version", "version")
#: A value is in use on a day if it is this share of the turns that record one.
IN_USE = 0.8


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """The first day on which nearly all turns have a new value of an attribute.

    Attributes
    ----------
    attribute
        One of `ATTRIBUTES`.
    before, after
        The value in use until then, and the new one.
    day
        The day, in UTC.
    """

    attribute: str
    before: str
    after: str
    day: date


def recorded_changes(tags: Mapping[str, Categorical], days: Ints) -> tuple[RecordedChange, ...]:
    """Return the changes of attributes, by day and then by attribute.

    Parameters
    ----------
    tags
        Name of a tag → its value for each turn.
    days
        Shape (n,): the number of each turn's day; `NO_DAY` without a time.
    """
    changes = [change for name in ATTRIBUTES if name in tags for change in _changes(name, tags[name], days)]
    return tuple(sorted(changes, key=lambda change: (change.day, change.attribute)))


def _changes(name: str, tag: Categorical, days: Ints) -> list[RecordedChange]:
    counts: dict[int, Counter[str]] = {}
    pairs, sizes = np.unique(np.stack([days, tag.codes.astype(np.int64)]), axis=1, return_counts=True)
    for (day, code), size in zip(pairs.T.tolist(), sizes.tolist(), strict=True):
        if day != NO_DAY and tag.words[code]:
            counts.setdefault(day, Counter())[tag.words[code]] += size
    changes, before = [], ""
    for day, of_day in sorted(counts.items()):
        value, size = of_day.most_common(1)[0]
        if size < IN_USE * of_day.total() or value == before:
            continue
        if before:
            changes.append(RecordedChange(name, before, value, date.fromordinal(day)))
        before = value
    return changes
