"""Say for each run how many answers decline, how many of them rightly, and of how many nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.number_format import integer
from neraca.reports.blocks.tables import answered
from neraca.reports.sentences.question_columns import expects_column
from neraca.scores import confusion
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.answer_verdicts import AnswerVerdicts


def refusal_sentences(scores: Scores) -> Iterator[str]:
    """Yield the outcomes of each run's answers in words, if refusals were judged and some question expects `none`."""
    for part in answered(scores):
        outcomes = confusion.outcomes_in_words(part)
        if outcomes and "none" in part.column("expects"):
            counts = ", ".join(f"{say(name)} {integer(n)}" for name, n in outcomes.items())
            yield say("{run}: answers in words: {counts}", run=part.name, counts=counts)


def unclear_refusals(scores: Scores) -> Iterator[str]:
    """Note answers that decline although nobody said whether their questions have an answer."""
    for run in scores.runs:
        if run.scorable is None or not run.scorable.offers("verdicts"):
            continue
        verdicts: AnswerVerdicts = run.scorable.column("verdicts")
        table, rows = verdicts.table, verdicts.rows
        declines = table.aspect.isin(["declines"])[rows]
        refused = verdicts.answer[rows[declines & (table.value[rows] == 1)]]
        n_unclear = int((run.scorable.column("expects")[refused[refused >= 0]] == "").sum())
        if n_unclear:
            yield say(
                "{run} declines {questions}, and nobody says whether anything answers them: refusals that are right "
                "count as bad answers; set {column} to none or results, and look at RefusalF1",
                run=run.name,
                column=expects_column(run),
                questions=count(n_unclear, "question"),
            )
