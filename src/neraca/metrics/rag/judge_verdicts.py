"""The view that metrics of judged answers share: what one judge said of each answer, overruled by people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.records import Answer
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.judge_verdicts import JudgedAnswers, Judges
from neraca.verdicts.source import source_of

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Mask = NDArray[np.bool_]
NO_REFERENCE = "the item has no reference"
NO_ANSWER = "the target gave no answer"
FAILED_TO_DECLINE = "the target gave no answer, and nothing answers the question: neither right nor wrong"
UNANSWERABLE = "nothing answers the question (expects none); RefusalRecall says whether it was declined"


@dataclass(frozen=True)
class JudgeVerdicts:
    """Everything that judges and people said of n answers; `of_judge` is what counts of it.

    Attributes
    ----------
    part
        The answers.
    verdicts
        On them.
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
        """Return what counts of each answer.

        Parameters
        ----------
        aspects
            By which the judge is known; see `Judges.choose`.
        by
            The judge, who then counts alone; "": as was asked for all scores, else the only one, whom people
            overrule.  `human` or `human:NAME`: people alone.
        kind
            The judge is of this kind (`embed`), whatever other kind was asked for all scores.
        keep
            Aspects of the judge that count where people alone are asked: what there is to judge.
        asker
            See `Judges.choose`.
        """
        source = self.verdicts.by
        if kind and source_of(source) not in (kind, "human"):
            source = kind
        alone = source_of(by or source) == "human"
        judge = "" if alone and not keep else self._judges.choose(aspects, by, source, asker)
        if alone:
            return JudgedAnswers.of(self.verdicts, judge, by or source, keep)
        return JudgedAnswers.of(self.verdicts, judge, None if by or self.verdicts.by else "human")

    @property
    def unanswerable(self) -> list[str]:
        """For each answer why no answer in words can be good, or "".

        Of such a question a metric of good answers is undefined for every system alike.  If it were undefined for
        refusals only, a comparison would drop just the pairs in which one system answers nonsense.
        """
        return [UNANSWERABLE if expects == "none" else "" for expects in self.part.column("expects").tolist()]

    @property
    def silent(self) -> Mask:
        """Shape (n,): the answer failed, or has neither text nor hits.

        Whether hits without a text answer anything depends on the system; judges decide it.
        """
        return self.wordless & (self.failed | ~self._has_hits)

    @property
    def wordless(self) -> Mask:
        """Shape (n,): the answer failed, or has no text."""
        return self.failed | ~self.once("texts", lambda: self._each(lambda answer: bool(answer.text.strip())))

    @property
    def _has_hits(self) -> Mask:
        return self.once("has hits", lambda: self._each(lambda answer: bool(answer.hits)))

    def _each(self, decide: Callable[[Answer], bool]) -> Mask:
        return np.array([decide(answer) for answer in self.part.column("answers")], dtype=bool)

    def with_silence(self, made: Reasoned, silent: Mask, *reasons: Sequence[str]) -> Reasoned:
        """Give 0 to `silent` answers whose question can be answered.

        If they were undefined, a system would gain by saying nothing.  `reasons` are of the question and not of the
        answer, such as a reference that is lacking; where one is given, the answer keeps what it has.
        """
        chosen = silent.copy()
        for several in (self.unanswerable, self.unscored, *reasons):
            chosen &= np.array([not reason for reason in several], dtype=bool)
        why = ["" if silent else reason for silent, reason in zip(chosen.tolist(), made.why, strict=True)]
        return Reasoned(np.where(chosen, 0.0, made.values), why)

    @property
    def _judges(self) -> Judges:
        """The judges of all runs that are scored together."""
        group = self.part.group
        return group.once(Judges, lambda: Judges.of([part.column("verdicts").table for part in group.parts]))

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what several metrics use, under a name of its own; made at the first call."""
        return self.part.once(name, make)

    def rating(
        self, aspect: str, by: str = "", *, kind: str = "", silence: float = np.nan, unheard: Mask | None = None
    ) -> Reasoned:
        """Return what was said of one aspect of each answer as a whole, shape (n,).

        `silence` is the value of an answer that says nothing, if nobody gave it one; NaN: it has none.  If nothing
        answers the question, only people say what silence is worth there.  `unheard` are the answers that say nothing;
        None: all that are `silent`.
        """
        silent = self.silent if unheard is None else unheard
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
    """Values, shape (n,), NaN where any of the reasons is given; the first one counts.

    >>> reasoned(np.array([1.0, 2.0]), ["", ""], ["", "no reference"])
    Reasoned(values=array([ 1., nan]), why=['', 'no reference'])
    """
    why = [next(filter(None, row), "") for row in zip(*reasons, strict=True)]
    return Reasoned(np.where([bool(text) for text in why], np.nan, values), why)


def judged_on(*aspects: str) -> Callable[[F], F]:
    """Declare on which aspects of an answer a judge must have decided before a metric can say anything.

    A parameter of the metric stands in braces, as in `"{name}"`.
    """

    def declare(function: F) -> F:
        function.__dict__["aspects"] = aspects
        return function

    return declare


def aspects_of(metric: Metric) -> tuple[str, ...]:
    """Return the aspects that were declared by `judged_on`."""
    declared: tuple[str, ...] = metric.definition.function.__dict__.get("aspects", ())
    return tuple(aspect.format(**metric.settings) for aspect in declared)
