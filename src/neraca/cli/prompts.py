"""`neraca prompts`: print or copy the prompts of the judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import completion, options, show, speak


def command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME...]", help="Prompts to print.", show_default=False, autocompletion=completion.prompts
        ),
    ] = [],
    language: Annotated[
        str, typer.Option(help="Language of the prompts; default: English, with --export all languages.")
    ] = "",
    export: Annotated[Path | None, typer.Option(help="Write the prompts to this folder, for you to change.")] = None,
    json: options.Json = False,
) -> None:
    """List, print or copy the prompts of the judges."""
    from neraca.judges.llm.prompt import LANGUAGES
    from neraca.judges.llm.shipped_prompts import export_prompts, judges_of_prompt, prompt_names, shipped_prompt

    if export is not None:
        new, existing = export_prompts(export, names, [language] if language else LANGUAGES)
        _print_files(export, new, existing, json, judges_of_prompt(next(iter(names), "claims"))[0])
        return
    if not names and not json:
        print(f"prompts in {', '.join(LANGUAGES)}, and the judges that read them:\n")
        for name in prompt_names():
            print(f"  {name:<18}{', '.join(judges_of_prompt(name))}")
        print("\nneraca prompts NAME prints one, neraca prompts --export FOLDER writes all of them, to be changed")
        return
    rows = {name: shipped_prompt(name, language or "en") for name in names or prompt_names()}
    if json:
        show.jsonl(
            [{"prompt": name, "judge": ", ".join(judges_of_prompt(name)), "text": text} for name, text in rows.items()]
        )
    else:
        print("\n".join(text.rstrip("\n") + "\n" for text in rows.values()), end="")


def _print_files(folder: Path, new: list[Path], existing: list[Path], json: bool, judge: str) -> None:
    """Print the files, and the command that uses them."""
    from neraca.judges.llm.shipped_prompts import GENERATE
    from neraca.reports.formats.visible_text import visible

    if json:
        show.jsonl([{"file": str(file), "written": file in new} for file in [*new, *existing]])
        return
    for file in new:
        print(visible(str(file)))
    if existing:
        speak(f"already there, and left as they are: {', '.join(map(str, existing))}")
    command = "neraca generate FOLDER" if judge == GENERATE else f"neraca judge RUN --judge {judge}"
    print(
        visible(
            f"\nchange what you like, delete what you leave, then name the folder: "
            f"{command} --model MODEL --prompts {folder}"
        )
    )
