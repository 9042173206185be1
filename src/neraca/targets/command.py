"""Ask a program: one process for each question, or one that answers line by line."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import msgspec

from neraca.errors import SpecError, TargetError
from neraca.records import Answer, Item
from neraca.targets.process_tree import OWN_GROUP, kill_tree
from neraca.targets.response_parser import answer_from
from neraca.targets.settings import Secrets, Settings, read
from neraca.targets.target import TARGETS, Conversation
from neraca.targets.template import history, messages
from neraca.translation import say

_MAX_OUTPUT_BYTES = 20_000_000
_KEPT_ERROR_BYTES = 20_000
_SHOWN_CHARACTERS = 1_000
_GRACE_SECONDS = 1.0


class CommandSettings(Settings, frozen=True, kw_only=True):
    """The settings of a `command` target."""

    command: str | list[str]
    cwd: str = "."
    env: dict[str, str] = msgspec.field(default_factory=dict)
    mode: Literal["once", "lines"] = "once"


@TARGETS.register("command")
class CommandTarget:
    """Asks a program.

    Parameters
    ----------
    settings
        `command`: a list of words, or text that is split as a shell would split it; no shell runs.  `cwd`: the
        folder to run in.  `env`: more environment variables; values may hold `${NAME}`.  `mode`: `once` starts a
        process for each question; `lines` keeps one process, which reads one line and writes one line for each
        question.  `stateful`: whether the program itself remembers conversations (default false).

    The program reads a JSON object with `query`, `session`, `history`, `messages`, `trial` and `item` (id, session,
    tags and extra, but nothing about good answers).  In mode `once` it writes a JSON object such as
    `{"text": …, "hits": […]}`, or plain text, to its standard output.  In mode `lines` it writes one JSON object or
    JSON string a line.  A process that is stopped, for example by a time limit, is killed with all its descendants.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        spec = read(CommandSettings, settings)
        target_name = f"target {spec.name or 'command'!r}"
        self._words = _split_words(spec.command, target_name)
        self._secrets = Secrets()
        filled = {name: self._secrets.fill(text, f"{target_name}: env") for name, text in spec.env.items()}
        self._env = {**os.environ, **filled}
        self._cwd = Path(spec.cwd)
        self._program = self._executable(target_name)
        self._lines = spec.mode == "lines"
        self._turn = asyncio.Lock()
        self._process: _Process | None = None
        self.stateful = bool(spec.stateful)

    def _executable(self, target_name: str) -> str:
        """Return the program as a full path: otherwise Windows finds neither `npx.cmd` nor programs below `cwd`."""
        if not self._cwd.is_dir():
            raise SpecError(say("{who}: cwd {cwd!r} is not a folder", who=target_name, cwd=str(self._cwd)))
        program = self._words[0]
        on_path = Path(program).name == program
        below = (self._cwd / program).absolute()
        path = shutil.which(program, path=self._env.get("PATH")) if on_path else shutil.which(below) or below
        if path is None or not Path(path).exists():
            raise SpecError(
                say(
                    "{who}: no program {program!r}; give its path, or check PATH and cwd",
                    who=target_name,
                    program=program,
                )
            )
        return str(Path(path).absolute())

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Write the question and read the answer; see `Target.ask`."""
        question = msgspec.json.encode(_question(item, conversation))
        try:
            return await (self._ask_line if self._lines else self._ask_once)(question, item, conversation)
        except TargetError as error:
            raise TargetError(self._secrets.hide(str(error)), again=error.again, refused=error.refused) from None

    async def close(self) -> None:
        """End the process of mode `lines`."""
        process, self._process = self._process, None
        if process is not None:
            await process.end()

    async def _ask_once(self, question: bytes, item: Item, conversation: Conversation) -> Answer:
        started = perf_counter()
        process = await self._start()
        try:
            process.write(question, end=True)
            await process.wait_until_ended()
            seconds = perf_counter() - started
        finally:
            await process.end()
        process.check(self._words[0])
        return answer_from(_reply(bytes(process.output)), item, conversation, seconds=seconds)

    async def _ask_line(self, question: bytes, item: Item, conversation: Conversation) -> Answer:
        async with self._turn:
            started = perf_counter()
            process, is_new = self._process, False
            if process is None or process.ended:
                await self.close()
                process, is_new = await self._start(), True
                self._process = process
            try:
                if process.output and not is_new:  # a new process may have written anything before its first question
                    raise TargetError(f"{self._words[0]} wrote more than one line for a question")
                process.write(question + b"\n")
                line = await process.line()
                seconds = perf_counter() - started
                if line is None:
                    process.check(self._words[0])
                    raise TargetError(f"{self._words[0]} ended without an answer{process.error_tail()}", again=True)
                reply = self._decode(line)
            except BaseException:  # the next line would answer this question: begin again with a new process
                self._process = None
                await process.end()
                raise
        return answer_from(reply, item, conversation, seconds=seconds)

    def _decode(self, line: bytes) -> Any:
        try:
            return msgspec.json.decode(line)
        except msgspec.DecodeError:
            excerpt = self._secrets.hide(line.decode("utf-8", "replace"))[:_SHOWN_CHARACTERS]
            raise TargetError(f"a line of the program is not JSON: {excerpt!r}; write logs to standard error") from None

    async def _start(self) -> _Process:
        """Start the program.  If this is cancelled, end it with its descendants, for which asyncio would wait."""
        loop = asyncio.get_running_loop()
        starting = asyncio.ensure_future(
            loop.subprocess_exec(
                lambda: _Process(self._secrets.hide),
                self._program,
                *self._words[1:],
                cwd=self._cwd,
                env=self._env,
                **OWN_GROUP,
            )
        )
        try:
            await asyncio.wait([starting])
        except asyncio.CancelledError:
            with suppress(OSError):
                await self._started(await starting).end()
            raise
        try:
            return self._started(await starting)
        except OSError as error:
            raise TargetError(f"cannot start {self._words[0]}: {error.strerror}", again=False) from None

    @staticmethod
    def _started(start: tuple[asyncio.SubprocessTransport, _Process]) -> _Process:
        """Return a process that knows its transport."""
        transport, process = start
        process.transport = transport
        return process


class _Process(asyncio.SubprocessProtocol):
    """A process in a group of its own, and its output.

    It counts as ended when it exits, even if a grandchild still holds its output open.
    """

    transport: asyncio.SubprocessTransport

    def __init__(self, hide: Callable[[str], str]) -> None:
        self.output = bytearray()
        self.ended = False
        self._errors = bytearray()
        self._changed = asyncio.Event()
        self._open = {1, 2}
        self._too_long = False
        self._hide = hide

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep standard output, and the last bytes of standard error."""
        if fd == 1 and not self._too_long:
            self.output += data
            self._too_long = len(self.output) > _MAX_OUTPUT_BYTES
            if self._too_long:
                self._kill()
        elif fd == 2:
            self._errors = (self._errors + data)[-_KEPT_ERROR_BYTES:]
        self._changed.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that an output was closed."""
        self._open.discard(fd)
        self._changed.set()

    def process_exited(self) -> None:
        """Note that the process has ended."""
        self.ended = True
        self._changed.set()

    def write(self, data: bytes, *, end: bool = False) -> None:
        """Hand over a question; do nothing if the program has closed its input."""
        pipe = self.transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(data)
            if end:
                pipe.write_eof()

    async def wait_until_ended(self) -> None:
        """Wait until it has ended and its output has arrived; kill descendants that hold the output open."""
        while not self.ended:
            await self._wait_for_change()
        self._kill()
        await self._drain()

    async def line(self) -> bytes | None:
        """Return the next line when it has come; None if the process ends first."""
        while (cut := self.output.find(b"\n")) < 0:
            if self.ended or not self._open & {1}:
                await self._drain()
                if b"\n" not in self.output:
                    return None
                continue
            await self._wait_for_change()
        line = bytes(self.output[:cut])
        del self.output[: cut + 1]
        return line

    async def _drain(self) -> None:
        """Wait, within the grace period, until the process has ended and all its outputs are closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                while self._open or not self.ended:
                    await self._wait_for_change()

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def check(self, program: str) -> None:
        """Raise `TargetError` if the process wrote too much or ended with an exit code other than 0."""
        if self._too_long:
            raise TargetError(f"{program} wrote more than {_MAX_OUTPUT_BYTES / 1e6:g} MB")
        code = self.transport.get_returncode()
        if code:
            ended = f"was ended by {_signal(-code)}" if code < 0 else f"ended with exit code {code}"
            raise TargetError(f"{program} {ended}{self.error_tail()}", again=code < 0)

    def error_tail(self) -> str:
        """Return the last words on standard error with a colon before them, for messages; "" if there are none."""
        text = self._hide(self._errors.decode("utf-8", "replace")).strip()[-_SHOWN_CHARACTERS:]
        return f": {text}" if text else ""

    async def end(self) -> None:
        """Kill the process and its descendants, and close its pipes."""
        self._kill()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_SECONDS):
                    while not self.ended:
                        await self._wait_for_change()
        finally:
            self.transport.close()

    def _kill(self) -> None:
        kill_tree(self.transport.get_pid(), ended=self.ended)


def _split_words(command: str | list[str], who: str) -> list[str]:
    try:
        words = split_command(command) if isinstance(command, str) else command
    except ValueError as error:
        raise SpecError(
            say("{who}: cannot read command {command!r}: {error}", who=who, command=command, error=error)
        ) from None
    if not words or not words[0]:
        raise SpecError(say("{who}: the command is empty", who=who))
    return words


def split_command(command: str, separator: str = os.sep) -> list[str]:
    r"""Split a command as a shell would; if the backslash separates folders, as on Windows, keep it as it is.

    >>> split_command(r"my\ bot.py --say 'two words'", separator="/")
    ['my bot.py', '--say', 'two words']
    >>> split_command(r'C:\bots\bot.exe --say "two words"', separator="\\")
    ['C:\\bots\\bot.exe', '--say', 'two words']
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    lexer.escape = "" if separator == "\\" else "\\"
    return list(lexer)


def _question(item: Item, conversation: Conversation) -> dict[str, Any]:
    return {
        "query": item.query,
        "session": conversation.id,
        "history": history(conversation),
        "messages": messages(item, conversation),
        "trial": conversation.trial,
        "item": {"id": item.id, "session": item.session, "tags": item.tags, "extra": item.extra},
    }


def _reply(output: bytes) -> Any:
    """Return the JSON object that the program wrote, or all its output as text."""
    text = output.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(text)
    return text


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
