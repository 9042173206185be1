"""Text metrics on a table of references and responses: read, scored and written block by block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.concurrency import Progress, silent
from neraca.datasets.cells import blank, plain_text, references, shown, words
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import TableReader
from neraca.datasets.table_writer import table_writer
from neraca.errors import InputError, NeracaError, SpecError
from neraca.languages import code_of
from neraca.languages import parse_language as parse_language
from neraca.metrics.batch import Batch
from neraca.metrics.column import Column
from neraca.metrics.metric import Metric
from neraca.metrics.text.average import band
from neraca.metrics.text.grounding import Support
from neraca.metrics.text.length import Responses
from neraca.metrics.text.texts import Texts
from neraca.scores.text import DEFAULT, TextScores, check_level, scores_of
from neraca.scores.text_blocks import Part, TextScoring, needs_reference, text_metrics, with_inner
from neraca.scores.text_columns import CONTEXTS, TextColumns, find_columns
from neraca.stats.interval import Floats

AVERAGE, BAND, WHY = "Average", "Band", "why"
BANDS = (0.8, 0.6, 0.4)
#: What programs write where there is nothing; in a table of texts it is text like any other, and so somebody is told.
NOTHING = frozenset(("nan", "NaN", "None", "null", "NULL", "<NA>", "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!"))
#: So many groups can be told apart by a reader.
MOST_GROUPS = 1_000


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A table of references and responses, and what is to be done with it.

    Attributes
    ----------
    path, encoding, sheet, delimiter
        The file, as of `read_table`.
    metrics
        Names.
    references, responses, group, human
        Columns; what is not named is recognised.  Each response column is a system of its own.
    language
        Of rows that do not say theirs in a column `language`.
    out
        Where the rows go with a column for each metric; None: nowhere.
    average
        Whether to average the metrics, with a band.
    bands
        Above the first an average is excellent, from the second on good, from the third on acceptable.
    why
        Whether rows get a column with the reason why they are unscored.
    level
        Confidence of the intervals.
    """

    path: Path
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT
    references: Sequence[str] = ()
    responses: Sequence[str] = ()
    language: str = ""
    group: str = ""
    human: Sequence[str] = ()
    out: Path | None = None
    average: bool = True
    bands: Sequence[float] = BANDS
    why: bool = False
    level: float = 0.95
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None

    def score(
        self, progress: Progress = silent, rows: Callable[[Sequence[Mapping[str, Any]]], None] | None = None
    ) -> TextScores:
        """Score the table, and write it where it is to be written.

        Parameters
        ----------
        progress
            Is told which share of the work is done, in percent.
        rows
            Gets the rows of each block, with a column for each metric.

        Raises
        ------
        InputError
            The file cannot be read, the other cannot be written, or a row is not as it must be; nothing is written.
        SpecError
            For an unknown metric or language.
        """
        scoring, added = self._scoring, self._added
        check_level(self.level)
        band(0.0, self.bands)
        if wanted := rows is not None or self.out is not None:
            self._check_new(added)
        reading = _Reading(self._blocks, self.columns, self._simple)
        writing = table_writer(self.out, self._blocks, added) if self.out else nullcontext()
        with writing as writer:
            scoring.prepare(lambda: self._looked_at(reading, progress))
            for block in self._blocks:
                scored = scoring.score(reading.part(block))
                if wanted:
                    block = block.with_columns(self._new(scored))
                if writer is not None:
                    writer.write(block)
                if rows is not None:
                    rows(block.rows)
                progress(int(100 * block.share), 100, f"{reading.n:,} rows")
            if not reading.n:
                raise InputError(f"{self.path}: there is no row below the names of the columns")
        return self._found(reading)

    @property
    def _without_contexts(self) -> bool:
        """Whether a metric looks at contexts, and there are none."""
        looks = any(
            inner.view is Support or (inner.view is None and "contexts" in inner.arguments()) for inner in self._inner
        )
        return looks and not self.columns.contexts

    def _looked_at(self, reading: _Reading, progress: Progress) -> Iterator[Part]:
        """The references of all rows, for what must be known of them before."""
        for block in self._blocks:
            yield reading.part(block, counted=False)
            progress(int(100 * block.share), 100, "looking at all references")

    @cached_property
    def _blocks(self) -> TableReader:
        return TableReader(self.path, encoding=self.encoding, sheet=self.sheet, delimiter=self.delimiter)

    @cached_property
    def columns(self) -> TextColumns:
        """Which column is what."""
        chosen = (self.references, self.responses, self.group, self.human)
        alone = not any(map(needs_reference, self._inner))
        return find_columns(self._blocks.columns, self._blocks.header, *chosen, alone)

    @cached_property
    def _metrics(self) -> list[Metric]:
        return text_metrics(self.metrics)

    @property
    def _inner(self) -> list[Metric]:
        return [inner for metric in self._metrics for inner in with_inner(metric)]

    @cached_property
    def _scoring(self) -> TextScoring:
        return TextScoring(self.columns.responses, self._metrics, parse_language(self.language), self.average)

    @property
    def _simple(self) -> bool:
        """Whether no metric looks at more than the texts."""
        return all(metric.view in (Texts, Responses, Batch) for metric in self._inner)

    # new columns

    def _name(self, system: str, column: str) -> str:
        return f"{system} {column}" if len(self.columns.responses) > 1 else column

    @property
    def _titles(self) -> dict[str, str]:
        """Canonical metric name → what its column is called."""
        average = self._scoring.average
        titles = {str(metric): str(metric) for metric in self._scoring.metrics}
        return titles | ({str(average): AVERAGE} if average else {})

    @property
    def _added(self) -> dict[str, set[str]]:
        """The new columns with the kinds of their values."""
        kinds = {title: {"float"} for title in self._titles.values()}
        kinds |= {BAND: {"other"}} if self._scoring.average else {}
        kinds |= {WHY: {"other"}} if self.why else {}
        return {self._name(system, name): kind for system in self.columns.responses for name, kind in kinds.items()}

    def _check_new(self, added: Iterable[str]) -> None:
        twice = [name for name in added if name in self._blocks.columns]
        if twice:
            remedy = "--no-average" if twice[0].endswith((AVERAGE, BAND)) else "leave this metric out"
            raise InputError(
                f"{self._blocks.header}: there is a column {twice[0]!r} already, and it is not overwritten; rename or "
                f"delete it, or {remedy}"
            )

    def _new(self, scored: Sequence[Mapping[str, Column]]) -> dict[str, list[Any]]:
        """The new columns of a block."""
        new: dict[str, list[Any]] = {}
        for system, columns in zip(self.columns.responses, scored, strict=True):
            for name, title in self._titles.items():
                new[self._name(system, title)] = _values(columns[name])
            if self._scoring.average:
                means = new[self._name(system, AVERAGE)]
                new[self._name(system, BAND)] = [None if v is None else band(v, self.bands) for v in means]
            if self.why:
                new[self._name(system, WHY)] = _reasons(columns)
        return new

    def _found(self, reading: _Reading) -> TextScores:
        remarks = list(reading.remarks())
        if self.columns.others:
            remarks.append(
                f"the reference is {' and '.join(self.columns.references)}, the response is "
                f"{' and '.join(self.columns.responses)}; not used: {', '.join(self.columns.others)} (name others with "
                "--reference and --response)"
            )
        if self._without_contexts:
            remarks.append(f"no column has contexts; call it one of {', '.join(CONTEXTS)}")
        facts = {"groups": reading.groups(), "human": reading.human(), "remarks": tuple(remarks)}
        return scores_of(self._scoring, level=self.level, **facts)


def _values(column: Column) -> list[float | None]:
    scored = ~np.isnan(column.rows).any(axis=1)
    values = np.full(len(column.rows), math.nan)
    values[scored] = column.metric.total(column.rows[scored])
    return [None if value != value else value for value in values.tolist()]


def _reasons(columns: Mapping[str, Column]) -> list[str | None]:
    """For each row the different reasons why metrics have no value; that an average has none follows from them."""
    whys = [column.why for column in columns.values() if column.metric.spec.name != AVERAGE]
    each = zip(*(whys or [column.why for column in columns.values()]), strict=True)
    return ["; ".join(dict.fromkeys(filter(None, why))) or None for why in each]


@dataclass
class _Reading:
    """Takes from each block what is scored, and keeps groups and people's scores."""

    blocks: TableReader
    columns: TextColumns
    simple: bool
    n: int = 0
    _groups: dict[str, int] = field(default_factory=dict)
    _codes: list[NDArray[np.int64]] = field(default_factory=list)
    _human: dict[str, list[Floats]] = field(default_factory=dict)
    _sessions: dict[int, int] = field(default_factory=dict)
    _alone: Iterator[int] = field(default_factory=lambda: count(start=-1, step=-1))
    _known: dict[str, str] = field(default_factory=dict)
    _odd: dict[str, tuple[int, str]] = field(default_factory=dict)
    _nothing: Counter[str] = field(default_factory=Counter)

    def part(self, block: RowBatch, counted: bool = True) -> Part:
        """The texts of a block; `counted` once, when the rows are scored."""
        columns = self.columns
        texts = [self._each(block, name, _references) for name in columns.references] or [[()] * len(block)]
        rows = zip(*texts, strict=True)
        given = texts[0] if len(texts) == 1 else [tuple(text for several in row for text in several) for row in rows]
        part = Part(
            given,
            [self._each(block, name, _text) for name in columns.responses] if counted else [],
            self.n,
            languages=self._each(block, columns.language, self._code) if columns.language else None,
            queries=None if self.simple or not columns.query else self._each(block, columns.query, _text),
            contexts=None if self.simple or not columns.contexts else self._each(block, columns.contexts, references),
            sessions=self._session(block) if counted and columns.session else None,
            ids=None if self.simple else [block.place(row) for row in range(len(block))],
        )
        if counted:
            self._keep(block)
        return part

    def _each(self, block: RowBatch, name: str, read: Callable[[Any], Any]) -> list[Any]:
        """What `read` makes of each value of a column; its errors get their place."""
        values, found = block.column(name), []
        try:
            for value in values:
                found.append(read(value))
        except NeracaError as error:
            where = f"{self.blocks.path} {block.place(len(found))}, column {name!r}"
            raise type(error)(f"{where}: {error}") from error
        return found

    def _code(self, value: Any) -> str:
        said = words(value)
        if said not in self._known:
            self._known[said] = code_of(said)
        return self._known[said]

    def _session(self, block: RowBatch) -> list[int]:
        found = self._each(block, self.columns.session, plain_text)
        return [
            next(self._alone) if blank(said) else self._sessions.setdefault(hash(said), len(self._sessions))
            for said in found
        ]

    def _keep(self, block: RowBatch) -> None:
        self.n += len(block)
        for name in (*self.columns.references, *self.columns.responses):
            values = block.column(name)
            self._nothing[name] += sum(type(value) is str and value in NOTHING for value in values)
        if name := self.columns.group:
            groups = self._groups
            codes = [groups.setdefault(plain_text(value), len(groups)) for value in block.column(name)]
            if len(groups) > MOST_GROUPS:
                raise SpecError(f"column {name!r} has more than {MOST_GROUPS:,} values; group by one with fewer")
            self._codes.append(np.array(codes, np.int64))
        for name in self.columns.human:
            found = [self._number(name, value) for value in block.column(name)]
            self._human.setdefault(name, []).append(np.array(found, np.float64))

    def _number(self, name: str, value: Any) -> float:
        if blank(value):
            return math.nan
        try:
            found = float(value)
        except (TypeError, ValueError):
            found = math.inf
        if math.isfinite(found):
            return found
        times, first = self._odd.get(name, (0, shown(value)))
        self._odd[name] = times + 1, first
        return math.nan

    def groups(self) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """The names of the groups, and each row's."""
        return tuple(self._groups), np.concatenate([np.zeros(0, np.int64), *self._codes])

    def human(self) -> dict[str, Floats]:
        """People's scores; with several systems those of each below each other."""
        columns = {name: np.concatenate(parts) for name, parts in self._human.items()}
        if len(self.columns.responses) == 1 or not columns:
            return columns
        return {"people": np.concatenate(list(columns.values()))}

    def remarks(self) -> Iterator[str]:
        """What a reader must know, in sentences."""
        for name, (times, first) in self._odd.items():
            cells = "cell is" if times == 1 else "cells are"
            none = "" if any(np.isfinite(part).any() for part in self._human[name]) else "; none is a number"
            yield f"column {name!r}: {times:,} {cells} no number and left out, such as {first}{none}"
        for name, times in self._nothing.items():
            if times:
                cells = "cell holds" if times == 1 else "cells hold"
                yield (
                    f"column {name!r}: {times:,} {cells} a word such as NaN, None or #N/A, which is text like any "
                    "other; leave a cell empty where there is nothing"
                )
        if len(self._sessions):
            yield f"rows of one session (column {self.columns.session!r}) count as one source of chance"


def _references(value: Any) -> tuple[str, ...]:
    return (value,) if type(value) is str and value[:1].isalnum() else references(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else words(value)
