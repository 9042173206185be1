"""How far users look, from a table that says it: impressions in the window, or fixations of an eye tracker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError
from neraca.online.click_models.fits import Bounded
from neraca.stats.interval import Floats, interval
from neraca.stats.resample import by_cluster

#: Seconds from which a look counts: the shortest fixation in which words are read.
SEEN_FROM = 0.1
_YES_NO = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}


@dataclass(frozen=True)
class ViewProbability:
    """V and C by rank.

    Attributes
    ----------
    views
        Shape (depth,): the share of those who were shown rank i who looked at it, with an interval by session; NaN
        where nobody was shown it.
    continuation
        Shape (depth - 1,): V(i+1) / V(i), with an interval by session.
    shown
        Shape (depth,): rows of each rank.
    sessions
        How many there are.
    """

    views: Bounded
    continuation: Bounded
    shown: Floats
    sessions: int


def read_views(path: Path | str, seen_from: float = SEEN_FROM, level: float = 0.95) -> ViewProbability:
    """Read a table with the columns `session`, `rank` (from 1) and `seen` (0 or 1) or `seconds`; `query` may be there.

    Raises `InputError` where a column is missing or a cell is not what it must be.
    """
    table = read_table(path)
    for name in ("session", "rank"):
        if name not in table.columns:
            raise InputError(_lacks(table, name))
    unit = next((name for name in ("seen", "seconds") if name in table.columns), "")
    if not unit:
        raise InputError(_lacks(table, "seen (0 or 1) or seconds"))
    sessions = [str(one) for one in table.column("session")]
    ranks = np.array([_rank(table, row, cell) for row, cell in enumerate(table.column("rank"))], dtype=np.int64)
    seen = [_seen(table, row, cell, unit, seen_from) for row, cell in enumerate(table.column(unit))]
    if not len(ranks):
        raise InputError(f"{table.header}: there is no row in it")
    return view_probability(np.unique(sessions, return_inverse=True)[1], ranks - 1, np.array(seen), level)


def view_probability(
    session: np.ndarray[tuple[int], np.dtype[np.int64]],
    rank: np.ndarray[tuple[int], np.dtype[np.int64]],
    seen: Floats,
    level: float = 0.95,
) -> ViewProbability:
    """V and C of rows that say whether a session saw a rank (from 0); each of shape (n,)."""
    depth = int(rank.max()) + 1
    bounds, onward = np.full((3, depth), np.nan), np.full((3, max(0, depth - 1)), np.nan)
    for place in range(depth):
        at = rank == place
        rows = np.stack([seen[at], np.ones(at.sum())], axis=1)
        one = interval(rows, clusters=session[at], level=level, limits=(0.0, 1.0))
        bounds[:, place] = one.value, one.low, one.high
        if place:
            above = rank == place - 1
            columns = (seen * at, at * 1.0, seen * above, above * 1.0)
            rows = by_cluster(np.stack(columns, axis=1), session)
            one = interval(rows, _quotient, level=level, limits=(0.0, 1.0))
            onward[:, place - 1] = min(one.value, 1.0), one.low, one.high
    shown = np.bincount(rank, minlength=depth).astype(np.float64)
    return ViewProbability(Bounded(*bounds), Bounded(*onward), shown, len(np.unique(session)))


def _quotient(sums: Floats) -> Floats:
    """The share seen at a rank over that at the rank above, from sums (seen, shown, seen above, shown above)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = (sums[..., 0] / sums[..., 1]) / (sums[..., 2] / sums[..., 3])
    return result


def _lacks(table: RowBatch, name: str) -> str:
    return f'{table.header}: no column "{name}" (found: {", ".join(table.columns)}); rename the one that holds it'


def _rank(table: RowBatch, row: int, cell: object) -> int:
    try:
        rank = float(str(cell))
    except ValueError:
        rank = 0.0
    if not (1 <= rank <= 1000 and rank.is_integer()):
        raise InputError(f"{table.path} {table.place(row)}: rank {cell!r} is no whole number from 1 to 1000")
    return int(rank)


def _seen(table: RowBatch, row: int, cell: object, unit: str, seen_from: float) -> float:
    word = str(cell).strip().lower()
    if unit == "seen":
        if word not in _YES_NO:
            raise InputError(
                f"{table.path} {table.place(row)}: seen is 0 or 1, not {cell!r}; call a column of durations seconds"
            )
        return _YES_NO[word]
    try:
        seconds = float(word)
    except ValueError:
        seconds = np.nan
    if not seconds >= 0:
        raise InputError(f"{table.path} {table.place(row)}: seconds {cell!r} is no number from 0")
    return float(seconds >= seen_from)
