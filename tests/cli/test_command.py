"""Values that need no check are taken as typer would make them, and complaints are typer's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner, Result

from neraca.cli import app
from neraca.cli.command import Command

NAMES: list[str] = ["a b"]
NONE: list[str] = []


def called(cls: type[TyperCommand], words: str) -> tuple[Result, list[dict[str, Any]]]:
    """What a command of this class prints, and what its function is given."""
    given: list[dict[str, Any]] = []
    cli = typer.Typer(add_completion=False)

    def command(
        place: Annotated[Path, typer.Argument()],
        others: Annotated[list[Path], typer.Argument()],
        names: Annotated[list[str], typer.Option("--name", "-n")] = NAMES,
        none: Annotated[list[str], typer.Option()] = NONE,
        file: Annotated[Path | None, typer.Option()] = None,
        home: Annotated[Path, typer.Option()] = Path("here"),
        text: Annotated[str, typer.Option()] = "",
        count: Annotated[int, typer.Option(min=1)] = 3,
        level: Annotated[float | None, typer.Option("-l")] = None,
        quick: Annotated[bool, typer.Option("-q/-Q")] = True,
    ) -> None:
        given.append({name: value for name, value in locals().items() if name != "given"})

    cli.command(cls=cls)(command)
    return CliRunner().invoke(cli, words.split()), given


@pytest.mark.parametrize(
    "words",
    [
        "p o",
        "p o1 o2 -Q -n x -n y",
        "p o -l 1e3 --count 4 --text=--x --home h --file f",
        "-Qnx p -- -o",
        "p o --none z --text 3",
        "",
        "p",
        "p o --count 0",
        "p o --count x",
        "p o -l x",
        "p o -n",
        "p o --no-such",
        "p o --help",
    ],
)
def test_values_and_complaints_are_typers(words: str) -> None:
    (quick, quick_given), (usual, usual_given) = called(Command, words), called(TyperCommand, words)
    assert quick_given == usual_given
    assert (quick.exit_code, quick.output) == (usual.exit_code, usual.output)


def test_lists_of_one_call_are_not_those_of_the_next() -> None:
    cli = typer.Typer()
    given: list[list[str]] = []

    def command(names: Annotated[list[str], typer.Option()] = NAMES) -> None:
        given.append(names)
        names.append("b")

    cli.command(cls=Command)(command)
    for _ in range(2):
        CliRunner().invoke(cli, [])
    assert given == [["a b", "b"], ["a b", "b"]]
    assert NAMES == ["a b"]


def test_help_of_a_command_builds_that_command_alone() -> None:
    assert [info.name for info in app(["trec", "--help"]).registered_commands] == ["trec"]


def test_a_second_file_for_an_option_that_takes_one_is_refused() -> None:
    result, given = called(Command, "place other --file a.csv --file b.csv")
    assert (result.exit_code, given) == (2, [])
    assert "--file is there 2 times, and takes one file: write it once" in result.output
    assert called(Command, "place other --name a --name b --file a.csv --text x --text y")[1][0]["names"] == ["a", "b"]
