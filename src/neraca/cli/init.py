"""`neraca init`: write an example folder that runs without changes; there is one for each kind of user."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import completion, speak
from neraca.translation import say, written_in

#: A folder for each kind, with a folder for each language; files beside these are for every language.
_STARTERS = Path(__file__).parent / "starter"
_KINDS = {
    "thesis": "methods of a chatbot or search, compared: questions, a small system, a study",
    "chatpage": "a chat page, asked the questions of a table in a real browser",
    "trec": "TREC runs with qrels",
    "texts": "a table of references and of what systems said, in several languages",
    "rag": "recorded answers of a RAG system, with contexts and references",
    "online": "an A/B test from the log of a live search site",
}


def command(
    folder: Annotated[Path, typer.Argument(help="Folder to write; created if it does not exist.")] = Path(),
    kind: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="KIND",
            help=f"Kind of example: {', '.join(_KINDS)}; without this option you are asked.",
            show_default=False,
            autocompletion=completion.words(*_KINDS),
        ),
    ] = "",
    language: Annotated[
        str, typer.Option(help="Language of thesis and chatpage: en, id or es; default: en.", show_default=False)
    ] = "",
) -> None:
    """Write an example to start from, which runs without changes.

    Its README.md says what to replace with your own files.
    """
    from neraca.errors import InputError
    from neraca.files import write_atomic

    interactive = not kind
    kind = _check_kind(kind) if kind else _ask_kind()
    language = _language(kind, language, interactive)
    sources = _sources(kind, language)
    changed = [name for name, content in sources.items() if _differs(folder / name, content)]
    if changed:
        raise InputError(
            f"{folder}: {', '.join(changed)} would be overwritten, so nothing was written; "
            f"name a new folder: neraca init --for {kind} --language {language} {kind}"
        )
    for name, content in sources.items():
        write_atomic(folder / name, content)
    with written_in(language):
        for name in sources:
            print(say("wrote {file}", file=folder / name))
        print(f"\n{say('Now:')}")
        if folder.resolve() != Path.cwd():
            print(f"  cd {folder}")
        print(f"  {_first_command(sources['README.md'].decode('utf-8'))}")
        print(say("README.md says what this shows, and what to replace by what."))


def _check_kind(kind: str) -> str:
    """Return the kind; raise `SpecError` if it does not exist."""
    from neraca.errors import SpecError
    from neraca.nearest import nearest

    if kind not in _KINDS:
        raise SpecError(f"--for {kind}: there is no such kind; {nearest(kind, _KINDS)}")
    return kind


def _ask_kind() -> str:
    """Ask on the terminal what to start with; without a terminal, raise `SpecError` that tells how to choose."""
    from neraca.errors import SpecError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for kind, description in _KINDS.items():
            speak(f"--for {kind}: {description}")
        raise SpecError("choose what to start with, such as: neraca init --for thesis")
    for number, (kind, description) in enumerate(_KINDS.items(), 1):
        print(f"{number}  {kind:10}{description}")
    return _choose("What do you have? A number or a name:", list(_KINDS))


def _language(kind: str, language: str, interactive: bool) -> str:
    """Return the language to write; if `interactive` and there are several, ask on the terminal."""
    from neraca.errors import SpecError
    from neraca.languages import code_of

    available = sorted(
        (part.name for part in (_STARTERS / kind).iterdir() if part.is_dir()), key=lambda code: (code != "en", code)
    )
    if language:
        code = code_of(language)
        if code not in available:
            raise SpecError(f"--language {language}: {kind} is written in {', '.join(available)}")
        return code
    if interactive and len(available) > 1:
        return _choose(f"In which language ({', '.join(available)})? Enter: en.", available, default="en")
    return "en"


def _choose(question: str, choices: Sequence[str], default: str = "") -> str:
    """Ask on the terminal for one of the choices, by name or number; an empty reply takes the default."""
    from neraca.errors import SpecError

    while True:
        try:
            reply = input(f"{question} ").strip().lower() or default
        except EOFError:
            raise SpecError(f"nothing was chosen; there are {', '.join(choices)}") from None
        if reply in choices:
            return reply
        if reply.isdecimal() and 1 <= int(reply) <= len(choices):
            return choices[int(reply) - 1]
        print(f"{reply or 'Nothing'} is none of {', '.join(choices)}")


def _sources(kind: str, language: str) -> dict[str, bytes]:
    """Return the content of each file to write, by its name."""
    parts = [*(_STARTERS / kind).iterdir(), *(_STARTERS / kind / language).iterdir()]
    return {part.name.replace(".py.txt", ".py"): part.read_bytes() for part in sorted(parts) if part.is_file()}


def _differs(file: Path, content: bytes) -> bool:
    return file.exists() and (not file.is_file() or file.read_bytes() != content)


def _first_command(readme: str) -> str:
    """Return the first command of a README."""
    lines = readme.splitlines()
    return lines[lines.index("```") + 1]
