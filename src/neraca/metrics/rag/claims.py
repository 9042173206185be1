"""The claims that a judge found in answers and references, and the contexts that support them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.rag.judge_verdicts import NO_REFERENCE, JudgeVerdicts
from neraca.metrics.scorable import Scorable
from neraca.runs.claim_aspects import CLAIM_LISTS
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.judge_verdicts import Decision, JudgedAnswers
from neraca.verdicts.source import source_of

Ints = NDArray[np.int64]
#: (about, aspect) → the decision that counts, for one answer.
Decisions = Mapping[tuple[str, str], Decision]

#: A judge of claims decides on these aspects of an answer as a whole.
ASPECTS = ("claims", "reference_claims", "contexts", "declines")
CLAIMS_NOTHING = "it claims nothing"
NO_TEXT = "its hits have no text, so no context was judged"


class Kind(NamedTuple):
    """Words for the claims of one side: subject of verdicts, aspect of their number, aspect of agreement, owner."""

    about: str
    number: str
    agreed: str
    of: str


ANSWER = Kind("claim", "claims", "correct", "the answer")
REFERENCE = Kind("reference", "reference_claims", "stated", "the reference")


@dataclass(frozen=True)
class Contexts:
    """The k contexts of n answers in rank order; a repeated document counts at its first rank.

    Attributes
    ----------
    owner, rank
        Shape (k,): the row of the answer, and the rank from 1 among the contexts that the judge decided on.
    useful
        Shape (k,): 1 if the context helps to arrive at the reference (without one, at the answer), else 0.
    place
        For each answer, document id → place of its context in these arrays.  Hits that the judge did not decide on have
        places from k on.
    count
        The number of places.
    why
        For each answer why its contexts are not known, or "".
    why_useful
        For each answer why it is not known which contexts are useful, or "".
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
    """The c claims of n answers, or of their references; a claim that a person rejected is left out.

    Attributes
    ----------
    owner
        Shape (c,): the row of the answer.
    supported
        Shape (c,): 1 if some context of the answer supports the claim, else 0; NaN: undecided.
    agreed
        Shape (c,): 1 if the other side (reference or answer) states the claim, else 0; NaN: undecided.
    n
        Shape (n,): the number of claims of each answer; 0 if they are not known.
    claim, context
        Shape (p,): the claim and the context of each pair in which the context supports the claim.
    why, why_supported, why_agreed
        For each answer why its claims, or these facts about them, are not known, or "".
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
        """Return the mean over the claims of each answer, shapes (c,) -> (n,); NaN without claims."""
        return divide(self.sum(values), self.n)

    def within(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which claims one of the chosen contexts supports, shapes (number of contexts,) -> (c,)."""
        supported = np.zeros(len(self.owner), dtype=bool)
        supported[self.claim[chosen[self.context]]] = True
        return supported

    @property
    def why_nothing(self) -> list[str]:
        """For each answer why it has no claims on this side, or ""."""
        return [why or ("" if n else CLAIMS_NOTHING) for why, n in zip(self.why, self.n.tolist(), strict=True)]

    @property
    def why_context(self) -> list[str]:
        """For each answer why it is not known which contexts support its claims, or ""."""
        reasons = list(self.why_supported)
        has_context = np.zeros(len(self.owner), dtype=bool)
        has_context[self.claim] = True
        for owner in self.owner[(self.supported == 1) & ~has_context].tolist():
            reasons[owner] = reasons[owner] or "somebody says that a claim is supported, but not by which context"
        return reasons


@dataclass(frozen=True)
class Claims:
    """The verdicts of one judge of claims on n answers, overruled by people.

    A failed answer counts as empty: it has no claims and no contexts, and it declines.  Its reference counts as one
    claim that is neither supported nor stated.

    Attributes
    ----------
    answer, reference
        The claims of either side.
    contexts
        The retrieved contexts.
    declines
        Shape (n,): 1 if the answer declines to answer, else 0; NaN: undecided.
    why_declines
        For each answer why that is not known, or "".
    silent
        Shape (n,): the answer failed, or has neither text nor claims.
    judge
        The judge of the claims, as in `by`; "" without verdicts of a judge.
    """

    answer: Side
    reference: Side
    contexts: Contexts
    declines: Floats
    why_declines: Sequence[str]
    silent: NDArray[np.bool_]
    judge: str

    @classmethod
    def by(cls, verdicts: JudgeVerdicts, by: str) -> Claims:
        """Return the claims by the judge `by`; "": the only judge, or `SpecError` if there are several."""
        return verdicts.once((cls, by), lambda: cls.of(verdicts.of_judge(ASPECTS, by, keep=CLAIM_LISTS), verdicts))

    @classmethod
    def of(cls, judged: JudgedAnswers, verdicts: JudgeVerdicts) -> Self:
        """Collect the claims from the verdicts that count."""
        part = verdicts.part
        collector = _Collector(judged, list(judged), part)
        contexts = collector.contexts()
        declines, why = np.full(part.n, np.nan), [""] * part.n
        for row, (decisions, failed) in enumerate(zip(collector.decisions, collector.failed, strict=True)):
            decision = decisions.get(("answer", "declines"))
            if failed:
                declines[row] = 1
            elif decision is None or decision.value is None:
                why[row] = judged.reason(decision, judged.silent("whether it answers"))
            else:
                declines[row] = decision.value
        answer, reference = (collector.side(kind, contexts) for kind in (ANSWER, REFERENCE))
        no_claims = (answer.n == 0) & np.array([not reason for reason in answer.why], dtype=bool)
        silent = verdicts.silent | (verdicts.wordless & no_claims)
        return cls(answer, reference, contexts, declines, why, silent, judged.judge)


def divide(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Return part / whole, NaN where whole is 0; shapes (n,), (n,) -> (n,).

    >>> divide(np.array([1.0, 0]), np.array([2.0, 0]))
    array([0.5, nan])
    """
    result: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return result


class _Collector:
    """Make arrays from the decisions on each answer."""

    def __init__(self, judged: JudgedAnswers, decisions: Sequence[Decisions], part: Scorable) -> None:
        self.judged, self.decisions = judged, decisions
        self.hits, self.failed = part.column("hits"), part.column("failed")
        self.references = part.column("references")

    def contexts(self) -> Contexts:
        owner: list[int] = []
        rank: list[int] = []
        useful: list[float] = []
        place: list[dict[str, int]] = []
        undecided: list[tuple[int, str]] = []
        why, why_useful = [""] * self.judged.n, [""] * self.judged.n
        for row, (decisions, hits) in enumerate(zip(self.decisions, self.hits, strict=True)):
            place_by_document: dict[str, int] = {}
            place.append(place_by_document)
            if self.failed[row]:
                continue
            number = decisions.get(("answer", "contexts"))
            if number is None or number.value is None:
                why[row] = self.judged.reason(number, self.judged.silent("its contexts"))
            elif number.value == 0 and hits:
                why[row] = NO_TEXT
            unknown = why[row]
            for doc in dict.fromkeys(hits):
                decision = decisions.get((f"hit:{doc}", "useful"))
                if decision is None:
                    undecided.append((row, doc))
                    continue
                place_by_document[doc] = len(owner)
                owner.append(row)
                rank.append(len(place_by_document))
                is_useful, reason = self._value(decision, "nobody can tell whether it is useful")
                useful.append(is_useful)
                unknown = unknown or (reason and f"context {doc}: {reason}")
            if not unknown and number is not None and len(place_by_document) < (number.value or 0):
                unknown = f"{len(place_by_document)} of {number.value:g} contexts were judged useful or not"
            why_useful[row] = unknown
        for place_after, (row, doc) in enumerate(undecided, start=len(owner)):
            place[row][doc] = place_after
        arrays = np.array(owner, dtype=np.int64), np.array(rank, dtype=np.int64), np.array(useful, dtype=np.float64)
        return Contexts(*arrays, place, len(owner) + len(undecided), why, why_useful)

    def _value(self, decision: Decision | None, otherwise: str) -> tuple[float, str]:
        """Return 1 or 0 and ""; without a decision NaN and the reason."""
        if decision is None or decision.value is None:
            return np.nan, self.judged.reason(decision, otherwise)
        return float(decision.value == 1), ""

    def side(self, kind: Kind, contexts: Contexts) -> Side:
        claims = _Claims(self.judged.n)
        for row, (decisions, failed) in enumerate(zip(self.decisions, self.failed, strict=True)):
            count = decisions.get(("answer", kind.number))
            if kind is REFERENCE and not any(text.strip() for text in self.references[row]):
                claims.why[row] = NO_REFERENCE
            elif failed:
                if kind is REFERENCE and (count is None or count.value != 0):
                    claims.add(row, 0.0, 0.0)
            elif count is None or count.value is None:
                claims.why[row] = self.judged.reason(count, self.judged.silent(f"the claims of {kind.of}"))
            else:
                self._add(claims, kind, row, int(count.value), contexts)
        return claims.side(self.judged.n)

    def _add(self, claims: _Claims, kind: Kind, row: int, count: int, contexts: Contexts) -> None:
        """Add the claims of one answer."""
        decisions, places, why_unseen = self.decisions[row], contexts.place[row], contexts.why[row]
        no_contexts, no_text = not why_unseen and not places, why_unseen is NO_TEXT
        for number in range(1, count + 1):
            about, name = f"{kind.about}:{number}", f"{kind.about} {number}"
            claim = decisions.get((about, "claim"))
            if claim is not None and claim.value == 0:
                continue
            decision = decisions.get((about, "supported"))
            supported, unknown = self._value(decision, why_unseen or "nobody said whether a context supports it")
            if decision is None and no_contexts:
                supported, unknown = 0.0, ""
            elif no_text and decision is not None and source_of(self.judged.by(decision)) != "human":
                supported, unknown = np.nan, why_unseen  # a judge that saw no context says that none supports it
            claims.why_supported[row] = claims.why_supported[row] or (unknown and f"{name}: {unknown}")
            silence = f"nobody said whether it is {kind.agreed}"
            agreed, unknown = self._value(decisions.get((about, kind.agreed)), silence)
            claims.why_agreed[row] = claims.why_agreed[row] or (unknown and f"{name}: {unknown}")
            if supported == 1:
                for doc, place in places.items():
                    hit = decisions.get((about, f"hit:{doc}"))
                    if hit is not None and hit.value == 1:
                        claims.pairs.append((len(claims.owner), place))
            claims.add(row, supported, agreed)


class _Claims:
    """The claims of one side while they are collected."""

    def __init__(self, n: int) -> None:
        self.owner: list[int] = []
        self.supported: list[float] = []
        self.agreed: list[float] = []
        self.pairs: list[tuple[int, int]] = []
        self.why, self.why_supported, self.why_agreed = [""] * n, [""] * n, [""] * n

    def add(self, row: int, supported: float, agreed: float) -> None:
        self.owner.append(row)
        self.supported.append(supported)
        self.agreed.append(agreed)

    def side(self, n: int) -> Side:
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
