"""The reading of claims: what an answer and its reference say, claim by claim, and which contexts support it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from neraca.metrics.batch import source_of
from neraca.metrics.rag.voices import NO_REFERENCE, Heard, Voices, reason
from neraca.records import Answer, Item, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neraca.metrics.batch import Opinions
    from neraca.stats.interval import Floats

    Ints = NDArray[np.int64]

#: Aspects of an answer as a whole by which a judge of claims is known.
ASPECTS = ("claims", "reference_claims", "contexts", "declines")
#: What such a judge found; people decide on it.
FOUND = ("claims", "reference_claims", "contexts", "claim")
NO_TEXT = "its hits have no text, so no context was judged"


class Kind(NamedTuple):
    """Words for the claims of one side: where they stand, their number, whether the other side says them; whose."""

    about: str
    number: str
    agreed: str
    of: str


ANSWER = Kind("claim", "claims", "correct", "the answer")
REFERENCE = Kind("reference", "reference_claims", "stated", "the reference")


@dataclass(frozen=True)
class Contexts:
    """The k contexts of n answers in rank order; a document that was returned twice is one, where it stood first.

    Attributes
    ----------
    owner, rank
        Shape (k,): the row of the answer, and the rank from 1 among those on which the judge decided.
    useful
        Shape (k,): 1 where it helps to arrive at the reference (without one: at the answer), else 0.
    place
        For each answer document id → place of its context in these arrays; also of hits on which the judge did not
        decide, which come after all others and are in no array.
    count
        How many places there are.
    why
        For each answer why its contexts are not known, or "".
    why_useful
        The same of `useful`.
    """

    owner: Ints
    rank: Ints
    useful: Floats
    place: Sequence[Mapping[str, int]]
    count: int
    why: Sequence[str]
    why_useful: Sequence[str]


@dataclass(frozen=True)
class Side:
    """The c claims of n answers, or of their references; a claim that a person says is none is left out.

    Attributes
    ----------
    owner
        Shape (c,): the row of the answer.
    supported
        Shape (c,): 1 where some context of the answer supports it, 0, or NaN where nobody could tell.
    agreed
        Shape (c,): the reference states the answer's claim, or the answer the reference's; 1, 0 or NaN.
    n
        Shape (n,): claims of each answer; 0 where they are not known.
    claim, context
        Shape (p,): which claim is supported by which context, pair by pair.
    why, why_supported, why_agreed
        For each answer why its claims, or that of them, are not known, or "".
    """

    owner: Ints
    supported: Floats
    agreed: Floats
    n: Floats
    claim: Ints
    context: Ints
    why: Sequence[str]
    why_supported: Sequence[str]
    why_agreed: Sequence[str]

    def sum(self, values: NDArray[Any]) -> Floats:
        """Sum over the claims of each answer, shapes (c,) -> (n,)."""
        return np.bincount(self.owner, weights=values, minlength=len(self.n)).astype(np.float64, copy=False)

    def share(self, values: NDArray[Any]) -> Floats:
        """Mean over the claims of each answer, NaN where it has none; shapes (c,) -> (n,)."""
        return divide(self.sum(values), self.n)

    def within(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which claims are supported by one of the chosen contexts, shapes (number of contexts,) -> (c,)."""
        found = np.zeros(len(self.owner), dtype=bool)
        found[self.claim[chosen[self.context]]] = True
        return found

    @property
    def why_context(self) -> list[str]:
        """For each answer why it is not known which contexts support its claims, or ""."""
        told = list(self.why_supported)
        named = np.zeros(len(self.owner), dtype=bool)
        named[self.claim] = True
        for owner in self.owner[(self.supported == 1) & ~named].tolist():
            told[owner] = told[owner] or "somebody says that a claim is supported, but not by which context"
        return told


@dataclass(frozen=True)
class Claims:
    """What one judge of claims said of n answers, overruled by people.

    A failed answer is an empty one: it claims nothing, has no contexts, and declines; its reference, whatever that
    says, is one claim that it neither found nor states.

    Attributes
    ----------
    pairs
        Each answer with its item.
    answer, reference
        The claims of either side.
    declines
        Shape (n,): 1 where the answer avoids answering, 0, or NaN.
    why_declines
        For each answer why that is not known, or "".
    judge
        Whose claims they are, as in `by`; "" where no judge said anything.
    """

    pairs: Sequence[tuple[Item, Answer]]
    answer: Side
    reference: Side
    contexts: Contexts
    declines: Floats
    why_declines: Sequence[str]
    judge: str

    @classmethod
    def by(cls, voices: Voices, by: str) -> Claims:
        """What the judge `by` said; "": the only one.  Raises `SpecError` where there are several."""
        return voices.once((cls, by), lambda: cls.of(voices.heard(ASPECTS, by, keep=FOUND)))

    @classmethod
    def of(cls, heard: Heard) -> Self:
        """Collect it from the verdicts that count."""
        contexts = _contexts(heard, heard.silent("its contexts"))
        declines, why = np.full(len(heard.pairs), np.nan), [""] * len(heard.pairs)
        for row, ((_, given), opinions) in enumerate(zip(heard.pairs, heard.opinions, strict=True)):
            verdict = opinions.get(("answer", "declines"))
            if given.failed:
                declines[row] = 1
            elif verdict is None or verdict.value is None:
                why[row] = reason(verdict, heard.silent("whether it answers"))
            else:
                declines[row] = verdict.value
        answer, reference = (_side(heard, kind, contexts) for kind in (ANSWER, REFERENCE))
        return cls(heard.pairs, answer, reference, contexts, declines, why, heard.judge)


def divide(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Part / whole; NaN where whole is 0.  Shapes (n,), (n,) -> (n,).

    >>> divide(np.array([1.0, 0]), np.array([2.0, 0]))
    array([0.5, nan])
    """
    result: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return result


def _contexts(heard: Heard, nobody: str) -> Contexts:
    owner: list[int] = []
    rank: list[int] = []
    useful: list[float] = []
    place: list[dict[str, int]] = []
    hidden: list[tuple[int, str]] = []
    why, why_useful = [""] * len(heard.pairs), [""] * len(heard.pairs)
    for row, ((_, answer), opinions) in enumerate(zip(heard.pairs, heard.opinions, strict=True)):
        seen: dict[str, int] = {}
        place.append(seen)
        if answer.failed:
            continue
        number = opinions.get(("answer", "contexts"))
        if number is None or number.value is None:
            why[row] = reason(number, nobody)
        elif number.value == 0 and answer.hits:
            why[row] = NO_TEXT
        told = why[row]
        for doc in dict.fromkeys(hit.id for hit in answer.hits):
            verdict = opinions.get((f"hit:{doc}", "useful"))
            if verdict is None:
                hidden.append((row, doc))
                continue
            seen[doc] = len(owner)
            owner.append(row)
            rank.append(len(seen))
            useful.append(np.nan if verdict.value is None else float(verdict.value == 1))
            if verdict.value is None:
                told = told or f"context {doc}: {reason(verdict, 'nobody can tell whether it is useful')}"
        if not told and number is not None and len(seen) < (number.value or 0):
            told = f"{len(seen)} of {number.value:g} contexts were judged useful or not"
        why_useful[row] = told
    for number_of, (row, doc) in enumerate(hidden, start=len(owner)):
        place[row][doc] = number_of
    arrays = np.array(owner, dtype=np.int64), np.array(rank, dtype=np.int64), np.array(useful, dtype=np.float64)
    return Contexts(*arrays, place, len(owner) + len(hidden), why, why_useful)


def _decided(verdict: Verdict | None, otherwise: str) -> tuple[float, str]:
    """1, 0, or NaN with why."""
    if verdict is None or verdict.value is None:
        return np.nan, reason(verdict, otherwise)
    return float(verdict.value == 1), ""


class _Growing:
    """The claims of one side while they are collected."""

    def __init__(self, kind: Kind, n: int) -> None:
        self.kind = kind
        self.owner: list[int] = []
        self.supported: list[float] = []
        self.agreed: list[float] = []
        self.pairs: list[tuple[int, int]] = []
        self.why, self.why_supported, self.why_agreed = [""] * n, [""] * n, [""] * n

    def add(self, row: int, supported: float, agreed: float) -> None:
        self.owner.append(row)
        self.supported.append(supported)
        self.agreed.append(agreed)

    def read(self, row: int, count: int, opinions: Opinions, places: Mapping[str, int], unseen: str) -> None:
        """The claims of one answer; `unseen` is why its contexts were not judged, or ""."""
        nothing, blind = not unseen and not places, unseen is NO_TEXT
        for number in range(1, count + 1):
            about = f"{self.kind.about}:{number}"
            claim = opinions.get((about, "claim"))
            if claim is not None and claim.value == 0:
                continue
            name = f"{self.kind.about} {number}"
            verdict = opinions.get((about, "supported"))
            yes, told = _decided(verdict, unseen or "nobody said whether a context supports it")
            if verdict is None and nothing:
                yes, told = 0.0, ""
            elif blind and verdict is not None and source_of(verdict.by) != "human":
                yes, told = np.nan, unseen  # a judge that saw nothing says that nothing supports it
            self.why_supported[row] = self.why_supported[row] or (told and f"{name}: {told}")
            same, told = _decided(
                opinions.get((about, self.kind.agreed)), f"nobody said whether it is {self.kind.agreed}"
            )
            self.why_agreed[row] = self.why_agreed[row] or (told and f"{name}: {told}")
            if yes == 1:
                for doc, place in places.items():
                    hit = opinions.get((about, f"hit:{doc}"))
                    if hit is not None and hit.value == 1:
                        self.pairs.append((len(self.owner), place))
            self.add(row, yes, same)

    def done(self, n: int) -> Side:
        owner = np.array(self.owner, dtype=np.int64)
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        return Side(
            owner,
            np.array(self.supported, dtype=np.float64),
            np.array(self.agreed, dtype=np.float64),
            np.bincount(owner, minlength=n).astype(np.float64),
            pairs[:, 0],
            pairs[:, 1],
            self.why,
            self.why_supported,
            self.why_agreed,
        )


def _side(heard: Heard, kind: Kind, contexts: Contexts) -> Side:
    found = _Growing(kind, len(heard.pairs))
    for row, ((item, answer), opinions) in enumerate(zip(heard.pairs, heard.opinions, strict=True)):
        count = opinions.get(("answer", kind.number))
        if kind is REFERENCE and not any(text.strip() for text in item.references):
            found.why[row] = NO_REFERENCE
        elif answer.failed:
            if kind is REFERENCE and (count is None or count.value != 0):
                found.add(row, 0.0, 0.0)
        elif count is None or count.value is None:
            found.why[row] = reason(count, heard.silent(f"the claims of {kind.of}"))
        else:
            found.read(row, int(count.value), opinions, contexts.place[row], contexts.why[row])
    return found.done(len(heard.pairs))
