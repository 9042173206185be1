"""`neraca reliability`: how far the metrics can be trusted on the data at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak

if TYPE_CHECKING:
    from neraca.metaeval.reliability import Reliability
    from neraca.scores.scores import Scores


def command(
    runs: options.Runs,
    *,
    metrics: options.Metrics = options.USUAL,
    sources: options.Sources,
    at: Annotated[
        float | None,
        typer.Option(
            help="Smallest value with which an answer passes, to count flipped decisions; needed by metrics that are "
            "not 0 or 1.",
            show_default=False,
        ),
    ] = None,
    test: options.Test = "t",
    splits: Annotated[
        int, typer.Option(help="Number of random splits of the questions into halves that are compared.", min=1)
    ] = 1000,
    seed: options.Seed = 0,
    verdicts: options.Verdicts,
    unit: options.Unit = "auto",
    language: options.Language = "",
    level: options.Level = 0.95,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Show how far metrics can be trusted.

    They are compared over repeated trials, over other questions, and with each other.
    """
    from neraca.metaeval.reliability import reliability
    from neraca.scores.sources.paths import score_paths
    from neraca.translation import written_in

    options.load_plugins(plugin)
    scoring = options.path_options(sources, verdicts, unit=unit, language=language, level=level)
    scores = score_paths(runs, " ".join(metrics), scoring)
    result = reliability(scores, at=at, test=test, splits=splits, seed=seed)
    with written_in(report_language):
        _print(scores, result, output)


def _print(scores: Scores, result: Reliability, output: options.Output) -> None:
    from neraca.reports.blocks import correlations
    from neraca.reports.blocks.reliability import tables
    from neraca.reports.sentences.notes import notes
    from neraca.reports.sentences.reliability import missing, sentences

    for note in notes(scores):
        speak(note)
    if output.json:
        show.jsonl(result.rows())
        return
    for table in tables(result):
        show.result(table, "", wide=output.wide)
    common = correlations.sentences(result.correlations) if result.correlations else ()
    show.print_sentences(*sentences(result), *common, *missing(result))
