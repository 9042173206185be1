"""Estimate how far users look from a table of views: impressions in the window, or fixations of an eye tracker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError
from neraca.online.click_models.fits import Bounded
from neraca.stats.intervals.interval import Floats, interval
from neraca.stats.intervals.resample import by_cluster

#: Fewest seconds of a look that counts: the shortest fixation in which words are read.
SEEN_FROM = 0.1
_YES_NO = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}


@dataclass(frozen=True)
class ViewProbability:
    """The probabilities V and C by rank.

    Attributes
    ----------
    views
        V, shape (depth,): the share of rows at rank i that were seen, with an interval clustered by session; NaN if
        the rank has no rows.
    continuation
        C, shape (depth - 1,): V(i+1) / V(i), at most 1, with an interval clustered by session.
    shown
        Shape (depth,): number of rows at each rank.
    sessions
        Number of sessions.
    by_session
        Whether the table names sessions; if not, each row counts as one.
    """

    views: Bounded
    continuation: Bounded
    shown: Floats
    sessions: int
    by_session: bool = True


def read_views(path: Path | str, seen_from: float = SEEN_FROM, level: float = 0.95) -> ViewProbability:
    """Read a table with the columns `session`, `rank` (from 1), and `seen` (0 or 1) or `seconds`.

    A look of at least `seen_from` seconds counts as seen.  Without `session` each row counts as a session of its own.
    Other columns are ignored.  Raise `InputError` if a column is missing or a cell is invalid.
    """
    table = read_table(path)
    if "rank" not in table.columns:
        raise InputError(_missing_column(table, "rank"))
    unit = next((name for name in ("seen", "seconds") if name in table.columns), "")
    if not unit:
        raise InputError(_missing_column(table, "seen (0 or 1) or seconds"))
    by_session = "session" in table.columns
    ranks = np.array([_read_rank(table, row, cell) for row, cell in enumerate(table.column("rank"))], dtype=np.int64)
    seen = [_read_seen(table, row, cell, unit, seen_from) for row, cell in enumerate(table.column(unit))]
    if not len(ranks):
        raise InputError(f"{table.header}: the table has no rows")
    sessions = [str(cell) for cell in table.column("session")] if by_session else np.arange(len(ranks))
    views = view_probability(np.unique(sessions, return_inverse=True)[1], ranks - 1, np.array(seen), level)
    return replace(views, by_session=by_session)


def view_probability(
    session: np.ndarray[tuple[int], np.dtype[np.int64]],
    rank: np.ndarray[tuple[int], np.dtype[np.int64]],
    seen: Floats,
    level: float = 0.95,
) -> ViewProbability:
    """Estimate V and C from rows that say whether a session saw a rank (from 0); each argument has shape (n,)."""
    depth = int(rank.max()) + 1
    views, continuation = np.full((3, depth), np.nan), np.full((3, max(0, depth - 1)), np.nan)
    for place in range(depth):
        at_rank = rank == place
        rows = np.stack([seen[at_rank], np.ones(at_rank.sum())], axis=1)
        view = interval(rows, clusters=session[at_rank], level=level, limits=(0.0, 1.0))
        views[:, place] = view.value, view.low, view.high
        if place:
            at_rank_above = rank == place - 1
            columns = (seen * at_rank, at_rank * 1.0, seen * at_rank_above, at_rank_above * 1.0)
            rows = by_cluster(np.stack(columns, axis=1), session)
            going_on = interval(rows, _continuation, level=level, limits=(0.0, 1.0))
            continuation[:, place - 1] = min(going_on.value, 1.0), going_on.low, going_on.high
    shown = np.bincount(rank, minlength=depth).astype(np.float64)
    return ViewProbability(Bounded(*views), Bounded(*continuation), shown, len(np.unique(session)))


def _continuation(sums: Floats) -> Floats:
    """Return V of a rank divided by V of the rank above, from sums (seen, shown, seen above, shown above)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = (sums[..., 0] / sums[..., 1]) / (sums[..., 2] / sums[..., 3])
    return result


def _missing_column(table: RowBatch, name: str) -> str:
    return f'{table.header}: no column "{name}" (found: {", ".join(table.columns)}); rename the column that holds it'


def _read_rank(table: RowBatch, row: int, cell: object) -> int:
    try:
        rank = float(str(cell))
    except ValueError:
        rank = 0.0
    if not (1 <= rank <= 1000 and rank.is_integer()):
        raise InputError(f"{table.path} {table.place(row)}: rank must be a whole number from 1 to 1000, not {cell!r}")
    return int(rank)


def _read_seen(table: RowBatch, row: int, cell: object, unit: str, seen_from: float) -> float:
    word = str(cell).strip().lower()
    if unit == "seen":
        if word not in _YES_NO:
            raise InputError(
                f"{table.path} {table.place(row)}: seen must be 0 or 1, not {cell!r}; if the column holds durations, "
                "call it seconds"
            )
        return _YES_NO[word]
    try:
        seconds = float(word)
    except ValueError:
        seconds = np.nan
    if not seconds >= 0:
        raise InputError(f"{table.path} {table.place(row)}: seconds must be a number, at least 0, not {cell!r}")
    return float(seconds >= seen_from)
