"""Judged hits of a run and its qrels, as the views that metrics work on."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from neraca.errors import InputError
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.vector import Vector

if TYPE_CHECKING:
    from neraca.datasets.trec.qrels import Qrels
    from neraca.datasets.trec.ranked_judgments import RankedJudgments

#: With more judgments than these, importing numpy pays.
FEW = 20_000
#: Sums of more than this would lose the small grades beside it.
LARGEST = 1e15
_VIEWS = ("Ranking", "Subtopics", "Outcomes", "Returned")


class Pooled:
    """Stands for a batch where there are qrels instead of answers and verdicts.

    Parameters
    ----------
    judged
        Where the judged documents stand in the run.
    qrels
        All judgments.
    """

    def __init__(self, judged: RankedJudgments, qrels: Qrels) -> None:
        self._judged, self._qrels = judged, qrels
        self._views: dict[Any, Any] = {}

    def has(self, kind: Any) -> bool:
        """Whether this kind of view can be had of judged documents alone."""
        return getattr(kind, "__name__", "") in _VIEWS and kind.__module__.startswith(__package__ or "")

    def view(self, kind: Any) -> Any:
        """Look at them as a `kind`; made at the first call."""
        if kind not in self._views:
            made = {"Ranking": self._ranking, "Subtopics": self._subtopics}.get(kind.__name__)
            self._views[kind] = made() if made else kind.of(self)
        return self._views[kind]

    def why_not(self) -> list[str]:
        """Every query can be scored."""
        return [""] * len(self._qrels.queries)

    def _ranking(self) -> Ranking:
        judged, qrels = self._judged, self._qrels
        none = self.why_not()
        top = max(1.0, max(qrels.flat))
        if top > LARGEST:
            raise InputError(f"{qrels.source}: a grade is too large: {top:g}; grades go up to {LARGEST:g}")
        known: tuple[Any, ...] = (top, none, [False] * len(none), none, none)
        if isinstance(judged.owner, list) and len(qrels.flat) <= FEW and "numpy" not in sys.modules:
            pools = [sorted(docs.values(), reverse=True) for docs in qrels.grades.values()]
            parts: tuple[Any, ...] = (
                Vector([qrels.flat[place] if place >= 0 else -math.inf for place in judged.place]),
                Vector(judged.rank),
                Vector(judged.owner),
                Vector(judged.returned),
                Vector([grade for pool in pools for grade in pool]),
                Vector([row for row, pool in enumerate(pools) for _ in pool]),
                Vector([rank for pool in pools for rank in range(1, len(pool) + 1)]),
            )
            return Ranking(*parts, *known)
        import numpy as np

        flat = np.array(qrels.flat, dtype=np.float64)
        place = np.asarray(judged.place, dtype=np.int64)
        lengths = np.array(qrels.lengths, dtype=np.int64)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        return Ranking(
            np.where(place >= 0, flat[place], -np.inf),
            np.asarray(judged.rank, dtype=np.int64),
            np.asarray(judged.owner, dtype=np.int64),
            np.asarray(judged.returned, dtype=np.int64),
            flat[np.lexsort((-flat, owner))],
            owner,
            rank,
            *known,
        )

    def _subtopics(self) -> Any:
        from neraca.metrics.ranking.subtopics import Subtopics

        judged, qrels = self._judged, self._qrels
        known = [qrels.topics(query) for query in qrels.queries]
        hits: list[list[tuple[int, frozenset[str]]]] = [[] for _ in known]
        for owner, rank, place in zip(judged.owner, judged.rank, judged.place, strict=True):
            if place >= 0 and (topics := known[owner].get(qrels.documents[place])):
                hits[owner].append((int(rank), topics))
        pool = [sorted(((doc, topics) for doc, topics in docs.items() if topics), reverse=True) for docs in known]
        return Subtopics(hits, pool, self.why_not())
