"""Searches with clicks that a click model made up, as the data frames of a log."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from neraca.online.click_models.click_log import ClickLog, ClickLogOptions, Sample, click_log
from neraca.online.click_models.model import ClickModel


def lists_of_pairs(rng: np.random.Generator, n: int, queries: int, depth: int, moved: float = 1.0) -> np.ndarray:
    """Lists of pairs, shape (n, depth): each query has as many documents as ranks, in another order where moved."""
    order = np.argsort(rng.random((n, depth)), axis=1)
    order = np.where(rng.random((n, 1)) < moved, order, np.arange(depth))
    return rng.integers(0, queries, n)[:, None] * depth + order


def searches(pairs: np.ndarray, clicks: np.ndarray, sessions: int = 0, first: int = 0) -> pl.DataFrame:
    """Searches of these lists and clicks; query and document are the pair's number, with leading zeros."""
    n, depth = pairs.shape
    session = np.arange(first, first + n) % (sessions or first + n)
    return pl.DataFrame(
        {
            "user": [f"u{number}" for number in session],
            "session": [f"s{number}" for number in session],
            "query": [f"q{number:05d}" for number in (pairs[:, 0] // depth)],
            "shown": [[f"d{pair:06d}" for pair in row if pair >= 0] for row in pairs.tolist()],
            "clicked": [(np.flatnonzero(row) + 1).tolist() for row in clicks],
        },
        schema_overrides={"clicked": pl.List(pl.Int64)},
    )


def simulated_log(
    model: ClickModel, n: int, queries: int, depth: int, *, seed: int = 1, moved: float = 1.0, held_out: float = 0.0
) -> ClickLog:
    """A log of n searches with clicks by this model."""
    rng = np.random.default_rng(seed)
    pairs = lists_of_pairs(rng, n, queries, depth, moved)
    return click_log(blocks(pairs, model.simulate(rng, pairs)), ClickLogOptions(depth=depth, held_out=held_out))


def counted_log(pairs: np.ndarray, clicks: np.ndarray, queries: int) -> ClickLog:
    """The counts of these lists, of full length, and clicks, without data frames in between."""
    n, depth = pairs.shape
    cell = (pairs * depth + np.arange(depth)).ravel()
    impressions, clicked = np.bincount(cell), np.bincount(cell, clicks.ravel())
    used = np.flatnonzero(impressions)
    counts = impressions[used].astype(float), clicked[used]
    none = np.zeros(0, np.int64)
    sample = Sample(n, used // depth, used % depth, *counts, np.full((0, depth), -1), none, none, np.zeros(0))
    names = [str(pair) for pair in range(queries * depth)]
    nothing = sample.of_pairs(np.zeros(len(names), bool))
    query = np.arange(len(names)) // depth
    return ClickLog(names, names, query, sample, nothing, ClickLogOptions(depth, 0.0, patterns=False))


def blocks(pairs: np.ndarray, clicks: np.ndarray, size: int = 7000) -> Iterator[pl.DataFrame]:
    """The searches, some at a time."""
    for start in range(0, len(pairs), size):
        yield searches(pairs[start : start + size], clicks[start : start + size], first=start)
