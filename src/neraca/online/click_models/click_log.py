"""The counts that click models are fitted on.

A log is read once, some searches at a time.  What is kept grows with distinct things and not with searches: clicks and
impressions of each (query, document, rank), and how often each list of documents met each pattern of clicks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError
from neraca.unicode_words import compared_form

if TYPE_CHECKING:
    import polars as pl

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Searches that are turned into rows of documents at once.
AT_ONCE = 100_000
#: Rows that are held before equal ones are put together.
HELD = 1_000_000
#: Patterns of clicks that are worked on at once.
BLOCK = 50_000


@dataclass(frozen=True)
class ClickLogOptions:
    """How a log is counted.

    Attributes
    ----------
    depth
        Ranks below are left out; a page of results.
    held_out
        The share of sessions that no model is fitted on.
    seed
        Of the choice of these sessions.
    patterns
        Whether lists and their patterns of clicks are kept, which every model but the position-based one needs.
    """

    depth: int = 10
    held_out: float = 0.2
    seed: int = 0
    patterns: bool = True

    def __post_init__(self) -> None:
        if not 2 <= self.depth <= 60:
            raise SpecError(f"--depth is between 2 and 60 ranks, not {self.depth}")
        if not 0 <= self.held_out <= 0.9:
            raise SpecError(f"--held-out is a share from 0 to 0.9, not {self.held_out:g}")


class Block(NamedTuple):
    """Some patterns of clicks: pairs shown and clicks, shape (b, depth), -1 where no rank is, and how often: (b,)."""

    pairs: Ints
    clicks: Bools
    times: Floats


@dataclass(frozen=True)
class Sample:
    """Counts of some searches.

    Attributes
    ----------
    searches
        How many there are.
    pair, rank, impressions, clicks
        Shape (m,): number of the (query, document) pair, the rank from 0, how often the pair was shown there, and
        in how many of these searches it was clicked.
    lists
        Shape (l, depth): the pairs of each distinct list, -1 below its end.
    list_of, mask, count
        Shape (d,): of each distinct pattern its list, its clicks as bits (rank 0 is the lowest), how often it came.
    """

    searches: int
    pair: Ints
    rank: Ints
    impressions: Floats
    clicks: Floats
    lists: Ints
    list_of: Ints
    mask: Ints
    count: Floats

    @property
    def depth(self) -> int:
        """How many ranks there are."""
        return int(self.lists.shape[1])

    @cached_property
    def shown_at(self) -> Floats:
        """Impressions of each rank, shape (depth,)."""
        return sums(self.rank, self.impressions, self.depth)

    @cached_property
    def clicked_at(self) -> Floats:
        """Searches with a click at each rank, shape (depth,)."""
        return sums(self.rank, self.clicks, self.depth)

    def blocks(self) -> Iterator[Block]:
        """Yield the patterns, so many at a time that memory stays bounded."""
        places = np.arange(self.depth)
        for start in range(0, len(self.mask), BLOCK):
            part = slice(start, start + BLOCK)
            clicks = (self.mask[part, None] >> places & 1).astype(bool)
            yield Block(self.lists[self.list_of[part]], clicks, self.count[part])

    def joined(self, other: Sample) -> Sample:
        """Return the counts of both; both are of one log."""
        names = ("pair", "rank", "impressions", "clicks", "list_of", "mask", "count")
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return replace(self, searches=self.searches + other.searches, **both)

    def of_pairs(self, keep: Bools) -> Sample:
        """Return the counts of the queries whose pairs are kept; `keep` has shape (pairs,), the same for a query."""
        cells = keep[self.pair]
        lists = keep[self.lists[:, 0]] if len(self.lists) else np.zeros(0, dtype=bool)
        patterns = lists[self.list_of]
        first = cells & (self.rank == 0)
        return replace(
            self,
            searches=int(self.impressions[first].sum()),
            pair=self.pair[cells],
            rank=self.rank[cells],
            impressions=self.impressions[cells],
            clicks=self.clicks[cells],
            list_of=self.list_of[patterns],
            mask=self.mask[patterns],
            count=self.count[patterns],
        )


@dataclass(frozen=True)
class ClickLog:
    """A log of clicks as counts.

    Attributes
    ----------
    queries, documents
        Their words (compared without case and form) and ids, of each (query, document) pair, shape (pairs,).
    query
        Shape (pairs,): number of the query of each pair.
    fitted, held_out
        What models are fitted on, and what they are tested on.
    left_out
        Reason → how many searches: `empty` (nothing was shown), `gap` (nobody knows what stood at the first rank).
    """

    queries: Sequence[str]
    documents: Sequence[str]
    query: Ints
    fitted: Sample
    held_out: Sample
    options: ClickLogOptions
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        """How many distinct (query, document) pairs there are."""
        return len(self.query)

    @cached_property
    def searches_of_query(self) -> Ints:
        """Searches of each query that models are fitted on, shape (queries,)."""
        first = self.fitted.rank == 0
        n = int(self.query.max(initial=-1)) + 1
        return np.bincount(self.query[self.fitted.pair[first]], self.fitted.impressions[first], n).astype(np.int64)


def normal_query(words: str) -> str:
    """The words of a query as they are compared: without case, white space and form of signs.

    >>> normal_query("  Red   SHOES ")
    'red shoes'
    """
    return " ".join(map(compared_form, words.split()))


def click_log(searches: Iterable[pl.DataFrame], options: ClickLogOptions | None = None) -> ClickLog:
    """Count the searches of a log.

    Parameters
    ----------
    searches
        Data frames as a `SearchLog` yields them; of their columns `user session query shown clicked` are used.
    options
        How they are counted.

    Raises
    ------
    InputError
        No search shows documents, or nothing was clicked.
    """
    counted = _Counts(options or ClickLogOptions())
    for frame in searches:
        for start in range(0, len(frame), AT_ONCE):
            counted.add(frame[start : start + AT_ONCE])
    return counted.log()


class _Counts:
    """Counts that grow with each frame; equal rows are put together from time to time."""

    def __init__(self, options: ClickLogOptions) -> None:
        self._options = options
        self._cells: list[pl.DataFrame] = []
        self._patterns: list[pl.DataFrame] = []
        self._held = 0
        self._left_out = {"empty": 0, "gap": 0}

    def add(self, frame: pl.DataFrame) -> None:
        """Take in some searches."""
        import polars as pl

        whole = self._whole(frame)
        if not len(whole):
            return
        lengths = whole["shown"].list.len().to_numpy().astype(np.int64)
        mask = _masks(whole["clicked"], lengths)
        lists = whole.select(
            query=_of_distinct(whole["query"], normal_query),
            shown="shown",
            mask=pl.Series(mask),
            held=pl.Series(_held_out(whole["user"], whole["session"], self._options)),
        )
        patterns = lists.group_by("query", "shown", "mask", "held").agg(count=pl.len().cast(pl.Int64))
        ranks = pl.int_ranges(0, pl.col("shown").list.len())
        cells = patterns.with_columns(rank=ranks).explode("shown", "rank").rename({"shown": "document"})
        clicked = (pl.col("mask") // pl.lit(2, pl.Int64).pow(pl.col("rank"))) % 2
        cells = cells.with_columns(clicks=clicked * pl.col("count"))
        self._cells.append(_together(cells.rename({"count": "impressions"}), _CELL, ["impressions", "clicks"]))
        if self._options.patterns:
            self._patterns.append(patterns)
        self._held += len(self._cells[-1]) + len(patterns)
        if self._held > HELD:
            self._merge()

    def _whole(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Searches with the documents that they showed, down to the first rank of which nothing is known."""
        import polars as pl

        frame = frame.select("user", "session", "query", "clicked", pl.col("shown").list.head(self._options.depth))
        shown = frame.filter(pl.col("shown").list.len() > 0)
        self._left_out["empty"] += len(frame) - len(shown)
        gaps = shown.filter(pl.col("shown").list.contains(""))
        if not len(gaps):
            return shown
        cut = [words[: words.index("")] for words in gaps["shown"].to_list()]
        known = gaps.with_columns(shown=pl.Series(cut, dtype=pl.List(pl.String)))
        known = known.filter(pl.col("shown").list.len() > 0)
        self._left_out["gap"] += len(gaps) - len(known)
        return pl.concat([shown.filter(~pl.col("shown").list.contains("")), known])

    def _merge(self) -> None:
        import polars as pl

        self._cells = [_together(pl.concat(self._cells), _CELL, ["impressions", "clicks"])]
        if self._patterns:
            self._patterns = [_together(pl.concat(self._patterns), _PATTERN, ["count"])]
        self._held = 0

    def log(self) -> ClickLog:
        """Number the pairs, and return all counts."""
        import polars as pl

        if not self._cells:
            raise InputError("no search of the log shows a document; log the ids of what each search showed, by rank")
        self._merge()
        cells = self._cells[0].sort("query", "document", "rank")
        if not cells["clicks"].sum():
            raise InputError("nothing of what the log shows was clicked; log clicks with the rank or the document")
        pairs = cells.select("query", "document").unique(maintain_order=True).with_row_index("pair")
        pairs = pairs.with_columns(number=pl.col("query").rle_id(), pair=pl.col("pair").cast(pl.Int64))
        cells = cells.join(pairs, on=["query", "document"], how="left", maintain_order="left")
        lists, patterns = self._lists(pairs, int(cells["rank"].max()) + 1)  # type: ignore[arg-type]
        fitted, held_out = (
            self._sample(cells.filter(held=held), lists, patterns.filter(held=held)) for held in (False, True)
        )
        query = pairs["number"].cast(pl.Int64).to_numpy()
        left_out = {reason: n for reason, n in self._left_out.items() if n}
        return ClickLog(
            pairs["query"].to_list(), pairs["document"].to_list(), query, fitted, held_out, self._options, left_out
        )

    def _lists(self, pairs: pl.DataFrame, depth: int) -> tuple[Ints, pl.DataFrame]:
        """Each distinct list as numbers of pairs, shape (l, depth), and the patterns with the number of their list."""
        import polars as pl

        if not self._patterns:
            none = pl.DataFrame(schema={"list": pl.Int64, "mask": pl.Int64, "held": pl.Boolean, "count": pl.Int64})
            return np.full((0, depth), -1, dtype=np.int64), none
        patterns = self._patterns[0].sort("query", "shown", "mask", "held")
        patterns = patterns.with_columns(list=pl.struct("query", "shown").rle_id().cast(pl.Int64))
        lists = patterns.select("query", "shown", "list").unique("list", keep="first", maintain_order=True)
        rows = lists.with_columns(rank=pl.int_ranges(0, pl.col("shown").list.len())).explode("shown", "rank")
        rows = rows.join(pairs, left_on=["query", "shown"], right_on=["query", "document"], how="left")
        numbers = np.full((len(lists), depth), -1, dtype=np.int64)
        numbers[rows["list"].to_numpy(), rows["rank"].to_numpy()] = rows["pair"].to_numpy()
        return numbers, patterns

    @staticmethod
    def _sample(cells: pl.DataFrame, lists: Ints, patterns: pl.DataFrame) -> Sample:
        pair, rank, of_list, mask = (
            frame[name].to_numpy().astype(np.int64)
            for frame, name in ((cells, "pair"), (cells, "rank"), (patterns, "list"), (patterns, "mask"))
        )
        shown, clicks, count = (
            frame[name].to_numpy().astype(np.float64)
            for frame, name in ((cells, "impressions"), (cells, "clicks"), (patterns, "count"))
        )
        searches = int(shown[rank == 0].sum())
        return Sample(searches, pair, rank, shown, clicks, lists, of_list, mask, count)


_CELL = ["query", "document", "rank", "held"]
_PATTERN = ["query", "shown", "mask", "held"]


def sums(places: Ints, values: Floats, n: int) -> Floats:
    """The sum of the values at each of n places.

    >>> sums(np.array([2, 0, 2]), np.array([1.0, 2, 3]), 4)
    array([2., 0., 4., 0.])
    """
    result: Floats = np.bincount(places, values, n).astype(np.float64, copy=False)
    return result


def _together(frame: pl.DataFrame, keys: list[str], sums: list[str]) -> pl.DataFrame:
    import polars as pl

    return frame.group_by(keys).agg(pl.col(sums).sum())


def _of_distinct(words: pl.Series, function: Callable[[str], str]) -> pl.Series:
    """A function of each text, called once for each distinct one."""
    distinct = words.unique()
    return words.replace_strict(distinct, [function(word or "") for word in distinct], return_dtype=words.dtype)


def _masks(clicked: pl.Series, shown: Ints) -> Ints:
    """The ranks clicked in each search as bits; clicks below the ranks shown are left out."""
    lengths = clicked.list.len().to_numpy().astype(np.int64)
    ranks = clicked.filter(clicked.list.len() > 0).explode().to_numpy().astype(np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    inside = (ranks >= 1) & (ranks <= shown[rows])
    masks = np.zeros(len(lengths), dtype=np.int64)
    np.bitwise_or.at(masks, rows[inside], np.int64(1) << (ranks[inside] - 1))
    return masks


def _held_out(users: pl.Series, sessions: pl.Series, options: ClickLogOptions) -> Bools:
    """Whether each search is of a session that is held out; all searches of a session go together."""
    import polars as pl

    if not options.held_out:
        return np.zeros(len(users), dtype=bool)
    names = pl.select(pl.concat_str(users.fill_null(""), sessions.fill_null(""), separator="\x1f")).to_series()
    distinct = names.unique()
    key = str(options.seed).encode()
    most = int(options.held_out * 2**32)
    held = [
        int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4, key=key).digest(), "big") < most
        for name in distinct
    ]
    chosen = names.replace_strict(distinct, held, return_dtype=pl.Boolean)
    return chosen.to_numpy().astype(bool)
