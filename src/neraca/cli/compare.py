"""`neraca compare`: whether the difference is real."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference

#: Columns of `difference_rows` that name the row: the metric and the pair.
NAMES = 2


def command(
    ctx: typer.Context,
    runs: options.Runs,
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
    correct: options.Correct = "",
    sample: options.Sample = None,
    level: options.Level = 0.95,
    unit: options.Unit = "auto",
    language: options.Language = "",
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Compare every pair of runs, or each with a baseline: difference with interval, corrected p, items needed."""
    from neraca.comparisons.compare import Options, check_comparing, compare, name_of_baseline
    from neraca.comparisons.corrected import corrected_differences
    from neraca.comparisons.difference import row
    from neraca.reports import corrected as words
    from neraca.reports.conclusion import conclude
    from neraca.reports.notes import notes
    from neraca.scores.paths import PathOptions, score_paths

    options.load_plugins(plugin)
    within = options.margin_of(margin)
    check_comparing(test, correction, seed, within, bayes, against)
    runs, columns = options.with_baseline(runs, against), options.with_column(response, against)
    scores = score_paths(runs, " ".join(metrics), PathOptions.of(ctx.params | {"response": columns}))
    baseline = name_of_baseline(scores, against, runs)
    how = Options(margin=within, bayes=bayes, against=baseline)
    differences = compare(scores, primary=primary, test=test, correction=correction, seed=seed, **how)
    for note in notes(scores):
        speak(note)
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


def made_by(differences: Sequence[Difference]) -> str:
    """The test and how it was made; with several ways all of them, as where there are too many items for an exact p."""
    return ", ".join(sorted({difference.test for difference in differences}))


def difference_rows(differences: Sequence[Difference], alpha: float = 0.05) -> tuple[list[str], list[list[str]]]:
    """Differences as a table: names of the columns, and rows of text."""
    from neraca.reports import sentences_margin
    from neraca.reports.number_format import p_value

    margins = any(d.equivalence for d in differences)
    columns = ["metric", "a − b", "difference", "interval", "p", "adjusted", "effect", "wins/ties/losses"]
    columns += ["n", "needed", *(["within the margin"] if margins else [])]
    rows = [
        [
            d.metric,
            f"{d.a} − {d.b}",
            show.number(d.difference),
            show.bounds(d.low, d.high),
            p_value(d.p, alpha),
            p_value(d.p_adjusted, alpha) if d.tested else "no test",
            f"{show.number(d.effect, 2)} {show.bounds(d.effect_low, d.effect_high, 2)}".strip(),
            f"{d.wins}/{d.ties}/{d.losses}",
            str(d.n),
            "–" if d.needed is None else f"{d.needed:,}",
            *([sentences_margin.cell(d, alpha)] if margins else []),
        ]
        for d in differences
    ]
    return columns, rows
