"""Text metrics on a table of references and responses: read, scored and written block by block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.concurrency import Progress, silent
from neraca.datasets.cells import NOTHING, blank, marked, plain_text, words
from neraca.datasets.expectations import expectation_columns
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.spreadsheet import SUFFIXES
from neraca.datasets.table_reader import TableReader
from neraca.datasets.table_writer import table_writer
from neraca.datasets.value_table import NoNumbers
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.metrics.text.average import average_of, band
from neraca.scores.failed_checks import FAILED_CHECKS, failed_checks, has_checks
from neraca.scores.metric_columns import BAND_OF, BANDS, metric_columns, reasons_of, titles_of
from neraca.scores.reading import ReadingOptions, parse_metrics, reading_facts
from neraca.scores.scores import RunScores, Scores
from neraca.scores.scoring import check_level, one_by_one
from neraca.scores.sources.text_columns import TextColumns, find_columns, has_texts
from neraca.scores.sources.text_rows import TextRows
from neraca.scores.text import DEFAULT, TextScoring
from neraca.scores.unit import AUTO, tag_of
from neraca.stats.intervals.interval import Floats

WHY = "why"
#: The most values of a column to group by.
MOST_GROUPS = 1_000


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A table of references and responses, with the options for scoring and writing it.

    Attributes
    ----------
    path, encoding, sheet, delimiter
        The file, as in `read_table`.
    metrics
        Names of metrics.
    references, responses, groups, human
        Columns; without names they are recognised.  Each response column is a system of its own.
    language
        The language of rows without one in a column `language`.
    out
        The file for the rows with a column for each metric; None: no file.
    average
        Whether to average the metrics, with a band.
    bands
        The limits of the bands: an average above the first is excellent, from the second good, from the third
        acceptable.
    why
        Whether rows get a column with the reason why they are unscored.
    headings
        The names of new columns: `names` of the metrics, or `plain`, such as `rouge_l`.
    level
        Confidence of the intervals.
    unit
        The unit that counts as one observation: `auto`, `session`, `question`, or a column.
    block_rows
        The most rows in memory at a time; None: `neraca.datasets.table_reader.ROWS`.
    tokens, norm
        The options of each metric that takes them and does not set its own; "": the default of the metric.
    """

    path: Path
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT
    references: Sequence[str] = ()
    responses: Sequence[str] = ()
    language: str = ""
    groups: Sequence[str] = ()
    human: Sequence[str] = ()
    out: Path | None = None
    average: bool = True
    bands: Sequence[float] = BANDS
    why: bool = False
    headings: str = "names"
    level: float = 0.95
    unit: str = AUTO
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None
    tokens: str = ""
    norm: str = ""
    block_rows: int | None = None

    def score(
        self, progress: Progress = silent, rows: Callable[[Sequence[Mapping[str, Any]]], None] | None = None
    ) -> Scores:
        """Score the table, and write the rows to `out`.

        Parameters
        ----------
        progress
            Called with the share of the work done, in percent.
        rows
            Called with the rows of each block, with a column for each metric.

        Raises
        ------
        InputError
            The table cannot be read, `out` cannot be written, or a row is invalid; nothing is written.
        SpecError
            For an unknown metric or language.
        """
        added = self._added_kinds
        check_level(self.level)
        band(0.0, self.bands)
        if rows_needed := rows is not None or self.out is not None:
            self._check_new(added)
        reading = _Reading(TextRows(self.path, self.columns), self.groups)
        blocks = partial(self._yield_parts, reading, progress)
        scoring = TextScoring(self._metrics, self.language, blocks, self._average)
        writing = table_writer(self.out, self._blocks, added) if self.out else nullcontext()
        with writing as writer:
            for block in one_by_one(self._blocks):
                parts = reading.rows.parts(block)
                scored = scoring.score(parts)
                reading.keep(block)
                if rows_needed:
                    block = block.with_columns(self._new_columns(scored, parts))
                if writer is not None:
                    writer.write(self._with_numbers(block))
                if rows is not None:
                    rows(block.rows)
                progress(int(100 * block.share), 100, f"{reading.rows.n:,} rows")
            if not reading.rows.n:
                raise InputError(f"{self.path}: there is no row below the names of the columns")
        return scoring.scores(level=self.level, unit=self.unit, more=self._facts(reading))

    def _yield_parts(self, reading: _Reading, progress: Progress) -> Iterator[list[Scorable]]:
        """Yield the scorables of each block, for the facts about all rows that scoring needs first."""
        for block in one_by_one(self._blocks):
            yield reading.rows.parts(block)
            progress(int(100 * block.share), 100, "looking at all references")

    def _with_numbers(self, block: RowBatch) -> RowBatch:
        """Return the block with people's scores as numbers if it goes into a workbook, even if they were text."""
        names = self.columns.human
        if not (self.out and self.out.suffix.lower() in SUFFIXES and names and isinstance(block.data, list)):
            return block
        return replace(block, data=[row | {name: _score(row.get(name)) for name in names} for row in block.data])

    @cached_property
    def _blocks(self) -> TableReader:
        return TableReader(
            self.path, encoding=self.encoding, sheet=self.sheet, delimiter=self.delimiter, rows=self.block_rows
        )

    @cached_property
    def columns(self) -> TextColumns:
        """The roles of the columns."""
        groups = tuple(dict.fromkeys((*self.groups, *filter(None, [tag_of(self.unit)]))))
        chosen = (self.references, self.responses, groups, self.human)
        alone = not any("references" in metric.needs for metric in self._inner_metrics)
        columns = find_columns(self._blocks.columns, self._blocks.header, *chosen, alone)
        return columns.checked(next(iter(self._blocks))) if columns.statuses else columns

    @property
    def _reading_options(self) -> ReadingOptions:
        return ReadingOptions(tokens=self.tokens, norm=self.norm)

    @cached_property
    def _metrics(self) -> list[Metric]:
        metrics = parse_metrics(self.metrics, self._reading_options)
        if not metrics:
            raise SpecError("there is no metric to score with; name at least one, such as TokenRecall")
        names = self._blocks.columns
        if not expectation_columns(names):
            return metrics
        if metrics == Metric.several(DEFAULT) and not (self.references or has_texts(names)):
            metrics = []  # there is nothing to compare responses with
        done = has_checks(metrics) or (metrics and FAILED_CHECKS in names)  # as in a table that was written before
        return metrics if done else [*metrics, Metric.of("Expectations")]

    @cached_property
    def _average(self) -> Metric | None:
        return average_of(self._metrics) if self.average else None

    @property
    def _scored_metrics(self) -> list[Metric]:
        return list(dict.fromkeys([*self._metrics, *([self._average] if self._average else [])]))

    @property
    def _inner_metrics(self) -> list[Metric]:
        return [inner for metric in self._metrics for inner in metric.with_inner()]

    # new columns

    def _name(self, system: str, column: str) -> str:
        return f"{system} {column}" if len(self.columns.responses) > 1 else column

    @property
    def _titles(self) -> dict[str, str]:
        return titles_of(self._scored_metrics, self._average, self.headings)

    @property
    def _added_kinds(self) -> dict[str, set[str]]:
        """The new columns, each with the kinds of its values."""
        kinds: dict[str, set[str]] = {}
        for title in self._titles.values():
            kinds |= {title: {"float"}} | ({BAND_OF[title]: {"other"}} if title in BAND_OF else {})
        kinds |= {FAILED_CHECKS: {"other"}} if has_checks(self._metrics) else {}
        kinds |= {WHY: {"other"}} if self.why else {}
        return {self._name(system, name): kind for system in self.columns.responses for name, kind in kinds.items()}

    def _check_new(self, added: Iterable[str]) -> None:
        existing = [name for name in added if name in self._blocks.columns]
        if existing:
            remedy = "--no-average" if existing[0].endswith((*BAND_OF, *BAND_OF.values())) else "leave this metric out"
            raise InputError(
                f"{self._blocks.header}: there is a column {existing[0]!r} already, and it is not overwritten; rename "
                f"or delete it, or {remedy}"
            )

    def _new_columns(self, scored: Sequence[RunScores], parts: Sequence[Scorable]) -> dict[str, list[Any]]:
        """Return the new columns of a block."""
        new_columns: dict[str, list[Any]] = {}
        for run, part in zip(scored, parts, strict=True):
            columns = metric_columns(run.counts, self._titles, self.bands)
            if has_checks(self._metrics):
                columns[FAILED_CHECKS] = [*failed_checks(part)]
            if self.why:
                reasons = reasons_of(run.counts, self._titles)
                columns[WHY] = ["; ".join(reasons[row]) if row in reasons else None for row in range(len(run))]
            new_columns |= {self._name(run.name, title): column for title, column in columns.items()}
        return new_columns

    def _facts(self, reading: _Reading) -> dict[str, Any]:
        """Return the facts about the table that readers of the scores need."""
        contexts = any("contexts" in metric.needs for metric in self._inner_metrics)
        return reading.facts() | {
            "repeated_ids": None if tag_of(self.unit) == self.columns.id else reading.repeated_ids(),
            "references": self.columns.references,
            "responses": self.columns.responses,
            "unused": self.columns.others,
            "unknown": self.columns.unknown,
            "whose": self.columns.whose,
            "no_statuses": self.columns.no_statuses,
            "checks": expectation_columns(self._blocks.columns),
            "without_contexts": contexts and not self.columns.contexts,
            **reading_facts(self._metrics, self._reading_options),
            "blocks": lambda: (reading.rows.parts(block) for block in one_by_one(self._blocks)),
        }


@dataclass
class _Reading:
    """Reads the blocks of a table, and collects the facts about it that reports need."""

    rows: TextRows
    shown: Sequence[str] = ()
    _groups: dict[str, set[str]] = field(default_factory=dict)
    _human: dict[str, list[Floats]] = field(default_factory=dict)
    _not_numbers: dict[str, NoNumbers] = field(default_factory=dict)
    _empty_words: Counter[str] = field(default_factory=Counter)
    _marks: Counter[str] = field(default_factory=Counter)
    _ids: list[NDArray[np.int64]] = field(default_factory=list)

    @property
    def columns(self) -> TextColumns:
        """The roles of the columns."""
        return self.rows.columns

    def keep(self, block: RowBatch) -> None:
        """Collect the facts about a scored block."""
        self.rows.n += len(block)
        if name := self.columns.id:  # eight bytes an id, whatever its length
            self._ids.append(np.fromiter(map(hash, map(words, block.column(name))), np.int64, len(block)))
        roles, checks = self.columns, expectation_columns(block.columns)
        labels = filter(None, (roles.contexts, roles.query, roles.session))
        for name in (*roles.references, *roles.responses, *labels, *checks):
            values = block.column(name)
            self._empty_words[name] += sum(type(value) is str and value in NOTHING for value in values)
            self._marks[name] += sum(map(marked, values))
        for name in self.shown:
            group_values = self._groups.setdefault(name, set())
            group_values.update(map(plain_text, block.column(name)))
            if len(group_values) > MOST_GROUPS:
                raise SpecError(f"column {name!r} has more than {MOST_GROUPS:,} values; group by one with fewer")
        for name in self.columns.human:
            values = [self._number(name, value, block.place(row)) for row, value in enumerate(block.column(name))]
            self._human.setdefault(name, []).append(np.array(values, np.float64))

    def _number(self, name: str, value: Any, place: str) -> float:
        if blank(value):
            return math.nan
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.inf
        if math.isfinite(number):
            return number
        self._not_numbers[name] = NoNumbers.added(self._not_numbers.get(name), value, place)
        return math.nan

    def _people(self) -> dict[str, Floats]:
        """Return people's scores; with several systems as one column, one system after the other."""
        columns = {name: np.concatenate(parts) for name, parts in self._human.items()}
        if len(self.columns.responses) == 1 or not columns:
            return columns
        return {"people": np.concatenate(list(columns.values()))}

    def repeated_ids(self) -> tuple[str, int, tuple[int, int]] | None:
        """Return the column of ids, the number of rows that repeat an id, and the first two equal rows, from 1."""
        ids = np.concatenate(self._ids) if self._ids else np.zeros(0, np.int64)
        ids, rows = ids[ids != hash("")], np.flatnonzero(ids != hash(""))
        _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
        repeated = np.flatnonzero(first[inverse] != np.arange(len(ids)))
        if not len(repeated):
            return None
        pair = rows[first[inverse[repeated[0]]]], rows[repeated[0]]
        return self.columns.id, len(repeated), (int(pair[0]) + 1, int(pair[1]) + 1)

    def facts(self) -> dict[str, Any]:
        """Return the facts about the cells that readers of the scores need."""
        return {
            "human": self._people(),
            "no_numbers": {
                name: (*cells, not any(np.isfinite(part).any() for part in self._human[name]))
                for name, cells in self._not_numbers.items()
            },
            "words_for_nothing": {name: times for name, times in self._empty_words.items() if times},
            "marks_for_nothing": {name: times for name, times in self._marks.items() if times},
            "session": self.columns.session if self.rows.sessions.several else "",
        }


def _score(value: Any) -> Any:
    """Return the number in a text; anything else unchanged."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return value
    return number if math.isfinite(number) else value
