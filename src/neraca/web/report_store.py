"""Reports of selected runs, built once for each state of the runs and kept beside them; at most two at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from neraca.comparisons.compare import compare
from neraca.comparisons.difference import Differences
from neraca.comparisons.drift import drift
from neraca.files import write_atomic
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.drift import drift_document
from neraca.reports.formats.html import to_html
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.web.measures import Measures
from neraca.web.result_cache import ResultCache
from neraca.web.run_index import RunIndex

#: The suffix of a report with links back to the list and to the questions.
VIEW = ".view.html"
#: Reports whose building is remembered.
REMEMBERED = 200


class ReportStore:
    """The reports of the runs of an index."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._begun: ResultCache[Path] = ResultCache(REMEMBERED)

    def begin(self, paths: Sequence[str], suffix: str, primary: str = "") -> Future[Path]:
        """Return the future of the report's file; equal requests share it.  Raise `InputError` for an unknown run."""
        measures = self._index.measures(paths)
        measures = Measures(measures.names, primary or measures.primary)
        folders = [self._index.run(path).path for path in paths]
        state = [(path, self._index.entry(path).stamp) for path in paths]
        file = self._index.kept.path("report", (state, measures, suffix), suffix)
        links = links_back(paths) if suffix == VIEW else ()
        return self._started(file, partial(self._index.begin, build_report, file, folders, measures, links))

    def begin_drift(self, path: str, every: str, reference: str) -> Future[Path]:
        """Return the future of the page of a run over time; raise `InputError` for an unknown run."""
        measures, folder = self._index.measures([path]), self._index.run(path).path
        today = datetime.now(UTC).date()
        key = (path, self._index.entry(path).stamp, measures, every, reference, today)
        file = self._index.kept.path("drift", key, VIEW)
        settings = DriftSettings(measures.names, every, reference, today)
        return self._started(file, partial(self._index.begin, build_drift, file, folder, settings, links_back([path])))

    def _started(self, file: Path, build: Callable[[], Future[Path]]) -> Future[Path]:
        """Return the future of a file, which is built unless it is there or begun."""
        if file.is_file():
            future: Future[Path] = Future()
            future.set_result(file)
            return future
        while (begun := self._begun.get(file, build)) is None or (begun.done() and not file.is_file()):
            if begun is not None and begun.exception():
                break
            self._begun.drop(file)  # its file was deleted
        return begun


class DriftSettings(NamedTuple):
    """The metrics (() is the default ones), buckets and reference of a page over time, and the day of the look."""

    metrics: tuple[str, ...]
    every: str
    reference: str
    today: date


def links_back(paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the links from a report to the pages that it belongs to."""
    selection = urlencode([("run", path) for path in paths])
    over_time = ((f"/drift?{selection}", "Over time"),) if len(paths) == 1 else ()
    return ("/", "All runs"), (f"/questions?{selection}", "Questions"), (f"/history?{selection}", "Charts"), *over_time


def build_report(file: Path, folders: Sequence[Path], measures: Measures, links: Sequence[tuple[str, str]]) -> Path:
    """Score and compare runs, write their report, and return the path of the file."""
    scores = measures.score(folders)
    primary = measures.primary_of(scores)
    differences = compare(scores, primary=primary) if len(scores.runs) > 1 else Differences()
    summary = report(scores, differences, primary=primary)
    if file.name.endswith(VIEW):
        write_atomic(file, to_html(comparison_document(summary), links).encode())
    else:
        write_report(file, summary)
    return file


def build_drift(file: Path, folder: Path, settings: DriftSettings, links: Sequence[tuple[str, str]]) -> Path:
    """Score a run over time, write the page, and return the path of the file."""
    metrics, every, reference, today = settings
    result = drift(folder, metrics, every=every, reference=reference, today=today)
    write_atomic(file, to_html(drift_document(result), links).encode())
    return file
