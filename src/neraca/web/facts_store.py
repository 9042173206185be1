"""The facts about the questions of selected runs: computed in another process, kept in a file, a few in memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from neraca.errors import NeracaError
from neraca.metrics.metric import Metric
from neraca.web.facts_file import UNREADABLE, read_facts, write_facts
from neraca.web.measures import Measures
from neraca.web.question_facts import QuestionFacts
from neraca.web.question_list import QuestionLists
from neraca.web.result_cache import ResultCache
from neraca.web.run_index import RunIndex

#: Selections whose facts are in memory, and whose computations are remembered.
IN_MEMORY, REMEMBERED = 3, 32


class FactsStore:
    """The facts of selections of runs of an index; `lists` are the lists of their questions."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self.lists = QuestionLists(index)
        self._begun: ResultCache[Path] = ResultCache(REMEMBERED)
        self._lock = threading.Lock()
        self._loaded: dict[Path, QuestionFacts] = {}

    def within(self, paths: Sequence[str], seconds: float | None, metric: str = "") -> tuple[QuestionFacts | None, str]:
        """Return the facts, or None if they take longer, and the reason if they cannot be computed.

        `metric` is looked at; "": the primary one.  Raise `SpecError` if there is no such metric.
        """
        facts, problem = self._of(paths, self._index.measures(paths), seconds)
        name = str(Metric.of(metric)) if metric else ""
        if facts is None or not name:
            return facts, problem
        if name in facts.metrics:
            return facts.by(name), ""
        return self._of(paths, replace(self._index.measures(paths), primary=name), seconds)

    def kept(self, paths: Sequence[str]) -> QuestionFacts | None:
        """Return the facts if they are kept; nothing is computed."""
        return self._read(self._file(paths, self._index.measures(paths)))

    def _file(self, paths: Sequence[str], measures: Measures) -> Path:
        state = [(path, self._index.entry(path).stamp) for path in paths]
        return self._index.kept.path("facts", (state, measures), ".npz")

    def _of(self, paths: Sequence[str], measures: Measures, seconds: float | None) -> tuple[QuestionFacts | None, str]:
        file = self._file(paths, measures)
        if facts := self._read(file):
            return facts, ""
        folders = [self._index.run(path).path for path in paths]
        future = self._begun.get(file, partial(self._index.begin, write_facts, file, folders, measures))
        try:
            if future is None or not future.result(seconds):
                return None, ""
        except TimeoutError:
            return None, ""
        except (NeracaError, OSError) as error:
            return None, str(error)
        self._begun.drop(file)
        return self._read(file), ""

    def _read(self, file: Path) -> QuestionFacts | None:
        """Return the facts in a file; None if there is no whole file."""
        with self._lock:
            facts = self._loaded.pop(file, None)
            try:
                facts = facts or read_facts(file)
            except UNREADABLE:
                return None
            self._loaded[file] = facts
            for oldest in list(self._loaded)[:-IN_MEMORY]:
                del self._loaded[oldest]
            return facts
