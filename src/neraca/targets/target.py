"""The interface of targets: systems under test that answer one question inside a conversation.

A table of settings describes a target; its key `kind` says which class to make.  The table comes from a study's TOML,
or from a word on the command line such as `python:shop.bot:answer`, `http://127.0.0.1:8000/chat` or
`replay:answers.jsonl`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from neraca.errors import SpecError
from neraca.records import Answer, Item
from neraca.registry import Registry
from neraca.settings import construct
from neraca.translation import say


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation and what the target replied."""

    query: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The earlier turns of this session, and where it takes place.

    Attributes
    ----------
    id
        New for every start of a session.  A target that remembers conversations by id thus begins afresh.
    trial
        The repetition of the data set, from 0.
    turns
        Earlier questions and replies, oldest first.
    folder
        The folder for evidence of a failure, such as a screenshot; None: keep no evidence.
    """

    id: str
    trial: int = 0
    turns: tuple[Turn, ...] = ()
    folder: Path | None = None


@runtime_checkable
class Target(Protocol):
    """A system under test.

    A class without settings needs no `__init__`.  Settings of a study are the keywords of its constructor.

    Attributes
    ----------
    stateful
        Whether the target itself remembers a conversation (by its id).  An interrupted session of such a target
        begins again at its first question, because nobody knows what the target still remembers.
    """

    stateful: bool

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Ask one question.

        Return an answer with the `item.id` and `conversation.trial` of the arguments.  The runner fills in `seconds`
        (unless answers are recorded), `key` and `at` if they are empty.  Raise `TargetError` if there is no answer.  A
        target that is cancelled while an answer streams in attaches the partial answer to the error; see `partial_of`.
        """

    async def close(self) -> None:
        """Give back connections and processes."""


@runtime_checkable
class KeepsConversation(Protocol):
    """A target that holds a resource open for each conversation, such as a page.

    If it no longer holds one, it opens a new one and asks the earlier questions of the conversation again.
    """

    def holds(self, conversation: str) -> bool:
        """Return whether a resource is open for the conversation with this id."""

    async def leave(self, conversation: str) -> None:
        """Close the resource of the conversation with this id; no further question follows in it."""


@runtime_checkable
class PreparesConversation(Protocol):
    """A target that opens something before the first question of a conversation, which takes time of its own."""

    async def prepare(self, item: Item, conversation: Conversation, timeout: float) -> Answer | None:
        """Open what this question needs, within a time limit of the target's own.

        `timeout` is the limit of each earlier question that is asked again meanwhile.  Return None, or a failed answer
        if the question cannot be put.  Raise `TargetError` if another attempt may help.
        """


@runtime_checkable
class OpensAhead(Protocol):
    """A target that can open what a conversation needs while the conversation waits for its turn."""

    async def open_ahead(self, item: Item, conversation: Conversation) -> None:
        """Open it before the first question, `item`; a failure is left to the question that needs it."""


@runtime_checkable
class Replays(Protocol):
    """A target that repeats recorded answers.  The time to find one is not the system's, so the runner notes none."""

    answers_are_recorded: bool


@runtime_checkable
class LooksBack(Protocol):
    """A target that notices if an answer changes after it was returned, or that it may have been cut off."""

    def revised(self, conversation: str) -> Answer | None:
        """Return the last answer but one as it reads now, with the reason in `note`; None if nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Watched:
    """An answer after it was watched.

    Attributes
    ----------
    answer
        The answer as it reads now.
    check
        `passed` if it did not change for as long as is required, `failed` if it changed; "" if it was not watched for
        so long.
    """

    answer: Answer
    check: Literal["", "passed", "failed"] = ""


@runtime_checkable
class WatchesAnswers(Protocol):
    """A target that may change an answer after its end, and therefore watches it."""

    async def watch(self, answer: Answer, conversation: Conversation, *, last: bool) -> Watched:
        """Watch the complete answer that was just returned; `last`: no further question follows in the conversation.

        The time limit of a question does not hold here.
        """


def partial_of(error: BaseException) -> Answer | None:
    """Return the partial answer of a target that was stopped in the middle of an answer, or None if there is none.

    `error` is the `TimeoutError` of an `asyncio.timeout` around `Target.ask`, or the `CancelledError` itself.  The
    answer has the text that had arrived by then, and the status `timeout`, or `suspect` if that seems to be all.
    """
    stopped = error.__cause__ if isinstance(error, TimeoutError) else error
    return next((part for part in getattr(stopped, "args", ()) if isinstance(part, Answer)), None)


Factory = Callable[..., Target]
TARGETS: Registry[Factory] = Registry("target", "neraca.targets")


def settings_of(word: str) -> dict[str, Any]:
    """Return the settings that a word on the command line means; raise `SpecError` if it cannot be read.

    >>> settings_of("python:shop.bot:answer")
    {'kind': 'python', 'function': 'shop.bot:answer'}
    >>> settings_of("http://127.0.0.1:8000/chat")
    {'kind': 'http', 'url': 'http://127.0.0.1:8000/chat'}
    >>> settings_of("browser:http://127.0.0.1:8000/")
    {'kind': 'browser', 'url': 'http://127.0.0.1:8000/'}
    """
    if word.startswith(("http://", "https://")):
        return {"kind": "http", "url": word}
    kind, colon, address = word.partition(":")
    names = {"python": "function", "replay": "file", "command": "command"}
    if not colon or not address:
        forms = "python:MODULE:FUNCTION, http://…, browser:http://…, replay:FILE, command:COMMAND"
        raise SpecError(say("cannot read target {word!r}; write {forms}", word=word, forms=forms))
    return {"kind": kind, names.get(kind, "url"): address}


def make_target(settings: Mapping[str, Any]) -> Target:
    """Make a target from its settings; raise `SpecError` if a setting is unknown, missing or wrong."""
    kind = settings.get("kind")
    if not isinstance(kind, str):
        raise SpecError(say("a target needs a kind, one of: {kinds}", kinds=", ".join(TARGETS.names())))
    who = f"target {str(settings.get('name') or kind)!r}"
    return construct(TARGETS.get(kind), settings, who, ("stateful", "ask", "close"), besides=("kind", "name"))
