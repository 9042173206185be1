"""The judged hits of a run: all that a metric needs to know of its rankings, however long they are.

Documents are ranked by falling score; equal scores by falling document id, as trec_eval does.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self

from neraca.datasets.qrels import Qrels
from neraca.datasets.trec import SIZE, blocks, nested
from neraca.errors import InputError

#: Up to this many bytes a run is read in Python; numpy's import alone costs as much.
SMALL = 4 << 20
#: The same for hits in memory; where numpy is there already it is used.
MANY = 200_000
_WHOLE = 1 << 53  # beyond it double precision does not tell all whole numbers apart


@dataclass(frozen=True)
class RankedJudgments:
    """Where the judged documents stand in a run; lists, or numpy arrays of a large run.

    Attributes
    ----------
    owner, rank, place
        Shape (m,): of each judged document that was returned the number of its query in `qrels.queries`, its rank
        from 1, and its place in `qrels.documents`, or -1 of one that stood higher already; by query, then rank.
    returned
        Shape (n,): documents returned for each judged query.
    strangers
        Queries of the run that nobody judged.
    """

    owner: Any
    rank: Any
    place: Any
    returned: Any
    strangers: int

    @classmethod
    def of_file(cls, path: Path, qrels: Qrels, single: bool = False) -> RankedJudgments:
        """Read a TREC run; raises `InputError`.

        Parameters
        ----------
        single
            Rank by scores rounded to single precision (float32), as pytrec_eval does.
        """
        head = list(islice(blocks(path), SMALL // SIZE))
        if len(head) < SMALL // SIZE:
            found = cls.of_mapping(nested(head), qrels, single)
        else:
            from neraca.datasets.judged_lines import judged_lines

            found = judged_lines(path, qrels, single)
        if not found.strangers and not any(found.returned):
            raise InputError(f"{path}: there is no document in it")
        return found

    @classmethod
    def of_mapping(cls, run: Mapping[str, Mapping[str, float]], qrels: Qrels, single: bool = False) -> RankedJudgments:
        """Take query → document → score; raises `InputError` for what is no number."""
        if "numpy" in sys.modules or sum(map(len, run.values())) > MANY:
            from neraca.datasets.judged_mapping import judged_mapping

            found = judged_mapping(run, qrels, single)
            if found is not None:
                return found
        return cls._of_ranks(partial(_ranks, single=single), run, qrels)

    @classmethod
    def of_rankings(cls, run: Mapping[str, Sequence[str]], qrels: Qrels) -> RankedJudgments:
        """Take query → documents, best first, in this order.

        A document that comes again has the place -1 there: it is judged, and gains nothing.
        """
        return cls._of_ranks(_first_ranks, run, qrels)

    @classmethod
    def _of_ranks(cls, ranks: Callable[..., list[tuple[int, int]]], run: Mapping[str, Any], qrels: Qrels) -> Self:
        owner: list[int] = []
        rank: list[int] = []
        place: list[int] = []
        returned: list[int] = []
        start = 0
        for number, (query, known) in enumerate(qrels.grades.items()):
            hits = run.get(query)
            returned.append(len(hits) if hits else 0)
            if hits:
                found = sorted(ranks(query, hits, known, start))
                owner += [number] * len(found)
                rank += [rank for rank, _ in found]
                place += [place for _, place in found]
            start += len(known)
        return cls(owner, rank, place, returned, len(run.keys() - qrels.grades.keys()))


def _first_ranks(query: str, docs: Sequence[str], known: Mapping[str, float], start: int) -> list[tuple[int, int]]:
    """See `_ranks`."""
    first = dict(zip(reversed(docs), range(len(docs), 0, -1), strict=True))
    again = [(rank, -1) for rank, doc in enumerate(docs, start=1) if first[doc] != rank]
    return again + [(first[doc], place) for place, doc in enumerate(known, start) if doc in first]


def _ranks(
    query: str, scores: Mapping[str, float], known: Mapping[str, float], start: int, single: bool
) -> list[tuple[int, int]]:
    """Rank and place of each judged document; places count from `start`."""
    try:
        if single:
            scores = dict(zip(scores, array("f", scores.values()), strict=True))
        rising = sorted(scores.values())
        if not -_WHOLE <= rising[0] <= rising[-1] <= _WHOLE:
            scores = {doc: float(score) for doc, score in scores.items()}
            rising = sorted(scores.values())
        if (total := sum(rising)) != total:
            _fail_on_nan(query, scores)
    except (TypeError, OverflowError) as error:
        raise InputError(f"run: query {query!r} has a score that is not a number: {error}") from error
    n = len(rising)
    found: list[tuple[int, int]] = []
    tied: dict[float, list[str]] = {}
    several: list[tuple[str, float, int, int]] = []
    for place, doc in enumerate(known, start):
        score = scores.get(doc)
        if score is not None:
            above = n - bisect_right(rising, score)
            if bisect_left(rising, score) < n - above - 1:
                tied[score] = []
                several.append((doc, score, above, place))
            else:
                found.append((above + 1, place))
    if several:
        for doc, score in scores.items():
            if score in tied:
                tied[score].append(doc)
        for docs in tied.values():
            docs.sort()
        found += [(above + len(tied[x]) - bisect_left(tied[x], doc), place) for doc, x, above, place in several]
    return found


def _fail_on_nan(query: str, scores: Mapping[str, float]) -> None:
    for doc, score in scores.items():
        if score != score:
            raise InputError(f"run: query {query!r}, document {doc!r}: the score is not a number (NaN)")
