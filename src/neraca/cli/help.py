"""`neraca help`: the guides, in the terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import completion
from neraca.errors import SpecError

#: Where the guides are: in an installed Neraca, and in a checkout of the repository.
_PLACES = (Path(__file__).parents[1] / "guides", Path(__file__).parents[3] / "docs")


def _complete_topic(incomplete: str) -> list[str]:
    from neraca.cli import COMMANDS

    return completion.words(*guides_by_topic(), *COMMANDS)(incomplete)


def command(
    topic: Annotated[
        str,
        typer.Argument(
            metavar="[TOPIC]",
            help="A guide, such as drift, or a command.",
            show_default=False,
            autocompletion=_complete_topic,
        ),
    ] = "",
) -> None:
    """List the guides, or show one in the terminal.

    A topic that has no guide but is a command shows the options of this command.
    """
    guides = guides_by_topic()
    if not topic:
        print("neraca help TOPIC shows a guide:\n")
        width = max(map(len, guides))
        for name, path in guides.items():
            print(f"  {name:<{width}}  {_title(path)}")
        print("\nneraca COMMAND --help shows all options of a command")
    elif topic in guides:
        _show(guides[topic].read_text(encoding="utf-8"), set(guides))
    else:
        _show_options(topic, list(guides))


def guides_by_topic() -> dict[str, Path]:
    """Return the file of each guide by its topic, in alphabetical order.

    Raises
    ------
    SpecError
        If this installation holds no guides.
    """
    folder = next((place for place in _PLACES if place.is_dir()), None)
    if folder is None:
        raise SpecError("no guides are installed; neraca COMMAND --help shows the options of a command")
    return {path.stem: path for path in sorted(folder.rglob("*.md"), key=lambda path: path.stem)}


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        return next(lines).lstrip("#").strip().replace("`", "")


def _show(text: str, topics: set[str]) -> None:
    """Print a guide: as Markdown into a file or pipe, and formatted on a terminal."""
    text = re.sub(r"!\[[^]]*\]\([^)]*\)\n*", "", text)
    text = re.sub(r"\[([^]]+)\]\(([^)\s]+)\)", lambda link: _reference(link[1], link[2], topics), text)
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(text, code_theme="ansi_light", hyperlinks=False), width=min(console.width, 100))


def _reference(words: str, address: str, topics: set[str]) -> str:
    """Return a link in words that say how to follow it in a terminal.

    >>> _reference("drift", "drift.md#the-mix", {"drift"}), _reference("its site", "https://x.org", set())
    ('drift (`neraca help drift`)', 'its site (https://x.org)')
    """
    if "://" in address:
        return f"{words} ({address})"
    topic = Path(address.partition("#")[0]).stem
    return f"{words} (`neraca help {topic}`)" if topic in topics else words


def _show_options(name: str, topics: list[str]) -> None:
    """Print the options of a command.

    Raises
    ------
    SpecError
        If there is neither a guide nor a command of this name.
    """
    from difflib import get_close_matches

    from neraca.cli import COMMANDS, app

    if name in COMMANDS:
        app([name])([name, "--help"], prog_name="neraca")
    near = get_close_matches(name, [*topics, *COMMANDS], n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise SpecError(f"no guide and no command is called {name!r}; {hint}`neraca help` lists the guides")
