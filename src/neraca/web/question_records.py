"""The records about one question of some runs, found without reading the files of large runs whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

from neraca.errors import InputError
from neraca.journal import Journal
from neraca.records import Answer, Item, Verdict
from neraca.runs.session_contents import is_on_session
from neraca.web.line_index import LineIndex, line_index, search_lines
from neraca.web.one_question import Conversation, OneQuestion
from neraca.web.result_cache import ResultCache
from neraca.web.run_index import RunIndex

R = TypeVar("R", Answer, Verdict, Item)
#: Number of files whose index of lines is in memory.
INDEXED = 24


class QuestionRecords:
    """Finds the records about a question in the runs of an index."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._lines: ResultCache[LineIndex] = ResultCache(INDEXED)

    def of(self, paths: Sequence[str], name: str) -> list[OneQuestion]:
        """Return each run with only the records about the question of this id.

        Raises
        ------
        InputError
            If the first run has no such question.
        """
        first = self._index.run(paths[0])
        item = next(self._records(paths[0], Journal(first.path / "items.jsonl", Item), "id", name), None)
        if item is None:
            raise InputError(f"{first.name} has no question {name!r}")
        runs = []
        for path in paths:
            run = self._index.run(path)
            answers = list(self._records(path, run.answers_journal, "item", name))
            verdicts = list(self._records(path, run.verdicts_journal, "item", name))
            runs.append(OneQuestion(run.path, item, answers, verdicts, self._conversation(path, item)))
        self._begin_indexes(paths)
        return runs

    def _conversation(self, path: str, item: Item) -> Conversation | None:
        """Return the session of a question in a run; None if it has none."""
        if item.session is None:
            return None
        run = self._index.run(path)
        journal = Journal(run.path / "items.jsonl", Item)
        places = search_lines(journal.path, "session", item.session)
        items = [each for place in places for each in journal.at([place]) if each.session == item.session]
        if all(each.id != item.id for each in items):
            return None
        answers = [a for each in items for a in self._records(path, run.answers_journal, "item", each.id)]
        verdicts = self._records(path, run.verdicts_journal, "item", items[-1].id)
        return Conversation(items, answers, [v for v in verdicts if is_on_session(v.about)])

    def _records(self, path: str, journal: Journal[R], field: str, name: str) -> Iterator[R]:
        """Return the records of a run about one question; use the index of the file if it is ready."""
        future = self._lines.get((path, self._index.entry(path).stamp, journal.path.name))
        ready = future is not None and future.done() and future.exception() is None
        offsets = future.result().places(name) if future and ready else search_lines(journal.path, field, name)
        return (record for offset in offsets for record in journal.at([offset]) if getattr(record, field) == name)

    def _begin_indexes(self, paths: Sequence[str]) -> None:
        """Begin to index these runs' files, so that their next question needs no search."""
        for path in paths:
            run, stamp = self._index.run(path), self._index.entry(path).stamp
            for name, field in (("items.jsonl", "id"), ("answers.jsonl", "item"), ("verdicts.jsonl", "item")):
                file = run.path / name
                if file.is_file() and (path == paths[0] or field == "item"):
                    self._lines.get((path, stamp, name), partial(self._index.begin, line_index, file, field))
