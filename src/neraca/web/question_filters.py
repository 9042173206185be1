"""Filters of a list of questions, read from a link, and the questions that pass them."""

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

#: Values of the filter `best` other than the path of a run → their labels for readers.
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
    """The filters in a link, as text; "" filters nothing.

    Attributes
    ----------
    q
        Words in the question, or its id.
    tag
        A tag such as `category=hats`.
    best
        The path of the run that is the single best by the primary metric, or a key of `NO_RUN`.
    outcome
        An outcome that any answer has.
    difference
        The least difference between two runs in the primary metric.
    verdict
        A key of `VERDICTS`.
    """

    q: str = ""
    tag: str = ""
    best: str = ""
    outcome: str = ""
    difference: str = ""
    verdict: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Self:
        """Read the filters from the parameters of a link; raise `InputError` if `difference` is not a number from 0."""
        filters = cls(**{name: parameters[name] for name in cls.__dataclass_fields__ if name in parameters})
        try:
            valid = math.isfinite(filters.least) and filters.least >= 0
        except ValueError:
            valid = False
        if not valid:
            raise InputError(f"difference: {filters.difference!r} is not a number from 0, such as 0.2")
        return filters

    @property
    def least(self) -> float:
        """The filter `difference` as a number; 0 if it is empty."""
        return float(self.difference or 0)

    @property
    def need_scores(self) -> bool:
        """Whether any filter needs scores or verdicts."""
        return bool(self.best or self.outcome or self.difference or self.verdict)

    def link(self) -> str:
        """Return the filters as the query string of an address."""
        return urlencode({name: value for name, value in vars(self).items() if value})

    def fit(self, facts: QuestionFacts, paths: Sequence[str]) -> Chosen:
        """Return which questions pass the filters by scores and verdicts, for the runs of these paths; shape (n,)."""
        fit = np.ones(len(facts.failed), dtype=bool)
        none = np.zeros(len(fit), dtype=bool)
        if self.best:
            fit &= _best_masks(facts, paths).get(self.best, none)
        if self.outcome:
            fit &= facts.outcomes.get(self.outcome, none)
        if self.difference:
            fit &= facts.apart(self.least)
        if self.verdict:
            fit &= facts.verdicts.get(self.verdict, none)
        return fit


def _best_masks(facts: QuestionFacts, paths: Sequence[str]) -> dict[str, Chosen]:
    """Return value of the filter `best` → the questions that pass it, shape (n,)."""
    single_best = {path: facts.best == index for index, path in enumerate(paths)}
    no_run = {"-tied": facts.tied, "-zero": facts.zero, "-failed": facts.failed, "-unscored": facts.unscored}
    return no_run | single_best


def choices(filters: Filters, facts: QuestionFacts, paths: Sequence[str]) -> list[Choice]:
    """Return the filters by scores and verdicts with their options, for the runs of these paths."""
    names = NO_RUN | {path: f"{name} alone" for path, name in zip(paths, facts.runs, strict=True)}
    masks = _best_masks(facts, paths)
    best = [Option(value, names[value], int(masks[value].sum())) for value in (*paths, *NO_RUN)]
    outcomes = [Option(name, name, int(fit.sum())) for name, fit in facts.outcomes.items()]
    verdicts = [Option(kind, label, int(facts.verdicts[kind].sum())) for kind, label in VERDICTS.items()]
    gone = "No answer has the outcome {}."
    return [
        Choice("best", f"Best in {facts.label()}", best, filters.best, "None of these runs is {}.", "any run"),
        Choice("outcome", "Outcome of any run", outcomes, filters.outcome, gone),
        Choice("verdict", "Verdict", verdicts, filters.verdict, "No verdict is called {}."),
    ]
