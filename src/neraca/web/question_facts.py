"""Facts to filter the questions of several runs by: the best run, outcomes of answers, and sources of verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.comparisons.by_question import alone_best, answer_outcomes, spread
from neraca.comparisons.compare import primary_of
from neraca.comparisons.pair import TIE
from neraca.records import Answer
from neraca.runs.verdict_table import STATUSES, VerdictTable
from neraca.scores.score import score
from neraca.scores.scores import RunScores
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.opinions import values_by_aspect
from neraca.verdicts.source import is_human, source_of

Chosen = NDArray[np.bool_]
#: Kinds of verdicts on the answers to a question: who decided, whether they differ, whether one is missing.
PEOPLE, JUDGE, DIFFER, UNDECIDED, NONE = "people", "judge", "differ", "undecided", "none"


@dataclass(frozen=True, eq=False)
class QuestionFacts:
    """Facts about the n questions of some runs that were scored together.

    Attributes
    ----------
    metric
        The primary metric.
    runs
        The names of the runs; equal names are numbered.
    values
        Shape (runs, n): values of the primary metric; NaN if there is none.
    best
        Shape (n,): index of the single best run; -1 if several are tied or none has a value.
    outcomes
        Outcome, or a status other than `complete` → whether any answer has it, shape (n,).
    failed
        Shape (n,): whether every run has answers, and all of them failed.
    verdicts
        Kind of verdict → whether any answer has one, shape (n,).
    """

    metric: str
    runs: tuple[str, ...]
    values: Floats
    best: NDArray[np.int64]
    outcomes: dict[str, Chosen]
    failed: Chosen
    verdicts: dict[str, Chosen]

    @property
    def tied(self) -> Chosen:
        """Shape (n,): whether at least two runs have a value and no single one is best."""
        return np.asarray(((~np.isnan(self.values)).sum(axis=0) > 1) & (self.best < 0))

    @property
    def zero(self) -> Chosen:
        """Shape (n,): whether the value of every run is 0."""
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(self.values) <= TIE).all(axis=0))

    @property
    def unscored(self) -> Chosen:
        """Shape (n,): whether any run has no value."""
        return np.asarray(np.isnan(self.values).any(axis=0))

    def apart(self, least: float) -> Chosen:
        """Return whether the largest difference between two runs is at least `least`; shape (n,)."""
        return np.asarray(spread(self.values) >= least - TIE)


def question_facts(folders: Sequence[Path]) -> QuestionFacts:
    """Score runs together and return the facts about their questions; raise the errors of `score`."""
    scores = score(folders)
    primary = primary_of(scores.metrics)
    values = np.array([run.values(str(primary)) for run in scores.runs])
    outcomes: dict[str, Chosen] = {}
    failed = np.ones(values.shape[1], dtype=bool)
    for run in scores.runs:
        failed &= _all_failed(run)
        for name, indices in _outcomes(run).items():
            outcomes.setdefault(name, np.zeros(len(failed), dtype=bool))[indices] = True
    return QuestionFacts(
        str(primary),
        tuple(run.name for run in scores.runs),
        values,
        alone_best(values, primary),
        outcomes,
        failed,
        _verdicts(scores.runs),
    )


def _all_failed(run: RunScores) -> Chosen:
    """Return whether each question has answers and all of them failed; shape (n,)."""
    failed = np.zeros(len(run), dtype=bool)
    if run.scorable is not None and run.item is not None:
        answers: Sequence[Answer] = run.scorable.column("answers")
        succeeded = np.array([not answer.failed for answer in answers], dtype=bool)
        failed[run.item] = True
        failed[run.item[succeeded]] = False
    return failed


def _outcomes(run: RunScores) -> dict[str, NDArray[np.int64]]:
    """Return outcome → indices of the questions that have an answer with it."""
    if run.scorable is None or run.item is None:
        return {}
    names = Categorical.of(answer_outcomes(run.scorable))
    return {name: run.item[names.codes == code] for code, name in enumerate(names.words) if name}


def _verdicts(runs: Sequence[RunScores]) -> dict[str, Chosen]:
    """Return kind of verdict → whether any answer to a question has one, shape (n,)."""
    index = {str(name): number for number, name in enumerate(runs[0].ids)}
    has_kind = {kind: np.zeros(len(index), dtype=bool) for kind in (PEOPLE, JUDGE, DIFFER, UNDECIDED)}
    repeated = []
    for run in runs:
        if run.scorable is None:
            continue
        verdicts: AnswerVerdicts = run.scorable.column("verdicts")
        table = verdicts.table.take(~verdicts.table.about.isin(["item"]))
        questions = np.array([index[name] for name in table.item.words], dtype=np.int64)
        lacking = np.isin(table.status, [STATUSES.index("missing"), STATUSES.index("unscored")])
        for kind, rows in (
            (PEOPLE, table.by.where(is_human)),
            (JUDGE, table.by.where(lambda name: source_of(name) not in ("human", "qrels"))),
            (UNDECIDED, lacking),
        ):
            has_kind[kind][questions[table.item.codes[rows]]] = True
        repeated.append(_repeated_verdicts(table))
    for values_by_unit in values_by_aspect(repeated).values():
        for (_, item, _, _), values in values_by_unit.items():
            if max(values.values(), default=0.0) - min(values.values(), default=0.0) > TIE:
                has_kind[DIFFER][index[item]] = True
    return has_kind | {NONE: ~(has_kind[PEOPLE] | has_kind[JUDGE])}


def _repeated_verdicts(table: VerdictTable) -> VerdictTable:
    """Return the verdicts whose answer part and aspect have more than one verdict."""
    _, of_row, counts = np.unique(
        table.key("item", "trial", "about", "aspect"), return_inverse=True, return_counts=True
    )
    return table.take(counts[of_row] > 1)
