"""Score Parquet files of any size unit by unit, on one machine or many; a stopped command can go on at any time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from neraca import object_stores
from neraca.concurrency import Progress, silent
from neraca.datasets.columns import ALL, column_named
from neraca.datasets.compressed import suffix_of
from neraca.datasets.expectations import expectation_columns
from neraca.datasets.parquet import PARQUET
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import TableReader
from neraca.datasets.table_writer import table_writer
from neraca.datasets.work_unit import Source, Unit, read_unit, sources_of, units_of
from neraca.errors import InputError, SpecError
from neraca.files import fingerprint
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.ray_cluster import check_engine
from neraca.registry import load_file
from neraca.runs.work_folder import COPIES, LEARNED, WorkFolder, WorkManifest
from neraca.scores.engine.known_texts import KnownTexts
from neraca.scores.engine.local import processors, run_local
from neraca.scores.engine.ray_tasks import run_ray
from neraca.scores.engine.score_unit import Job, blocks
from neraca.scores.engine.scored import ScoredFolder
from neraca.scores.scoring import check_level, one_by_one
from neraca.scores.sources.answer_rows import AnswerColumns, AnswerRows, depends_on_top
from neraca.scores.sources.paths import is_table
from neraca.scores.sources.prepare import prepare
from neraca.scores.sources.text_columns import TextColumns, find_columns
from neraca.scores.sources.text_rows import TextRows
from neraca.scores.unit import AUTO, QUESTION, SESSION, tag_of
from neraca.verdicts.relevance import Relevance


@dataclass(frozen=True, kw_only=True)
class ScaleOptions:
    """Options of scoring Parquet files.

    Attributes
    ----------
    engine
        `local`: processes of this machine; `ray`: tasks of a Ray cluster.
    address
        The address of the cluster, such as `auto`; "": a cluster of this machine alone.
    workers
        Processes; 0: as many as there are processors.
    reference, response, group
        Columns, by default recognised by their names; each column of responses is a system.
    relevance, by, language, level, unit
        See `score`.
    plugins
        Files with metrics of your own; on a cluster every machine needs them at the same path.
    """

    engine: str = "local"
    address: str = ""
    workers: int = 0
    reference: Sequence[str] = ()
    response: Sequence[str] = ()
    group: Sequence[str] = ()
    relevance: str = "auto"
    by: str = ""
    language: str = ""
    level: float = 0.95
    unit: str = AUTO
    plugins: Sequence[Path | str] = ()

    def __post_init__(self) -> None:
        check_engine(self.engine, self.address)
        if self.workers < 0:
            raise SpecError(f"workers are 1 or more, or 0 for as many as there are processors, not {self.workers}")
        check_level(self.level)
        Relevance.of([], [], self.relevance)


def score_parquet(
    sources: str | Path | Iterable[str | Path],
    metrics: str | Iterable[str | Metric],
    out: str | Path,
    options: ScaleOptions | None = None,
    progress: Progress = silent,
) -> ScoredFolder:
    """Score the rows of Parquet files into a folder; memory does not grow with the number of rows.

    A unit of work is a row group.  Its values are written to a file of their own, whole or not at all.  If the same
    command starts again, for whatever reason, it does only the missing units, so every row is scored exactly once.

    Parameters
    ----------
    sources
        Files, or folders with files below them, here or in an object store (`s3://…`).  Another table (CSV, JSON
        Lines, …) is copied as Parquet into the folder first, row by row.  Columns are recognised by
        their names: response, references, contexts, query, language, session, id; hits, relevant, verdicts,
        constraints, expects, calls, expected_calls, status.
    metrics
        Names (`"TokenF1 ROUGE-L"`, or a list).
    out
        The folder, here or in an object store.  `values/` has the values of each row, in order, `unscored/` the rows
        without a value and the reasons, and `scores.jsonl` the scores over all rows.
    options
        Columns, settings of metrics, and where to do the work.
    progress
        Called with the number of finished rows.

    Raises
    ------
    InputError
        If a file cannot be read or written.
    SpecError
        If a metric is unknown, or needs a column that is missing.
    RunError
        If the folder holds other scores, or a unit cannot be done.
    """
    how = options or ScaleOptions()
    for file in how.plugins:
        load_file(Path(file))
    chosen = Metric.several(metrics)
    if not chosen:
        raise SpecError("there is no metric to score with; name at least one, such as TokenF1")
    addresses = [str(sources)] if isinstance(sources, str | Path) else list(map(str, sources))
    table_sources = sources_of([_as_parquet(address, str(out), progress) for address in addresses])
    job = _job(table_sources, chosen, str(out), how)
    folder = ScoredFolder(str(out), _manifest(table_sources, job, how), how.level)
    folder.begin()
    units = units_of(table_sources)
    missing = [unit for unit in units if unit.name not in folder.done]
    if missing:
        job = _prepared(job, units, chosen, how, progress)
        _do(job, missing, how, _ProgressReport(progress, sum(unit.rows for unit in units), missing))
    folder.finish()
    return folder


def _as_parquet(address: str, out: str, progress: Progress) -> str:
    """Return the address of the table as Parquet; a table in another format is copied into the folder if it is new."""
    if (
        object_stores.is_remote(address)
        or suffix_of(Path(address)) == PARQUET
        or not is_table(object_stores.local_path(address))
    ):
        return address
    path = object_stores.local_path(address)
    if object_stores.is_remote(out):
        raise InputError(f"{path}: is copied as Parquet into the folder first, and {out} is no folder of this machine")
    file_state = path.stat()
    mark = fingerprint((path.name, file_state.st_size, file_state.st_mtime_ns))[:8]
    copy = Path(WorkFolder(out).address_of(COPIES, f"{path.name}-{mark}{PARQUET}"))
    if not copy.is_file():
        reader = TableReader(path)
        with table_writer(copy, reader) as writer:
            for batch in reader:
                writer.write(batch)
                progress(int(100 * batch.share), 100, "copying the table as Parquet first")
    return str(copy)


def _job(sources: Sequence[Source], metrics: Sequence[Metric], out: str, how: ScaleOptions) -> Job:
    """Return the work to do on each unit, from the columns of the table."""
    columns, address = sources[0].footer.columns, sources[0].address
    needs = {need for metric in metrics for inner in metric.with_inner() for need in inner.needs}
    groups = tuple(dict.fromkeys((*how.group, *filter(None, [tag_of(how.unit)]))))
    texts = TextColumns((), ())
    if {"response", "references"} & needs or how.response or column_named(ALL["response"], columns):
        texts = find_columns(columns, address, how.reference, how.response, groups, (), "references" not in needs)
    if texts.statuses:
        names = list(filter(None, texts.statuses))
        texts = texts.checked(RowBatch(tuple(names), read_unit(units_of(sources)[0], names), Path(address), "row", ()))
    answer_columns = AnswerColumns.find(columns, (*texts.references, *texts.responses)).needed(metrics)
    if answer_columns and len(texts.responses) > 1:
        raise SpecError(
            f"{address}: hits, verdicts and calls of a row are of one system, and there are {len(texts.responses)} "
            "columns of responses; name one with --response"
        )
    id_column, session_column = (column_named(ALL[role], columns) for role in ("id", "session"))
    session = {QUESTION: "", SESSION: session_column, AUTO: session_column}.get(how.unit, how.unit)
    texts = replace(
        texts,
        groups=tuple(how.group),
        session=session,
        contexts=texts.contexts if "contexts" in needs or (answer_columns and not answer_columns.hits) else "",
        query=texts.query if "query" in needs or answer_columns else "",
        human=(),
        further=texts.further_of(columns)
        if "items" in needs
        else expectation_columns(columns)
        if "expectations" in needs
        else (),
    )
    answers = AnswerRows(answer_columns, how.relevance, how.by) if answer_columns else None
    plugins = tuple(str(Path(file).resolve()) for file in how.plugins)
    return Job(out, tuple(map(str, metrics)), texts, answers, id_column, plugins=plugins)


def _manifest(sources: Sequence[Source], job: Job, how: ScaleOptions) -> WorkManifest:
    unused = ("others", "unknown", "whose", "no_statuses")
    texts = {name: value for name, value in asdict(job.texts).items() if value and name not in unused}
    answers = {name: value for name, value in asdict(job.answers.columns).items() if value} if job.answers else {}
    plugins = [fingerprint(Path(file).read_text(encoding="utf-8")) for file in how.plugins]
    settings = {"language": how.language, "relevance": how.relevance, "by": how.by, "plugins": plugins}
    return WorkManifest.of(sources, job.names, {**texts, **answers, "id": job.id}, settings)


@dataclass(frozen=True)
class _Learned:
    """Facts about all rows, as `learned.json` holds them: about their texts, and the largest grade (0: not needed)."""

    known: KnownTexts
    top: float = 0.0


def _prepared(job: Job, units: Sequence[Unit], metrics: Sequence[Metric], how: ScaleOptions, progress: Progress) -> Job:
    """Add to the job the facts about all rows that scoring needs; they are learned once and kept in the folder."""
    folder = WorkFolder(job.out)
    if folder.has(LEARNED):
        try:
            learned = msgspec.json.decode(folder.read(LEARNED), type=_Learned)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(
                f"{folder.address_of(LEARNED)}: cannot be read: {error}; delete it, and all rows are looked at again"
            ) from error
    else:
        units_read: list[Unit] = []
        learned = _learned(job, _noting(units, units_read, progress), metrics, how)
        if units_read:
            folder.write(msgspec.json.encode(learned), LEARNED)
    answers = replace(job.answers, top=learned.top) if job.answers else None
    return replace(job, known_texts=learned.known, answers=answers)


def _noting(units: Sequence[Unit], units_read: list[Unit], progress: Progress) -> Callable[[], Iterator[Unit]]:
    """Return a function that yields all units, reports progress, and appends each finished unit to `units_read`."""
    total = sum(unit.rows for unit in units)

    def iterate() -> Iterator[Unit]:
        for unit in units:
            yield unit
            units_read.append(unit)
            progress(unit.before + unit.rows, total, "looking at all rows first")

    return iterate


def _learned(job: Job, units: Callable[[], Iterator[Unit]], metrics: Sequence[Metric], how: ScaleOptions) -> _Learned:
    def rows() -> Iterator[tuple[TextRows, RowBatch]]:
        for unit in units():
            reader = TextRows(unit.source, job.texts, job.answers, problems={})
            for block in one_by_one(blocks(job, unit)):
                yield reader, block

    def parts() -> Iterator[Scorable]:
        for reader, block in rows():
            yield reader.parts(block)[0]

    texts = KnownTexts.of(prepare(parts, metrics, how.language))
    answers = job.answers
    if answers is None or not any(map(depends_on_top, metrics)):
        return _Learned(texts)
    return _Learned(texts, max(answers.top_of(block, reader.read_cells) for reader, block in rows()))


def _do(job: Job, units: Sequence[Unit], how: ScaleOptions, on_unit: Callable[[Unit], object]) -> None:
    workers = min(how.workers or processors(), len(units))
    if how.engine == "ray":
        run_ray(job, units, how.address, workers, on_unit)
    else:
        run_local(job, units, workers, on_unit)


class _ProgressReport:
    """Reports the number of finished rows, the speed and the time that is left."""

    def __init__(self, progress: Progress, total: int, missing: Sequence[Unit]) -> None:
        self._progress, self._total = progress, total
        self._before = self._done = total - sum(unit.rows for unit in missing)
        self._began = time.monotonic()

    def __call__(self, unit: Unit) -> None:
        self._done += unit.rows
        speed = (self._done - self._before) / max(1e-9, time.monotonic() - self._began)
        seconds_left = (self._total - self._done) / speed
        self._progress(self._done, self._total, f"{speed:,.0f} rows/s, {_span(seconds_left)} left")


def _span(seconds: float) -> str:
    """Return a duration as people read it.

    >>> _span(42), _span(600), _span(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
