"""A table of questions with a run's answers: the responses, a column for each metric, and status and errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets.columns import Columns
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.datasets.table_writer import check_output, write_batch
from neraca.errors import InputError
from neraca.languages import AUTO, parse_language
from neraca.metrics.aliases import AVERAGED
from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.counts import check_offered
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import RunGroup
from neraca.metrics.text.average import average_of
from neraca.metrics.text.expectations import NO_CHECKS
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.scores.failed_checks import FAILED_CHECKS, failed_checks, has_checks
from neraca.scores.metric_columns import BAND_OF, metric_columns, reasons_of, titles_of
from neraca.scores.score import score
from neraca.scores.scores import RunScores, Scores
from neraca.scores.sources.texts import scorables_of_texts

DEFAULT = " ".join(AVERAGED)
RESPONSE, TRIAL = "actual_response", "trial"
#: Columns about each answer, after the metrics; `note` also says why metrics have no value.
FACTS = ("status", "seconds", "first_token_seconds", "error", "note")
#: The metric that is scored if no question has a reference: the length of answers.
LENGTH = "Words"
CONVERSATION = "(one conversation)"


@dataclass(frozen=True, kw_only=True)
class AnswerTable:
    """A table of questions, with the options for asking, scoring and writing it.

    Attributes
    ----------
    path, encoding, sheet, delimiter, columns
        The file, as in `read_dataset`; each row is a question.
    out
        The file for the rows with the answers.
    metrics
        Names of metrics of texts.
    language
        The language of questions without one of their own: `es`, `Spanish`, or `auto`, found in their references.
    limit
        The number of questions to ask, from the first; 0: all.
    conversation
        Whether all questions without a session belong to one conversation.
    trials
        The number of times that each question is asked; each answer gets a row.
    headings
        The names of new columns: `names` of the metrics, or `plain`, such as `rouge_l`.
    """

    path: Path
    out: Path
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT
    language: str = ""
    columns: Columns = field(default_factory=dict)
    limit: int = 0
    conversation: bool = False
    trials: int = 1
    headings: str = "names"
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None

    @property
    def folder(self) -> Path:
        """Return the default folder of the run: `results.run` beside the table that is written."""
        return self.out.with_name(f"{self.out.stem}{f'.first-{self.limit}' if self.limit else ''}.run")

    @cached_property
    def dataset(self) -> Dataset:
        """The questions.

        Raise `InputError` or `SpecError` if the file, the metrics or the output cannot be used; this is checked before
        any question is asked.
        """
        table = self._table
        self._check_out(table)
        questions = read_dataset(self.path, columns=self.columns, **self._reading)
        if len(questions) != len(table):
            raise InputError(f"{self.path}: its first line must name the columns, such as query and ground_truth")
        items = list(questions.items[: self.limit or None])
        if self.conversation:
            items = [msgspec.structs.replace(item, session=item.session or CONVERSATION) for item in items]
        chosen = replace(questions, items=tuple(items))
        _check_new(table, self._names(*self._scored(chosen), self.trials))
        unanswered = scorable_of_answers(chosen.items, [Answer(item=item.id) for item in chosen])
        _ = RunGroup([unanswered], self._language(chosen)).languages  # raises now if no language can be detected
        return chosen

    def _language(self, dataset: Dataset) -> str:
        """Return the language option; "" if it is `auto` and there are no references to detect it in."""
        return self.language if _referenced(dataset) or parse_language(self.language) != AUTO else ""

    @cached_property
    def _table(self) -> RowBatch:
        return read_table(self.path, **self._reading)

    @property
    def _reading(self) -> dict[str, Any]:
        return {"encoding": self.encoding, "sheet": self.sheet, "delimiter": self.delimiter}

    def _check_out(self, table: RowBatch) -> None:
        parse_language(self.language)
        check_output(self.out, self.path, "is the table of questions; give the one with the answers another name")
        if RESPONSE in table.columns:
            raise InputError(
                f"{table.header}: there is a column {RESPONSE!r} already, as in what an earlier start wrote; name the "
                "file with the questions, or rename this column"
            )

    def _scored(self, dataset: Dataset) -> tuple[list[Metric], Metric | None]:
        """Return the metrics that can be scored, and their average."""
        metrics_given = Metric.several(self.metrics)
        more = {"expectations": list} if dataset.checks else {}
        (texts,) = scorables_of_texts({RESPONSE: list}, list, 0, more=more)
        if dataset.checks and not has_checks(metrics_given):
            metrics_given.append(Metric.of("Expectations"))
        for metric in metrics_given:
            check_offered(metric, texts)
        if not _referenced(dataset):
            metrics_given = [
                metric
                for metric in metrics_given
                if not any("references" in inner.needs for inner in metric.with_inner())
            ]
        metrics = metrics_given or [Metric.of(LENGTH)]
        return metrics, average_of(metrics)

    def _names(self, metrics: list[Metric], average: Metric | None, trials: int) -> list[str]:
        """Return the names of the new columns."""
        metric_titles = titles_of([*metrics, *([average] if average else [])], average, self.headings).values()
        failed = [FAILED_CHECKS] if has_checks(metrics) else []
        bands = [BAND_OF[title] for title in metric_titles if title in BAND_OF]
        return list(
            dict.fromkeys([*([TRIAL] if trials > 1 else []), RESPONSE, *metric_titles, *bands, *failed, *FACTS])
        )

    def write(self, run: Run) -> AnswerScores:
        """Score a run of these questions, and write the rows with its answers; raise `InputError` if that fails.

        Each answer gets a row.  With several trials, the row of a question is repeated, with the column `trial`.
        """
        metrics, average = self._scored(self.dataset)
        language = self._language(self.dataset)
        scored = score([run], dict.fromkeys([*metrics, *([average] if average else [])]), language=language)
        scores = replace(scored, metrics=tuple(metrics), average=average)
        answer_scores = AnswerScores(
            scores, tuple(m for m in Metric.several(self.metrics) if m not in metrics), self.headings
        )
        names = self._names(metrics, average, run.manifest.trials)
        _check_new(self._table, names)
        row_of = {name: row for row, name in enumerate(self.dataset.by_id)}
        rows = self._table.select([row_of[answer.item] for answer in answer_scores.answers])
        columns = answer_scores.columns()
        write_batch(self.out, rows.with_columns({name: columns[name] for name in names}))
        return answer_scores


def _referenced(dataset: Dataset) -> bool:
    return any(item.references for item in dataset)


def _check_new(table: RowBatch, names: Iterable[str]) -> None:
    if existing := [name for name in names if name in table.columns]:
        raise InputError(
            f"{table.header}: there is a column {existing[0]!r} already, and it is not overwritten; rename or delete it"
        )


@dataclass(frozen=True)
class AnswerScores:
    """The scores of a run's answers.

    Attributes
    ----------
    scores
        The scores of the run.
    left_out
        Metrics that were not scored because there are no references.
    headings
        As in `AnswerTable`.
    """

    scores: Scores
    left_out: tuple[Metric, ...]
    headings: str = "names"

    @property
    def run(self) -> RunScores:
        """The scores of the run."""
        return self.scores.runs[0]

    @property
    def answers(self) -> list[Answer]:
        """The answers, in the order of questions and trials."""
        return list(self._column("answers"))

    def _column(self, name: str) -> Any:
        return self.run.scorable.column(name) if self.run.scorable else []

    @property
    def titles(self) -> dict[str, str]:
        """Canonical metric name → the title of its column."""
        return titles_of(self.scores.scored, self.scores.average, self.headings)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return title → the new cells, one for each answer."""
        answers, reasons = self.answers, self.reasons()
        notes = [  # a question without a check is no trouble of its answer
            [answer.note, *(why for why in reasons.get(row, ()) if why != NO_CHECKS)]
            for row, answer in enumerate(answers)
        ]
        columns = metric_columns(self.run.counts, self.titles)
        columns |= {band: columns.pop(band) for band in BAND_OF.values() if band in columns}
        if has_checks(self.scores.metrics):
            columns[FAILED_CHECKS] = [*failed_checks(self.run.scorable)] if self.run.scorable else []
        return {
            TRIAL: [answer.trial for answer in answers],
            RESPONSE: [answer.text for answer in answers],
            **columns,
            **{name: [getattr(answer, name) for answer in answers] for name in FACTS},
            "error": [self._located(answer.error or "") for answer in answers],
            "note": [self._located("; ".join(dict.fromkeys(filter(None, answer_notes)))) for answer_notes in notes],
        }

    def reasons(self) -> dict[int, list[str]]:
        """Return row of an answer → why metrics have no value."""
        return reasons_of(self.run.counts, self.titles)

    def troubled(self) -> Iterator[tuple[Item, Answer, str]]:
        """Yield the questions without a complete answer, with the answer and the reason."""
        for item, answer in zip(self._column("items"), self.answers, strict=True):
            if answer.status != "complete":
                yield item, answer, self._located("; ".join(filter(None, (answer.error, answer.note))))

    def _located(self, message: str) -> str:
        """Return a message in which the path of a screenshot starts from here, and not from the run's folder."""
        return message.replace("screenshot: ", f"screenshot: {self._column('run').path}/")
