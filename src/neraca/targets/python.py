"""Ask a Python function: plain or async, with whole answers or streamed pieces."""

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

from neraca.errors import SpecError, TargetError
from neraca.nearest import nearest
from neraca.records import Answer, Item
from neraca.registry import load_file
from neraca.targets.response_parser import USUAL, answer_from
from neraca.targets.settings import Settings, read
from neraca.targets.stream import Assembly
from neraca.targets.target import TARGETS, Conversation
from neraca.targets.template import history, messages
from neraca.translation import say

_ARGUMENTS: dict[str, Callable[[Item, Conversation], Any]] = {
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

    Each parameter receives the value that its name says: `query`, `history` (earlier turns, oldest first,
    as `{"query": …, "text": …}`), `messages` (history and question as chat messages), `session` (the conversation's
    id), `trial`, `item` (the whole `Item`).  Required parameters of other names receive the question, then the history,
    unless a parameter has that name.  A plain function runs in a thread of its own.  A call that outlives its time
    limit cannot be stopped, but nothing waits for it.

    It returns text, a table (`{"text": …, "hits": […], "calls": […], "usage": {…}}` and other usual names), a pair
    (text, hits), a list of hits, an `Answer`, or an iterator of pieces: text, lists of hits, or tables.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        spec = read(PythonSettings, settings)
        self._set_function(find_function(spec.function), spec.function, bool(spec.stateful))

    @classmethod
    def of(cls, function: Callable[..., Any], *, stateful: bool = False) -> Self:
        """Make a target that asks this function or callable object."""
        target = cls.__new__(cls)
        target._set_function(function, getattr(function, "__qualname__", type(function).__qualname__), stateful)
        return target

    def _set_function(self, function: Callable[..., Any], name: str, stateful: bool) -> None:
        self._function = function
        self._name = name
        self._positional, self._by_keyword = _read_parameters(function, name)
        self.stateful = stateful

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Call the function; see `Target.ask`.  An exception of the function becomes a `TargetError`."""
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
            raise TargetError(f"{self._name} raised {_describe_error(error)}", again=again) from error

    async def close(self) -> None:
        """Nothing to give back."""

    async def _ask(self, item: Item, conversation: Conversation) -> Answer:
        arguments = [_ARGUMENTS[name](item, conversation) for name in self._positional]
        keywords = {name: _ARGUMENTS[name](item, conversation) for name in self._by_keyword}
        assembly = Assembly(USUAL)
        if _returns_awaitable(self._function):
            reply = self._function(*arguments, **keywords)
        else:
            with assembly.partial_when_stopped(item, conversation):
                reply = await _in_daemon_thread(lambda: _drain(self._function(*arguments, **keywords), assembly))
        if inspect.isawaitable(reply):
            reply = await reply
        if isinstance(reply, AsyncIterator):
            with assembly.partial_when_stopped(item, conversation):
                reply = await _drain_async(reply, assembly)
        elif isinstance(reply, Iterator):
            with assembly.partial_when_stopped(item, conversation):
                reply = await _in_daemon_thread(lambda: _drain(reply, assembly))
        seconds = perf_counter() - assembly.started
        return assembly.answer(item, conversation) if reply is assembly else _answer(reply, item, conversation, seconds)


def _answer(reply: Any, item: Item, conversation: Conversation, seconds: float) -> Answer:
    plain = _to_builtins(reply)
    if isinstance(reply, Answer):
        plain = msgspec.convert(plain, Answer)
    return answer_from(plain, item, conversation, seconds=seconds)


def _to_builtins(reply: Any) -> Any:
    """Convert objects to tables and lists of JSON values."""
    return reply if isinstance(reply, str) else msgspec.to_builtins(reply, str_keys=True, enc_hook=_as_builtin)


def _as_builtin(value: Any) -> Any:
    for name in ("model_dump", "tolist", "_asdict"):
        convert = getattr(value, name, None)
        if callable(convert):
            return convert()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def _returns_awaitable(function: Callable[..., Any]) -> bool:
    """Return whether a call returns at once: true of coroutine functions and async generators."""
    called = function if inspect.isroutine(function) else type(function).__call__
    tests = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(test(candidate) for test in tests for candidate in (function, called))


def _drain(reply: Any, assembly: Assembly) -> Any:
    """Add the pieces of an iterator to the assembly and return it; return any other reply as it is."""
    if not isinstance(reply, Iterator):
        return reply
    for piece in reply:
        assembly.add(_to_builtins(piece))
    return assembly


async def _drain_async(reply: AsyncIterator[Any], assembly: Assembly) -> Assembly:
    try:
        async for piece in reply:
            assembly.add(_to_builtins(piece))
    finally:
        if inspect.isasyncgen(reply):
            await reply.aclose()
    return assembly


async def _in_daemon_thread(work: Callable[[], Any]) -> Any:
    """Run `work` in a thread of its own and return its result.

    A pool would be too small for slow systems.  The thread is a daemon, so that a call that never returns does not
    keep the program from ending.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(outcome: tuple[Any, BaseException | None]) -> None:
        if not future.done():
            future.set_result(outcome)

    def run() -> None:
        try:
            outcome: tuple[Any, BaseException | None] = (context.run(work), None)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            outcome = (None, error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, outcome)

    threading.Thread(target=run, name="neraca-ask", daemon=True).start()
    result, error = await future
    if error is not None:
        raise error
    return result


def _describe_error(error: BaseException) -> str:
    """Describe an error: its type, its message, and the line that raised it."""
    message = f"{type(error).__name__}: {error}".removesuffix(": ")
    own_frames = (__file__, "<frozen")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(own_frames)]
    return f"{message} ({Path(frames[-1].filename).name} line {frames[-1].lineno})" if frames else message


def _read_parameters(function: Callable[..., Any], name: str) -> tuple[list[str], list[str]]:
    """Return the keys of `_ARGUMENTS` to pass by position and by keyword; raise `SpecError` for other parameters."""
    if not callable(function):
        raise SpecError(say("{name} is not a function but {kind}", name=name, kind=type(function).__name__))
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ["query"], []
    declared = {parameter.name for parameter in parameters}
    spare = [argument for argument in ("query", "history") if argument not in declared]
    positional_names: list[str] = []
    keyword_names: list[str] = []
    still_positional = True
    for parameter in parameters:
        is_positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        required = parameter.default is parameter.empty
        if parameter.name in _ARGUMENTS and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            (positional_names if is_positional and still_positional else keyword_names).append(parameter.name)
        elif is_positional and required and spare:
            positional_names.append(spare.pop(0))
        elif required and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            names = ", ".join(_ARGUMENTS)
            raise SpecError(
                say(
                    "{name} requires {parameter!r}; a target's function can have: {names}",
                    name=name,
                    parameter=parameter.name,
                    names=names,
                )
            )
        else:
            still_positional = False
    if not {"query", "messages", "item"} & {*positional_names, *keyword_names}:
        raise SpecError(say("{name} takes no question; declare a parameter, for example def answer(query)", name=name))
    return positional_names, keyword_names


def find_function(text: str) -> Callable[..., Any]:
    """Return the function that `module:function` or `file.py:function` names; raise `SpecError` if there is none."""
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name:
        raise SpecError(
            say("cannot read function {text!r}; write module:function or path/to/file.py:function", text=text)
        )
    module = load_file(Path(where)) if where.endswith(".py") else _import_module(where)
    try:
        function: Callable[..., Any] = attrgetter(name)(module)
    except AttributeError:
        functions = sorted(key for key, value in vars(module).items() if callable(value) and not key.startswith("_"))
        raise SpecError(
            say("{where} has no {name!r}; {advice}", where=where, name=name, advice=nearest(name, functions))
        ) from None
    return function


def _import_module(name: str) -> ModuleType:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise SpecError(
                say("no module {name!r} in {folder} or among installed packages", name=error.name, folder=folder)
            ) from None
        raise SpecError(say("{name} cannot be imported: {error}", name=name, error=_describe_error(error))) from error
    except (Exception, SystemExit) as error:
        raise SpecError(say("{name} cannot be imported: {error}", name=name, error=_describe_error(error))) from error
