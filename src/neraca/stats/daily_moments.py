"""Moments of the arms at the end of each day of an experiment, from one pass over the users' rows.

A user counts from the day of their first row on.  On each day, everything that the user did until then counts.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats
from neraca.stats.moments import Grouped, Moments, merged

#: Rows that are summed at a time, so that they stay in the cache of a processor.
ROWS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class DailyMoments:
    """Moments of A arms at the end of D days, over all users seen until then.

    Attributes
    ----------
    n, mean, cross
        As in `neraca.stats.moments.Moments`, for each arm and day: shapes (A, D), (A, D, k) and (A, D, k, k).
    """

    n: NDArray[np.int64]
    mean: Floats
    cross: Floats

    @property
    def days(self) -> int:
        """Days of the experiment; the first is day 0."""
        return int(self.n.shape[1])

    def at(self, arm: int, day: int) -> Moments:
        """Moments of an arm at the end of a day, both counted from 0."""
        return Moments(int(self.n[arm, day]), self.mean[arm, day], self.cross[arm, day])

    def part(self, arm: int, columns: Sequence[int]) -> DailyMoments:
        """Return the moments of some columns of one arm, which becomes arm 0."""
        chosen = list(columns)
        cross = self.cross[arm : arm + 1][..., chosen, :][..., chosen]
        return DailyMoments(self.n[arm : arm + 1], self.mean[arm : arm + 1][..., chosen], cross)

    def together(self, without: int | None = None) -> DailyMoments:
        """Return the moments of all arms together as those of one arm, perhaps without one of them.

        >>> rows = np.array([0, 1]), np.array([7, 8]), np.array([0, 0]), np.array([[1.0], [5]])
        >>> daily_moments(*rows, arms=2, days=1).together().at(0, 0).mean.tolist()
        [3.0]
        """
        every = [(self.n[a : a + 1], self.mean[a : a + 1], self.cross[a : a + 1]) for a in range(len(self.n))]
        return DailyMoments(*functools.reduce(merged, (arm for a, arm in enumerate(every) if a != without)))

    def __add__(self, other: DailyMoments) -> DailyMoments:
        """Merge the moments of disjoint sets of users day by day; the shorter side repeats its last day."""
        days = max(self.days, other.days)
        return DailyMoments(*merged(self._until(days), other._until(days)))

    def _until(self, days: int) -> Grouped:
        day = np.minimum(np.arange(days), self.days - 1)
        return self.n[:, day], self.mean[:, day], self.cross[:, day]


def daily_moments(
    arm: NDArray[np.int64], user: NDArray[np.int64], day: NDArray[np.int64], columns: Floats, arms: int, days: int
) -> DailyMoments:
    """Return the moments of each arm at the end of each day.

    Parameters
    ----------
    arm
        Arm of each row, from 0, shape (n,); the same for all rows of a user.
    user
        Number of the user, shape (n,).  All rows of a user are consecutive, in order of day.
    day
        Day of each row, from 0, shape (n,).
    columns
        What each row adds to the columns of its user, shape (n, k).  Facts that belong to no day, such as a denominator
        of 1 or a covariate, stand in the user's first row only.
    arms, days
        Their numbers, at least 1; a day without rows has the moments of the day before.

    Raises
    ------
    ValueError
        Rows are out of order, a user has two arms, or an arm or day is out of range.

    Examples
    --------
    Two users of one arm: the first comes on both days and clicks once and twice, the second on day 1 with 5 clicks.

    >>> rows = np.array([0, 0, 0]), np.array([7, 7, 8]), np.array([0, 1, 1]), np.array([[1.0], [2], [5]])
    >>> daily = daily_moments(*rows, arms=1, days=2)
    >>> daily.n.tolist(), daily.mean.ravel().tolist(), daily.cross.ravel().tolist()  # (3 - 4)^2 + (5 - 4)^2
    ([[1, 2]], [1.0, 4.0], [0.0, 2.0])
    """
    first = np.concatenate([[True], user[1:] != user[:-1]])[: len(user)]
    _check(arm, day, first, arms, days)
    width = columns.shape[1]
    starts = np.flatnonzero(first)
    centre = columns.sum(axis=0) / len(starts) if len(starts) else np.zeros(width)
    cells = arm * days + day
    changes = np.zeros((arms * days, width + 1, width + 1))
    ends = starts[1:][np.diff(starts[1:] // ROWS, prepend=0) > 0].tolist()
    for begin, end in pairwise([0, *ends, len(user)]):
        rows = slice(begin, end)
        changes += _changes_of_cells(cells[rows], first[rows], columns[rows], centre, arms * days)
    totals = changes.reshape(arms, days, width + 1, width + 1).cumsum(axis=1)
    n, sums, squares = totals[..., width, width], totals[..., :width, width], totals[..., :width, :width]
    step = sums / np.maximum(n, 1)[..., None]
    cross = squares - sums[..., :, None] * step[..., None, :]
    mean = np.where(n[..., None] > 0, centre + step, 0.0)
    return DailyMoments(n.astype(np.int64), mean, cross)


def _changes_of_cells(
    cells: NDArray[np.int64], first: NDArray[np.bool_], columns: Floats, centre: Floats, number: int
) -> Floats:
    """Return by how much the rows of each cell (arm and day) change the sums of products of the users' totals.

    Totals are less `centre`.  The last column is 1 for each user, so that its products are counts and sums.
    """
    rows, width = columns.shape
    order = np.argsort(cells.astype(np.min_scalar_type(number)), kind="stable")
    starts = np.flatnonzero(first)
    summed = np.cumsum(columns, axis=0)
    after = np.ones((rows, width + 1))
    after[:, :width] = summed - np.repeat(
        summed[starts] - columns[starts] + centre, np.diff(starts, append=rows), axis=0
    )
    before = after.copy()
    before[:, :width] -= columns
    before[first] = 0.0
    after, before = after[order], before[order]
    ends = np.bincount(cells, minlength=number).cumsum().tolist()
    changes = np.zeros((number, width + 1, width + 1))
    for cell, (begin, end) in enumerate(pairwise([0, *ends])):
        if begin < end:
            changes[cell] = after[begin:end].T @ after[begin:end] - before[begin:end].T @ before[begin:end]
    return changes


def _check(arm: NDArray[np.int64], day: NDArray[np.int64], first: NDArray[np.bool_], arms: int, days: int) -> None:
    if len(arm) and (min(arm.min(), day.min()) < 0 or arm.max() >= arms or day.max() >= days):
        raise ValueError(f"arms must be from 0 to {arms - 1} and days from 0 to {days - 1}")
    same_user = ~first[1:]
    if (np.diff(day)[same_user] < 0).any():
        raise ValueError("rows of a user must be in order of day")
    if np.diff(arm)[same_user].any():
        raise ValueError("a user has rows in two arms")
