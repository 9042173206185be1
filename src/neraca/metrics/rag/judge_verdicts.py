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
from neraca.stats.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.judge_verdicts import JudgedAnswers, Judges
from neraca.verdicts.source import source_of

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
NO_REFERENCE = "the item has no reference"
NO_ANSWER = "the target gave no answer"
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
    failed: NDArray[np.bool_]
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
            Which judge, who then counts alone; "": as was asked for all scores, else the only one, whom people
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
    def _judges(self) -> Judges:
        """The judges of all runs that are scored together."""
        group = self.part.group
        return group.once(Judges, lambda: Judges.of([part.column("verdicts").table for part in group.parts]))

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what several metrics use, under a name of its own; made at the first call."""
        return self.part.once(name, make)

    def rating(self, aspect: str, by: str = "", *, kind: str = "", failed: float = np.nan) -> Reasoned:
        """Return what was said of one aspect of each answer as a whole, shape (n,).

        `failed` is the value of a failed answer of which nobody said anything, NaN: it has none.
        """
        judged = self.of_judge([aspect], by, kind=kind)
        values, why = np.full(self.part.n, np.nan), [""] * self.part.n
        for row, decision in enumerate(judged.on_answers(aspect)):
            if decision is None and self.failed[row]:
                values[row], why[row] = failed, "" if failed == failed else f"{NO_ANSWER}, and nobody judged that"
            elif decision is None or decision.value is None:
                why[row] = judged.reason(decision, judged.silent(f"it: {aspect}"))
            else:
                values[row] = decision.value
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
