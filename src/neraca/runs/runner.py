"""Asks a target every item of a run that has no answer yet, and writes each answer down at once.

Items of a session are asked in order inside one conversation, sessions beside each other.  The key of an answer is a
hash of target, item, trial and the conversation before it: what stands in the journal under the same key is not asked
again, and when an earlier answer of a session changes, the later ones are asked again by themselves.
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
from neraca.concurrency import Progress, each, silent
from neraca.datasets.dataset import Dataset
from neraca.errors import SpecError, TargetError
from neraca.files import fingerprint
from neraca.records import Answer, Item
from neraca.runs.run import Run, now
from neraca.targets.target import Conversation, KeepsConversation, LooksBack, Target, Turn, partial_of


@dataclass(frozen=True)
class AskOptions:
    """Options for asking the questions of a run.

    Attributes
    ----------
    concurrency
        Number of sessions at once.
    timeout
        Seconds that one attempt at one question may take.
    retries
        Number of times a question is asked again after a lost connection, 429 or 5xx.
    retry_failed
        Ask again the questions that failed in an earlier start.
    """

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 3
    retry_failed: bool = False

    def __post_init__(self) -> None:
        if self.concurrency < 1 or not self.timeout > 0 or self.retries < 0:
            raise SpecError("concurrency is at least 1, timeout more than 0 and retries not negative")


@dataclass(frozen=True, slots=True)
class _Known:
    key: str
    text: str
    status: str


@dataclass
class _Runner:
    run: Run
    target: Target
    asking: AskOptions
    progress: Progress
    known: dict[tuple[str, int], _Known]
    total: int
    target_key: str
    done: int = 0
    replayed: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    async def session(self, job: tuple[int, list[Item]]) -> None:
        """Ask the items of one session that need it, in order."""
        trial, items = job
        conversation = Conversation(uuid.uuid4().hex, trial, folder=self.run.path / "evidence")
        try:
            await self._speak(conversation, items)
        finally:
            if isinstance(self.target, KeepsConversation):
                await self.target.leave(conversation.id)

    async def _speak(self, conversation: Conversation, items: list[Item]) -> None:
        trial = conversation.trial
        end = self._last_missing(items, trial)
        before = earlier = lost = ""
        last: Answer | None = None
        for place, item in enumerate(items):
            key = self._key(item, trial, before)
            known = self._reusable(item, trial, key)
            if known is None or (self.target.stateful and place <= end):
                answer = await self._ask(item, conversation, key, lost)
                if last is not None and (revised := self._revise(last, conversation)) is not None:
                    turn = Turn(conversation.turns[-1].query, revised.text)
                    conversation = replace(conversation, turns=(*conversation.turns[:-1], turn))
                    before = fingerprint((earlier, turn.query, turn.text))
                    answer = msgspec.structs.replace(answer, key=self._key(item, trial, before))
                    key = answer.key
                self._keep(answer, known)
                last = None if answer.failed else answer
                known = _Known(key, answer.text, answer.status)
            else:
                last = None
                self._tick(known.status)
            if known.status in ("complete", "suspect"):
                turns = (*conversation.turns, Turn(item.query, known.text))
                conversation = replace(conversation, turns=turns)
                earlier, before = before, fingerprint((before, item.query, known.text))
            else:
                lost = lost or f"an earlier question of this session ({item.id}) has no answer: {known.status}"

    def _revise(self, last: Answer, conversation: Conversation) -> Answer | None:
        """The answer before this one, written down once more where the target has seen it change; else None."""
        revised = self.target.revised(conversation.id) if isinstance(self.target, LooksBack) else None
        if revised is None:
            return None
        note = "; ".join(filter(None, (last.note, revised.note)))
        self.failed["suspect"] += last.status == "complete"
        last = msgspec.structs.replace(last, text=revised.text, status="suspect", note=note, at=now())
        self.run.answers_journal.append(last)
        return last

    def _key(self, item: Item, trial: int, before: str) -> str:
        """The key of an answer; `before` is a chained hash of the conversation so far."""
        return fingerprint((self.target_key, item.id, item.query, trial, before))

    def _reusable(self, item: Item, trial: int, key: str) -> _Known | None:
        known = self.known.get((item.id, trial))
        if known is None or known.key != key:
            return None
        failed = known.status not in ("complete", "suspect")
        return None if failed and self.asking.retry_failed else known

    def _last_missing(self, items: list[Item], trial: int) -> int:
        """The place of the last item of a session that must be asked, as far as the journal tells; -1: none."""
        before, last = "", -1
        for place, item in enumerate(items):
            known = self._reusable(item, trial, self._key(item, trial, before))
            if known is None:
                last = place
                known = self.known.get((item.id, trial))
            if known is not None and known.status in ("complete", "suspect"):
                before = fingerprint((before, item.query, known.text))
        return last

    async def _ask(self, item: Item, conversation: Conversation, key: str, note: str) -> Answer:
        answer = await ask_one(self.target, item, conversation, self.asking)
        return msgspec.structs.replace(answer, key=key, note="; ".join(filter(None, (note, answer.note))))

    def _keep(self, answer: Answer, known: _Known | None) -> None:
        """Write an answer down; one given to rebuild a conversation only if it says something else than before."""
        if known is not None:
            self.replayed += 1
        if known is None or (known.text != answer.text and not answer.failed):
            self.run.answers_journal.append(answer)
        self._tick(answer.status)

    def _tick(self, status: str) -> None:
        self.done += 1
        if status != "complete":
            self.failed[status] += 1
        self.progress(self.done, self.total, ", ".join(f"{count} {name}" for name, count in self.failed.items()))

    def jobs(self) -> Iterator[tuple[int, list[Item]]]:
        """Every session of every trial, trial by trial."""
        for trial in range(self.run.manifest.trials):
            for session in Dataset(tuple(self.run.items)).sessions():
                yield trial, session


async def ask_one(target: Target, item: Item, conversation: Conversation, asking: AskOptions) -> Answer:
    """Ask one question of a conversation, and again where that may help; what goes wrong is the answer's status."""
    started = time.perf_counter()

    async def attempt() -> Answer:
        nonlocal started
        started = time.perf_counter()
        async with asyncio.timeout(asking.timeout * _questions(target, conversation)):
            return await target.ask(item, conversation)

    try:
        answer = await retry(attempt, asking.retries)
    except TimeoutError as error:
        late = f"no answer within {asking.timeout:g} s"
        answer = partial_of(error) or Answer(item=item.id)
        answer = msgspec.structs.replace(answer, status="timeout", error=late)
    except TargetError as error:
        answer = Answer(item=item.id, status="refused" if error.refused else "error", error=str(error))
    except Exception as error:  # noqa: BLE001 - a fault of the target's code costs one question, and is written down
        answer = Answer(item=item.id, status="error", error=f"{type(error).__name__}: {error}")
    answer = _writable(answer)
    seconds = time.perf_counter() - started if answer.seconds is None else answer.seconds
    return msgspec.structs.replace(answer, item=item.id, trial=conversation.trial, seconds=seconds, at=now())


def _questions(target: Target, conversation: Conversation) -> int:
    """Return the number of questions to put: if the target lost the conversation, the earlier ones are asked too."""
    lost = isinstance(target, KeepsConversation) and not target.holds(conversation.id)
    return 1 + len(conversation.turns) if lost else 1


def _writable(answer: Answer) -> Answer:
    """The answer, or an error where it holds what cannot be written and read again, such as half a character."""
    try:
        return msgspec.json.decode(msgspec.json.encode(answer), type=Answer)
    except (UnicodeEncodeError, ValueError, TypeError, OverflowError) as error:
        message = f"the answer cannot be written down: {error}".encode(errors="replace").decode()
        return Answer(item=answer.item, status="error", error=message)


def _earlier_answers(run: Run) -> dict[tuple[str, int], _Known]:
    """Return (item, trial) → the answer on disk; with its text if a later question of its session builds on it."""
    several = Counter(item.session or "" for item in run.items)
    speaks_on = {item.id for item in run.items if item.session and several[item.session] > 1}
    return {
        (a.item, a.trial): _Known(a.key, a.text if a.item in speaks_on else "", a.status) for a in run.answers_journal
    }


async def ask_all(run: Run, target: Target, asking: AskOptions, progress: Progress = silent) -> int:
    """Ask what is missing; returns how many questions still have no answer (0: the run is whole).

    Call it while `run.writing()`.  Each answer is on disk before the next question of its session is asked; a kill
    loses at most the calls in flight.
    """
    runner = _Runner(
        run,
        target,
        asking,
        progress,
        await asyncio.to_thread(_earlier_answers, run),  # a large run takes seconds, in which a server must go on
        run.manifest.items * run.manifest.trials,
        fingerprint(run.manifest.target),
    )
    try:
        await each(runner.jobs(), runner.session, asking.concurrency)
    finally:
        missing = await asyncio.to_thread(run.close_books, runner.replayed)
        await target.close()
    return missing
