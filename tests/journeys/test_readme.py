"""The README names every command, and files that are there."""

from __future__ import annotations

import re
from pathlib import Path

from neraca.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_of_the_readme_exists_and_every_command_is_in_it() -> None:
    named = set(
        re.findall(r"`neraca ([a-z]+)[^`]*`", README[README.index("## The commands") : README.index("`--json`")])
    )
    assert named == {command.name for command in app().registered_commands}


def test_the_files_that_it_names_are_there() -> None:
    for target in re.findall(r"\]\(([\w/.-]+)\)", README):
        assert (ROOT / target).exists(), target
