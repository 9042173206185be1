"""What a rater is shown: a question with what came back for it, and nothing that tells which system it came from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import msgspec

from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.records import Answer, Hit, Item
from neraca.runs.answers import Answers
from neraca.runs.run import Run, content_of


class RatedHit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hit as a rater sees it; `key` stands for question and document, so that one rating holds wherever it recurs."""

    key: str
    text: str = ""
    fields: Mapping[str, Any] = {}


class RatingTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer as a rater sees it.

    Attributes
    ----------
    id
        Stands for the question and the content of its answer: two systems that return the same are rated once.
    number
        Of the question in its data set, from 1.
    query, tags
        As in `Item`.
    before
        The questions of the same session that came before.
    text, hits
        What came back; both empty where nothing did.
    session
        Of the question: answers of one conversation are one source of chance.
    """

    id: str
    number: int
    query: str
    tags: Mapping[str, str] = {}
    before: tuple[str, ...] = ()
    text: str = ""
    hits: tuple[RatedHit, ...] = ()
    session: str = ""


class Place(NamedTuple):
    """Where an answer stands: number of the run, item, trial."""

    run: int
    item: str
    trial: int


@dataclass(frozen=True)
class RatingTasks:
    """All there is to rate in some runs, and where it came from.

    Attributes
    ----------
    runs
        Those that are rated.
    tasks
        In the order of the questions; of equal answers one.
    places
        Task id → the answers that it stands for.
    """

    runs: tuple[Run, ...]
    tasks: tuple[RatingTask, ...]
    places: Mapping[str, Sequence[Place]]

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Self:
        """Make a task of each answer of these runs that did not fail; each different answer to a question once.

        Raises
        ------
        InputError
            Where there is nothing to rate: no runs, or none with an answer that did not fail.
        """
        listed = tuple(runs)
        tasks: dict[str, RatingTask] = {}
        order: dict[str, int] = {}
        places: defaultdict[str, list[Place]] = defaultdict(list)
        for number, run in enumerate(listed):
            answers, before = run.answers(), _before(run.items)
            for row, item in enumerate(run.items):
                for trial in range(run.manifest.trials):
                    answer = answers.get((item.id, trial))
                    if answer is None or answer.failed:
                        continue
                    key = task_id(item, answer)
                    places[key].append(Place(number, item.id, trial))
                    if key not in tasks:
                        tasks[key] = task_of(row + 1, item, answer, before[item.id])
                        order[key] = row
        if not tasks:
            names = ", ".join(str(run.path) for run in listed) or "no run"
            raise InputError(f"{names}: there is no answer to rate; ask first: neraca ask, or neraca run")
        return cls(listed, tuple(tasks[key] for key in sorted(tasks, key=order.__getitem__)), dict(places))

    @cached_property
    def by_id(self) -> Mapping[str, RatingTask]:
        """Id → task."""
        return {task.id: task for task in self.tasks}

    @cached_property
    def documents(self) -> Mapping[str, tuple[tuple[Place, str], ...]]:
        """Key of a hit → where each run first returned this document for this question, with the document's id."""
        found: dict[str, dict[int, tuple[Place, str]]] = {}
        for task in self.tasks:
            for place in self.places[task.id]:
                hits = self._answers[place.run][place.item, place.trial].hits
                for shown, hit in zip(task.hits, hits, strict=True):
                    found.setdefault(shown.key, {}).setdefault(place.run, (place, hit.id))
        return {key: tuple(of_run.values()) for key, of_run in found.items()}

    @cached_property
    def contents(self) -> Mapping[str, str]:
        """Task id → hash of the answer's content, as in `Verdict.of`."""
        firsts = ((key, places[0]) for key, places in self.places.items())
        return {key: content_of(self._answers[run][item, trial]) for key, (run, item, trial) in firsts}

    @cached_property
    def _answers(self) -> list[Answers]:
        return [run.answers() for run in self.runs]

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Names of runs that occur in what a system itself wrote, where blindness ends."""
        texts = "\n".join(msgspec.json.encode(task).decode() for task in self.tasks)
        names = dict.fromkeys(run.name for run in self.runs)
        return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", texts, re.IGNORECASE))


def task_id(item: Item, answer: Answer) -> str:
    """The opaque name of an answer to a question: equal where question and answer are."""
    return fingerprint((item.id, item.query, content_of(answer)))


def hit_key(item: Item, hit: Hit) -> str:
    """The opaque name of a document returned for a question."""
    return fingerprint((item.id, item.query, hit.id))


def task_of(number: int, item: Item, answer: Answer, before: tuple[str, ...] = ()) -> RatingTask:
    """Make the task to rate an answer; `number` and `before` as in `RatingTask`."""
    hits = tuple(RatedHit(key=hit_key(item, hit), text=hit.text, fields=hit.fields) for hit in answer.hits)
    return RatingTask(
        id=task_id(item, answer),
        number=number,
        query=item.query,
        tags=item.tags,
        before=before,
        text=answer.text,
        hits=hits,
        session=item.session or "",
    )


def _before(items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    """Item id → the questions of its session before it; an item of a pool brings them itself."""
    sessions: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    found = {}
    for item in items:
        asked = item.extra.get("conversation") or ()
        found[item.id] = tuple(map(str, asked)) if asked else sessions[item.session] if item.session else ()
        if item.session:
            sessions[item.session] += (item.query,)
    return found
