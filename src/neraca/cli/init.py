"""`neraca init`: a commented study and a file of questions to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_STARTER = Path(__file__).parent / "starter"


def command(
    folder: Annotated[Path, typer.Argument(help="Where to write; made if it does not exist.")] = Path(),
) -> None:
    """Write study.toml, questions.csv and bot.py, a target that runs as it is; existing files are not touched."""
    from neraca.files import write_atomic

    for source in sorted(_STARTER.iterdir()):
        file = folder / source.name.removesuffix(".txt")
        if file.exists():
            print(f"{file} is there already; left as it is")
            continue
        write_atomic(file, source.read_bytes())
        print(f"wrote {file}")
    print(f"\nNow: neraca run {folder / 'study.toml'}")
