"""`neraca compare`: whether the difference is real."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, score_parquet, show
from neraca.cli.difference_rows import made_by, show_differences

Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Run folders; TREC runs, with --qrels; one table with a column of texts or values for each system; or "
        "folders that `neraca score --out` wrote.",
        show_default=False,
    ),
]


def command(
    ctx: typer.Context,
    runs: Runs,
    *,
    metrics: options.Metrics = options.USUAL,
    comparison: options.Comparison,
    sources: options.Sources,
    verdicts: options.Verdicts,
    judge_correction: options.JudgeCorrection,
    level: options.Level = 0.95,
    unit: options.Unit = "auto",
    language: options.Language = "",
    reading: options.Reading,
    plugin: options.Plugins = [],
    output: options.Output,
) -> None:
    """Compare every two runs, or each run with a baseline.

    For each pair: the difference with its interval, the corrected p, and the number of questions needed.
    """
    if score_parquet.compared(ctx.params):
        return
    from neraca.comparisons.compare import compare, name_of_baseline
    from neraca.comparisons.corrected import corrected_differences
    from neraca.comparisons.difference import row
    from neraca.reports.blocks import corrected as corrected_block
    from neraca.reports.sentences.conclusion import conclude
    from neraca.scores.sources.paths import score_paths

    options.load_plugins(plugin)
    settings, paths = comparison.checked(), comparison.add_baseline(list(map(Path, runs)))
    sources = sources._replace(response=comparison.add_column(sources.response))
    single = {"level": level, "unit": unit, "language": language}
    scoring = options.path_options(sources, verdicts, judge_correction, reading, **single)
    scores = score_paths(paths, " ".join(metrics), scoring)
    settings["against"] = name_of_baseline(scores, comparison.against, paths)
    differences = compare(scores, **settings)
    options.speak_notes(scores)
    corrected = corrected_differences(scores, differences, comparison.primary) if scores.labels else None
    if output.json:
        corrections = [corrected_block.columns(pair.correction, pair) for pair in corrected or ()]
        corrections = corrections or [{}] * len(differences)
        show.jsonl([row(difference) | more for difference, more in zip(differences, corrections, strict=True)])
        return
    title = f"paired {made_by(differences)} test, {differences[0].correction} correction"
    show_differences(title, differences, level, output.wide)
    if corrected:
        show.result(corrected.table(1 - level), "corrected by people's labels", wide=output.wide)
        show.say(*corrected_block.of_corrections(corrected, scores))
    finding = conclude(scores, differences, comparison.primary)
    show.say(finding.headline, *finding.details)
