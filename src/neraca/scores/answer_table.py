"""A table of questions with a run's answers beside them: what came back, a column for each metric, how it went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.datasets.table_writer import check_output, write_batch
from neraca.errors import InputError
from neraca.languages import AUTO, parse_language
from neraca.metrics.batch import Together
from neraca.metrics.metric import Metric
from neraca.metrics.text.average import band
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.scores.score import Scores, Sheet, score
from neraca.scores.text_blocks import average_of, needs_reference, text_metrics, with_inner
from neraca.scores.text_table import AVERAGE, BAND

DEFAULT = "TFIDF ROUGE-L ExactMatch TokenF1 METEOR TokenRecall"
RESPONSE, TRIAL = "actual_response", "trial"
#: Of each answer, after the metrics; `note` also says why metrics have no value.
FACTS = ("status", "seconds", "first_token_seconds", "error", "note")
#: Scored where no question has a reference: how long the answers are.
LENGTH = "Words"
CONVERSATION = "(one conversation)"


@dataclass(frozen=True, kw_only=True)
class AnswerTable:
    """A table of questions, and what is to be asked of it and written beside it.

    Attributes
    ----------
    path, encoding, sheet, delimiter, columns
        The file, as of `read_dataset`; each row is a question.
    out
        Where the rows go with the answers.
    metrics
        Names of metrics of texts.
    language
        Of questions that do not say theirs: `es`, `Spanish`, or `auto`, found in their references.
    limit
        Only so many questions, from the first; 0: all.
    conversation
        Whether all questions without a session belong to one conversation.
    trials
        How often each question is asked; each answer gets a row.
    """

    path: Path
    out: Path
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT
    language: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    limit: int = 0
    conversation: bool = False
    trials: int = 1
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None

    @property
    def folder(self) -> Path:
        """Where the run is kept if nobody says: beside the table that is written, `results.run`."""
        return self.out.with_name(f"{self.out.stem}{f'.first-{self.limit}' if self.limit else ''}.run")

    @cached_property
    def dataset(self) -> Dataset:
        """The questions.

        Raises
        ------
        InputError, SpecError
            The file, the metrics or the place to write to cannot be used: it is known before anything is asked.
        """
        table = self._table
        self._check_out(table)
        found = read_dataset(self.path, columns=self.columns, **self._reading)
        if len(found) != len(table):
            raise InputError(f"{self.path}: its first line must name the columns, such as query and ground_truth")
        items = list(found.items[: self.limit or None])
        if self.conversation:
            items = [msgspec.structs.replace(item, session=item.session or CONVERSATION) for item in items]
        chosen = Dataset(tuple(items), found.source)
        _check_new(table, self._names(*self._scored(chosen), self.trials))
        asked = [(item, Answer(item=item.id)) for item in chosen]
        _ = Together([asked], self._language(chosen)).languages  # where it cannot be found, that is known here
        return chosen

    def _language(self, dataset: Dataset) -> str:
        """The language as it was given; nothing where it is to be found in references and there are none."""
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
        """The metrics that can be scored, and their average."""
        asked = text_metrics(self.metrics)
        if not _referenced(dataset):
            asked = [metric for metric in asked if not any(map(needs_reference, with_inner(metric)))]
        found = asked or [Metric.of(LENGTH)]
        return found, average_of(found)

    def _names(self, metrics: list[Metric], average: Metric | None, trials: int) -> list[str]:
        """The new columns."""
        scored = [AVERAGE if metric == average else str(metric) for metric in metrics]
        added = [AVERAGE, BAND] if average else []
        return list(dict.fromkeys([*([TRIAL] if trials > 1 else []), RESPONSE, *scored, *added, *FACTS]))

    def write(self, run: Run) -> AnswerScores:
        """Score a run of these questions, and write the rows with its answers; raises `InputError`.

        A row for each answer: with several trials a question's row comes several times, with the column `trial`.
        """
        metrics, average = self._scored(self.dataset)
        language = self._language(self.dataset)
        scores = score([run], dict.fromkeys([*metrics, *([average] if average else [])]), language=language)
        found = AnswerScores(scores, average, tuple(m for m in text_metrics(self.metrics) if m not in metrics))
        names = self._names(metrics, average, run.manifest.trials)
        _check_new(self._table, names)
        row_of = {name: row for row, name in enumerate(self.dataset.by_id)}
        asked = self._table.select([row_of[answer.item] for _, answer in found.sheet.batch.pairs])
        cells = list(found.cells())
        write_batch(self.out, asked.with_columns({name: [row[name] for row in cells] for name in names}))
        return found


def _referenced(dataset: Dataset) -> bool:
    return any(item.references for item in dataset)


def _check_new(table: RowBatch, names: Iterable[str]) -> None:
    if twice := [name for name in names if name in table.columns]:
        raise InputError(
            f"{table.header}: there is a column {twice[0]!r} already, and it is not overwritten; rename or delete it"
        )


@dataclass(frozen=True)
class AnswerScores:
    """What a run answered, scored.

    Attributes
    ----------
    scores
        Of the one run.
    average
        The metric that averages the others, where there is one.
    left_out
        Metrics that need references, where there are none.
    """

    scores: Scores
    average: Metric | None
    left_out: tuple[Metric, ...]

    @property
    def sheet(self) -> Sheet:
        """Of the run."""
        return self.scores.sheets[0]

    def title(self, metric: str) -> str:
        """What a metric is called: by its name, but the average, whose name is long, `Average`."""
        return AVERAGE if metric == str(self.average) else metric

    def cells(self) -> Iterator[dict[str, Any]]:
        """The new cells of each answer, in the order of questions and trials."""
        columns = self.sheet.columns.items()
        values = {self.title(name): column.metric.total(column.rows).tolist() for name, column in columns}
        for place, (_, answer) in enumerate(self.sheet.batch.pairs):
            scored = {title: _known(column[place]) for title, column in values.items()}
            mean = scored.get(AVERAGE)
            facts = {name: getattr(answer, name) for name in FACTS}
            note = "; ".join(dict.fromkeys(filter(None, (answer.note, *self._whys(place)))))
            facts |= {"error": self._located(answer.error or ""), "note": self._located(note)}
            ends = {BAND: None if mean is None else band(mean)} | facts
            yield {TRIAL: answer.trial, RESPONSE: answer.text} | scored | ends

    def troubled(self) -> Iterator[tuple[Item, Answer, str]]:
        """Questions without a complete answer, with what came and why."""
        for item, answer in self.sheet.batch.pairs:
            if answer.status != "complete":
                yield item, answer, self._located("; ".join(filter(None, (answer.error, answer.note))))

    def _located(self, told: str) -> str:
        """The same, with the path of a screenshot that stands in it from here and not from the run's folder."""
        return told.replace("screenshot: ", f"screenshot: {self.sheet.run.path}/")

    def _whys(self, place: int) -> list[str]:
        """The different reasons why metrics have no value for an answer; that an average has none follows."""
        columns = self.sheet.columns.items()
        whys = (column.why[place] for name, column in columns if self.title(name) != AVERAGE)
        return list(dict.fromkeys(filter(None, whys)))

    @property
    def notes(self) -> Iterator[str]:
        """What a reader of the numbers must know, in sentences."""
        answers = [answer for _, answer in self.sheet.batch.pairs]
        if self.left_out:
            names = ", ".join(map(str, self.left_out))
            yield f"no question has a reference, in a column such as ground_truth: without {names}"
        if failed := sum(answer.failed for answer in answers):
            yield f"{_count(failed)} failed and count{'s' if failed == 1 else ''} as an empty one in every metric"
        for why, n in Counter(why for place in range(len(answers)) for why in self._whys(place)).items():
            yield f"{_count(n)} {'is' if n == 1 else 'are'} unscored: {why}"
        if len(set(self.sheet.clusters.tolist())) == 1 < len(self.sheet.items):
            yield "all questions were asked in one conversation, from which no interval can be worked out"
        if not self.left_out and "" in self.sheet.batch.together.languages:
            yield "the language is not known (--language): words are compared without their stems, and articles count"
        yield from self.scores.notes


def _known(value: float) -> float | None:
    return None if value != value else value


def _count(answers: int) -> str:
    return f"{answers:,} answer{'' if answers == 1 else 's'}"
