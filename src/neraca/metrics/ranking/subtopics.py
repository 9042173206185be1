"""The view that all diversity metrics share: which subtopics each hit serves, and which documents serve them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.batch import SOURCES, Batch, source_of
from neraca.stats.interval import Floats

#: Verdicts with this aspect say whether a hit serves the subtopic whose name follows.
ASPECT = "subtopic:"
#: By so much at most an ordering can be better than the greedy one (Nemhauser, Wolsey and Fisher, 1978).
GREEDY = math.e / (math.e - 1)

Weight = Callable[[int], float]
_TIE = 1e-14


@dataclass(frozen=True)
class Subtopics:
    """What n rankings bring on each subtopic of their questions; relevance is binary, all subtopics weigh the same.

    Attributes
    ----------
    hits
        For each answer the rank, from 1, and the subtopics of every returned document that is relevant to at least
        one subtopic, in the order of the ranks.  A document that is returned again is here with its first rank only.
    pool
        For each answer every known document that is relevant to at least one subtopic, with its subtopics; by
        document id from the last to the first, which is how ties in the ideal ranking are broken.
    unscored
        For each answer why no diversity metric can score it, or "".
    """

    hits: Sequence[Sequence[tuple[int, frozenset[str]]]]
    pool: Sequence[Sequence[tuple[str, frozenset[str]]]]
    unscored: Sequence[str]

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Collect the verdicts `subtopic:NAME` on the hits of a batch; a value of at least 1 is relevant.

        What was said of a document holds for every trial of its item.  Where people, qrels, rules and LLMs differ,
        the first of them counts; a document is relevant if any of those who weigh the same says so.
        """
        known = _known(batch)
        unscored = batch.why_not()
        returned = [[] if answer.failed else [hit.id for hit in answer.hits] for _, answer in batch.pairs]
        for row, (item, answer) in enumerate(batch.pairs):
            if unscored[row]:
                continue
            if item.expected == "none" and not returned[row] and not answer.failed:
                unscored[row] = "correct empty: nothing to find, nothing returned"
            elif item.id not in known:
                unscored[row] = "no subtopic was judged for it"
        return cls.judged(returned, [known.get(item.id, {}) for item, _ in batch.pairs], unscored)

    @classmethod
    def judged(
        cls,
        returned: Sequence[Iterable[str]],
        relevant: Sequence[Mapping[str, Collection[str]]],
        unscored: Sequence[str] = (),
    ) -> Self:
        """Lay rankings beside judgements.

        Parameters
        ----------
        returned
            For each answer the ids of its documents, best first.
        relevant
            For each answer document id → the subtopics that it is relevant to; none of them may be empty.
        unscored
            For each answer why it cannot be scored; left out: all can.

        Examples
        --------
        >>> view = Subtopics.judged([["b", "x", "a"]], [{"a": {"1", "2"}, "b": {"1"}}])
        >>> [rank for rank, _ in view.hits[0]], [doc for doc, _ in view.pool[0]]
        ([1, 3], ['b', 'a'])
        """
        sets = [{doc: frozenset(names) for doc, names in known.items() if names} for known in relevant]
        return cls(
            [list(_first(docs, known)) for docs, known in zip(returned, sets, strict=True)],
            [sorted(known.items(), reverse=True) for known in sets],
            unscored or [""] * len(sets),
        )

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.unscored)

    @cached_property
    def count(self) -> Floats:
        """How many subtopics have a relevant document, shape (n,): those that have none are not counted."""
        return np.array([len({name for _, names in pool for name in names}) for pool in self.pool], dtype=np.float64)

    def gained(self, alpha: float, weight: Weight, at: int = 0) -> Floats:
        r"""The sum of the novel gains of the first `at` hits (0: all), each times its rank's weight, shape (n,).

        $$ \sum_{i \le k} w(i) \sum_s r_{i,s} (1-\alpha)^{c_{i,s}} $$

        $r_{i,s}$ is 1 where the hit at rank i is relevant to subtopic s, else 0; $c_{i,s}$ is the number of hits above
        it that are; $w(i)$ is the weight of rank i and k is `at`.
        """
        return np.array([_gained(hits, 1 - alpha, weight, at) for hits in self.hits], dtype=np.float64)

    def ideal(self, alpha: float, weight: Weight, at: int) -> Floats:
        """The same sum for the pool in the greedy order, shape (n,).

        Each rank takes the document that gains most there, of equal ones that with the last id.
        """
        return np.array([_ideal([names for _, names in pool], 1 - alpha, weight, at) for pool in self.pool])

    def ratio(self, part: Floats, whole: Floats) -> Floats:
        """Part / whole, and 0 where whole is 0 because nothing is relevant; shapes (n,), (n,) -> (n,)."""
        return np.divide(part, whole, out=np.zeros(self.n), where=whole > 0)


def check(name: str, *, alpha: float = 0.5, beta: float = 0.5, at: int = 1) -> None:
    """Raise `SpecError` where a parameter of the metric `name` is out of its range."""
    if not 0 <= alpha < 1:
        raise SpecError(f"{name}: alpha is at least 0 and less than 1, not {alpha}")
    if not 0 < beta < 1:
        raise SpecError(f"{name}: beta is more than 0 and less than 1, not {beta}")
    if at < 1:
        raise SpecError(f"{name}: the cutoff is a whole number from 1, not {at}")


def _known(batch: Batch) -> dict[str, dict[str, set[str]]]:
    """Item → document → subtopics; an item of which no subtopic was judged is not in it."""
    said: dict[str, dict[tuple[str, str], tuple[int, bool]]] = {item.id: {} for item, _ in batch.pairs}
    for (item, _), opinions in batch.opinions.items():
        for (about, aspect), verdict in opinions.items():
            if item in said and aspect.startswith(ASPECT) and about.startswith("hit:") and verdict.value is not None:
                place = about.removeprefix("hit:"), aspect.removeprefix(ASPECT)
                opinion = _weight(verdict.by), verdict.value >= 1
                said[item][place] = max(said[item].get(place, opinion), opinion)
    known: dict[str, dict[str, set[str]]] = {item: {} for item, judged in said.items() if judged}
    for item, docs in known.items():
        for (doc, name), (_, relevant) in said[item].items():
            if relevant:
                docs.setdefault(doc, set()).add(name)
    return known


def _weight(by: str) -> int:
    """The more, the sooner this source is heard."""
    source = source_of(by)
    return -SOURCES.index(source) if source in SOURCES else -len(SOURCES)


def _first(docs: Iterable[str], known: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, frozenset[str]]]:
    """Rank and subtopics of each known document, where it comes first."""
    seen: set[str] = set()
    for rank, doc in enumerate(docs, start=1):
        if doc in known and doc not in seen:
            seen.add(doc)
            yield rank, known[doc]


def _gained(hits: Iterable[tuple[int, frozenset[str]]], keep: float, weight: Weight, at: int) -> float:
    """The weighted novel gain of one ranking; after each hit its subtopics are worth `keep` times as much."""
    worth: dict[str, float] = {}
    total = 0.0
    for rank, names in hits:
        if at and rank > at:
            break
        total += weight(rank) * math.fsum(worth.get(name, 1.0) for name in names)
        worth.update({name: worth.get(name, 1.0) * keep for name in names})
    return total


def _ideal(sets: Sequence[frozenset[str]], keep: float, weight: Weight, at: int) -> float:
    """The same gain of the documents with these subtopics, in the greedy order."""
    column = {name: place for place, name in enumerate(dict.fromkeys(name for names in sets for name in names))}
    serves = np.zeros((len(sets), len(column)))
    for row, names in enumerate(sets):
        serves[row, [column[name] for name in names]] = 1
    worth, total = np.ones(len(column)), 0.0
    for rank in range(1, min(at, len(sets)) + 1):
        gains = serves @ worth
        # Sums in another order differ in their last digits: gains that are equal but for these tie, and the first wins.
        best = int(np.argmax(gains >= gains.max() * (1 - _TIE)))
        total += weight(rank) * float(gains[best])
        worth = np.where(serves[best] > 0, worth * keep, worth)
        serves[best] = 0.0  # taken: it gains nothing from here on
    return total
