"""The command line: one file per command, and the only place that prints or exits.

Exit codes: 0 fine, 1 a gate failed, 2 wrong usage or input, 3 not complete: answers, ratings or many verdicts are
missing, or a budget is spent.
"""

from __future__ import annotations

import functools
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from neraca.cli.command import Command, Group
from neraca.errors import BudgetReached, NeracaError

COMMANDS = (
    "demo",
    "init",
    "run",
    "ask",
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
    "power",
    "ab",
    "interleave",
    "clicks",
    "reliability",
    "metrics",
    "prompts",
    "doctor",
)


def speak(message: str) -> None:
    """Say something on stderr, in which no name steers the terminal."""
    if not message.isprintable():
        from neraca.reports.formats.escape import visible

        message = visible(message)
    print(f"neraca: {message}", file=sys.stderr)


def _spoken(command: Callable[..., None]) -> Callable[..., None]:
    """A command that says in one line what was wrong with its input, or that it was stopped."""

    @functools.wraps(command)
    def call(*args: object, **options: object) -> None:
        try:
            command(*args, **options)
            sys.stdout.flush()  # here, where somebody hears that nobody reads any more
        except NeracaError as error:
            speak(str(error))
            raise typer.Exit(3 if isinstance(error, BudgetReached) else 2) from None
        except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            speak(f"{error.filename or 'the system says'}: {error.strerror or error}")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            speak("stopped; what was finished is kept, and the same command goes on")
            raise typer.Exit(3) from None

    return call


def app(words: Sequence[str] = ()) -> typer.Typer:
    """The command line for these words: of the commands only the one that they name, where they start with one."""
    made = typer.Typer(
        name="neraca",
        cls=Group,
        help="Weighs RAG and search systems against each other: ask, judge, score, compare, report.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    made.callback()(_nothing)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        made.command(name=name, cls=Command)(_spoken(import_module(f"neraca.cli.{name}").command))
    return made


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"neraca {version('neraca')}")
        raise typer.Exit(0)


_Version = Annotated[
    bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_version, show_default=False)
]


def _nothing(version: _Version = False) -> None:
    """Weighs RAG and search systems against each other: ask, judge, score, compare, report."""


def main() -> None:
    """Run the command that the process was called with."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name or a sign that the terminal cannot show is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(50_000, 20, 100)  # records are many and in no cycles: looking for these took a tenth of the time
    app(sys.argv[1:])()
