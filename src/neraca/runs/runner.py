"""Ask a target every item of a run that has no answer yet, and write each answer to disk at once.

Items of a session are asked in order inside one conversation; sessions are asked concurrently.  The key of an answer is
a hash of target, item, trial and the conversation before it.  An item whose key is in the journal is not asked again.
If an earlier answer of a session changes, the keys of the later ones change, so that they are asked again.

A target may watch its answers, because a page can change what it has said.  The last answer of a session is watched
while other sessions are asked.  If an answer changes late, those that were not watched since the last one that did not
change are suspect.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import msgspec

from neraca.backoff import retry
from neraca.concurrency import Progress, run_jobs, silent
from neraca.datasets.dataset import Dataset
from neraca.errors import SpecError, StopAsking, TargetError
from neraca.files import fingerprint
from neraca.records import FAILED, REPLIED, Answer, Item, Status
from neraca.runs.alike_failures import AlikeFailures
from neraca.runs.run import Run, now
from neraca.targets.target import (
    Conversation,
    KeepsConversation,
    LooksBack,
    OpensAhead,
    PreparesConversation,
    Replays,
    Target,
    Turn,
    WatchesAnswers,
    partial_of,
)
from neraca.translation import say, written_in

#: Number of sessions whose last answer may be watched while others are asked.
MOST_WATCHED = 6
_NOT_WATCHED = "this answer was not watched after its end, and the page changed another one then"


@dataclass(frozen=True)
class AskOptions:
    """Options for asking the questions of a run.

    Attributes
    ----------
    concurrency
        Number of sessions at once.
    timeout
        Seconds to wait for one answer.
    retries
        Number of times that a question is asked again after a lost connection or the HTTP status 429 or 5xx.
    retry_failed
        Whether to ask again the questions whose answer failed or is suspect in an earlier start.
    """

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 3
    retry_failed: bool = False

    def __post_init__(self) -> None:
        if self.concurrency < 1 or not self.timeout > 0 or self.retries < 0:
            raise SpecError(say("concurrency is at least 1, timeout more than 0 and retries not negative"))


@dataclass(frozen=True, slots=True)
class _EarlierAnswer:
    """The parts of an answer on disk that decide whether its question is asked again."""

    key: str
    text: str
    status: Status


@dataclass
class _Runner:
    run: Run
    target: Target
    asking: AskOptions
    progress: Progress
    earlier_answers: dict[tuple[str, int], _EarlierAnswer]
    total: int
    target_key: str
    slots: asyncio.Semaphore
    failures: AlikeFailures
    unchecked: dict[tuple[str, int], Answer] = field(default_factory=dict)
    done: int = 0
    replayed: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    async def session(self, job: tuple[int, list[Item]]) -> None:
        """Ask the items of one session that need it, in order."""
        trial, items = job
        conversation = Conversation(uuid.uuid4().hex, trial, folder=self.run.path / "evidence")
        try:
            if isinstance(self.target, OpensAhead) and self._last_missing(items, trial) >= 0:
                await self.target.open_ahead(items[0], conversation)
            async with self.slots:
                conversation, last, earlier = await self._hold(conversation, items)
            if last is not None:
                self._keep(await self._watch(last, conversation, last=True), earlier)
        except StopAsking as error:
            self._doubt_stopped(error)
            raise
        finally:
            if isinstance(self.target, KeepsConversation):
                await self.target.leave(conversation.id)

    async def _hold(
        self, conversation: Conversation, items: list[Item]
    ) -> tuple[Conversation, Answer | None, _EarlierAnswer | None]:
        """Go through the items of one session; ask each item without a usable answer.

        Return the conversation, the answer to the last item, which is still to be watched and kept, and the answer to
        it on disk; the answer is None if it need not be kept.

        A target that remembers conversations is asked the earlier items too.  `history` is a chained hash of the
        conversation so far, and `history_before_last` of the conversation without its last turn.
        """
        trial = conversation.trial
        last_missing = self._last_missing(items, trial)
        history = history_before_last = caution = ""
        previous: Answer | None = None
        for place, item in enumerate(items):
            key = self._key(item, trial, history)
            earlier = self._reusable(item, trial, key)
            if earlier is None or (self.target.stateful and place <= last_missing):
                answer = await self._ask(item, conversation, key, caution)
                if previous is not None and (revised := self._revise(previous, conversation)) is not None:
                    turn = Turn(conversation.turns[-1].query, revised.text)
                    conversation = replace(conversation, turns=(*conversation.turns[:-1], turn))
                    history = fingerprint((history_before_last, turn.query, turn.text))
                    key = self._key(item, trial, history)
                    answer = msgspec.structs.replace(answer, key=key)
                if place == len(items) - 1:
                    return conversation, answer, earlier
                answer = await self._watch(answer, conversation, last=place >= last_missing)
                self._keep(answer, earlier)
                previous = answer if answer.replied else None
                text, status = answer.text, answer.status
            else:
                previous = None
                text, status = earlier.text, earlier.status
                self._tick(status)
            if status in REPLIED:
                conversation = replace(conversation, turns=(*conversation.turns, Turn(item.query, text)))
                history_before_last, history = history, fingerprint((history, item.query, text))
            else:
                caution = caution or f"an earlier question of this session ({item.id}) has no answer: {status}"
        return conversation, None, None

    async def _watch(self, answer: Answer, conversation: Conversation, *, last: bool) -> Answer:
        """Watch an answer that seems complete; return it as it reads then."""
        if answer.status != "complete" or not isinstance(self.target, WatchesAnswers):
            return answer
        watched = await self.target.watch(answer, conversation, last=last)
        if watched.check == "failed":
            self._doubt_unchecked()
        elif watched.check == "passed":
            self.unchecked.clear()
        elif watched.answer.status == "complete":
            self.unchecked[answer.item, answer.trial] = watched.answer
        return _writable(watched.answer)

    def _doubt_unchecked(self) -> None:
        """Write the answers that nobody watched since the last passed check again, as suspect."""
        for answer in self.unchecked.values():
            self._doubt(answer, answer.text, _NOT_WATCHED)
        self.unchecked.clear()

    def _doubt_stopped(self, error: StopAsking) -> None:
        """Write the answers again that a target returned before it found that its settings are wrong."""
        answers = self.run.answers()
        for key in error.doubtful:
            if key in answers and answers[key].status == "complete":
                self._doubt(answers[key], answers[key].text, "the run was stopped: this may not be the chat")

    def _doubt(self, answer: Answer, text: str, why: str) -> Answer:
        """Write an answer again, as suspect, and return it."""
        note = "; ".join(filter(None, (answer.note, why)))
        self.failed["suspect"] += answer.status == "complete"
        doubted = msgspec.structs.replace(answer, text=text, status="suspect", note=note, at=now())
        self.run.answers_journal.append(doubted)
        return doubted

    def _revise(self, previous: Answer, conversation: Conversation) -> Answer | None:
        """Write the previous answer again if the target now doubts it; return it, or None if not."""
        change = self.target.revised(conversation.id) if isinstance(self.target, LooksBack) else None
        if change is None:
            return None
        self.unchecked.pop((previous.item, previous.trial), None)
        if change.text != previous.text:
            self._doubt_unchecked()
        return self._doubt(previous, change.text, change.note)

    def _key(self, item: Item, trial: int, history: str) -> str:
        """Return the key of an answer; `history` is a chained hash of the conversation so far."""
        return fingerprint((self.target_key, item.id, item.query, trial, history))

    def _reusable(self, item: Item, trial: int, key: str) -> _EarlierAnswer | None:
        """Return the answer on disk if it has this key and its question need not be asked again."""
        earlier = self.earlier_answers.get((item.id, trial))
        if earlier is None or earlier.key != key:
            return None
        doubtful = earlier.status in FAILED or earlier.status == "suspect"
        again = earlier.status == "not_asked" or (doubtful and self.asking.retry_failed)
        return None if again else earlier

    def _last_missing(self, items: list[Item], trial: int) -> int:
        """Return the place of the last item of a session that must be asked, judging by the journal; -1: none."""
        history, last = "", -1
        for place, item in enumerate(items):
            earlier = self._reusable(item, trial, self._key(item, trial, history))
            if earlier is None:
                last = place
                earlier = self.earlier_answers.get((item.id, trial))
            if earlier is not None and earlier.status in REPLIED:
                history = fingerprint((history, item.query, earlier.text))
        return last

    async def _ask(self, item: Item, conversation: Conversation, key: str, note: str) -> Answer:
        answer = await ask_one(self.target, item, conversation, self.asking)
        return msgspec.structs.replace(answer, key=key, note="; ".join(filter(None, (note, answer.note))))

    def _keep(self, answer: Answer, earlier: _EarlierAnswer | None) -> None:
        """Write an answer; if it only rebuilt a conversation, write it only if its text has changed."""
        if earlier is not None:
            self.replayed += 1
        if earlier is None or (earlier.text != answer.text and answer.replied):
            self.run.answers_journal.append(answer)
        self._tick(answer.status)
        self.failures.add(answer)

    def _tick(self, status: str) -> None:
        self.done += 1
        if status != "complete":
            self.failed[status] += 1
        notes = [say("{n:,} {status}", n=n, status=say(name)) for name, n in self.failed.items()]
        self.progress(self.done, self.total, ", ".join(notes))

    def jobs(self) -> Iterator[tuple[int, list[Item]]]:
        """Yield every session of every trial, trial by trial."""
        for trial in range(self.run.manifest.trials):
            for session in Dataset(tuple(self.run.items)).sessions():
                yield trial, session


async def ask_one(target: Target, item: Item, conversation: Conversation, asking: AskOptions) -> Answer:
    """Ask one question of a conversation, with retries if they may help; an error becomes the status of the answer."""
    started = time.perf_counter()

    async def attempt() -> Answer:
        nonlocal started
        started = time.perf_counter()
        with written_in("en"):  # a run says the same whatever the language of the command
            if isinstance(target, PreparesConversation):
                if (failed := await target.prepare(item, conversation, asking.timeout)) is not None:
                    return failed
                started = time.perf_counter()
            async with asyncio.timeout(asking.timeout * _questions(target, conversation)):
                return await target.ask(item, conversation)

    try:
        answer = await retry(attempt, asking.retries)
    except TimeoutError as error:
        message = f"no answer within {asking.timeout:g} s"
        answer = partial_of(error) or Answer(item=item.id)
        if answer.status != "suspect":
            answer = msgspec.structs.replace(answer, status="timeout", error=message)
    except TargetError as error:
        answer = Answer(item=item.id, status=error.status, error=str(error))
    except StopAsking:
        raise
    except Exception as error:  # noqa: BLE001 - an error in the target's code is recorded, and costs one question
        answer = Answer(item=item.id, status="error", error=f"{type(error).__name__}: {error}")
    answer = _writable(answer)
    seconds = answer.seconds
    if seconds is None and not isinstance(target, Replays):
        seconds = time.perf_counter() - started
    return msgspec.structs.replace(answer, item=item.id, trial=conversation.trial, seconds=seconds, at=now())


def _questions(target: Target, conversation: Conversation) -> int:
    """Return the number of questions to put: if the target lost the conversation, the earlier ones are asked too."""
    lost = isinstance(target, KeepsConversation) and not target.holds(conversation.id)
    return 1 + len(conversation.turns) if lost else 1


def _writable(answer: Answer) -> Answer:
    """Return the answer, or an error if it cannot be written and read again, as with half a character."""
    try:
        return msgspec.json.decode(msgspec.json.encode(answer), type=Answer)
    except (UnicodeEncodeError, ValueError, TypeError, OverflowError) as error:
        message = f"the answer cannot be written down: {error}".encode(errors="replace").decode()
        return Answer(item=answer.item, status="error", error=message)


def _earlier_answers(run: Run) -> dict[tuple[str, int], _EarlierAnswer]:
    """Return (item, trial) → the answer on disk; with its text if a later question of its session builds on it."""
    sizes = Counter(item.session or "" for item in run.items)
    needs_text = {item.id for item in run.items if item.session and sizes[item.session] > 1}
    return {
        (answer.item, answer.trial): _EarlierAnswer(
            answer.key, answer.text if answer.item in needs_text else "", answer.status
        )
        for answer in run.answers_journal
    }


async def ask_all(run: Run, target: Target, asking: AskOptions, progress: Progress = silent) -> int:
    """Ask all questions without an answer, and return how many still have none (0: the run is complete).

    Call it while `run.writing()`.  Each answer is on disk before the next question of its session is asked, so that a
    kill loses at most the calls in flight.  Raise `NothingUsable` if the first questions all fail in the same way.
    """
    earlier = await asyncio.to_thread(_earlier_answers, run)  # a large run takes seconds, and an event loop must go on
    works = any(answer.status in REPLIED for answer in earlier.values())
    runner = _Runner(
        run,
        target,
        asking,
        progress,
        earlier,
        run.manifest.items * run.manifest.trials,
        fingerprint(run.manifest.target),
        asyncio.Semaphore(asking.concurrency),
        AlikeFailures(asking.timeout, asking.concurrency, works),
    )
    watched = MOST_WATCHED if isinstance(target, WatchesAnswers) else 0
    try:
        await run_jobs(runner.jobs(), runner.session, asking.concurrency + watched)
    finally:
        missing = await asyncio.to_thread(run.record_end, runner.replayed)
        await target.close()
    return missing
