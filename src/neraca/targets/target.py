"""What a target is: anything that can be asked a question inside a conversation.

A target is described by a flat or nested table of settings, `kind` first: from a study's TOML, or from a word on
the command line such as `python:shop.bot:answer`, `http://127.0.0.1:8000/chat` or `replay:answers.jsonl`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from neraca.errors import SpecError
from neraca.records import Answer, Item
from neraca.registry import Registry


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation and what the target replied."""

    query: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said before in this session.

    Attributes
    ----------
    id
        New for every start of a session, so that a target that keeps conversations by id begins afresh.
    trial
        Which repetition of the data set this is, from 0.
    turns
        Earlier questions and replies, oldest first.
    folder
        Where a target may leave evidence of what went wrong, such as a screenshot; None: nowhere.
    """

    id: str
    trial: int = 0
    turns: tuple[Turn, ...] = ()
    folder: Path | None = None


class Target(Protocol):
    """A system under test.

    Attributes
    ----------
    stateful
        Whether the target itself remembers a conversation (by its id).  A session that was interrupted is then
        begun again from its first question, because nobody knows what the target still remembers.
    """

    stateful: bool

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Ask one question.

        The answer's `item` and `trial` are those given; `seconds`, `key` and `at` are filled in by the runner
        where the target leaves them empty.  Raises `TargetError` when there is no answer.  A target that is
        cancelled while an answer streams in leaves what it has for `partial_of`.
        """

    async def close(self) -> None:
        """Give back connections and processes."""


@runtime_checkable
class KeepsConversation(Protocol):
    """A target that holds something open for each conversation, such as a page.

    What it does not hold any more it begins anew, by asking again what was answered before.
    """

    def holds(self, conversation: str) -> bool:
        """Whether it holds something for the conversation with this id."""

    async def leave(self, conversation: str) -> None:
        """Give back what is held for the conversation with this id: no more is asked in it."""


@runtime_checkable
class LooksBack(Protocol):
    """A target that sees when an answer changes after it was given."""

    def revised(self, conversation: str) -> Answer | None:
        """The answer before the last one as it stands now and why it counts (`note`); None where it is as it was."""


def partial_of(error: BaseException) -> Answer | None:
    """What had come when a target was stopped in the middle of an answer, or None.

    Takes the `TimeoutError` of an `asyncio.timeout` around `Target.ask`, or the `CancelledError` itself.  The
    answer's status is `timeout`; its text is as long as it had become.
    """
    stopped = error.__cause__ if isinstance(error, TimeoutError) else error
    return next((part for part in getattr(stopped, "args", ()) if isinstance(part, Answer)), None)


Factory = Callable[[Mapping[str, Any]], Target]
TARGETS: Registry[Factory] = Registry("target", "neraca.targets")


def settings_of(word: str) -> dict[str, Any]:
    """The settings that a word on the command line stands for.

    >>> settings_of("python:shop.bot:answer")
    {'kind': 'python', 'function': 'shop.bot:answer'}
    >>> settings_of("http://127.0.0.1:8000/chat")
    {'kind': 'http', 'url': 'http://127.0.0.1:8000/chat'}
    >>> settings_of("browser:http://127.0.0.1:8000/")
    {'kind': 'browser', 'url': 'http://127.0.0.1:8000/'}
    """
    if word.startswith(("http://", "https://")):
        return {"kind": "http", "url": word}
    kind, colon, rest = word.partition(":")
    names = {"python": "function", "replay": "file", "command": "command"}
    if not colon or not rest:
        forms = "python:MODULE:FUNCTION, http://…, browser:http://…, replay:FILE or command:COMMAND"
        raise SpecError(f"cannot read target {word!r}; write {forms}")
    return {"kind": kind, names.get(kind, "url"): rest}


def make_target(settings: Mapping[str, Any]) -> Target:
    """Make a target from its settings; raises `SpecError` where one is unknown, missing or wrong."""
    kind = settings.get("kind")
    if not isinstance(kind, str):
        raise SpecError(f"a target needs a kind, one of: {', '.join(TARGETS.names())}")
    return TARGETS.get(kind)(settings)
