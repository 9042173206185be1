"""`neraca report`: the report of runs that were asked and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, speak

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference
    from neraca.scores.scores import Scores


def command(
    ctx: typer.Context,
    runs: options.Runs,
    to: Annotated[
        Path,
        typer.Option(
            help="The file: .html, .md, .tex, .docx, .pdf, .txt (answers in full), .json (all sentences and numbers), "
            ".xlsx, .csv; .svg or .png: the figure of the primary metric; a FOLDER gets all tables and figures.",
            show_default=False,
        ),
    ],
    metrics: options.Metrics = options.USUAL,
    title: Annotated[str, typer.Option(help="The report's title.")] = "",
    primary: Annotated[str, typer.Option(help="The metric on which the decision rests; default the first.")] = "",
    group: Annotated[list[str] | None, typer.Option("--group", "-g", help="A tag to group by.")] = None,
    sections: Annotated[
        str, typer.Option(help="Only these sections, such as 'metrics differences'; a wrong name lists all.")
    ] = "",
    report_language: options.ReportLanguage = "en",
    test: options.Test = "t",
    seed: options.Seed = 0,
    correction: options.Correction = "holm",
    margin: options.Margin = options.NO_MARGIN,
    bayes: options.Bayes = False,
    against: options.Against = "",
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
    language: options.Language = "",
    tokens: options.Tokens = "",
    norm: options.Norm = "",
    plugin: options.Plugins = [],
) -> None:
    """Write one file that says who is better, by how much, how sure, and why."""
    from neraca.comparisons.compare import check_comparing, compare, name_of_baseline
    from neraca.comparisons.difference import Differences
    from neraca.reports.formats.write import check_writing
    from neraca.scores.sources.paths import PathOptions, score_paths

    options.load_plugins(plugin)
    check_writing(to, sections, report_language)
    within = options.margin_of(margin)
    check_comparing(test, correction, seed, within, bayes, against)
    runs, columns = options.with_baseline(runs, against), options.with_column(response, against)
    scores = score_paths(runs, " ".join(metrics), PathOptions.of(ctx.params | {"response": columns}))
    baseline = name_of_baseline(scores, against, runs)
    how: dict[str, Any] = {"test": test, "correction": correction, "seed": seed, "margin": within, "bayes": bayes}
    differences = compare(scores, primary=primary, against=baseline, **how) if len(scores.runs) > 1 else Differences()
    write(
        to, scores, differences, title=title, primary=primary, groups=group, sections=sections, language=report_language
    )


def write(to: Path, scores: Scores, differences: Sequence[Difference], **how: Any) -> None:
    """Write the report of scores and their differences, and print where."""
    from neraca.reports.formats.write import write_report
    from neraca.reports.report import report

    left_out = write_report(to, report(scores, differences, **how))
    print(to)
    for sentence in left_out:
        speak(sentence)
