"""Read, score and write the rows of one unit of work.  A unit that is done twice gives the same files."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from neraca import object_stores
from neraca.datasets.cells import plain_text, trimmed
from neraca.datasets.parquet import parquet_bytes
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.row_groups import TAIL, footer_length, read_footer
from neraca.datasets.work_unit import Unit, read_unit
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.registry import load_file
from neraca.runs.work_folder import UNSCORED, VALUES, WorkFolder
from neraca.scores.engine.known_texts import KnownTexts
from neraca.scores.engine.sums import GROUPS, Ints, Sums
from neraca.scores.scoring import Prepared, one_by_one, score_parts
from neraca.scores.sources.answer_rows import AnswerRows
from neraca.scores.sources.text_columns import TextColumns
from neraca.scores.sources.text_rows import TextRows
from neraca.stats.intervals.interval import Floats

#: Number of rows that are Python objects at the same time.
BLOCK = 5_000
#: Key of the sums of a unit in the footer of its file of values.
SUMS = "neraca"
#: Number of bytes at the end of a file that mostly include its footer.
_END = 1 << 16
#: The column with the number of a row, if rows have no id of their own.
ROW = "row"
#: Sums of a unit: system → group of rows ("" for all) → metric.
UnitSums = dict[str, dict[str, dict[str, Sums]]]
#: Values, counts, and row → the reason why it has no value.
RowCounts = tuple[Floats, Floats, dict[int, str]]


@dataclass(frozen=True)
class Job:
    """The work to do on every unit.

    Attributes
    ----------
    out
        Address of the folder that the results are written to.
    names
        The names of the metrics.
    texts, answers
        The roles of the columns.
    id
        The column with the id of a row; "": there is none.
    known_texts
        Facts about the texts of all rows.
    plugins
        Files with metrics of the user.
    """

    out: str
    names: tuple[str, ...]
    texts: TextColumns
    answers: AnswerRows | None
    id: str
    known_texts: KnownTexts = field(default_factory=KnownTexts)
    plugins: tuple[str, ...] = ()

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics.  Users' files are loaded first, because a worker process has not loaded them yet."""
        for file in self.plugins:
            load_file(object_stores.local_path(file))
        return Metric.several(list(self.names))

    @cached_property
    def prepared(self) -> Prepared:
        """The facts about all rows that scoring needs."""
        return self.known_texts.prepared

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        texts = self.texts
        text_columns = (*texts.references, *texts.responses, *texts.groups, texts.language, texts.query, texts.contexts)
        text_columns += (*texts.statuses, *texts.further)
        answer_columns = self.answers.columns.used if self.answers else ()
        return list(dict.fromkeys(filter(None, (self.id, *text_columns, texts.session, *answer_columns))))

    def title(self, system: str, metric: str) -> str:
        """Return the name of the column with the values of a metric."""
        return f"{system} {metric}" if len(self.texts.responses) > 1 else metric


def score_unit(job: Job, unit: Unit) -> None:
    """Score the rows of a unit and write its files; raise `InputError`, or `SpecError` if a metric cannot score."""
    result, folder = _UnitResult(job, unit), WorkFolder(job.out)
    for block in one_by_one(blocks(job, unit)):
        result.add(block)
    if result.unscored:
        folder.write(result.reasons(), UNSCORED, unit.name)
    folder.write(result.values(), VALUES, unit.name)  # last, because this file says that the unit is done


def blocks(job: Job, unit: Unit) -> Iterator[RowBatch]:
    """Yield the rows of a unit, `BLOCK` rows at a time."""
    frame = read_unit(unit, job.columns)
    for start in range(0, len(frame), BLOCK):
        part = frame[start : start + BLOCK]
        first = unit.first + start + 1
        yield RowBatch(tuple(job.columns), part, unit.source, "row", range(first, first + len(part)))  # type: ignore[arg-type]


class _UnitResult:
    """Collects values, sums and reasons over the rows of a unit."""

    def __init__(self, job: Job, unit: Unit) -> None:
        self._job, self._next = job, unit.before
        self._source = unit.source
        self._ids: list[Any] = []
        self._values: dict[str, list[Floats]] = {}
        self._sums: UnitSums = {}
        self._languages: set[str] = set()
        self.unscored: list[tuple[int, str, str, str, str]] = []

    def add(self, block: RowBatch) -> None:
        """Score a block of rows."""
        job, problems = self._job, dict[int, str]()
        rows = TextRows(self._source, job.texts, job.answers, n=self._next, problems=problems)
        parts = rows.parts(block)
        group = score_parts(parts, job.metrics, job.prepared)
        self._languages.update(group.languages)
        ids = block.column(job.id) if job.id else range(self._next, self._next + len(block))
        self._ids += ids
        sessions = block.column(job.texts.session) if job.texts.session else ()
        jackknife_groups = _jackknife_groups(sessions, self._next, len(block))
        tags = parts[0].column("tags") if job.texts.groups else {}
        rows_by_group = {"": np.ones(len(block), dtype=bool)}
        for name, tag in tags.items():
            rows_by_group |= {f"{name}={word}": tag.isin([word]) for word in tag.words}
        for part in parts:
            for metric in job.metrics:
                counts = _counts(part, metric, problems)
                self._add_counts(part.name, metric, counts, (rows_by_group, jackknife_groups), ids)
        self._next += len(block)

    def _add_counts(
        self,
        system: str,
        metric: Metric,
        counts: RowCounts,
        grouping: tuple[dict[str, Any], Ints],
        ids: Sequence[Any],
    ) -> None:
        (values, rows, reasons), (rows_by_group, jackknife_groups), name = counts, grouping, str(metric)
        self._values.setdefault(self._job.title(system, name), []).append(values)
        for row, reason in sorted(reasons.items()):
            self.unscored.append((self._next + row, plain_text(ids[row]), system, name, reason))
        together = bool(self._job.texts.session)
        for group, chosen in rows_by_group.items():
            sums = Sums.of(metric, rows[chosen], jackknife_groups[chosen], together)
            sums_by_metric = self._sums.setdefault(system, {}).setdefault(group, {})
            sums_by_metric[name] = sums_by_metric[name] + sums if name in sums_by_metric else sums

    def values(self) -> bytes:
        """Return the file of values, with the sums in its footer."""
        import polars as pl

        ids = {self._job.id or ROW: pl.Series(self._ids)}
        frame = pl.DataFrame({**ids, **{name: np.concatenate(parts) for name, parts in self._values.items()}})
        plain_sums = {
            system: {
                group: {metric: sums.plain() for metric, sums in sums_by_metric.items()}
                for group, sums_by_metric in sums_by_group.items()
            }
            for system, sums_by_group in self._sums.items()
        }
        facts = {"rows": len(frame), "languages": sorted(self._languages), "sums": plain_sums}
        return parquet_bytes(frame.fill_nan(None), 1, {SUMS: msgspec.json.encode(facts).decode()})

    def reasons(self) -> bytes:
        """Return the file of rows without a value, with the reasons."""
        import polars as pl

        names = (ROW, "id", "system", "metric", "why")
        return parquet_bytes(pl.DataFrame(self.unscored, schema=names, orient="row"), 1, {})


def _counts(part: Scorable, metric: Metric, problems: dict[int, str]) -> RowCounts:
    """Return values, counts and reasons of a metric; a row with an unreadable cell has no value."""
    counts = score_metric(metric, part)
    values, rows, reasons = counts.per_answer, counts.rows, dict(counts.reasons)
    if problems:
        bad = list(problems)
        values, rows = values.copy(), rows.copy()
        values[bad], rows[bad] = np.nan, np.nan
        reasons |= problems
    return values, rows, reasons


def _jackknife_groups(sessions: Sequence[Any], first: int, n: int) -> Ints:
    """Return the group of each row, shape (n,): by its session, or by its number if it has none."""
    groups = (first + np.arange(n)) % GROUPS
    for row, name in enumerate(sessions):
        text = trimmed(name)
        if text:
            groups[row] = zlib.crc32(text.encode("utf-8", "surrogatepass")) % GROUPS
    return groups


def read_sums(address: str) -> dict[str, Any]:
    """Return the facts in the file of a unit's values: `rows`, `languages`, and `sums` as `UnitSums`."""
    end = object_stores.read_bytes(address, -_END)
    length = footer_length(end[-TAIL:], address) + TAIL
    footer = read_footer(
        (end if length <= len(end) else object_stores.read_bytes(address, -length))[-length:-TAIL], address
    )
    facts: dict[str, Any] = msgspec.json.decode(footer.metadata[SUMS])
    for sums_by_group in facts["sums"].values():
        for sums_by_metric in sums_by_group.values():
            sums_by_metric.update({metric: Sums.read(plain) for metric, plain in sums_by_metric.items()})
    return facts
