"""The judged hits of a run in memory, query → document → score, for all queries at once."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import chain

import numpy as np

from neraca.datasets.fields import Floats, Ints
from neraca.datasets.judged import RankedJudgments
from neraca.datasets.judged_rows import greater, rounded
from neraca.datasets.qrels import Qrels


def judged_mapping(
    run: Mapping[str, Mapping[str, float]], qrels: Qrels, single: bool = False
) -> RankedJudgments | None:
    """Rank each judged document by where its score stands among the sorted ones; None where a score is no number."""
    known = list(qrels.grades.values())
    runs = [run.get(query) or {} for query in qrels.queries]
    returned = np.fromiter(map(len, runs), np.int64, len(runs))
    ends = np.cumsum(returned)
    starts = ends - returned
    found = chain.from_iterable(map(scores.get, docs) for scores, docs in zip(runs, known, strict=True))
    try:
        # an array refuses a text, which numpy would read as a number
        scores = np.frombuffer(array("d", chain.from_iterable(scores.values() for scores in runs)), dtype=np.float64)
        mine = np.array(list(found), dtype=np.float64)  # NaN where it was not returned
    except (TypeError, OverflowError):
        return None
    if np.isnan(scores).any():
        return None
    place = np.flatnonzero(~np.isnan(mine))
    owner, mine = np.repeat(np.arange(len(runs)), qrels.lengths)[place], mine[place]
    if single:
        mine, scores = rounded(mine), rounded(scores)
    order = None
    rises = scores[1:] > scores[:-1]
    rises[starts[(starts > 0) & (starts < len(scores))] - 1] = False
    if rises.any():
        order = np.lexsort((-scores, np.repeat(np.arange(len(runs)), returned)))
        scores = scores[order]
    first = _insertions(-scores, starts[owner], ends[owner], -mine, after=False)
    end = _insertions(-scores, first, ends[owner], -mine, after=True)
    rank = first - starts[owner] + 1
    tied = np.flatnonzero(end - first > 1)
    if len(tied):
        documents = list(chain.from_iterable(runs))
        names = [qrels.documents[number] for number in place[tied].tolist()]
        rank[tied] += greater(
            lambda rows: list(map(documents.__getitem__, rows.tolist())), order, first[tied], end[tied], names
        )
    by_rank = np.lexsort((rank, owner))
    strangers = len(run.keys() - qrels.grades.keys())
    return RankedJudgments(owner[by_rank], rank[by_rank], place[by_rank], returned, strangers)


def _insertions(rising: Floats, low: Ints, high: Ints, values: Floats, after: bool) -> Ints:
    """Where each value would be inserted between its `low` and `high`: a binary search for all of them together."""
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        probe = rising[np.minimum(middle, len(rising) - 1)]
        right = open_ & ((probe <= values) if after else (probe < values))
        low = np.where(right, middle + 1, low)
        high = np.where(open_ & ~right, middle, high)
    return low
