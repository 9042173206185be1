"""Reports of selected runs, built once for each state of the runs and kept beside them; at most two at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from neraca.comparisons.compare import compare
from neraca.comparisons.difference import Differences
from neraca.files import write_atomic
from neraca.reports.comparison_blocks import comparison_document
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
        if file.is_file():
            future: Future[Path] = Future()
            future.set_result(file)
            return future
        links = links_back(paths) if suffix == VIEW else ()
        build = partial(self._index.begin, build_report, file, folders, measures, links)
        while (begun := self._begun.get(file, build)) is None or (begun.done() and not file.is_file()):
            if begun is not None and begun.exception():
                break
            self._begun.drop(file)  # its file was deleted
        return begun


def links_back(paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the links from a report to the pages that it belongs to."""
    selection = urlencode([("run", path) for path in paths])
    return ("/", "All runs"), (f"/questions?{selection}", "Questions"), (f"/history?{selection}", "Charts")


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
