"""The command line: one file per command, and the only place that prints or exits.

Exit codes: 0 success, 1 a gate failed, 2 wrong usage or input, 3 incomplete (answers, ratings or many verdicts are
missing, a budget is spent, or the first calls all failed alike).
"""

from __future__ import annotations

import functools
import gc
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Annotated, TextIO

import typer

from neraca.cli.command import Command, Group
from neraca.cli.option_group import expand_groups
from neraca.cli.report_language import settle_language
from neraca.errors import BudgetReached, InputError, NeracaError, NothingUsable
from neraca.translation import say, written_in

COMMANDS = (
    "demo",
    "init",
    "generate",
    "run",
    "ask",
    "traces",
    "receive",
    "judge",
    "pool",
    "rate",
    "agree",
    "prefer",
    "score",
    "compare",
    "gate",
    "report",
    "serve",
    "trec",
    "text",
    "browser",
    "drift",
    "power",
    "ab",
    "interleave",
    "clicks",
    "reliability",
    "metrics",
    "prompts",
    "doctor",
    "help",
)
_HELP = "Compare RAG and search systems: ask, judge, score, compare, report."


def speak(message: str) -> None:
    """Print a message to stderr with control characters replaced; on a terminal wrap it between words."""
    if not message.isprintable():
        from neraca.reports.formats.visible_text import visible

        message = visible(message)
    print("\n".join(_wrapped(f"neraca: {message}", sys.stderr)), file=sys.stderr)


def _wrapped(message: str, stream: TextIO) -> list[str]:
    """Return the lines of a message, wrapped if the stream is a terminal; the later lines are indented."""
    if not stream.isatty():
        return [message]
    from neraca.plain_table import wrap

    columns, indent = os.environ.get("COLUMNS", ""), len("neraca: ")
    width = int(columns) if columns.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    return [part for line in message.split("\n") for part in wrap(line, max(width, 2 * indent), indent, " ")]


def _report_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that prints errors and interruptions in one line and exits with their code."""

    @functools.wraps(command)
    def call(**options: object) -> None:
        with ExitStack() as language:
            _run(command, options, language)

    return call


def _run(command: Callable[..., None], options: dict[str, object], language: ExitStack) -> None:
    """Run a command in its language, in which it also prints its errors."""
    try:
        if (code := settle_language(options)) != "en":
            language.enter_context(written_in(code))
        command(**options)
        sys.stdout.flush()  # inside the try: if the reader has gone, BrokenPipeError is raised here
    except NeracaError as error:
        speak(f"{error}{_advice(error, options)}")
        raise typer.Exit(3 if isinstance(error, BudgetReached | NothingUsable) else 2) from None
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        speak(f"{error.filename or say('the system says')}: {error.strerror or error}")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        speak(say("stopped; what was finished is kept, and the same command goes on"))
        raise typer.Exit(3) from None


def _advice(error: NeracaError, options: Mapping[str, object]) -> str:
    """Return the remedies of an error for which the command has the option; a study's must have been given."""
    remedies = error.remedies if isinstance(error, InputError) else {}
    return "".join(
        say(", or {advice}", advice=advice)
        for name, advice in remedies.items()
        if name in options and (name != "study" or options[name])
    )


def app(words: Sequence[str] = ()) -> typer.Typer:
    """Return the command line.  If the words start with the name of a command, only that command is loaded.

    For `--version` a single command is loaded: typer refuses a command line without any.
    """
    command_line = typer.Typer(
        name="neraca",
        cls=Group,
        help=_HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    command_line.callback()(_callback)
    some = COMMANDS[:1] if list(words) == ["--version"] else COMMANDS
    for name in words[:1] if words and words[0] in COMMANDS else some:
        command = import_module(f"neraca.cli.{name}").command
        command_line.command(name=name, cls=Command)(_report_errors(expand_groups(command)))
    return command_line


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        print(f"neraca {version('neraca')}")
        raise typer.Exit(0)


_Version = Annotated[
    bool,
    typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version, show_default=False),
]


def _callback(version: _Version = False) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command that the process was called with."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # characters that the terminal lacks do not stop a command
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(50_000, 20, 100)  # records form no cycles; looking for cycles took a tenth of the time
    app(_words())(prog_name="neraca")


def _words() -> list[str]:
    """Return the words of this call; if a shell asks how to complete a line, return the words of that line."""
    if "_NERACA_COMPLETE" not in os.environ:
        return sys.argv[1:]
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]
