"""One unit of work: its rows are read, scored and written.  Done twice, it writes the same bytes to the same place."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from neraca import object_stores
from neraca.datasets.cells import plain_text, trimmed
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.row_groups import TAIL, footer_length, read_footer
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.registry import load_file
from neraca.scores.engine.known_texts import KnownTexts
from neraca.scores.engine.sums import GROUPS, Ints, Sums
from neraca.scores.engine.work_unit import Unit, read_unit
from neraca.scores.scoring import Prepared, one_by_one, score_parts
from neraca.scores.sources.answer_rows import AnswerRows
from neraca.scores.sources.text_columns import TextColumns
from neraca.scores.sources.text_rows import TextRows
from neraca.stats.intervals.interval import Floats

if TYPE_CHECKING:
    import polars as pl

#: Rows that are Python objects at a time.
BLOCK = 5_000
#: Folders in the output: values row by row, and rows that have none, with the reason.
VALUES, UNSCORED = "values", "unscored"
#: Under this name the sums of a unit stand in the file of its values.
SUMS = "neraca"
#: The footer of such a file is mostly shorter than so many bytes.
_END = 1 << 16
#: What the number of a row is called where rows have no id of their own.
ROW = "row"
#: Sums of a unit: system → group of rows, "" for all → metric.
UnitSums = dict[str, dict[str, dict[str, Sums]]]
#: Values, counts, and row → why it has none.
Counted = tuple[Floats, Floats, dict[int, str]]


@dataclass(frozen=True)
class Job:
    """The work on every unit.

    Attributes
    ----------
    out
        Address of the folder that the results are written to.
    names
        The names of the metrics.
    texts, answers
        The roles of the columns.
    id
        The column with the id of a row; "" where there is none.
    known
        The facts about all rows.
    plugins
        Files with metrics of the user.
    """

    out: str
    names: tuple[str, ...]
    texts: TextColumns
    answers: AnswerRows | None
    id: str
    known: KnownTexts = field(default_factory=KnownTexts)
    plugins: tuple[str, ...] = ()

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics; where this is another process than the one that began the job, users' files are loaded first."""
        for file in self.plugins:
            load_file(object_stores.local_path(file))
        return Metric.several(list(self.names))

    @cached_property
    def prepared(self) -> Prepared:
        """The facts about all rows that scoring needs."""
        return self.known.prepared

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        texts = self.texts
        named = (*texts.references, *texts.responses, *texts.groups, texts.language, texts.query, texts.contexts)
        answers = self.answers.columns.used if self.answers else ()
        return list(dict.fromkeys(filter(None, (self.id, *named, texts.session, *answers))))

    def title(self, system: str, metric: str) -> str:
        """Return the name of the column with the values of a metric."""
        return f"{system} {metric}" if len(self.texts.responses) > 1 else metric


def score_unit(job: Job, unit: Unit) -> None:
    """Score the rows of a unit, and write what came of it; raises `InputError`, and `SpecError` of a metric."""
    result = _Result(job, unit)
    for block in one_by_one(blocks(job, unit)):
        result.add(block)
    if result.unscored:
        object_stores.write_bytes(object_stores.within(job.out, f"{UNSCORED}/{unit.name}"), result.reasons())
    object_stores.write_bytes(object_stores.within(job.out, f"{VALUES}/{unit.name}"), result.values())


def blocks(job: Job, unit: Unit) -> Iterator[RowBatch]:
    """Yield the rows of a unit, so many at a time."""
    frame = read_unit(unit, job.columns)
    for start in range(0, len(frame), BLOCK):
        part = frame[start : start + BLOCK]
        first = unit.first + start + 1
        yield RowBatch(tuple(job.columns), part, unit.source, "row", range(first, first + len(part)))  # type: ignore[arg-type]


class _Result:
    """The result of the rows of a unit."""

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
        dealt = _dealt(block.column(job.texts.session) if job.texts.session else (), self._next, len(block))
        tags = parts[0].column("tags") if job.texts.groups else {}
        chosen = {"": np.ones(len(block), dtype=bool)}
        for name, tag in tags.items():
            chosen |= {f"{name}={word}": tag.where([one == word for one in tag.words]) for word in tag.words}
        for part in parts:
            for metric in job.metrics:
                counted = self._counted(part, metric, problems)
                self._keep(part.name, metric, counted, (chosen, dealt), ids)
        self._next += len(block)

    def _counted(self, part: Scorable, metric: Metric, problems: dict[int, str]) -> Counted:
        """Values, counts and reasons of a metric; a row with a cell that cannot be read has none."""
        counts = score_metric(metric, part)
        each, rows, why = counts.per_answer, counts.rows, dict(counts.reasons)
        if problems:
            bad = list(problems)
            each, rows = each.copy(), rows.copy()
            each[bad], rows[bad] = np.nan, np.nan
            why |= problems
        return each, rows, why

    def _keep(
        self,
        system: str,
        metric: Metric,
        counted: Counted,
        grouped: tuple[dict[str, Any], Ints],
        ids: Sequence[Any],
    ) -> None:
        (each, rows, why), (chosen, dealt), name = counted, grouped, str(metric)
        self._values.setdefault(self._job.title(system, name), []).append(each)
        for row, reason in sorted(why.items()):
            self.unscored.append((self._next + row, plain_text(ids[row]), system, name, reason))
        together = bool(self._job.texts.session)
        for tag, some in chosen.items():
            sums = Sums.of(metric, rows[some], dealt[some], together)
            of_tag = self._sums.setdefault(system, {}).setdefault(tag, {})
            of_tag[name] = of_tag[name] + sums if name in of_tag else sums

    def values(self) -> bytes:
        """The file of values, with their sums."""
        import polars as pl

        ids = {self._job.id or ROW: pl.Series(self._ids)}
        frame = pl.DataFrame({**ids, **{name: np.concatenate(parts) for name, parts in self._values.items()}})
        sums = {
            system: {tag: {name: one.plain() for name, one in of_tag.items()} for tag, of_tag in of_system.items()}
            for system, of_system in self._sums.items()
        }
        facts = {"rows": len(frame), "languages": sorted(self._languages), "sums": sums}
        return _parquet(frame.fill_nan(None), {SUMS: msgspec.json.encode(facts).decode()})

    def reasons(self) -> bytes:
        """The file of rows without a value, and why."""
        import polars as pl

        names = (ROW, "id", "system", "metric", "why")
        return _parquet(pl.DataFrame(self.unscored, schema=names, orient="row"), {})


def _parquet(frame: pl.DataFrame, metadata: dict[str, str]) -> bytes:
    file = io.BytesIO()
    rows = max(1, len(frame))
    frame.write_parquet(file, compression="zstd", compression_level=1, metadata=metadata, row_group_size=rows)
    return file.getvalue()


def _dealt(sessions: Sequence[Any], first: int, n: int) -> Ints:
    """The group of each row, shape (n,): rows of a session are in one; a row without one is alone."""
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
    for of_system in facts["sums"].values():
        for of_tag in of_system.values():
            of_tag.update({name: Sums.read(one) for name, one in of_tag.items()})
    return facts
