"""`neraca score`: numbers, overall and per group."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak

if TYPE_CHECKING:
    from neraca.scores.scores import RunScores, Score, Scores


def command(
    ctx: typer.Context,
    runs: options.Runs,
    metrics: options.Metrics = options.USUAL,
    group: Annotated[list[str], typer.Option("--group", "-g", help="A tag to group by, such as category.")] = [],
    per_item: Annotated[bool, typer.Option("-q", "--per-item", help="A row per question.")] = False,
    qrels: options.Qrels = None,
    topics: options.Topics = None,
    reference: options.References = [],
    response: options.Systems = [],
    relevance: options.Relevance = "auto",
    by: options.By = "",
    level: options.Level = 0.95,
    intervals: options.Intervals = "t",
    unit: options.Unit = "auto",
    language: options.Language = "",
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """Score runs from the verdicts at hand, and keep the numbers in each run's scores.parquet."""
    from neraca.reports.escape import visible
    from neraca.reports.method import INTERVALS
    from neraca.reports.notes import notes
    from neraca.scores.export import item_rows
    from neraca.scores.paths import PathOptions, score_paths

    options.load_plugins(plugin)
    scores = score_paths(runs, " ".join(metrics), PathOptions.of(ctx.params))
    _keep(scores)
    rows = scores.overall() + [row for tag in group for row in scores.by_group(tag)]
    for note in notes(scores):
        speak(note)
    if json:
        for line in scores.signatures.values():
            speak(line)
        show.jsonl(item_rows(scores) if per_item else [_flat(row) for row in rows])
        return
    names = [str(metric) for metric in scores.metrics]
    for name in dict.fromkeys(row.group for row in rows):
        chosen = [row for row in rows if row.group == name]
        show.table(name or "all items", ["run", *names], [_line(run.name, chosen) for run in scores.runs])
    if per_item:
        _items(scores.runs, names)
    how = "" if intervals == "t" else f" ({INTERVALS[intervals].partition(' (')[0]}; of shares Wilson's)"
    left_out = "unscored: between which values the mean of all lies whatever these are"
    whose = f"; relevance by {scores.relevance}" if scores.relevance else ""
    print(f"mean with {level:.0%} interval{how}, n scored ({left_out}){whose}")
    for line in scores.signatures.values():
        print(visible(line))


def _keep(scores: Scores) -> None:
    """Write scores.parquet; where that fails the numbers are printed all the same, since they are derived."""
    from neraca.scores.export import save_scores

    try:
        save_scores(scores)
    except OSError as error:
        print(f"neraca: scores.parquet is not written: {error.strerror}", file=sys.stderr)


_COLUMNS = ("run", "group", "metric", "value", "low", "high", "n", "unscored", "lowest", "highest", "method")


def _flat(row: Score) -> dict[str, object]:
    return {name: getattr(row, name) for name in _COLUMNS}


def _line(run: str, rows: list[Score]) -> list[str]:
    cells = []
    for row in rows:
        if row.run == run:
            left_out = f" ({row.unscored}{_whatever(row)})" if row.unscored else ""
            cells.append(f"{show.number(row.value)} {show.bounds(row.low, row.high)} n={row.n}{left_out}")
    return [run, *cells]


def _whatever(row: Score) -> str:
    return "" if math.isnan(row.lowest) else f": {show.number(row.lowest)} to {show.number(row.highest)}"


def _items(runs: Sequence[RunScores], names: list[str]) -> None:
    for run in runs:
        columns = [(run.values(name).tolist(), run.why(name)) for name in names]
        rows = [
            [str(item), *(why.get(n, "") if math.isnan(each[n]) else show.number(each[n]) for each, why in columns)]
            for n, item in enumerate(run.ids)
        ]
        show.table(run.name, ["item", *names], rows)
