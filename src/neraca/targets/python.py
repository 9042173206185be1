"""A Python function as a system under test: plain or async, whole answers or pieces as they come."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import importlib.util
import inspect
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any, Self

import msgspec

from neraca.errors import SpecError, TargetError, nearest
from neraca.records import Answer, Item
from neraca.registry import load_file
from neraca.targets.response_parser import USUAL, answer_from
from neraca.targets.settings import Settings, read
from neraca.targets.stream import Assembly
from neraca.targets.target import TARGETS, Conversation
from neraca.targets.template import history, messages

_GIVES: dict[str, Callable[[Item, Conversation], Any]] = {
    "query": lambda item, _: item.query,
    "history": lambda _, conversation: history(conversation),
    "messages": messages,
    "session": lambda _, conversation: conversation.id,
    "trial": lambda _, conversation: conversation.trial,
    "item": lambda item, _: item,
}


class PythonSettings(Settings, frozen=True, kw_only=True):
    """The settings of a `python` target."""

    function: str


@TARGETS.register("python")
class PythonTarget:
    """Asks a Python function.

    Parameters
    ----------
    settings
        `function`: `module:function` or `path/to/file.py:function`; modules are looked for in the current
        directory, too.  `stateful`: whether the function itself remembers conversations (default false).

    The function is called with what its parameters are named: `query`, `history` (earlier turns, oldest first, as
    `{"query": …, "text": …}`), `messages` (the same and the question as chat messages), `session` (the
    conversation's id), `trial`, `item` (the whole `Item`).  Parameters of other names get the question, then the
    history.  A plain function runs in a thread of its own; what outlives its time limit cannot be stopped, but
    holds nobody up.

    It returns text, a table (`{"text": …, "hits": […], "calls": […], "usage": {…}}` and other usual names), a pair
    (text, hits), a list of hits, an `Answer`, or an iterator of pieces: text, lists of hits, or tables.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        spec = read(PythonSettings, settings)
        self._set(_find(spec.function), spec.function, bool(spec.stateful))

    @classmethod
    def of(cls, function: Callable[..., Any], *, stateful: bool = False) -> Self:
        """A target that asks this function or callable object."""
        made = cls.__new__(cls)
        made._set(function, getattr(function, "__qualname__", type(function).__qualname__), stateful)
        return made

    def _set(self, function: Callable[..., Any], name: str, stateful: bool) -> None:
        self._function = function
        self._name = name
        self._by_place, self._by_name = _wishes(function, name)
        self.stateful = stateful

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Call the function; see `Target.ask`.  What it raises becomes a `TargetError`."""
        try:
            return await self._ask(item, conversation)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise TargetError(f"{self._name} cancelled itself (CancelledError)") from None
        except TargetError:
            raise
        except (Exception, SystemExit) as error:
            again = isinstance(error, ConnectionError | TimeoutError)
            raise TargetError(f"{self._name} raised {_told(error)}", again=again) from error

    async def close(self) -> None:
        """Nothing to give back."""

    async def _ask(self, item: Item, conversation: Conversation) -> Answer:
        values = [_GIVES[wish](item, conversation) for wish in self._by_place]
        named = {wish: _GIVES[wish](item, conversation) for wish in self._by_name}
        assembly = Assembly(USUAL)
        if _waits(self._function):
            reply = self._function(*values, **named)
        else:
            with assembly.kept_when_stopped(item, conversation):
                reply = await _in_thread(lambda: _drain(self._function(*values, **named), assembly))
        if inspect.isawaitable(reply):
            reply = await reply
        if isinstance(reply, AsyncIterator):
            with assembly.kept_when_stopped(item, conversation):
                reply = await _drain_async(reply, assembly)
        elif isinstance(reply, Iterator):
            with assembly.kept_when_stopped(item, conversation):
                reply = await _in_thread(lambda: _drain(reply, assembly))
        seconds = perf_counter() - assembly.started
        return assembly.answer(item, conversation) if reply is assembly else _made(reply, item, conversation, seconds)


def _made(reply: Any, item: Item, conversation: Conversation, seconds: float) -> Answer:
    plain = _plain(reply)
    if isinstance(reply, Answer):
        plain = msgspec.convert(plain, Answer)
    return answer_from(plain, item, conversation, seconds=seconds)


def _plain(reply: Any) -> Any:
    """Objects as tables, tuples and lists of what JSON can hold."""
    return reply if isinstance(reply, str) else msgspec.to_builtins(reply, str_keys=True, enc_hook=_as_builtin)


def _as_builtin(thing: Any) -> Any:
    for name in ("model_dump", "tolist", "_asdict"):
        convert = getattr(thing, name, None)
        if callable(convert):
            return convert()
    if isinstance(thing, Mapping):
        return dict(thing)
    return str(thing)


def _waits(function: Callable[..., Any]) -> bool:
    """Whether calling it returns at once: coroutine functions and async generators."""
    called = function if inspect.isroutine(function) else type(function).__call__
    tests = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(test(one) for test in tests for one in (function, called))


def _drain(reply: Any, assembly: Assembly) -> Any:
    """An iterator's pieces put together; everything else as it is."""
    if not isinstance(reply, Iterator):
        return reply
    for piece in reply:
        assembly.add(_plain(piece))
    return assembly


async def _drain_async(reply: AsyncIterator[Any], assembly: Assembly) -> Assembly:
    try:
        async for piece in reply:
            assembly.add(_plain(piece))
    finally:
        if inspect.isasyncgen(reply):
            await reply.aclose()
    return assembly


async def _in_thread(work: Callable[[], Any]) -> Any:
    """Run in a thread of its own.

    Not in a pool, which would be too small for slow systems; and a daemon, so that a call that never returns does
    not keep the program from ending.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def tell(outcome: tuple[Any, BaseException | None]) -> None:
        if not future.done():
            future.set_result(outcome)

    def run() -> None:
        try:
            outcome: tuple[Any, BaseException | None] = (context.run(work), None)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            outcome = (None, error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, outcome)

    threading.Thread(target=run, name="neraca-ask", daemon=True).start()
    result, error = await future
    if error is not None:
        raise error
    return result


def _told(error: BaseException) -> str:
    """Type and message of an error, and the line that raised it."""
    message = f"{type(error).__name__}: {error}".removesuffix(": ")
    ours = (__file__, "<frozen")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(ours)]
    return f"{message} ({Path(frames[-1].filename).name} line {frames[-1].lineno})" if frames else message


def _wishes(function: Callable[..., Any], name: str) -> tuple[list[str], list[str]]:
    """What the function wants by place and by name; raises `SpecError` for what nobody can give."""
    if not callable(function):
        raise SpecError(f"{name} is not a function but {type(function).__name__}")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ["query"], []
    declared = {parameter.name for parameter in parameters}
    spare = [wish for wish in ("query", "history") if wish not in declared]
    by_place: list[str] = []
    by_name: list[str] = []
    placed = True
    for parameter in parameters:
        positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        required = parameter.default is parameter.empty
        if parameter.name in _GIVES and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            (by_place if positional and placed else by_name).append(parameter.name)
        elif positional and required and spare:
            by_place.append(spare.pop(0))
        elif required and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise SpecError(f"{name} wants {parameter.name!r}; a target's function can have: {', '.join(_GIVES)}")
        else:
            placed = False
    if not {"query", "messages", "item"} & {*by_place, *by_name}:
        raise SpecError(f"{name} takes no question; declare a parameter, for example def answer(query)")
    return by_place, by_name


def _find(text: str) -> Callable[..., Any]:
    """The function that `module:function` or `file.py:function` names; raises `SpecError`."""
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name:
        raise SpecError(f"cannot read function {text!r}; write module:function or path/to/file.py:function")
    module = load_file(Path(where)) if where.endswith(".py") else _import_module(where)
    try:
        function: Callable[..., Any] = attrgetter(name)(module)
    except AttributeError:
        known = sorted(key for key, value in vars(module).items() if callable(value) and not key.startswith("_"))
        raise SpecError(f"{where} has no {name!r}; {nearest(name, known)}") from None
    return function


def _import_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise SpecError(f"no module {error.name!r} in {here} or among installed packages") from None
        raise SpecError(f"{name} cannot be imported: {_told(error)}") from error
    except (Exception, SystemExit) as error:
        raise SpecError(f"{name} cannot be imported: {_told(error)}") from error
