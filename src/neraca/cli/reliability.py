"""`neraca reliability`: how far the metrics can be trusted on the data at hand."""

from __future__ import annotations

from typing import Annotated

import typer

from neraca.cli import options, show, speak


def command(
    ctx: typer.Context,
    runs: options.Runs,
    metrics: options.Metrics = options.USUAL,
    qrels: options.Qrels = None,
    topics: options.Topics = None,
    reference: options.References = [],
    response: options.Systems = [],
    at: Annotated[
        float | None,
        typer.Option(
            help="From which value on an answer passes (flipped decisions), in metrics that are not 0 or 1.",
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            help="Of every two runs: t, wilcoxon, sign, randomisation, bootstrap, mcnemar; tukey: all at once."
        ),
    ] = "t",
    splits: Annotated[int, typer.Option(help="Random halves of the questions that are compared.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Of what is drawn at random.", min=0)] = 0,
    relevance: options.Relevance = "auto",
    by: options.By = "",
    combine: options.Combine = "",
    unit: options.Unit = "auto",
    language: options.Language = "",
    level: options.Level = 0.95,
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Show how far metrics can be trusted: asked again (trials), with other questions, and beside each other."""
    from neraca.metaeval.reliability import reliability
    from neraca.reports.sentences.notes import notes
    from neraca.scores.sources.paths import PathOptions, score_paths

    options.load_plugins(plugin)
    scores = score_paths(runs, " ".join(metrics), PathOptions.of(ctx.params))
    result = reliability(scores, at=at, test=test, splits=splits, seed=seed)
    for note in notes(scores):
        speak(note)
    if json:
        show.jsonl(result.rows())
        return
    from neraca.reports.blocks import correlations
    from neraca.reports.blocks.reliability import tables
    from neraca.reports.sentences.reliability import missing, sentences

    for table in tables(result):
        show.table(table.title, table.columns, table.rows, names=table.names, wide=wide)
    common = correlations.sentences(result.correlations) if result.correlations else ()
    show.say(*sentences(result), *common, *missing(result))
