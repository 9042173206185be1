"""`neraca prefer`: which of several runs people or judges prefer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, show

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run folders whose answers were compared.", show_default=False)
]


def command(
    runs: Runs,
    by: Annotated[
        str,
        typer.Option(
            help="Whose word counts: human, human:Ana, llm:openai:gpt-4o-mini; default people's, and the one judge's "
            "where they said nothing.",
            show_default=False,
        ),
    ] = "",
    position: Annotated[
        bool, typer.Option("--position", help="Take out what standing first, or left, adds, and say how much it is.")
    ] = False,
    length: Annotated[
        bool, typer.Option("--length", help="Take out what being longer adds, and say how much it is.")
    ] = False,
    level: options.Level = 0.95,
    unit: options.Unit = "auto",
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Bring runs into one order by comparisons of two answers, by people or a judge (Bradley-Terry), with intervals."""
    from neraca.comparisons.preferences import preferences
    from neraca.number_format import percent_level
    from neraca.reports.sentences import preferences as words

    opened = options.open_runs([*dict.fromkeys(runs)])
    found = preferences(opened, by=by, position=position, length=length, level=level, unit=unit)
    if json:
        show.jsonl(found.rows())
        return
    title = f"how often answers are preferred, and strength in log odds with {percent_level(level)} intervals"
    show.table(title, *words.table(found), wide=wide)
    show.say(*words.sentences(found))
