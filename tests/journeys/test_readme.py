"""The page of commands names every command, and the README files that are there."""

from __future__ import annotations

import re
from pathlib import Path

from neraca.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_that_is_named_exists_and_every_command_is_named() -> None:
    commands = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`neraca ([a-z]+)[^`]*`", commands[: commands.index("`--json`")]))
    assert named == {command.name for command in app().registered_commands}


def test_the_files_that_it_names_are_there() -> None:
    for target in re.findall(r"\]\(([\w/.-]+)\)", README):
        assert (ROOT / target).exists(), target
