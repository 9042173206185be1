"""`neraca compare`: whether the difference is real."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, score_parquet, show
from neraca.cli.difference_rows import NAMES, difference_rows, made_by

Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Run folders; with --qrels TREC runs; or one table: of texts, or of values with a column a system; or "
        "folders that `neraca score --out` wrote.",
        show_default=False,
    ),
]


def command(
    ctx: typer.Context,
    runs: Runs,
    metrics: options.Metrics = options.USUAL,
    primary: Annotated[str, typer.Option(help="The metric on which the decision rests; default the first.")] = "",
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
    unit: options.Unit = "auto",
    language: options.Language = "",
    tokens: options.Tokens = "",
    norm: options.Norm = "",
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Compare every pair of runs, or each with a baseline: difference with interval, corrected p, items needed."""
    if score_parquet.compared(ctx.params):
        return
    from neraca.comparisons.compare import check_comparing, compare, name_of_baseline
    from neraca.comparisons.corrected import corrected_differences
    from neraca.comparisons.difference import row
    from neraca.reports.blocks import corrected as words
    from neraca.reports.sentences.conclusion import conclude
    from neraca.scores.sources.paths import PathOptions, score_paths

    options.load_plugins(plugin)
    within = options.margin_of(margin)
    check_comparing(test, correction, seed, within, bayes, against)
    paths, columns = options.with_baseline(list(map(Path, runs)), against), options.with_column(response, against)
    scores = score_paths(paths, " ".join(metrics), PathOptions.of(ctx.params | {"response": columns}))
    tested = partial(compare, scores, primary=primary, test=test, correction=correction, seed=seed)
    differences = tested(margin=within, bayes=bayes, against=name_of_baseline(scores, against, paths))
    options.speak_notes(scores)
    corrected = corrected_differences(scores, differences, primary) if scores.labels else None
    if json:
        beside = [words.columns(one.correction, one) for one in corrected or ()] or [{}] * len(differences)
        show.jsonl([row(difference) | more for difference, more in zip(differences, beside, strict=True)])
        return
    columns, rows = difference_rows(differences, 1 - level)
    title = f"paired {made_by(differences)} test, {differences[0].correction} correction"
    show.table(title, columns, rows, names=NAMES, wide=wide)
    if corrected:
        show.result(corrected.table(1 - level), "corrected by people's labels", wide=wide)
        show.say(*words.of_corrections(corrected, scores))
    finding = conclude(scores, differences, primary)
    show.say(finding.headline, *finding.details)
