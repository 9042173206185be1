"""What the questions of several runs can be chosen by, apart from their words: who is best, what came, who decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.comparisons.by_question import alone_best, answer_outcomes, spread
from neraca.comparisons.compare import TIE, primary_of
from neraca.metaeval.agreement import values_by_aspect
from neraca.records import Answer
from neraca.runs.verdict_table import STATUSES, VerdictTable
from neraca.scores.score import score
from neraca.scores.scores import RunScores
from neraca.stats.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.source import source_of

Chosen = NDArray[np.bool_]
#: Who decided on an answer; what there is of it in the verdicts on a question.
PEOPLE, JUDGE, DIFFER, UNDECIDED, NONE = "people", "judge", "differ", "undecided", "none"


@dataclass(frozen=True, eq=False)
class QuestionFacts:
    """What is known of the n questions of some runs, which were scored together.

    Attributes
    ----------
    metric
        The primary metric.
    runs
        Their names, of which equal ones got a number.
    values
        Shape (runs, n): of the primary metric; NaN where there is none.
    best
        Shape (n,): the run that alone is the best; -1 where none is.
    outcomes
        An outcome, or a status that is not complete → whether any answer has it, shape (n,).
    failed
        Shape (n,): whether every run has an answer, and all of them failed.
    verdicts
        One of the kinds above → whether there is such a verdict on an answer, shape (n,).
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
        """Whether two runs at least have a value, and none is alone the best."""
        return np.asarray(((~np.isnan(self.values)).sum(axis=0) > 1) & (self.best < 0))

    @property
    def zero(self) -> Chosen:
        """Whether the value of every run is 0."""
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(self.values) <= TIE).all(axis=0))

    @property
    def unscored(self) -> Chosen:
        """Whether a run has no value."""
        return np.asarray(np.isnan(self.values).any(axis=0))

    def apart(self, least: float) -> Chosen:
        """Whether two runs are apart by so much at least."""
        return np.asarray(spread(self.values) >= least - TIE)


def question_facts(folders: Sequence[Path]) -> QuestionFacts:
    """Score runs together, and keep what their questions can be chosen by; raises what `score` raises."""
    scores = score(folders)
    primary = primary_of(scores.metrics)
    values = np.array([run.values(str(primary)) for run in scores.runs])
    outcomes: dict[str, Chosen] = {}
    failed = np.ones(values.shape[1], dtype=bool)
    for run in scores.runs:
        failed &= _all_failed(run)
        for name, places in _outcomes(run).items():
            outcomes.setdefault(name, np.zeros(len(failed), dtype=bool))[places] = True
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
    """Whether each question has an answer, and every answer to it failed; shape (n,)."""
    failed = np.zeros(len(run), dtype=bool)
    if run.scorable is not None and run.item is not None:
        answers: Sequence[Answer] = run.scorable.column("answers")
        well = np.array([not answer.failed for answer in answers], dtype=bool)
        failed[run.item] = True
        failed[run.item[well]] = False
    return failed


def _outcomes(run: RunScores) -> dict[str, NDArray[np.int64]]:
    """Outcome → the places of the questions to which an answer has it."""
    if run.scorable is None or run.item is None:
        return {}
    names = Categorical.of(answer_outcomes(run.scorable))
    return {name: run.item[names.codes == code] for code, name in enumerate(names.words) if name}


def _verdicts(runs: Sequence[RunScores]) -> dict[str, Chosen]:
    """Kind of verdict → whether there is one on an answer to each question."""
    place = {str(name): number for number, name in enumerate(runs[0].ids)}
    found = {kind: np.zeros(len(place), dtype=bool) for kind in (PEOPLE, JUDGE, DIFFER, UNDECIDED)}
    doubtful = []
    for run in runs:
        if run.scorable is None:
            continue
        verdicts: AnswerVerdicts = run.scorable.column("verdicts")
        table = verdicts.table.take(verdicts.table.about.where([name != "item" for name in verdicts.table.about.words]))
        questions = np.array([place[name] for name in table.item.words], dtype=np.int64)
        sources = [source_of(name) for name in table.by.words]
        lacking = np.isin(table.status, [STATUSES.index("missing"), STATUSES.index("unscored")])
        for kind, rows in (
            (PEOPLE, table.by.where([source == "human" for source in sources])),
            (JUDGE, table.by.where([source not in ("human", "qrels") for source in sources])),
            (UNDECIDED, lacking),
        ):
            found[kind][questions[table.item.codes[rows]]] = True
        doubtful.append(_of_several(table))
    for things in values_by_aspect(doubtful, ()).values():
        for (_, item, _, _), opinions in things.items():
            if max(opinions.values(), default=0.0) - min(opinions.values(), default=0.0) > TIE:
                found[DIFFER][place[item]] = True
    return found | {NONE: ~(found[PEOPLE] | found[JUDGE])}


def _of_several(table: VerdictTable) -> VerdictTable:
    """The verdicts on things on which there are several."""
    _, of_row, counts = np.unique(
        table.key("item", "trial", "about", "aspect"), return_inverse=True, return_counts=True
    )
    return table.take(counts[of_row] > 1)
