"""Questions of raters' own: asked of one system, in a conversation for each rater, kept, and made a run."""

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
from neraca.records import Answer, Item
from neraca.runs.run import MANIFEST, Run
from neraca.runs.runner import AskOptions, ask_one
from neraca.targets.target import Conversation, KeepsConversation, Target, Turn, make_target
from neraca.web.rating_settings import RatingSettings
from neraca.web.ratings_database import RatingsDatabase

#: Characters of a question.
LONGEST = 2000


class Asked(msgspec.Struct, frozen=True):
    """A question and what came back."""

    item: Item
    answer: Answer


class Asker:
    """Puts questions to a target, from a thread in which its connections live.

    Parameters
    ----------
    settings
        Of the target.
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

    def ask(self, rater: str, item: Item, before: Sequence[Asked]) -> Answer:
        """Ask in the rater's conversation, in which `before` was asked."""
        return asyncio.run_coroutine_threadsafe(self._ask(rater, item, before), self._loop).result()

    async def _ask(self, rater: str, item: Item, before: Sequence[Asked]) -> Answer:
        conversation = self._conversations.get(rater)
        if conversation is None:
            conversation = Conversation(uuid.uuid4().hex)
            for one in before if self._target.stateful else ():  # since the last start it has forgotten them
                await ask_one(self._target, one.item, conversation, self._asking)
                conversation = replace(conversation, turns=(*conversation.turns, _turn(one)))
        self._conversations[rater] = replace(conversation, turns=tuple(map(_turn, before)))
        return await ask_one(self._target, item, self._conversations[rater], self._asking)

    def close(self) -> None:
        """Give back what the target holds."""
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _leave(self) -> None:
        if isinstance(self._target, KeepsConversation):
            for conversation in self._conversations.values():
                await self._target.leave(conversation.id)
        await self._target.close()


def _turn(asked: Asked) -> Turn:
    return Turn(asked.item.query, asked.answer.text)


class OwnQuestions:
    """What raters asked, from a database to which it is added, and what can be rated of it.

    Parameters
    ----------
    database
        Where it is kept.
    settings
        What holds for it: how many questions each rater may ask, and where the run goes.
    asker
        Asks; None where nothing more is asked.
    """

    def __init__(self, database: RatingsDatabase, settings: RatingSettings, asker: Asker | None = None) -> None:
        self.settings = settings
        self.asker = asker
        self._database = database
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._asked: defaultdict[str, dict[str, Asked]] = defaultdict(dict)
        self._tasks: dict[str, RatingTask] = {}
        self.assignment = Assignment(
            kind="own",
            runs=(),
            tasks=(),
            check=self._check,
            verdicts_of=lambda ratings, rater: [],
            ids=self._tasks.keys(),
            shown_to=self.tasks,
            keeps_order=True,
            choice=(settings.out,),
        )
        for rater, name, content in database.questions(self.assignment.set):
            self._add(rater, name, msgspec.json.decode(content, type=Asked))

    def tasks(self, rater: str) -> list[RatingTask]:
        """What a rater asked, as tasks, in the order in which it was asked."""
        return [self._task(asked) for asked in self._asked[rater].values()]

    def ask(self, rater: str, name: str, query: str) -> RatingTask:
        """Ask a question; it and its answer are on disk when this returns.

        Parameters
        ----------
        rater
            Who asks.
        name
            Of the question, given by the browser: sent again it is not asked again.
        query
            The question.

        Raises
        ------
        InputError
            Where it cannot be asked, and where the system did not answer; nothing is kept then.
        """
        query = query.strip()
        if not query or len(query) > LONGEST:
            raise InputError(f"a question has 1 to {LONGEST:,} characters, not {len(query):,}")
        with self._turns[rater]:
            before = self._asked[rater]
            if name in before:
                return self._task(before[name])
            if len(before) >= self.settings.questions:
                raise InputError(f"all {self.settings.questions} questions are asked")
            if self.asker is None:
                raise InputError("questions are asked no more")
            item = Item(id=f"{rater}-{len(before) + 1}", query=query, session=rater, tags={"person": rater})
            answer = self.asker.ask(rater, item, list(before.values()))
            if answer.failed:
                raise InputError(answer.error or answer.status)
            asked = Asked(item, answer)
            self._database.add_question(self.assignment.set, rater, name, msgspec.json.encode(asked).decode())
            self._add(rater, name, asked)
            return self._task(asked)

    def write_run(self) -> Run:
        """Write what was asked so far into the run folder, beside what stands there.

        Raises
        ------
        InputError
            Where nobody asked anything yet.
        RunError
            Where another process writes to the folder, or it is another run.
        """
        everything = [asked for of_rater in self._asked.values() for asked in of_rater.values()]
        if not everything:
            raise InputError("nobody has asked a question yet")
        path = Path(self.settings.out)
        dataset = Dataset(tuple(asked.item for asked in everything), "questions of the raters' own")
        if not (path / MANIFEST).is_file():
            Run.create(path, dataset, self.settings.target)
        run = Run(path)
        with run.writing():
            known = run.statuses()
            run.extend(dataset)
            run.answers_journal.append(*(one.answer for one in everything if (one.item.id, 0) not in known))
            run.close_books()
        return run

    def _add(self, rater: str, name: str, asked: Asked) -> None:
        self._asked[rater][name] = asked
        task = self._task(asked)
        self._tasks[task.id] = task

    def _task(self, asked: Asked) -> RatingTask:
        return task_of(int(asked.item.id.rpartition("-")[2]), asked.item, asked.answer)

    def _check(self, rating: Rating) -> None:
        check(rating, RatingTasks((), tuple(self._tasks.values()), {}), self.settings.top)
