"""The questions of several runs, as a list and one by one, read so that large runs need not be read whole."""

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
from neraca.files import Journal
from neraca.records import Answer, Item, Verdict
from neraca.reports.explorer import word_changes
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
#: So many tags can be chosen, the most frequent ones.
TAGS = 100
#: Runs whose questions are kept in memory, and selections of runs whose facts are.
KEPT = 8
#: Seconds that a page waits for facts, and where it is about nothing else.
WAIT, LONG_WAIT = 0.2, 0.7


class Listed(NamedTuple):
    """A question in the list; its tags are written `category=hats`."""

    id: str
    query: str
    tags: tuple[str, ...]


class Listing(NamedTuple):
    """The questions of a run in file order, and how many have each tag."""

    questions: list[Listed]
    tags: Counter[str]


@lru_cache(maxsize=KEPT)
def _listing(folder: Path, stamp: str) -> Listing:
    """The questions of a run whose files have this stamp."""
    items = Journal(folder / "items.jsonl", Item)
    listed = [
        Listed(item.id, item.query, tuple(f"{name}={value}" for name, value in item.tags.items())) for item in items
    ]
    return Listing(listed, Counter(tag for one in listed for tag in one.tags))


class Kept(Generic[T]):
    """What is worked out in another process and kept, the last `most` of them; what failed is forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._turn = threading.Lock()
        self._made: dict[Hashable, Future[T]] = {}

    def get(self, key: Hashable, begin: Callable[[], Future[T]] | None = None) -> Future[T] | None:
        """The future of a key; where there is none yet, that which `begin` gives."""
        with self._turn:
            made = self._made.pop(key, None)
            if (made is None or (made.done() and made.exception() is not None)) and begin is not None:
                made = begin()
            if made is not None:
                self._made[key] = made
            for oldest in list(self._made)[: -self._most]:
                del self._made[oldest]
            return made


class RunQuestions:
    """The questions of the runs of an index.

    Parameters
    ----------
    index
        Whose runs they are; work that takes long is begun there.
    """

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._facts: Kept[QuestionFacts] = Kept(KEPT)
        self._lines: Kept[LineIndex] = Kept(3 * KEPT)

    def list_view(self, paths: Sequence[str], filters: Filters, page: int) -> dict[str, Any]:
        """What the list of the questions of these runs is filled from; see `found`.

        Facts are worked out ahead: until they are there, the page says so and renews itself.
        """
        facts, problem = self._facts_within(paths, LONG_WAIT if filters.need_scores else WAIT)
        if problem and filters.need_scores:
            raise InputError(problem)
        listing = self._known(paths)
        waiting = facts is None and not problem
        found = () if waiting and filters.need_scores else _fitting(listing.questions, filters, facts, paths)
        pages = max(1, math.ceil(len(found) / PER_PAGE))
        page = min(max(1, page), pages)
        asked = f"{_selection(paths)}&{filters.link()}"
        frequent = dict(listing.tags.most_common(TAGS))
        frequent |= {filters.tag: listing.tags[filters.tag]} if filters.tag in listing.tags else {}
        options = [Option(name, name, n) for name, n in frequent.items()]
        tag = Choice("tag", "Tag", options, filters.tag, "No question has the tag {}.")
        others = choices(filters, facts, paths) if facts else []
        return {
            "runs": paths,
            "asked": filters,
            "tag": tag if len(frequent) > 1 or tag.chosen else None,
            "choices": others,
            "kept": [] if facts else [(name, getattr(filters, name)) for name in ("best", "outcome", "verdict")],
            "notes": [choice.note for choice in (tag, *others) if choice.note],
            "problem": problem,
            "live": waiting,
            "hidden": waiting and filters.need_scores,
            "metric": facts.metric if facts else "",
            "several": len(paths) > 1,
            "questions": [
                (
                    f"/question?{_selection(paths)}&{urlencode({'item': listing.questions[place].id})}",
                    listing.questions[place],
                    _values(facts, place),
                )
                for place in found[(page - 1) * PER_PAGE : page * PER_PAGE]
            ],
            "total": len(found),
            "report": f"/report?{_selection(paths)}",
            "export": f"/questions.csv?{asked}",
            "earlier": f"/questions?{asked}&page={page - 1}" if page > 1 else "",
            "later": f"/questions?{asked}&page={page + 1}" if page < pages else "",
        }

    def found(self, paths: Sequence[str], filters: Filters) -> list[Listed]:
        """The questions of these runs that fit, in the order of the first run; it waits for what it needs of them.

        Raises
        ------
        InputError
            When something is asked for that only scores tell, and the runs cannot be scored together.
        """
        facts, problem = self._facts_within(paths, None) if filters.need_scores else (None, "")
        if problem:
            raise InputError(problem)
        questions = self._known(paths).questions
        return [questions[place] for place in _fitting(questions, filters, facts, paths)]

    def question_view(self, paths: Sequence[str], name: str) -> dict[str, Any]:
        """What the page of one question is filled from: each answer as it differs from the first, and its verdicts.

        Raises
        ------
        InputError
            When the first run has no such question.
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

    def _known(self, paths: Sequence[str]) -> Listing:
        return _listing(self._index.run(paths[0]).path, self._index.entry(paths[0]).stamp)

    def _facts_within(self, paths: Sequence[str], seconds: float | None) -> tuple[QuestionFacts | None, str]:
        """The facts if they are there in time, or why there are none."""
        folders = [self._index.run(path).path for path in paths]
        key = tuple((path, self._index.entry(path).stamp) for path in paths)
        made = self._facts.get(key, partial(self._index.begin, question_facts, folders))
        try:
            return (made.result(seconds) if made else None), ""
        except TimeoutError:
            return None, ""
        except (NeracaError, OSError) as error:
            return None, str(error)

    def _records(self, path: str, journal: Journal[R], field: str, name: str) -> Iterator[R]:
        """The records of a run about one question, by an index of the file where there is one already."""
        made = self._lines.get((path, self._index.entry(path).stamp, journal.path.name))
        known = made is not None and made.done() and made.exception() is None
        places = made.result().places(name) if made and known else search_lines(journal.path, field, name)
        return (record for place in places for record in journal.at([place]) if getattr(record, field) == name)

    def _begin_indexes(self, paths: Sequence[str]) -> None:
        """Have indexes of these runs' files made, so that their next question needs no search."""
        for path in paths:
            run, stamp = self._index.run(path), self._index.entry(path).stamp
            for name, field in (("items.jsonl", "id"), ("answers.jsonl", "item"), ("verdicts.jsonl", "item")):
                file = run.path / name
                if file.is_file() and (path == paths[0] or field == "item"):
                    self._lines.get((path, stamp, name), partial(self._index.begin, line_index, file, field))


def _fitting(
    questions: Sequence[Listed], filters: Filters, facts: QuestionFacts | None, paths: Sequence[str]
) -> Sequence[int]:
    """Places of the questions that fit; by scores only where there are facts."""
    places: Sequence[int] = range(len(questions))
    if facts and filters.need_scores:
        places = np.flatnonzero(filters.fit(facts, paths)).tolist()
    if filters.tag:
        places = [place for place in places if filters.tag in questions[place].tags]
    if words := filters.q.casefold().split():
        places = [
            place
            for place in places
            if questions[place].id == filters.q or all(word in questions[place].query.casefold() for word in words)
        ]
    return places


def _values(facts: QuestionFacts | None, place: int) -> list[tuple[str, float]]:
    """Each run with its value of the primary metric for a question."""
    return list(zip(facts.runs, facts.values[:, place].tolist(), strict=True)) if facts else []


def _holds(verdict: Verdict, answer: Answer) -> bool:
    return verdict.status != "withdrawn" and verdict.of in ("", content_of(answer))


def _selection(paths: Sequence[str]) -> str:
    return urlencode([("run", path) for path in paths])
