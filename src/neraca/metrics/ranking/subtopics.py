"""The view of all diversity metrics: the subtopics that hits and known documents serve."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.ranking.empty_answers import CORRECT_EMPTY
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.source import precedence

#: Prefix of an aspect: the verdict says whether a hit serves the subtopic whose name follows.
ASPECT = "subtopic:"
#: No order gains more than this many times the gain of the greedy order (Nemhauser, Wolsey and Fisher, 1978).
GREEDY = math.e / (math.e - 1)

Weight = Callable[[int], float]
_TIE = 1e-14


@dataclass(frozen=True)
class Subtopics:
    """The subtopics that n rankings cover; relevance is binary, and all subtopics weigh the same.

    Attributes
    ----------
    hits
        For each answer rank (from 1) and subtopics of each returned document that serves a subtopic, by rank.  A
        repeated document has its first rank only.
    pool
        For each answer every known document that serves a subtopic, with its subtopics; last document id first, because
        ties in the ideal ranking are broken so.
    unscored
        For each answer why no diversity metric can score it, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("subtopics", "subtopic_hits", "grades")
    hits: Sequence[Sequence[tuple[int, frozenset[str]]]]
    pool: Sequence[Sequence[tuple[str, frozenset[str]]]]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Make the view of these answers."""
        subtopics, unscored = part.column("subtopics"), part.why_not("hits")
        returned, expects = part.column("grades").returned, part.column("expects", "")
        failed = part.column("failed", False)
        for row, docs in enumerate(subtopics):
            if not unscored[row] and expects[row] == "none" and not returned[row] and not failed[row]:
                unscored[row] = CORRECT_EMPTY
            elif docs is None:
                unscored[row] = unscored[row] or "no subtopic was judged for it"
        return cls(part.column("subtopic_hits"), list(map(_pool, subtopics)), unscored)

    @classmethod
    def judged(
        cls,
        returned: Sequence[Iterable[str]],
        relevant: Sequence[Mapping[str, Collection[str]]],
        unscored: Sequence[str] = (),
    ) -> Self:
        """Make the view from rankings and judgements.

        Parameters
        ----------
        returned
            For each answer the ids of its documents, best first.
        relevant
            For each answer, document id → the subtopics that it serves, possibly none.
        unscored
            For each answer why it cannot be scored; by default all can.

        Examples
        --------
        >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
        >>> [rank for rank, _ in view.hits[0]], [doc for doc, _ in view.pool[0]]
        ([1, 3], ['b', 'a'])
        """
        sets = [{doc: frozenset(names) for doc, names in by_document.items() if names} for by_document in relevant]
        return cls(
            [list(first_hits(docs, by_document)) for docs, by_document in zip(returned, sets, strict=True)],
            list(map(_pool, sets)),
            unscored or [""] * len(sets),
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.unscored)

    @cached_property
    def count(self) -> Floats:
        """The number of subtopics with a relevant document, shape (n,)."""
        return np.array([len({name for _, names in pool for name in names}) for pool in self.pool], dtype=np.float64)

    def gained(self, alpha: float, weight: Weight, at: int = 0) -> Floats:
        r"""Return the sum of the novel gains of the first `at` hits (0: all), weighted by rank, shape (n,).

        $$ \sum_{i \le k} w(i) \sum_s r_{i,s} (1-\alpha)^{c_{i,s}} $$

        $r_{i,s}$ is 1 where the hit at rank i is relevant to subtopic s, else 0; $c_{i,s}$ is the number of hits above
        it that are; $w(i)$ is the weight of rank i and k is `at`.
        """
        return np.array([_gained(hits, 1 - alpha, weight, at) for hits in self.hits], dtype=np.float64)

    def ideal(self, alpha: float, weight: Weight, at: int) -> Floats:
        """Return the same sum for the pool in the greedy order, shape (n,).

        Each rank takes the document that gains most there; of equal ones, the document with the last id.
        """
        return np.array([_ideal([names for _, names in pool], 1 - alpha, weight, at) for pool in self.pool])

    def ratio(self, part: Floats, whole: Floats) -> Floats:
        """Return part / whole, or 0 where whole is 0 because nothing is relevant; shapes (n,), (n,) -> (n,)."""
        return np.divide(part, whole, out=np.zeros(self.n), where=whole > 0)


def check(name: str, *, alpha: float = 0.5, beta: float = 0.5, at: int = 1) -> None:
    """Raise `SpecError` if a parameter of the metric `name` is out of its range."""
    if not 0 <= alpha < 1:
        raise SpecError(f"{name}: alpha is at least 0 and less than 1, not {alpha}")
    if not 0 < beta < 1:
        raise SpecError(f"{name}: beta is more than 0 and less than 1, not {beta}")
    if at < 1:
        raise SpecError(f"{name}: the cutoff is a whole number from 1, not {at}")


def judged_subtopics(verdicts: AnswerVerdicts, items: Sequence[str]) -> list[dict[str, set[str]] | None]:
    """Return, for each item, document → the subtopics that it serves; None if no subtopic was judged.

    The verdicts have aspects `subtopic:NAME` and are on hits; a value of at least 1 is relevant.  A verdict on a
    document holds for every trial of its item.  People come before qrels, rules and LLMs; among sources of equal rank a
    document is relevant if any says so.
    """
    best_opinions: dict[str, dict[tuple[str, str], tuple[int, bool]]] = {}
    table = verdicts.table
    on_subtopics = table.on_hits & table.aspect.where(lambda aspect: aspect.startswith(ASPECT))
    for verdict in map(table.__getitem__, verdicts.rows[on_subtopics[verdicts.rows]].tolist()):
        if verdict.value is not None:
            document_and_subtopic = verdict.about.removeprefix("hit:"), verdict.aspect.removeprefix(ASPECT)
            opinion = -precedence(verdict.by), verdict.value >= 1
            opinions = best_opinions.setdefault(verdict.item, {})
            opinions[document_and_subtopic] = max(opinions.get(document_and_subtopic, opinion), opinion)
    subtopics_by_item: dict[str, dict[str, set[str]]] = {}
    for item, opinions in best_opinions.items():
        docs = subtopics_by_item.setdefault(item, {})
        for (doc, name), (_, relevant) in opinions.items():
            if relevant:
                docs.setdefault(doc, set()).add(name)
    return [subtopics_by_item.get(item) for item in items]


def _pool(subtopics_by_document: Mapping[str, Collection[str]] | None) -> list[tuple[str, frozenset[str]]]:
    return sorted(
        ((doc, frozenset(names)) for doc, names in (subtopics_by_document or {}).items() if names), reverse=True
    )


def first_hits(
    docs: Iterable[str], subtopics_by_document: Mapping[str, Collection[str]]
) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield rank (from 1) and subtopics of each document that serves a subtopic, at its first rank."""
    earlier_documents: set[str] = set()
    for rank, doc in enumerate(docs, start=1):
        if doc not in earlier_documents and subtopics_by_document.get(doc):
            earlier_documents.add(doc)
            yield rank, frozenset(subtopics_by_document[doc])


def _gained(hits: Iterable[tuple[int, frozenset[str]]], keep: float, weight: Weight, at: int) -> float:
    """Return the weighted novel gain of a ranking; each hit multiplies the worth of its subtopics by `keep`."""
    worth: dict[str, float] = {}
    total = 0.0
    for rank, names in hits:
        if at and rank > at:
            break
        total += weight(rank) * math.fsum(worth.get(name, 1.0) for name in names)
        worth.update({name: worth.get(name, 1.0) * keep for name in names})
    return total


def _ideal(sets: Sequence[frozenset[str]], keep: float, weight: Weight, at: int) -> float:
    """Return the same gain for documents with these subtopics, in the greedy order."""
    column = {name: place for place, name in enumerate(dict.fromkeys(name for names in sets for name in names))}
    serves = np.zeros((len(sets), len(column)))
    for row, names in enumerate(sets):
        serves[row, [column[name] for name in names]] = 1
    worth, total = np.ones(len(column)), 0.0
    for rank in range(1, min(at, len(sets)) + 1):
        gains = serves @ worth
        # Sums in another order differ in their last digits; gains that differ only there are ties, and the first wins.
        best = int(np.argmax(gains >= gains.max() * (1 - _TIE)))
        total += weight(rank) * float(gains[best])
        worth = np.where(serves[best] > 0, worth * keep, worth)
        serves[best] = 0.0  # it gains nothing at later ranks
    return total
