"""Find the judged documents of a run in memory: query → document → score, or query → documents in order."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments, Ties, count_before, count_tied, new_scores, rounded
from neraca.errors import InputError

if TYPE_CHECKING:
    from neraca.datasets.trec.line_fields import Floats, Ints


def read_run_mapping(run: Mapping[str, Mapping[str, float]], qrels: Qrels, single: bool = False) -> RankedJudgments:
    """Rank each judged document by the position of its score among the sorted scores of its query.

    Parameters
    ----------
    run
        Query → document → score.
    single
        Whether to round scores to single precision (float32) before ranking, as pytrec_eval does.

    Raises
    ------
    InputError
        If a score of a judged query is not a number.
    """
    runs = [run.get(query) or {} for query in qrels.queries]
    returned = np.fromiter(map(len, runs), np.int64, len(runs))
    ends = np.cumsum(returned)
    starts = ends - returned
    scores, judged_scores = _scores(runs, qrels)
    place = np.flatnonzero(~np.isnan(judged_scores))
    owner, judged_scores = np.repeat(np.arange(len(runs)), qrels.lengths)[place], judged_scores[place]
    if single:
        judged_scores, scores = rounded(judged_scores), rounded(scores)
    order = None
    rises = scores[1:] > scores[:-1]
    rises[starts[(starts > 0) & (starts < len(scores))] - 1] = False
    if rises.any():
        order = np.lexsort((-scores, np.repeat(np.arange(len(runs)), returned)))
        scores = scores[order]
    first = _insertions(-scores, starts[owner], ends[owner], -judged_scores, after=False)
    end = _insertions(-scores, first, ends[owner], -judged_scores, after=True)
    top, bottom = first - starts[owner] + 1, end - starts[owner]
    rank = top.copy()
    tied = np.flatnonzero(end - first > 1)
    if len(tied):
        documents = list(chain.from_iterable(runs))
        names = [qrels.documents[number] for number in place[tied].tolist()]
        rank[tied] += count_before(
            lambda rows: list(map(documents.__getitem__, rows.tolist())), order, first[tied], end[tied], names
        )
    by_rank = np.lexsort((rank, owner))
    unjudged = len(run.keys() - qrels.grades.keys())
    numbers = np.arange(len(runs))
    lines = count_tied(new_scores(scores, starts), np.repeat(numbers, returned), numbers)
    ties = Ties(top[by_rank], bottom[by_rank], lines)
    return RankedJudgments(owner[by_rank], rank[by_rank], place[by_rank], returned, unjudged, ties)


def _scores(runs: Sequence[Mapping[str, float]], qrels: Qrels) -> tuple[Floats, Floats]:
    """Return all scores of judged queries, and the scores of judged documents, NaN if one was not returned."""
    pairs = zip(runs, qrels.grades.values(), strict=True)
    judged = chain.from_iterable(map(scores.get, grades) for scores, grades in pairs)
    try:
        # `array` refuses a text, which numpy would read as a number
        scores = np.frombuffer(array("d", chain.from_iterable(scores.values() for scores in runs)), dtype=np.float64)
        judged_scores = np.array(list(judged), dtype=np.float64)
    except (TypeError, OverflowError):
        _fail_on_score(runs, qrels)
    if np.isnan(scores).any():
        _fail_on_score(runs, qrels)
    return scores, judged_scores


def _fail_on_score(runs: Sequence[Mapping[str, Any]], qrels: Qrels) -> NoReturn:
    """Raise `InputError` for the first score that is not a number."""
    for query, scores in zip(qrels.queries, runs, strict=True):
        for doc, score in scores.items():
            try:
                number = array("d", (score,))[0]
            except (TypeError, OverflowError) as error:
                raise InputError(f"run: query {query!r} has a score that is not a number: {error}") from error
            if number != number:
                raise InputError(f"run: query {query!r}, document {doc!r}: the score is not a number (NaN)")
    raise InputError("run: the scores changed while they were read")


def _insertions(rising: Floats, low: Ints, high: Ints, values: Floats, after: bool) -> Ints:
    """Return the place between `low` and `high` where each value would be inserted, by one binary search for all."""
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        probe = rising[np.minimum(middle, len(rising) - 1)]
        right = open_ & ((probe <= values) if after else (probe < values))
        low = np.where(right, middle + 1, low)
        high = np.where(open_ & ~right, middle, high)
    return low


def read_rankings(run: Mapping[str, Sequence[str]], qrels: Qrels) -> RankedJudgments:
    """Take query → documents, best first, in this order.

    A document that occurs again gets the place -1 there: it is judged, and gains nothing.
    """
    rows: list[tuple[int, int, int]] = []
    start = 0
    for number, (query, grades) in enumerate(qrels.grades.items()):
        places = dict(zip(grades, range(start, start + len(grades)), strict=True))
        for rank, document in enumerate(run.get(query, ()), start=1):
            if document in places:
                rows.append((number, rank, places[document]))
            places[document] = -1
        start += len(grades)
    owner, ranks, place = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    returned = np.array([len(run.get(query, ())) for query in qrels.queries], dtype=np.int64)
    return RankedJudgments(owner, ranks, place, returned, len(run.keys() - qrels.grades.keys()))
