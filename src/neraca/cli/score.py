"""`neraca score`: numbers, overall and per group."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.errors import SpecError
from neraca.number_format import with_interval

if TYPE_CHECKING:
    from neraca.result import Table
    from neraca.scores.judge_corrections import CorrectedScores
    from neraca.scores.scores import Score, Scores


Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Run folders; with --qrels TREC runs; or one table: of texts, or of values with a column a system; "
        "with --out Parquet files, or folders of them.",
        show_default=False,
    ),
]
Group = Annotated[list[str], typer.Option("--group", "-g", help="A tag to group by, such as category.")]
Out = Annotated[str, typer.Option("--out", "-o", help="Of Parquet files of any size: folder for values, or s3://…")]
Engine = Annotated[str, typer.Option(help="Of --out: local, or ray for tasks of a Ray cluster.")]
Address = Annotated[str, typer.Option(help="Of --engine ray: the cluster; default one of this machine.")]
Workers = Annotated[int, typer.Option(help="Of --out: processes; 0: one for each processor.", min=0)]


def command(
    ctx: typer.Context,
    runs: Runs,
    metrics: options.Metrics = options.USUAL,
    group: Group = [],
    per_item: Annotated[bool, typer.Option("-q", "--per-item", help="A row per question.")] = False,
    qrels: options.Qrels = None,
    topics: options.Topics = None,
    reference: options.References = [],
    response: options.Systems = [],
    relevance: options.Relevance = "auto",
    by: options.By = "",
    combine: options.Combine = "",
    correct: options.Correct = "",
    sample: options.Sample = None,
    level: options.Level = 0.95,
    intervals: options.Intervals = "t",
    unit: options.Unit = "auto",
    out: Out = "",
    engine: Engine = "local",
    address: Address = "",
    workers: Workers = 0,
    language: options.Language = "",
    tokens: options.Tokens = "",
    norm: options.Norm = "",
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Score runs from the verdicts at hand, and keep the numbers in each run's scores.parquet."""
    if out:
        from neraca.cli import score_parquet

        score_parquet.command(ctx.params)
        return
    if engine != "local" or address or workers:
        raise SpecError("--engine, --address and --workers are of Parquet files scored into a folder: add --out FOLDER")
    from neraca.scores.judge_corrections import corrections
    from neraca.scores.sources.paths import PathOptions, score_paths

    options.load_plugins(plugin)
    scores = score_paths([Path(run) for run in runs], " ".join(metrics), PathOptions.of(ctx.params))
    _keep(scores)
    options.speak_notes(scores)
    corrected = corrections(scores, group) if scores.labels else None
    if json:
        _rows(scores, group, corrected, per_item)
        return
    _tables(scores, group, corrected, wide)
    if per_item:
        _items(scores, wide)
    how = "" if intervals == "t" else f" ({_made(intervals)}; of shares Wilson's)"
    show.say(f"{level:.0%} intervals{how}{_basis(scores)}")
    show.say(*scores.signatures.values())
    _say_corrected(scores, corrected)


def _made(intervals: str) -> str:
    """How intervals are made, in a few words."""
    from neraca.reports.blocks.method import INTERVALS

    return INTERVALS[intervals].partition(" (")[0]


def _say_corrected(scores: Scores, corrected: CorrectedScores | None) -> None:
    """Say what people's labels change."""
    if corrected:
        from neraca.reports.blocks import corrected as words

        show.say(*words.of_scores(corrected, scores))


def _rows(scores: Scores, tags: Sequence[str], corrected: CorrectedScores | None, per_item: bool) -> None:
    """Print a row for each score, or for each item; how texts were read goes beside it."""
    from neraca.reports.blocks import corrected as words

    for line in scores.signatures.values():
        speak(line)
    flat = [_flat(row) for rows in (scores.overall(), *map(scores.by_group, tags)) for row in rows]
    if corrected:
        flat = [row | words.columns(one.correction) for row, one in zip(flat, corrected, strict=True)]
    show.jsonl(scores.per_item().rows() if per_item else flat)


def _tables(scores: Scores, tags: Sequence[str], corrected: CorrectedScores | None, wide: bool) -> None:
    table = scores.overall().table()
    show.table("all items", table.columns, table.rows, names=table.names, wide=wide)
    if corrected:
        show.result(corrected.table(), "corrected by people's labels", wide=wide)
    for tag in tags:
        columns, cells, title, names, _ = group_table(scores, tag, scores.by_group(tag))
        show.table(title, columns, cells, names=names, wide=wide)


def _basis(scores: Scores) -> str:
    """What else the numbers rest on."""
    from neraca.scores.score_list import WHATEVER

    meaning = f"; {WHATEVER}: between which values the mean of all lies, whatever the unscored are worth"
    left_out = any(row.unscored and not math.isnan(row.lowest) for row in scores.overall())
    return f"{meaning if left_out else ''}{f'; relevance by {scores.relevance}' if scores.relevance else ''}"


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


def group_table(
    scores: Scores, tag: str, rows: Sequence[Score], system: str = "run", items: str = "questions"
) -> Table:
    """A row for each group and run, a column for each metric; what runs and items are called here is said."""
    from neraca.result import Table

    several = len(scores.runs) > 1
    by_place: dict[tuple[str, str], list[Score]] = {}
    for score in rows:
        by_place.setdefault((score.group, score.run), []).append(score)
    noted = [max(map(len, map(_left_out, column))) for column in zip(*by_place.values(), strict=True)]
    lines = []
    for (group, run), of_group in by_place.items():
        value, n = group.removeprefix(f"{tag}="), of_group[0].n + of_group[0].unscored
        lines.append([value or "–", *([run] if several else []), f"{n:,}", *map(_cell, of_group, noted)])
    names = [tag, *([system] if several else [])]
    return Table([*names, items, *map(scores.title, scores.scored)], lines, f"by {tag}", len(names))


def _cell(score: Score, noted: int) -> str:
    """Return a value with its interval, and in `noted` places what is left out, so that values stand in a column."""
    value = show.number(score.value)
    value = f"{value} {score.interval}".strip() if math.isnan(score.low) else with_interval(value, score.interval)
    return f"{value}{_left_out(score):<{noted}}"


def _left_out(score: Score) -> str:
    return f" ({score.unscored:,} unscored)" if score.unscored else ""


def _items(scores: Scores, wide: bool) -> None:
    names = [str(metric) for metric in scores.metrics]
    for run in scores.runs:
        columns = [(run.values(name).tolist(), run.why(name)) for name in names]
        rows = [
            [str(item), *(why.get(n, "") if math.isnan(each[n]) else show.number(each[n]) for each, why in columns)]
            for n, item in enumerate(run.ids)
        ]
        show.table(run.name, ["item", *names], rows, wide=wide)
