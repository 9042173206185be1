"""`neraca compare`: whether the difference is real."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, score_parquet, show
from neraca.cli.baseline_scores import score_with_baseline
from neraca.cli.difference_rows import as_in_report, show_differences, title_of_tests
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.comparisons.corrected import CorrectedDifferences
    from neraca.comparisons.difference import Difference
    from neraca.scores.scores import Scores

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
    variants: Annotated[
        bool,
        typer.Option(
            "--variants", help="Compare the variants of the questions in each run, such as misspelt ones, in pairs."
        ),
    ] = False,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Compare every two runs, or each run with a baseline.

    For each pair: the difference with its interval, the corrected p, and the number of questions needed.
    """
    if score_parquet.compared(ctx.params | {"report_language": report_language}):
        return
    from neraca.comparisons.compare import compare
    from neraca.comparisons.corrected import corrected_differences
    from neraca.translation import written_in

    options.load_plugins(plugin)
    shared_options: dict[str, Any] = {
        "level": level,
        "unit": unit,
        "language": language,
        "report_language": report_language,
    }
    groups = (verdicts, judge_correction, reading)
    scores, keywords = score_with_baseline([*map(Path, runs)], metrics, comparison, sources, *groups, **shared_options)
    if variants:
        scores, keywords = _of_variants(scores, keywords)
    differences: Sequence[Difference] = compare(scores, **keywords)
    if not output.json:
        differences = as_in_report(scores, differences, keywords["primary"], keywords["against"])
    corrected = corrected_differences(scores, differences, keywords["primary"]) if scores.labels else None
    with written_in(report_language):
        options.speak_notes(scores)
        _print(scores, differences, corrected, keywords["primary"], level, output)


def _print(
    scores: Scores,
    differences: Sequence[Difference],
    corrected: CorrectedDifferences | None,
    primary: str,
    level: float,
    output: options.Output,
) -> None:
    """Print the differences as JSON Lines, or as tables with what the tests say."""
    from neraca.comparisons.difference import row
    from neraca.reports.blocks import corrected as corrected_block
    from neraca.reports.blocks.table_words import translated
    from neraca.reports.sentences.conclusion import conclude
    from neraca.translation import say

    if output.json:
        corrections = [corrected_block.columns(pair.correction, pair) for pair in corrected or ()]
        corrections = corrections or [{}] * len(differences)
        show.jsonl([row(difference) | more for difference, more in zip(differences, corrections, strict=True)])
        return
    finding = conclude(scores, differences, primary)
    show_differences(title_of_tests(differences, scores.metrics, primary), differences, level, output.wide, finding)
    if corrected:
        show.result(translated(corrected.table(1 - level)), say("corrected by people's labels"), wide=output.wide)
        show.print_sentences(*corrected_block.of_corrections(corrected, scores))
    show.print_finding(finding, wide=output.wide)


def _of_variants(scores: Scores, keywords: dict[str, Any]) -> tuple[Scores, dict[str, Any]]:
    """Return the scores by variant; those of one run are compared with its questions as they were."""
    from neraca.scores.variants import by_variant

    if keywords["against"]:
        raise SpecError("--variants compares the variants of each run with one another; leave --against out")
    apart = by_variant(scores)
    return apart, keywords | {"against": apart.runs[0].name if len(scores.runs) == 1 else ""}
