"""`neraca score`: numbers, overall and per group."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, show, speak
from neraca.errors import SpecError
from neraca.number_format import integer, with_interval

if TYPE_CHECKING:
    from neraca.result import Table
    from neraca.scores.judge_corrections import CorrectedScores
    from neraca.scores.scores import Score, Scores


Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Run folders; TREC runs, with --qrels; one table with a column of texts or values for each system; or, "
        "with --out, Parquet files or folders of them.",
        show_default=False,
    ),
]
Out = Annotated[str, typer.Option("--out", "-o", help="Score Parquet files of any size into this folder or s3://…")]
Engine = Annotated[str, typer.Option(help="With --out: local, or ray for tasks of a Ray cluster.")]
Workers = Annotated[int, typer.Option(help="With --out: number of processes; 0: one for each processor.", min=0)]


def command(
    ctx: typer.Context,
    runs: Runs,
    *,
    metrics: options.Metrics = options.USUAL,
    group: options.Groups = [],
    per_item: Annotated[bool, typer.Option("-q", "--per-item", help="Print a row for each question.")] = False,
    sources: options.Sources,
    verdicts: options.Verdicts,
    judge_correction: options.JudgeCorrection,
    level: options.Level = 0.95,
    intervals: options.Intervals = "t",
    unit: options.Unit = "auto",
    out: Out = "",
    engine: Engine = "local",
    address: options.Address = "",
    workers: Workers = 0,
    language: options.Language = "",
    reading: options.Reading,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Score runs by the verdicts on their answers.

    The scores are kept in the file scores.parquet of each run.
    """
    if out:
        from neraca.cli import score_parquet

        score_parquet.command(ctx.params | {"report_language": report_language})
        return
    if engine != "local" or address or workers:
        raise SpecError(
            "--engine, --address and --workers are for Parquet files scored into a folder: add --out FOLDER"
        )
    from neraca.reports.sentences.unscored import why_unscored
    from neraca.scores.failed_checks import failed_by_item
    from neraca.scores.judge_corrections import corrections
    from neraca.scores.sources.paths import score_paths
    from neraca.translation import written_in

    options.load_plugins(plugin)
    shared_options = {"level": level, "intervals": intervals, "unit": unit, "language": language, "group": group}
    scoring = options.path_options(sources, verdicts, judge_correction, reading, **shared_options)
    scores = score_paths([Path(run) for run in runs], " ".join(metrics), scoring)
    _save(scores)
    corrected = corrections(scores, group) if scores.labels else None
    failed = [failed_by_item(run) for run in scores.runs] if per_item else []
    with written_in(report_language):
        options.speak_notes(scores)
        if output.json:
            _print_rows(scores, group, corrected, per_item)
            return
        _print_tables(scores, group, corrected, output.wide)
        if per_item:
            _print_items(scores, failed, output.wide)
        show.print_sentences(_intervals(scores, intervals), *why_unscored(scores))
        show.print_sentences(*scores.signatures.values())
        _say_corrected(scores, corrected)


def _intervals(scores: Scores, intervals: str) -> str:
    """Return a sentence on how the intervals were made, on bounds for unscored items, and on whose relevance counts."""
    from neraca.number_format import percent_level
    from neraca.translation import say

    level = percent_level(scores.level)
    if intervals == "t":
        text = say("{level} intervals", level=level)
    else:
        method = say(_interval_method(intervals))
        text = say("{level} intervals ({method}; of shares Wilson's)", level=level, method=method)
    return f"{text}{_basis(scores)}"


def _interval_method(intervals: str) -> str:
    """Return the name of a method of intervals, in a few words."""
    from neraca.reports.blocks.method import INTERVALS

    return INTERVALS[intervals].partition(" (")[0]


def _say_corrected(scores: Scores, corrected: CorrectedScores | None) -> None:
    """Print how people's labels correct the scores."""
    if corrected:
        from neraca.reports.blocks import corrected as corrected_block

        show.print_sentences(*corrected_block.of_scores(corrected, scores))


def _print_rows(scores: Scores, tags: Sequence[str], corrected: CorrectedScores | None, per_item: bool) -> None:
    """Print a row for each score, or for each item; print on stderr how texts were read."""
    from neraca.reports.blocks import corrected as corrected_block

    for line in scores.signatures.values():
        speak(line)
    flat = [_flat(row) for rows in (scores.overall(), *map(scores.by_group, tags)) for row in rows]
    if corrected:
        flat = [row | corrected_block.columns(score.correction) for row, score in zip(flat, corrected, strict=True)]
    show.jsonl(_item_rows(scores) if per_item else flat)


def _item_rows(scores: Scores) -> list[dict[str, Any]]:
    """Return a row for each run, item and metric; for Expectations, `why` names the checks that failed."""
    from neraca.scores.failed_checks import failed_by_item, has_checks

    rows = []
    for run in scores.runs:
        failed = failed_by_item(run)
        for metric in scores.scored:
            of_checks = has_checks([metric])
            for place, row in enumerate(run.item_rows(metric)):
                rows.append(row | {"why": failed[place]} if of_checks and place in failed and not row["why"] else row)
    return rows


def _print_tables(scores: Scores, tags: Sequence[str], corrected: CorrectedScores | None, wide: bool) -> None:
    from neraca.reports.blocks.table_words import translated
    from neraca.translation import say

    show.result(translated(scores.overall().table()), say("all items"), wide=wide)
    if corrected:
        show.result(translated(corrected.table()), say("corrected by people's labels"), wide=wide)
    for tag in tags:
        show.result(group_table(scores, tag, scores.by_group(tag)), "", wide=wide)


def _basis(scores: Scores) -> str:
    """Return the end of the sentence on intervals: the bounds for unscored items, and the source of relevance."""
    from neraca.reports.sentences.relevance_words import sources
    from neraca.translation import say

    meaning = say("; if all counted: between which values the mean of all lies, whatever the unscored are worth")
    bounded = any(row.unscored and not math.isnan(row.lowest) for row in scores.overall())
    basis = sources(scores) if scores.relevance and scores.relevance.used else ""
    return f"{meaning if bounded else ''}{say('; relevance by {basis}', basis=basis) if basis else ''}"


def _save(scores: Scores) -> None:
    """Write scores.parquet.  If that fails, print a note and go on, because the scores can be computed again."""
    from neraca.scores.export import save_scores

    try:
        save_scores(scores)
    except OSError as error:
        print(f"neraca: scores.parquet is not written: {error.strerror}", file=sys.stderr)


_COLUMNS = (
    "run",
    "group",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "unscored",
    "lowest",
    "highest",
    "method",
)


def _flat(row: Score) -> dict[str, object]:
    return {name: getattr(row, name) for name in _COLUMNS} | ({"drawn_of": row.drawn_of} if row.drawn_of else {})


def group_table(
    scores: Scores, tag: str, rows: Sequence[Score], system: str = "run", items: str = "questions"
) -> Table:
    """Return a row for each group and run, a column for each metric.

    `system`, `items`: English headings of the columns of runs and of item counts.
    """
    from neraca.reports.sentences.tag_words import tag_words
    from neraca.result import Table
    from neraca.translation import say

    several = len(scores.runs) > 1
    by_place: dict[tuple[str, str], list[Score]] = {}
    for score in rows:
        by_place.setdefault((score.group, score.run), []).append(score)
    widths = [max(map(len, map(_unscored, column))) for column in zip(*by_place.values(), strict=True)]
    lines = []
    for (group, run), of_group in by_place.items():
        value, n = group.removeprefix(f"{tag}="), of_group[0].n + of_group[0].unscored
        lines.append([value or "–", *([run] if several else []), integer(n), *map(_cell, of_group, widths)])
    names = [tag_words(tag), *([say(system)] if several else [])]
    title = say("by {tag}", tag=tag_words(tag))
    return Table([*names, say(items), *map(scores.title, scores.scored)], lines, title, len(names))


def _cell(score: Score, width: int) -> str:
    """Return value, interval and the number of unscored items, which is padded to `width` to align the values."""
    from neraca.reports.blocks.table_words import cell_words

    value, interval = show.number(score.value), cell_words(score.interval)
    value = f"{value} {interval}".strip() if math.isnan(score.low) else with_interval(value, interval)
    return f"{value}{_unscored(score):<{width}}"


def _unscored(score: Score) -> str:
    from neraca.translation import say

    return say(" ({n:,} unscored)", n=score.unscored) if score.unscored else ""


def _print_items(scores: Scores, failures: Sequence[Mapping[int, str]], wide: bool) -> None:
    """Print a table for each run, with a row for each item; `failures` are the failed checks of each run."""
    from neraca.reports.sentences.reasons import reason
    from neraca.scores.failed_checks import FAILED_CHECKS
    from neraca.translation import say

    names = [str(metric) for metric in scores.metrics]
    for run, failed in zip(scores.runs, failures, strict=True):
        columns = [(run.values(name).tolist(), run.why(name)) for name in names]
        rows = [
            [
                str(item),
                *(
                    reason(why.get(n, "")) if math.isnan(values[n]) else show.number(values[n])
                    for values, why in columns
                ),
                *([failed.get(n, "")] if failed else []),
            ]
            for n, item in enumerate(run.ids)
        ]
        show.table(run.name, [say("item"), *names, *([say(FAILED_CHECKS)] if failed else [])], rows, wide=wide)
