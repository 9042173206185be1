"""Lists of scores: of all metrics, of one metric by run, and of items, as tables and as rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

from neraca.nearest import nearest
from neraca.number_format import number, span
from neraca.result import Results, Table, Tabular
from neraca.stats.intervals.fewest import AT_LEAST, FEWEST_IN_RANGE

#: The column of bounds that hold whatever the unscored items are worth.
WHATEVER = "if all counted"


@dataclass(frozen=True)
class Score:
    """A metric's value for one run, or for one group of its items.

    Attributes
    ----------
    group
        "" for all items, else `category=location_simple`.
    value, low, high
        NaN if nothing is scored.
    n, unscored
        Items scored and not scored.
    method
        The kind of interval: `t`, `bounded` if `t` would leave the metric's range, `bca`, `percentile`,
        `wilson` or `none`.
    lowest, highest
        Bounds of the mean whatever the unscored items are worth; NaN if the metric has no finite range or is no mean,
        or if there is no item.
    why
        The reason why there is no interval, in words; "" if there is one.
    drawn_of
        The number of items of which those scored and unscored are a random part; 0 if they are all.
    """

    run: str
    group: str
    metric: str
    value: float
    low: float
    high: float
    n: int
    unscored: int
    method: str
    lowest: float = math.nan
    highest: float = math.nan
    why: str = ""
    drawn_of: int = 0

    @property
    def interval(self) -> str:
        """The interval as text; if there is a value without one, the reason."""
        if not math.isnan(self.low) or math.isnan(self.value):
            return span(self.low, self.high)
        return f"none (n < {FEWEST_IN_RANGE})" if self.why.endswith(AT_LEAST) else f"none ({self.why})"


class ScoreList(Results[Score]):
    """A list of scores; prints as a table.

    Parameters
    ----------
    scores
        In the order in which they are shown.
    titles
        Canonical name of a metric → its name in tables, if that differs.
    counting
        Names of metrics that count something; their values are printed as whole numbers.
    """

    __slots__ = ("_counting", "_titles")

    def __init__(
        self, scores: Iterable[Score] = (), titles: Mapping[str, str] | None = None, counting: Iterable[str] = ()
    ) -> None:
        super().__init__(scores)
        self._titles, self._counting = dict(titles or {}), frozenset(counting)

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self) -> Table:
        """Return the printed table: names, values, intervals, and the numbers of items."""
        shows_column = [len({score.run for score in self}) > 1, any(score.group for score in self)]
        left_out = any(score.unscored and not math.isnan(score.lowest) for score in self)
        columns = ["metric", *compress(("run", "group"), shows_column)]
        rows = []
        for score in self:
            value = f"{score.value:.0f}" if score.metric in self._counting else number(score.value)
            names = list(compress((score.run, score.group), shows_column))
            n = f"{score.n:,} of {score.drawn_of:,}" if score.drawn_of else f"{score.n:,}"
            cells = [value, score.interval, n, f"{score.unscored:,}"]
            if left_out:
                is_bounded = score.unscored and not math.isnan(score.lowest)
                cells.append(span(score.lowest, score.highest) if is_bounded else "")
            rows.append([self._titles.get(score.metric, score.metric), *names, *cells])
        bounds_column = [WHATEVER] if left_out else []
        return Table([*columns, "value", "interval", "n", "unscored", *bounds_column], rows, names=len(columns))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of each score: {run, group, metric, value, low, high, n, unscored, method, lowest, …}."""
        return list(map(asdict, self))


class ItemRows(Results[dict[str, Any]]):
    """Values item by item, a flat row each; prints the first ones."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        columns = list(dict.fromkeys(name for row in self for name in row))
        numbers = {name for name in columns if any(isinstance(row.get(name), float) for row in self)}
        ordered = sorted(columns, key=lambda name: name in numbers)
        rows = [[number(row.get(name)) if name in numbers else str(row.get(name)) for name in ordered] for row in self]
        yield Table(ordered, rows, names=len(columns) - len(numbers))

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain dicts."""
        return list(map(dict, self))


class MetricScores(Tabular, dict[str, float]):
    """One metric: run → its value over all items that are scored; prints with intervals.

    Parameters
    ----------
    scores
        The scores of this metric, one for each run.
    items
        Returns the values item by item, for `by_item`.
    """

    def __init__(self, scores: ScoreList, items: Callable[[], ItemRows]) -> None:
        super().__init__((score.run, score.value) for score in scores)
        self._scores, self._items = scores, items

    def __missing__(self, run: str) -> float:
        raise KeyError(f"no run is called {run!r}; {nearest(run, self)}")

    def by_item(self) -> ItemRows:
        """Return a row for each item, with a column for each tag and for the value in each run, None if unscored."""
        return self._items()

    def _tables(self) -> Iterator[Table]:
        yield self._scores.table()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each run, as `ScoreList.rows`."""
        return self._scores.rows()
