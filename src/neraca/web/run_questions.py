"""The questions of several runs, as a list and one by one; large runs are not read whole."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

import numpy as np

from neraca.errors import InputError, NeracaError
from neraca.journal import Journal
from neraca.records import Answer, Item, Verdict
from neraca.reports.formats.explorer import word_changes
from neraca.runs.run import content_of
from neraca.runs.verdict_table import VerdictTable
from neraca.web.choices import Choice, Option
from neraca.web.line_index import LineIndex, line_index, search_lines
from neraca.web.question_facts import QuestionFacts, question_facts
from neraca.web.question_filters import Filters, choices
from neraca.web.run_index import RunIndex

R = TypeVar("R", Answer, Verdict, Item)
T = TypeVar("T")
PER_PAGE = 50
#: Number of tags to choose from, the most frequent ones.
TAGS = 100
#: Number of runs whose questions are cached, and of selections of runs whose facts are cached.
CACHED = 8
#: Seconds that a page waits for facts, without and with a filter that needs them.
WAIT, LONG_WAIT = 0.2, 0.7


class QuestionEntry(NamedTuple):
    """A question in the list; a tag has the form `category=hats`."""

    id: str
    query: str
    tags: tuple[str, ...]


class Listing(NamedTuple):
    """The questions of a run in file order, and the number of questions with each tag."""

    questions: list[QuestionEntry]
    tags: Counter[str]


@lru_cache(maxsize=CACHED)
def _listing(folder: Path, stamp: str) -> Listing:
    """Return the questions of a run; `stamp` identifies the state of its files."""
    items = Journal(folder / "items.jsonl", Item)
    listed = [
        QuestionEntry(item.id, item.query, tuple(f"{name}={value}" for name, value in item.tags.items()))
        for item in items
    ]
    return Listing(listed, Counter(tag for question in listed for tag in question.tags))


class ResultCache(Generic[T]):
    """A cache of the `most` last used results of another process; failed results are not kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._futures: dict[Hashable, Future[T]] = {}

    def get(self, key: Hashable, begin: Callable[[], Future[T]] | None = None) -> Future[T] | None:
        """Return the future of a key; if there is none or it failed, call `begin` for a new one."""
        with self._lock:
            future = self._futures.pop(key, None)
            if (future is None or (future.done() and future.exception() is not None)) and begin is not None:
                future = begin()
            if future is not None:
                self._futures[key] = future
            for oldest in list(self._futures)[: -self._most]:
                del self._futures[oldest]
            return future


class RunQuestions:
    """The questions of the runs of an index.

    Parameters
    ----------
    index
        The index of the runs, which also runs long computations.
    """

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._facts: ResultCache[QuestionFacts] = ResultCache(CACHED)
        self._lines: ResultCache[LineIndex] = ResultCache(3 * CACHED)

    def list_view(self, paths: Sequence[str], filters: Filters, page: int) -> dict[str, Any]:
        """Return the values for the template of the list of questions; see `matching_questions`.

        Facts are computed in the background.  Until they are ready, the page says so and reloads itself.
        """
        facts, problem = self._facts_within(paths, LONG_WAIT if filters.need_scores else WAIT)
        if problem and filters.need_scores:
            raise InputError(problem)
        listing = self._listing_of(paths)
        waiting = facts is None and not problem
        matches = () if waiting and filters.need_scores else _matching(listing.questions, filters, facts, paths)
        pages = max(1, math.ceil(len(matches) / PER_PAGE))
        page = min(max(1, page), pages)
        link = f"{_selection(paths)}&{filters.link()}"
        frequent = dict(listing.tags.most_common(TAGS))
        frequent |= {filters.tag: listing.tags[filters.tag]} if filters.tag in listing.tags else {}
        options = [Option(name, name, n) for name, n in frequent.items()]
        tag = Choice("tag", "Tag", options, filters.tag, "No question has the tag {}.")
        by_scores = choices(filters, facts, paths) if facts else []
        return {
            "runs": paths,
            "asked": filters,
            "tag": tag if len(frequent) > 1 or tag.chosen else None,
            "choices": by_scores,
            "kept": [] if facts else [(name, getattr(filters, name)) for name in ("best", "outcome", "verdict")],
            "notes": [choice.note for choice in (tag, *by_scores) if choice.note],
            "problem": problem,
            "live": waiting,
            "hidden": waiting and filters.need_scores,
            "metric": facts.metric if facts else "",
            "several": len(paths) > 1,
            "questions": [
                (
                    f"/question?{_selection(paths)}&{urlencode({'item': listing.questions[index].id})}",
                    listing.questions[index],
                    _values(facts, index),
                )
                for index in matches[(page - 1) * PER_PAGE : page * PER_PAGE]
            ],
            "total": len(matches),
            "report": f"/report?{_selection(paths)}",
            "export": f"/questions.csv?{link}",
            "earlier": f"/questions?{link}&page={page - 1}" if page > 1 else "",
            "later": f"/questions?{link}&page={page + 1}" if page < pages else "",
        }

    def matching_questions(self, paths: Sequence[str], filters: Filters) -> list[QuestionEntry]:
        """Return the questions that pass the filters, in the order of the first run; wait for facts if they are needed.

        Raises
        ------
        InputError
            If a filter needs scores, and the runs cannot be scored together.
        """
        facts, problem = self._facts_within(paths, None) if filters.need_scores else (None, "")
        if problem:
            raise InputError(problem)
        questions = self._listing_of(paths).questions
        return [questions[index] for index in _matching(questions, filters, facts, paths)]

    def question_view(self, paths: Sequence[str], name: str) -> dict[str, Any]:
        """Return the values for the template of one question: each answer, compared with the first, and its verdicts.

        Raises
        ------
        InputError
            If the first run has no such question.
        """
        sides: list[tuple[str, Answer, list[tuple[str, str]], list[Verdict]]] = []
        lacking = []
        first = self._index.run(paths[0])
        item = next(self._records(paths[0], Journal(first.path / "items.jsonl", Item), "id", name), None)
        if item is None:
            raise InputError(f"{first.name} has no question {name!r}")
        for path in paths:
            run = self._index.run(path)
            newest = {answer.trial: answer for answer in self._records(path, run.answers_journal, "item", name)}
            verdicts = VerdictTable.made(self._records(path, run.verdicts_journal, "item", name)).newest()
            for trial, answer in sorted(newest.items()):
                parts = word_changes(sides[0][1].text if sides else answer.text, answer.text)
                sides.append((run.name, answer, parts, [v for v in verdicts if v.trial == trial and _holds(v, answer)]))
            if not newest:
                lacking.append(run.name)
        self._begin_indexes(paths)
        return {"item": item, "sides": sides, "lacking": lacking, "back": f"/questions?{_selection(paths)}"}

    def _listing_of(self, paths: Sequence[str]) -> Listing:
        return _listing(self._index.run(paths[0]).path, self._index.entry(paths[0]).stamp)

    def _facts_within(self, paths: Sequence[str], seconds: float | None) -> tuple[QuestionFacts | None, str]:
        """Return the facts, or None if they take longer, and the reason if they cannot be computed."""
        folders = [self._index.run(path).path for path in paths]
        key = tuple((path, self._index.entry(path).stamp) for path in paths)
        future = self._facts.get(key, partial(self._index.begin, question_facts, folders))
        try:
            return (future.result(seconds) if future else None), ""
        except TimeoutError:
            return None, ""
        except (NeracaError, OSError) as error:
            return None, str(error)

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


def _matching(
    questions: Sequence[QuestionEntry], filters: Filters, facts: QuestionFacts | None, paths: Sequence[str]
) -> Sequence[int]:
    """Return the indices of the questions that pass the filters; without facts, ignore filters by scores."""
    indices: Sequence[int] = range(len(questions))
    if facts and filters.need_scores:
        indices = np.flatnonzero(filters.fit(facts, paths)).tolist()
    if filters.tag:
        indices = [index for index in indices if filters.tag in questions[index].tags]
    if words := filters.q.casefold().split():
        indices = [
            index
            for index in indices
            if questions[index].id == filters.q or all(word in questions[index].query.casefold() for word in words)
        ]
    return indices


def _values(facts: QuestionFacts | None, index: int) -> list[tuple[str, float]]:
    """Return (run, value of the primary metric) of a question for each run."""
    return list(zip(facts.runs, facts.values[:, index].tolist(), strict=True)) if facts else []


def _holds(verdict: Verdict, answer: Answer) -> bool:
    return verdict.status != "withdrawn" and verdict.of in ("", content_of(answer))


def _selection(paths: Sequence[str]) -> str:
    return urlencode([("run", path) for path in paths])
