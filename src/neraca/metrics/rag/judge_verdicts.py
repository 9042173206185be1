"""The view of metrics of judged answers: one judge's verdicts on each answer, overruled by people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.records import Answer
from neraca.runs.session_contents import SESSION, TURN
from neraca.runs.verdict_table import VerdictTable
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.judge_verdicts import JudgedAnswers, Judges
from neraca.verdicts.source import is_human, source_of

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Mask = NDArray[np.bool_]
NO_REFERENCE = "the item has no reference"
NO_ANSWER = "the target gave no answer"
FAILED_TO_DECLINE = "the target gave no answer, and nothing answers the question: neither right nor wrong"
UNANSWERABLE = "nothing answers the question (expects none); RefusalRecall says whether it was declined"


@dataclass(frozen=True)
class JudgeVerdicts:
    """All verdicts of judges and people on n answers; `of_judge` selects the ones that count.

    Attributes
    ----------
    part, verdicts
        The answers, and the verdicts on them.
    failed
        Shape (n,): the target gave no answer.
    unscored
        For each answer why no metric can score it, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("verdicts",)
    part: Scorable
    verdicts: AnswerVerdicts
    failed: Mask
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look at these answers."""
        return cls(part, part.column("verdicts"), part.column("failed"), part.why_not())

    def of_judge(
        self,
        aspects: Collection[str],
        by: str = "",
        *,
        kind: str = "",
        keep: Collection[str] = (),
        asker: str | None = None,
    ) -> JudgedAnswers:
        """Return the verdicts that count for each answer.

        Parameters
        ----------
        aspects
            Aspects that identify the judge; see `Judges.choose`.
        by
            The only judge that counts; `human` or `human:NAME`: people alone.  "": the source of all scores, or else
            the only judge, whom people overrule.
        kind
            The kind of the judge (`embed`), whatever kind was chosen for all scores.
        keep
            Aspects of the judge that count even if people alone decide, because they list what there is to judge.
        asker
            See `Judges.choose`.
        """
        source = self.verdicts.by
        if kind and source_of(source) not in (kind, "human"):
            source = kind
        alone = is_human(by or source)
        judge = "" if alone and not keep else self._judges.choose(aspects, by, source, asker)
        if alone:
            return JudgedAnswers.of(self.verdicts, judge, by or source, keep)
        return JudgedAnswers.of(self.verdicts, judge, None if by or self.verdicts.by else "human")

    @property
    def scales(self) -> Mapping[str, str]:
        """Aspect → the ends of the scale on which it was graded, such as `0-10`, where the run states them."""
        scales: Mapping[str, str] = self.part.column("scales") if self.part.offers("scales") else {}
        return scales

    @property
    def unanswerable(self) -> list[str]:
        """For each answer why no answer in words can be good, or "".

        For such a question a metric of good answers is undefined for every system.  If it were undefined for refusals
        only, a comparison would drop exactly the pairs in which one system answers nonsense.
        """
        return [UNANSWERABLE if expects == "none" else "" for expects in self.part.column("expects").tolist()]

    @property
    def silent(self) -> Mask:
        """Shape (n,): the answer failed, or has neither text nor hits.

        Whether hits without text answer a question depends on the system; judges decide it.
        """
        return self.wordless & (self.failed | ~self._has_hits)

    @property
    def wordless(self) -> Mask:
        """Shape (n,): the answer failed, or has no text."""
        return self.failed | ~self.once("texts", lambda: self._mask(lambda answer: bool(answer.text.strip())))

    @property
    def _has_hits(self) -> Mask:
        return self.once("has hits", lambda: self._mask(lambda answer: bool(answer.hits)))

    def _mask(self, condition: Callable[[Answer], bool]) -> Mask:
        return np.array([condition(answer) for answer in self.part.column("answers")], dtype=bool)

    def with_silence(self, scores: Reasoned, silent: Mask, *question_reasons: Sequence[str]) -> Reasoned:
        """Give 0 to `silent` answers whose question can be answered.

        If they were undefined, a system would gain by saying nothing.  `question_reasons` are about the question, such
        as a missing reference; an answer with such a reason keeps its score.
        """
        is_zero = silent.copy()
        for reasons in (self.unanswerable, self.unscored, *question_reasons):
            is_zero &= np.array([not reason for reason in reasons], dtype=bool)
        why = ["" if zero else reason for zero, reason in zip(is_zero.tolist(), scores.why, strict=True)]
        return Reasoned(np.where(is_zero, 0.0, scores.values), why)

    @property
    def _judges(self) -> Judges:
        """The judges of all runs that are scored together."""
        group = self.part.group
        return group.once(Judges, lambda: Judges.of([part.column("verdicts").table for part in group.parts]))

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of this name; make it at the first call."""
        return self.part.once(name, make)

    def rating(
        self, aspect: str, by: str = "", *, kind: str = "", silence: float = np.nan, silent: Mask | None = None
    ) -> Reasoned:
        """Return the verdict on one aspect of each answer as a whole, shape (n,).

        `silence` is the value of a silent answer without a verdict; NaN: none.  If nothing answers the question, only a
        person's verdict counts for a silent answer.  `silent` are the answers that say nothing; None: as in the
        property.
        """
        silent = self.silent if silent is None else silent
        judged = self.of_judge([aspect], by, kind=kind)
        values, why, unanswerable = np.full(self.part.n, np.nan), [""] * self.part.n, self.unanswerable
        for row, decision in enumerate(judged.on_answers(aspect)):
            decided = decision if decision is not None and decision.value is not None else None
            if silent[row] and unanswerable[row] and not (decided and source_of(judged.by(decided)) == "human"):
                why[row] = FAILED_TO_DECLINE if self.failed[row] else unanswerable[row]
            elif decided is not None:
                values[row] = decided.value
            elif silent[row] and silence == silence:
                values[row] = silence
            elif decision is None and self.failed[row]:
                why[row] = f"{NO_ANSWER}, and nobody judged that"
            else:
                why[row] = judged.reason(decision, judged.silent(f"it: {aspect}"))
        return Reasoned(values, why)


def reasoned(values: Floats, *reasons: Sequence[str]) -> Reasoned:
    """Return values, shape (n,), with NaN and the first reason for each answer that has a reason.

    >>> reasoned(np.array([1.0, 2.0]), ["", ""], ["", "no reference"])
    Reasoned(values=array([ 1., nan]), why=['', 'no reference'])
    """
    why = [next(filter(None, row), "") for row in zip(*reasons, strict=True)]
    return Reasoned(np.where([bool(text) for text in why], np.nan, values), why)


def judged_on(*aspects: str) -> Callable[[F], F]:
    """Declare the aspects of an answer that a judge must have decided on before a metric can score it.

    Parameters of the metric stand in braces, as in `"{name}"`.
    """

    def declare(function: F) -> F:
        function.__dict__["aspects"] = aspects
        return function

    return declare


def rests_on(*evidence: str) -> Callable[[F], F]:
    """Declare the verdicts that decide on a metric's value, if they are not those of `judged_on` on whole answers.

    Each is a kind of part and an aspect, such as `claim supported`; the aspect `hit` is support by a context.  Counts
    of claims decide nothing and are left out, and so are verdicts of rules and embeddings.
    """

    def declare(function: F) -> F:
        function.__dict__["evidence"] = frozenset(evidence)
        return function

    return declare


def aspects_of(metric: Metric) -> tuple[str, ...]:
    """Return the aspects that were declared by `judged_on`."""
    declared: tuple[str, ...] = metric.definition.function.__dict__.get("aspects", ())
    return tuple(aspect.format(**metric.settings) for aspect in declared)


def evidence_of(metric: Metric) -> frozenset[str]:
    """Return the kinds of verdicts that decide on a metric's value: `rests_on`, else `judged_on` for whole answers.

    >>> sorted(evidence_of(Metric.of("Hallucination"))), "answer valid" in evidence_of(Metric.of("Valid"))
    (['claim correct', 'claim supported'], True)
    """
    declared: frozenset[str] | None = metric.definition.function.__dict__.get("evidence")
    if declared is not None:
        return declared
    wholes = ("answer", SESSION, TURN.rstrip(":"))
    return frozenset(f"{whole} {aspect}" for aspect in aspects_of(metric) for whole in wholes)


def is_evidence(table: VerdictTable, evidence: Collection[str]) -> Mask:
    """Return which verdicts are of these kinds (`evidence_of`), shape (m,)."""
    mask = np.zeros(len(table), dtype=bool)
    parts = Categorical(tuple(about.partition(":")[0] for about in table.about.words), table.about.codes)
    aspects = Categorical(
        tuple("hit" if name.startswith("hit:") else name for name in table.aspect.words), table.aspect.codes
    )
    for kind in evidence:
        part, _, aspect = kind.partition(" ")
        mask |= parts.isin([part]) & aspects.isin([aspect])
    return mask
