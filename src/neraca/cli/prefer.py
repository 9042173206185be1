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
    *,
    by: Annotated[
        str,
        typer.Option(
            help="Source of the preferences: human, human:Ana, llm:openai:gpt-4o-mini; default: people, and for pairs "
            "that nobody rated the judge, if there is only one.",
            show_default=False,
        ),
    ] = "",
    position: Annotated[
        bool, typer.Option("--position", help="Estimate and remove the advantage of the answer shown first or left.")
    ] = False,
    length: Annotated[
        bool, typer.Option("--length", help="Estimate and remove the advantage of longer answers.")
    ] = False,
    level: options.Level = 0.95,
    unit: options.Unit = "auto",
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Rank runs by the answers that people or a judge prefer.

    The order is that of a Bradley-Terry model, with intervals.
    """
    from neraca.comparisons.preferences import preferences
    from neraca.number_format import percent_level
    from neraca.reports.sentences import preferences as words
    from neraca.translation import say, written_in

    opened = options.open_runs([*dict.fromkeys(runs)])
    ranked = preferences(opened, by=by, position=position, length=length, level=level, unit=unit)
    if output.json:
        show.jsonl(ranked.rows())
        return
    with written_in(report_language):
        title = say(
            "how often answers are preferred, and strength in log odds with {level} intervals",
            level=percent_level(level),
        )
        show.table(title, *words.table(ranked), wide=output.wide)
        if len(ranked.votes.runs) > 2:
            show.result(pairs := words.pair_table(ranked), pairs.title, wide=output.wide)
        show.print_sentences(*words.sentences(ranked))
