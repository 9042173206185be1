"""A group of options stands for its options: in `--help`, on the command line, and in what the command gets."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from neraca.cli import COMMANDS
from neraca.cli.command import Command
from neraca.cli.option_group import expand_groups, option_parameters

Cli = Callable[..., Any]


class Colours(NamedTuple):
    """Two options."""

    colour: Annotated[list[str], typer.Option(help="A colour.")] = []  # noqa: RUF012
    dark: Annotated[bool, typer.Option("--dark")] = False


def paint(wall: Annotated[str, typer.Argument()], *, coats: int = 1, colours: Colours, tool: str = "brush") -> None:
    """Paint a wall."""
    print(wall, coats, colours, tool)


def run(*words: str) -> tuple[int, str]:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command(cls=Command)(expand_groups(paint))
    told = CliRunner().invoke(app, words)
    return told.exit_code, told.output


def test_options_of_a_group_stand_at_its_place() -> None:
    names = [(parameter.name, parameter.default) for parameter in option_parameters(paint)][1:]
    assert names == [("coats", 1), ("colour", []), ("dark", False), ("tool", "brush")]
    code, text = run("--help")
    places = [text.index(name) for name in ("Paint a wall.", "--coats", "--colour", "A colour.", "--dark", "--tool")]
    assert (code, places) == (0, sorted(places))


def test_a_command_gets_the_group_filled() -> None:
    assert run("x") == (0, "x 1 Colours(colour=[], dark=False) brush\n")
    words = ("x", "--colour", "red", "--colour", "blue", "--dark", "--coats", "2", "--tool", "roller")
    assert run(*words) == (0, "x 2 Colours(colour=['red', 'blue'], dark=True) roller\n")
    assert run("--dark")[0] == run("x", "--coats", "no")[0] == 2


def test_the_list_of_commands_shows_the_first_sentence_of_each_in_eighty_columns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli("--help").out.splitlines()
    shown = dict(line.split(maxsplit=1) for line in lines[lines.index("Commands:") + 1 :])
    assert tuple(shown) == COMMANDS
    assert [text for text in shown.values() if not text.endswith(".") or text.endswith("...")] == []
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_names_each_option_once_and_helps(name: str) -> None:
    parameters = option_parameters(import_module(f"neraca.cli.{name}").command)
    names = [parameter.name for parameter in parameters if parameter.name != "ctx"]
    assert len(names) == len(set(names))
    helps = [parameter.annotation.__metadata__[0].help for parameter in parameters if parameter.name != "ctx"]
    assert [text for text in helps if not text[0].isupper()] == []
    begins = ("How ", "Of ", "That ", "Those ", "What ", "Where ", "Which ", "Whoever ", "Whose ")
    assert [text for text in helps if text.startswith(begins)] == []
