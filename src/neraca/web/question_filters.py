"""What questions of several runs are asked for in a link, and which of them fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

import numpy as np

from neraca.errors import InputError
from neraca.web.choices import Choice, Option
from neraca.web.question_facts import DIFFER, JUDGE, NONE, PEOPLE, UNDECIDED, Chosen, QuestionFacts

#: What a link may ask for instead of the path of a run that is the best, and what a reader sees of it.
NO_RUN = {
    "-tied": "tied: none alone",
    "-zero": "0 in every run",
    "-failed": "failed in every run",
    "-unscored": "no value in some run",
}
VERDICTS = {
    PEOPLE: "by a person",
    JUDGE: "by a judge",
    DIFFER: "on which people or judges differ",
    UNDECIDED: "one that is missing",
    NONE: "none by a person or a judge",
}


@dataclass(frozen=True)
class Filters:
    """What a link asks for, word by word as it stands there; "" asks for nothing.

    Attributes
    ----------
    q
        Words that the question has, or its id.
    tag
        Such as `category=hats`.
    best
        The path of the run that is alone the best by the primary metric, or one of `NO_RUN`.
    outcome
        Of any answer.
    difference
        How far two runs at least are apart by the primary metric.
    verdict
        One of `VERDICTS`.
    """

    q: str = ""
    tag: str = ""
    best: str = ""
    outcome: str = ""
    difference: str = ""
    verdict: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        """Take what a link gives, which may be more; raises `InputError` for a difference that is no number."""
        filters = cls(**{name: given[name] for name in cls.__dataclass_fields__ if name in given})
        try:
            known = math.isfinite(filters.least) and filters.least >= 0
        except ValueError:
            known = False
        if not known:
            raise InputError(f"difference: {filters.difference!r} is no number from 0, such as 0.2")
        return filters

    @property
    def least(self) -> float:
        """The difference as a number; 0 where none is asked for."""
        return float(self.difference or 0)

    @property
    def need_scores(self) -> bool:
        """Whether something is asked for that only scores or verdicts tell."""
        return bool(self.best or self.outcome or self.difference or self.verdict)

    def link(self) -> str:
        """As the end of an address."""
        return urlencode({name: value for name, value in vars(self).items() if value})

    def fit(self, facts: QuestionFacts, paths: Sequence[str]) -> Chosen:
        """Which questions have the scores and verdicts that are asked for, of the runs of these paths; shape (n,)."""
        fit = np.ones(len(facts.failed), dtype=bool)
        none = np.zeros(len(fit), dtype=bool)
        if self.best:
            fit &= _best(facts, paths).get(self.best, none)
        if self.outcome:
            fit &= facts.outcomes.get(self.outcome, none)
        if self.difference:
            fit &= facts.apart(self.least)
        if self.verdict:
            fit &= facts.verdicts.get(self.verdict, none)
        return fit


def _best(facts: QuestionFacts, paths: Sequence[str]) -> dict[str, Chosen]:
    """What a link may ask for → which questions have it."""
    alone = {path: facts.best == place for place, path in enumerate(paths)}
    without = {"-tied": facts.tied, "-zero": facts.zero, "-failed": facts.failed, "-unscored": facts.unscored}
    return without | alone


def choices(filters: Filters, facts: QuestionFacts, paths: Sequence[str]) -> list[Choice]:
    """The filters by scores and verdicts of the runs of these paths."""
    names = NO_RUN | {path: f"{name} alone" for path, name in zip(paths, facts.runs, strict=True)}
    asked = _best(facts, paths)
    best = [Option(value, names[value], int(asked[value].sum())) for value in (*paths, *NO_RUN)]
    outcomes = [Option(name, name, int(fit.sum())) for name, fit in facts.outcomes.items()]
    verdicts = [Option(kind, label, int(facts.verdicts[kind].sum())) for kind, label in VERDICTS.items()]
    gone = "No answer has the outcome {}."
    return [
        Choice("best", f"Best in {facts.metric}", best, filters.best, "None of these runs is {}.", "any run"),
        Choice("outcome", "Outcome of any run", outcomes, filters.outcome, gone),
        Choice("verdict", "Verdict", verdicts, filters.verdict, "No verdict is called {}."),
    ]
