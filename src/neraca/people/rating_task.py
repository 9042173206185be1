"""Tasks of raters: a question with its answer, and nothing that shows which system gave it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import msgspec

from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.people.transcript import earlier_replies
from neraca.records import Answer, Hit, Item
from neraca.runs.answers import Answers
from neraca.runs.run import Run, content_of
from neraca.translation import say


class RatedHit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hit as a rater sees it; `key` stands for question and document, so that one rating holds in all answers."""

    key: str
    text: str = ""
    fields: Mapping[str, Any] = {}


class RatingTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer as a rater sees it.

    Attributes
    ----------
    id
        Hash of the question and the content of its answer: equal answers of two systems are rated once.
    number
        Number of the question in its data set, from 1.
    query, tags
        As in `Item`.
    before
        The earlier questions of the same session.
    replies
        What the same system answered to these, as texts.  If equal answers ended several different conversations, the
        replies of each; () if there are none.
    text, hits
        The answer; both are empty if nothing came back.
    session
        Session of the question: answers in one conversation form one cluster.
    query_id
        Id of the question in the user's data.
    references
        Good answers in words, shown beside the answer.
    """

    id: str
    number: int
    query: str
    tags: Mapping[str, str] = {}
    before: tuple[str, ...] = ()
    replies: tuple[tuple[str, ...], ...] = ()
    text: str = ""
    hits: tuple[RatedHit, ...] = ()
    session: str = ""
    query_id: str = ""
    references: tuple[str, ...] = ()


class Place(NamedTuple):
    """The place of an answer: number of the run, item, trial."""

    run: int
    item: str
    trial: int


@dataclass(frozen=True)
class RatingTasks:
    """All answers to rate in some runs, and their origin.

    Attributes
    ----------
    runs
        The runs to rate.
    tasks
        The tasks in the order of the questions; one for equal answers.
    places
        Task id → places of its answers.
    """

    runs: tuple[Run, ...]
    tasks: tuple[RatingTask, ...]
    places: Mapping[str, Sequence[Place]]

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Self:
        """Make a task of each answer of these runs that can be read; each different answer to a question once.

        Raises
        ------
        InputError
            If there is nothing to rate: no runs, or no answer that can be read.
        """
        listed = tuple(runs)
        tasks: dict[str, RatingTask] = {}
        order: dict[str, int] = {}
        places: defaultdict[str, list[Place]] = defaultdict(list)
        replies: defaultdict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
        for number, run in enumerate(listed):
            answers, before = run.answers(), _before(run.items)
            earlier = earlier_replies(run.items, answers, run.manifest.trials)
            for row, item in enumerate(run.items):
                for trial in range(run.manifest.trials):
                    answer = answers.get((item.id, trial))
                    if answer is None or not answer.replied:
                        continue
                    key = task_id(item, answer)
                    places[key].append(Place(number, item.id, trial))
                    replies[key].update({earlier[item.id, trial]: None} if earlier[item.id, trial] else {})
                    if key not in tasks:
                        tasks[key] = task_of(row + 1, item, answer, before[item.id])
                        order[key] = row
        if not tasks:
            names = ", ".join(str(run.path) for run in listed) or say("no run")
            raise InputError(
                say("{names}: there is no answer to rate; ask first: neraca ask, or neraca run", names=names)
            )
        in_sight = {key: msgspec.structs.replace(task, replies=(*replies[key],)) for key, task in tasks.items()}
        return cls(listed, tuple(in_sight[key] for key in sorted(tasks, key=order.__getitem__)), dict(places))

    def of_items(self, items: Collection[str]) -> Self:
        """Return the tasks on these questions; raise `InputError` if there are none."""
        tasks = tuple(task for task in self.tasks if task.query_id in items)
        if not tasks:
            raise InputError(
                say("no answer of {runs} is to a question drawn", runs=", ".join(str(run.path) for run in self.runs))
            )
        return replace(self, tasks=tasks)

    @cached_property
    def by_id(self) -> Mapping[str, RatingTask]:
        """Id → task."""
        return {task.id: task for task in self.tasks}

    @cached_property
    def queries(self) -> Mapping[str, str]:
        """Id → text of every question that the runs were asked."""
        return {item.id: item.query for run in self.runs for item in run.items}

    @cached_property
    def documents(self) -> Mapping[str, tuple[tuple[Place, str], ...]]:
        """Key of a hit → the place where each run first returned the document for the question, and its id."""
        first_places: dict[str, dict[int, tuple[Place, str]]] = {}
        for task in self.tasks:
            for place in self.places.get(task.id, ()):
                hits = self._answers[place.run][place.item, place.trial].hits
                for rated_hit, hit in zip(task.hits, hits, strict=True):
                    first_places.setdefault(rated_hit.key, {}).setdefault(place.run, (place, hit.id))
        return {key: tuple(of_run.values()) for key, of_run in first_places.items()}

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
        """Names of runs that occur in the text of an answer, where raters can tell the system."""
        texts = "\n".join(msgspec.json.encode(task).decode() for task in self.tasks)
        names = dict.fromkeys(run.name for run in self.runs)
        return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", texts, re.IGNORECASE))


def task_id(item: Item, answer: Answer) -> str:
    """Return the opaque name of an answer: equal for equal questions and answers."""
    return fingerprint((item.id, item.query, content_of(answer)))


def hit_key(item: Item, hit: Hit) -> str:
    """Return the opaque name of a document returned for a question."""
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
        query_id=item.id,
        references=item.references,
    )


def _before(items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    """Return item id → earlier questions of its session; an item of a pool holds them itself."""
    sessions: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    earlier = {}
    for item in items:
        conversation = item.extra.get("conversation") or ()
        in_session = sessions[item.session] if item.session else ()
        earlier[item.id] = tuple(map(str, conversation)) if conversation else in_session
        if item.session:
            sessions[item.session] += (item.query,)
    return earlier
