"""Ask one system the raters' own questions, in a conversation for each rater, and write them as a run."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError
from neraca.people.assignment import Assignment
from neraca.people.rating import Rating, check
from neraca.people.rating_task import RatingTask, RatingTasks, task_of
from neraca.people.rating_words import subject_words
from neraca.records import Answer, Item
from neraca.runs.run import MANIFEST, Run
from neraca.runs.runner import AskOptions, ask_one
from neraca.targets.target import Conversation, KeepsConversation, Target, Turn, make_target
from neraca.web.rating_settings import RatingSettings
from neraca.web.ratings_database import RatingsDatabase

#: Most characters of a question.
LONGEST = 2000


def name_of_users_run(system: str) -> str:
    """Return the name in reports of the run of a user study: that of the system which users asked, marked.

    >>> name_of_users_run("hybrid")
    'hybrid (users)'
    """
    return f"{system} (users)"


class AnsweredQuestion(msgspec.Struct, frozen=True):
    """A question of a rater, and its answer."""

    item: Item
    answer: Answer


class Asker:
    """Asks a target questions, in a thread of its own that holds its connections.

    Parameters
    ----------
    settings
        The settings of the target.
    asking
        Timeout and retries.
    """

    def __init__(self, settings: Mapping[str, Any], asking: AskOptions) -> None:
        self._target: Target = make_target(settings)
        self._asking = asking
        self._conversations: dict[str, Conversation] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def ask(self, rater: str, item: Item, before: Sequence[AnsweredQuestion]) -> Answer:
        """Ask in the rater's conversation, after the questions of `before`."""
        return asyncio.run_coroutine_threadsafe(self._ask(rater, item, before), self._loop).result()

    async def _ask(self, rater: str, item: Item, before: Sequence[AnsweredQuestion]) -> Answer:
        conversation = self._conversations.get(rater)
        if conversation is None:
            conversation = Conversation(uuid.uuid4().hex)
            for answered in before if self._target.stateful else ():  # a restart has lost the conversation
                await ask_one(self._target, answered.item, conversation, self._asking)
                conversation = replace(conversation, turns=(*conversation.turns, _turn(answered)))
        self._conversations[rater] = replace(conversation, turns=tuple(map(_turn, before)))
        return await ask_one(self._target, item, self._conversations[rater], self._asking)

    def close(self) -> None:
        """Close the target, its conversations and the thread."""
        asyncio.run_coroutine_threadsafe(self._close_target(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close_target(self) -> None:
        if isinstance(self._target, KeepsConversation):
            for conversation in self._conversations.values():
                await self._target.leave(conversation.id)
        await self._target.close()


def _turn(answered: AnsweredQuestion) -> Turn:
    return Turn(answered.item.query, answered.answer.text)


class OwnQuestions:
    """The raters' own questions with their answers, kept in a database, and the tasks to rate them.

    Parameters
    ----------
    database
        The database of the questions.
    settings
        The number of questions that each rater may ask, and the folder of the run.
    asker
        Asks the target; None: no more questions are accepted.
    """

    def __init__(self, database: RatingsDatabase, settings: RatingSettings, asker: Asker | None = None) -> None:
        self.settings = settings
        self.asker = asker
        self._database = database
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._asked_by_rater: defaultdict[str, dict[str, AnsweredQuestion]] = defaultdict(dict)
        self._tasks: dict[str, RatingTask] = {}
        self.assignment = Assignment(
            kind="own",
            runs=(),
            tasks=(),
            check=self._check,
            verdicts_of=lambda ratings, rater: [],
            ids=self._tasks.keys(),
            names_of=lambda rating: (self._tasks[rating.task].query, subject_words(rating.on)),
            shown_to=self.tasks,
            keeps_order=True,
            choice=(settings.out,),
        )
        for rater, name, content in database.questions(self.assignment.set):
            self._add(rater, name, msgspec.json.decode(content, type=AnsweredQuestion))

    def tasks(self, rater: str) -> list[RatingTask]:
        """Return the questions of a rater as tasks, in the order asked."""
        return [self._task(answered) for answered in self._asked_by_rater[rater].values()]

    def ask(self, rater: str, name: str, query: str) -> RatingTask:
        """Ask a question; it and its answer are on disk when this returns.

        Parameters
        ----------
        rater
            The name of the rater.
        name
            Id of the question from the browser; a question that was asked under this id is not asked again.
        query
            The question.

        Raises
        ------
        InputError
            If it cannot be asked, or the system does not answer; nothing is stored then.
        """
        query = query.strip()
        if not query or len(query) > LONGEST:
            raise InputError(f"a question has 1 to {LONGEST:,} characters, not {len(query):,}")
        with self._locks[rater]:
            before = self._asked_by_rater[rater]
            if name in before:
                return self._task(before[name])
            if len(before) >= self.settings.questions:
                raise InputError(f"all {self.settings.questions} questions are asked")
            if self.asker is None:
                raise InputError("no more questions are accepted")
            item = Item(id=f"{rater}-{len(before) + 1}", query=query, session=rater, tags={"person": rater})
            answer = self.asker.ask(rater, item, list(before.values()))
            if not answer.replied:
                raise InputError(answer.error or answer.status)
            answered = AnsweredQuestion(item, answer)
            self._database.add_question(self.assignment.set, rater, name, msgspec.json.encode(answered).decode())
            self._add(rater, name, answered)
            return self._task(answered)

    def write_run(self) -> Run:
        """Add the questions asked so far to the run folder.

        Raises
        ------
        InputError
            If nobody has asked anything yet.
        RunError
            If another process writes to the folder, or it holds another run.
        """
        everything = [answered for by_name in self._asked_by_rater.values() for answered in by_name.values()]
        if not everything:
            raise InputError("nobody has asked a question yet")
        path = Path(self.settings.out)
        dataset = Dataset(tuple(answered.item for answered in everything), "questions of the raters' own")
        if not (path / MANIFEST).is_file():
            Run.create(path, dataset, self.settings.target)
        run = Run(path)
        with run.writing():
            statuses = run.statuses()
            run.extend(dataset)
            new = [answered.answer for answered in everything if (answered.item.id, 0) not in statuses]
            run.answers_journal.append(*new)
            run.record_end()
            if self.settings.system and not run.manifest.name:
                run.update(name=name_of_users_run(self.settings.system))
        return Run(path)

    def _add(self, rater: str, name: str, answered: AnsweredQuestion) -> None:
        self._asked_by_rater[rater][name] = answered
        task = self._task(answered)
        self._tasks[task.id] = task

    def _task(self, answered: AnsweredQuestion) -> RatingTask:
        return task_of(int(answered.item.id.rpartition("-")[2]), answered.item, answered.answer)

    def _check(self, rating: Rating) -> None:
        check(rating, RatingTasks((), tuple(self._tasks.values()), {}), self.settings.top, self.settings.scale)
