"""Counts from a log, on which click models are fitted.

A log is read once, some searches at a time.  Memory grows with the number of distinct rows, not of searches.  The rows
are the clicks and impressions of each (query, document, rank), and the frequency of each pattern of clicks on each list
of documents.
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
from neraca.online.no_clicks import check_clicks
from neraca.online.search_log import SearchLog
from neraca.unicode_words import compared_form

if TYPE_CHECKING:
    import polars as pl

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Searches that are expanded to rows of documents at a time.
SEARCHES_AT_ONCE = 100_000
#: Rows held in memory before equal rows are merged.
MOST_ROWS = 1_000_000
#: Patterns of clicks in a block.
BLOCK = 50_000


@dataclass(frozen=True)
class ClickLogOptions:
    """Options for counting a log.

    Attributes
    ----------
    depth
        Number of ranks to count, such as a page of results; lower ranks are left out.
    held_out
        The share of sessions held out for testing the models.
    seed
        Seed of the choice of these sessions.
    patterns
        Whether to count patterns of clicks on lists.  All models but the position-based one need them.
    """

    depth: int = 10
    held_out: float = 0.2
    seed: int = 0
    patterns: bool = True

    def __post_init__(self) -> None:
        if not 2 <= self.depth <= 60:
            raise SpecError(f"--depth must be from 2 to 60 ranks, not {self.depth}")
        if not 0 <= self.held_out <= 0.9:
            raise SpecError(f"--held-out must be a share from 0 to 0.9, not {self.held_out:g}")


class Block(NamedTuple):
    """Some patterns of clicks.

    Attributes
    ----------
    pairs, clicks
        Shape (b, depth): the pair shown at each rank, -1 below the end of the list, and whether it was clicked.
    times
        Shape (b,): the frequency of each pattern.
    """

    pairs: Ints
    clicks: Bools
    times: Floats


@dataclass(frozen=True)
class Sample:
    """Counts of some searches.

    Attributes
    ----------
    searches
        Number of searches.
    pair, rank, impressions, clicks
        Shape (m,): the number of the (query, document) pair, the rank from 0, how often the pair was shown there, and
        in how many of these searches it was clicked.
    lists
        Shape (l, depth): the pairs of each distinct list, -1 below its end.
    list_of, mask, count
        Shape (d,): for each distinct pattern, the number of its list, its clicks as bits (rank 0 is the lowest), and
        its frequency.
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
        """Number of ranks."""
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
        """Yield the patterns in blocks of at most `BLOCK`, to bound memory."""
        places = np.arange(self.depth)
        for start in range(0, len(self.mask), BLOCK):
            part = slice(start, start + BLOCK)
            clicks = (self.mask[part, None] >> places & 1).astype(bool)
            yield Block(self.lists[self.list_of[part]], clicks, self.count[part])

    def joined(self, other: Sample) -> Sample:
        """Return the counts of both samples, which must be of the same log."""
        names = ("pair", "rank", "impressions", "clicks", "list_of", "mask", "count")
        merged = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return replace(self, searches=self.searches + other.searches, **merged)

    def of_pairs(self, keep: Bools) -> Sample:
        """Return the counts of the pairs with `keep`, shape (pairs,); all pairs of a query must have the same value."""
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
        For each (query, document) pair, the normalised query (see `normal_query`) and the id of the document.
    query
        Shape (pairs,): number of the query of each pair.
    fitted, held_out
        The samples for fitting the models and for testing them.
    left_out
        Reason → number of searches: `empty` (no document was shown), `gap` (the document at the first rank is unknown).
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
        """Number of distinct (query, document) pairs."""
        return len(self.query)

    @cached_property
    def searches_of_query(self) -> Ints:
        """Searches of each query in the sample for fitting, shape (queries,)."""
        first = self.fitted.rank == 0
        n = int(self.query.max(initial=-1)) + 1
        return np.bincount(self.query[self.fitted.pair[first]], self.fitted.impressions[first], n).astype(np.int64)


def normal_query(query: str) -> str:
    """Return the normalised query: one Unicode form, without case and repeated white space.

    >>> normal_query("  Red   SHOES ")
    'red shoes'
    """
    return " ".join(map(compared_form, query.split()))


def click_log(searches: Iterable[pl.DataFrame], options: ClickLogOptions | None = None) -> ClickLog:
    """Count the searches of a log.

    Parameters
    ----------
    searches
        Data frames from a `SearchLog`, with the columns `user session query shown clicked`.
    options
        Options for counting.

    Raises
    ------
    InputError
        No search shows documents, or no document was clicked.
    """
    counts = _Counts(options or ClickLogOptions())
    for frame in searches:
        for start in range(0, len(frame), SEARCHES_AT_ONCE):
            counts.add(frame[start : start + SEARCHES_AT_ONCE])
    if isinstance(searches, SearchLog):
        check_clicks(searches, searches.contents, "no click model can be fitted")
    return counts.log()


class _Counts:
    """Accumulates the counts of data frames, and merges equal rows from time to time."""

    def __init__(self, options: ClickLogOptions) -> None:
        self._options = options
        self._cells: list[pl.DataFrame] = []
        self._patterns: list[pl.DataFrame] = []
        self._rows = 0
        self._left_out = {"empty": 0, "gap": 0}

    def add(self, frame: pl.DataFrame) -> None:
        """Count the searches of a data frame."""
        import polars as pl

        searches = self._cut_at_gaps(frame)
        if not len(searches):
            return
        lengths = searches["shown"].list.len().to_numpy().astype(np.int64)
        mask = _masks(searches["clicked"], lengths)
        lists = searches.select(
            query=_map_distinct(searches["query"], normal_query),
            shown="shown",
            mask=pl.Series(mask),
            held=pl.Series(_is_held_out(searches["user"], searches["session"], self._options)),
        )
        patterns = lists.group_by("query", "shown", "mask", "held").agg(count=pl.len().cast(pl.Int64))
        ranks = pl.int_ranges(0, pl.col("shown").list.len())
        cells = patterns.with_columns(rank=ranks).explode("shown", "rank").rename({"shown": "document"})
        clicked = (pl.col("mask") // pl.lit(2, pl.Int64).pow(pl.col("rank"))) % 2
        cells = cells.with_columns(clicks=clicked * pl.col("count"))
        self._cells.append(_merge_rows(cells.rename({"count": "impressions"}), _CELL, ["impressions", "clicks"]))
        if self._options.patterns:
            self._patterns.append(patterns)
        self._rows += len(self._cells[-1]) + len(patterns)
        if self._rows > MOST_ROWS:
            self._merge()

    def _cut_at_gaps(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Cut lists at the first unknown document; leave out and count searches whose list is empty."""
        import polars as pl

        frame = frame.select("user", "session", "query", "clicked", pl.col("shown").list.head(self._options.depth))
        nonempty = frame.filter(pl.col("shown").list.len() > 0)
        self._left_out["empty"] += len(frame) - len(nonempty)
        gaps = nonempty.filter(pl.col("shown").list.contains(""))
        if not len(gaps):
            return nonempty
        cut = [documents[: documents.index("")] for documents in gaps["shown"].to_list()]
        shortened = gaps.with_columns(shown=pl.Series(cut, dtype=pl.List(pl.String)))
        shortened = shortened.filter(pl.col("shown").list.len() > 0)
        self._left_out["gap"] += len(gaps) - len(shortened)
        return pl.concat([nonempty.filter(~pl.col("shown").list.contains("")), shortened])

    def _merge(self) -> None:
        import polars as pl

        self._cells = [_merge_rows(pl.concat(self._cells), _CELL, ["impressions", "clicks"])]
        if self._patterns:
            self._patterns = [_merge_rows(pl.concat(self._patterns), _PATTERN, ["count"])]
        self._rows = 0

    def log(self) -> ClickLog:
        """Number the pairs and return the counts."""
        import polars as pl

        if not self._cells:
            raise InputError("no search of the log shows a document; log the ids of the documents shown, by rank")
        self._merge()
        cells = self._cells[0].sort("query", "document", "rank")
        if not cells["clicks"].sum():
            raise InputError("no document shown in the log was clicked; log clicks with the rank or the document")
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
        """Return the pair numbers of each distinct list, shape (l, depth), and the patterns with their list number."""
        import polars as pl

        if not self._patterns:
            no_patterns = pl.DataFrame(
                schema={"list": pl.Int64, "mask": pl.Int64, "held": pl.Boolean, "count": pl.Int64}
            )
            return np.full((0, depth), -1, dtype=np.int64), no_patterns
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
        impressions, clicks, count = (
            frame[name].to_numpy().astype(np.float64)
            for frame, name in ((cells, "impressions"), (cells, "clicks"), (patterns, "count"))
        )
        searches = int(impressions[rank == 0].sum())
        return Sample(searches, pair, rank, impressions, clicks, lists, of_list, mask, count)


_CELL = ["query", "document", "rank", "held"]
_PATTERN = ["query", "shown", "mask", "held"]


def sums(places: Ints, values: Floats, n: int) -> Floats:
    """Return the sum of the values at each of n places.

    >>> sums(np.array([2, 0, 2]), np.array([1.0, 2, 3]), 4)
    array([2., 0., 4., 0.])
    """
    result: Floats = np.bincount(places, values, n).astype(np.float64, copy=False)
    return result


def _merge_rows(frame: pl.DataFrame, keys: list[str], sums: list[str]) -> pl.DataFrame:
    import polars as pl

    return frame.group_by(keys).agg(pl.col(sums).sum())


def _map_distinct(texts: pl.Series, function: Callable[[str], str]) -> pl.Series:
    """Apply a function to each text, calling it once for each distinct text."""
    distinct = texts.unique()
    return texts.replace_strict(distinct, [function(text or "") for text in distinct], return_dtype=texts.dtype)


def _masks(clicked: pl.Series, shown_lengths: Ints) -> Ints:
    """Return the clicked ranks of each search as bits.  Leave out clicks below the end of the list."""
    lengths = clicked.list.len().to_numpy().astype(np.int64)
    ranks = clicked.filter(clicked.list.len() > 0).explode().to_numpy().astype(np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    inside = (ranks >= 1) & (ranks <= shown_lengths[rows])
    masks = np.zeros(len(lengths), dtype=np.int64)
    np.bitwise_or.at(masks, rows[inside], np.int64(1) << (ranks[inside] - 1))
    return masks


def _is_held_out(users: pl.Series, sessions: pl.Series, options: ClickLogOptions) -> Bools:
    """Return whether the session of each search is held out, decided by a hash of user and session."""
    import polars as pl

    if not options.held_out:
        return np.zeros(len(users), dtype=bool)
    names = pl.select(pl.concat_str(users.fill_null(""), sessions.fill_null(""), separator="\x1f")).to_series()
    distinct = names.unique()
    key = str(options.seed).encode()
    threshold = int(options.held_out * 2**32)
    is_held_out = [
        int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4, key=key).digest(), "big") < threshold
        for name in distinct
    ]
    by_search = names.replace_strict(distinct, is_held_out, return_dtype=pl.Boolean)
    return by_search.to_numpy().astype(bool)
