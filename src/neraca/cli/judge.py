"""`neraca judge`: write verdicts about a run's answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, show


def command(
    runs: options.Runs,
    judge: Annotated[list[str], typer.Option("--judge", help="Which judge; may be given several times.")] = ["rules"],
    settings: Annotated[Path | None, typer.Option(help="A TOML file of the judge's settings.")] = None,
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """Let judges decide; what they decided before and decide again is not written twice."""
    from neraca.judges.judge import judge as let_judge
    from neraca.runs.run import Run

    options.load_plugins(plugin)
    rows = []
    for path in runs:
        for name in judge:
            table = options.toml_table(settings, name) if settings else {}
            rows.append({"run": str(path), "judge": name, "new_verdicts": let_judge(Run(path), name, table)})
    if json:
        show.jsonl(rows)
        return
    for row in rows:
        print(f"{row['run']}: {row['new_verdicts']} new verdicts by {row['judge']}")
