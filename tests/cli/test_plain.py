"""Plain words are read as typer reads them, or are left to it."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from neraca.cli.plain import plain
from neraca.cli.trec import command

DEFAULTS = {name: p.default for name, p in inspect.signature(command).parameters.items() if p.default is not p.empty}


def by_typer(words: list[str]) -> dict[str, Any] | None:
    """What typer would call the command with; None where it complains."""
    seen: dict[str, Any] = {}

    @functools.wraps(command)
    def capture(**given: Any) -> None:
        seen.update(given)

    app = typer.Typer(add_completion=False)
    app.command()(capture)
    return seen if CliRunner().invoke(app, words).exit_code == 0 else None


@pytest.mark.parametrize(
    "words",
    [
        "q a",
        "q a b c",
        "q a -q",
        "-q q -C a --per-query",
        "q a -c -C",
        "q a -C -c",
        "q a -m AP -m map,P_5 --metrics nDCG@10",
        "-m AP q -l 2 a",
        "q a --relevant-from 0.5 --float32 -f csv --json",
        "q a b --format markdown --compare --primary AP --test t --correction none",
        "q a --plugin one.py --plugin two/three.py",
        "q a --complete --only-answered",
    ],
)
def test_plain_words_are_read_as_typer_does(words: str) -> None:
    found = plain(command, words.split())
    assert found is not None
    assert DEFAULTS | found == by_typer(words.split())


@pytest.mark.parametrize(
    "words",
    [
        "",
        "q",
        "q a --help",
        "q a -qC",
        "q a --format=csv",
        "q a -fcsv",
        "q a -l -1",
        "q a -l x",
        "q a -l 1e3",
        "q a -l nan",
        "q a -f csv -f json",
        "q a -m",
        "q a -m -q",
        "q a --no-such",
        "q -- a",
        "q -",
    ],
)
def test_other_words_are_left_to_typer(words: str) -> None:
    assert plain(command, words.split()) is None
    assert plain(command, ["q", "a", ""]) is None


WORDS = "q a -q -c -C -m AP -l 2 0.5 -f csv --json --compare --primary -x"


@settings(max_examples=200)
@given(st.lists(st.sampled_from(WORDS.split()), min_size=2, max_size=8))
def test_what_is_read_is_never_something_else_than_typer_reads(words: list[str]) -> None:
    found = plain(command, words)
    assert found is None or DEFAULTS | found == by_typer(words)


def test_kinds_that_it_does_not_know_are_left_to_typer() -> None:
    def other(name: Annotated[Path, typer.Argument()], count: Annotated[int, typer.Option()] = 1) -> None:
        """An int may have bounds."""

    assert plain(other, ["x"]) == {"name": Path("x")}
    assert plain(other, ["x", "--count", "2"]) is None
    assert plain(other, ["x", "y"]) is None
