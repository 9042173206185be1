"""`neraca report`: the report of runs that were asked and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, speak
from neraca.cli.baseline_scores import score_with_baseline
from neraca.cli.trec_options import Documents
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference
    from neraca.scores.scores import Scores


def command(
    runs: options.Runs,
    to: options.ReportFile,
    *,
    metrics: options.Metrics = options.USUAL,
    title: Annotated[str, typer.Option(help="Title of the report.")] = "",
    documents: Documents = None,
    group: options.Groups = [],
    sections: Annotated[
        str, typer.Option(help="Only these sections, such as 'metrics differences'; an unknown name prints all names.")
    ] = "",
    report_language: options.ReportLanguage = "",
    comparison: options.Comparison,
    sources: options.Sources,
    verdicts: options.Verdicts,
    judge_correction: options.JudgeCorrection,
    level: options.Level = 0.95,
    intervals: options.Intervals = "t",
    unit: options.Unit = "auto",
    language: options.Language = "",
    reading: options.Reading,
    plugin: options.Plugins = [],
) -> None:
    """Write a report: which run is better, how sure, and why."""
    from neraca.comparisons.compare import compare
    from neraca.comparisons.difference import Differences
    from neraca.reports.formats.write import check_writing

    options.load_plugins(plugin)
    check_writing(to, sections, report_language)
    if language in ("id", "es") and report_language == "en":
        speak(
            say(
                "--language {language} is of the texts; for a report in it, add --report-language {language}",
                language=language,
            )
        )
    shared_options: dict[str, Any] = {
        "level": level,
        "intervals": intervals,
        "unit": unit,
        "language": language,
        "group": group,
    }
    shared_options |= {"documents": documents, "report_language": report_language}
    groups = (verdicts, judge_correction, reading)
    scores, keywords = score_with_baseline(runs, metrics, comparison, sources, *groups, **shared_options)
    differences = compare(scores, **keywords) if len(scores.runs) > 1 else Differences()
    write(
        to,
        scores,
        differences,
        title=title,
        primary=keywords["primary"],
        groups=group or None,
        sections=sections,
        language=report_language,
    )


def write(to: Path, scores: Scores, differences: Sequence[Difference], **settings: Any) -> None:
    """Write the report of scores and their differences, and print its path."""
    from neraca.reports.formats.write import write_report
    from neraca.reports.report import report

    warnings = write_report(to, report(scores, differences, **settings))
    print(to)
    for sentence in warnings:
        speak(sentence)
