"""`neraca power`: how many questions it takes to see a difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.errors import InputError, SpecError

if TYPE_CHECKING:
    from neraca.comparisons.power_curve import Power
    from neraca.scores.scores import Scores
    from neraca.scores.sources.paths import PathOptions


def command(
    ctx: typer.Context,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN_A RUN_B",
            help="Two runs whose differences show the spread, or a table with two systems.",
            show_default=False,
        ),
    ] = None,
    difference: Annotated[
        str, typer.Option(help="The smallest difference that would matter; of runs also: observed.", show_default=False)
    ] = "",
    sd: Annotated[
        float | None, typer.Option(help="Standard deviation of the paired differences.", show_default=False)
    ] = None,
    effect: Annotated[
        float | None, typer.Option(help="Difference / standard deviation, instead of the two.", show_default=False)
    ] = None,
    n: Annotated[int | None, typer.Option("--n", "-n", help="Questions that you have.", show_default=False)] = None,
    alpha: Annotated[float, typer.Option(help="False alarms that are tolerated.")] = 0.05,
    power: Annotated[float, typer.Option(help="Chance wanted to find the difference.")] = 0.8,
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="Of runs: the metric; default nDCG@10, of a table of values Value.")
    ] = "",
    qrels: options.Qrels = None,
    reference: options.References = [],
    response: options.Systems = [],
    relevance: options.Relevance = "auto",
    by: options.By = "",
    combine: options.Combine = "",
    unit: options.Unit = "auto",
    language: options.Language = "",
    seed: Annotated[int, typer.Option(help="Of the simulated tests.", min=0)] = 0,
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """How many questions it takes to see a difference, on paper (--difference, --sd) or by two runs of your own."""
    from neraca.comparisons.power import power as plan_power
    from neraca.scores.sources.paths import PathOptions

    options.load_plugins(plugin)
    if runs and (sd is not None or effect is not None):
        raise SpecError("the runs show the spread; give --sd or --effect without runs, or runs with --difference")
    scores = _scored(runs, metric, PathOptions.of(ctx.params)) if runs else None
    plan = plan_power(
        sd if scores is None else scores,
        difference=_number(difference),
        effect=effect,
        n=n,
        alpha=alpha,
        power=power,
        seed=seed,
    )
    _tell(plan, scores, json, wide)


def _tell(plan: Power, scores: Scores | None, json: bool, wide: bool) -> None:
    """The plan: rows for machines, with a warning on stderr, or a table and sentences."""
    from neraca.reports.sentences import planning
    from neraca.reports.sentences.notes import notes

    for note in notes(scores) if scores else ():
        speak(note)
    if json:
        if warning := planning.warning(plan):
            speak(warning)
        show.jsonl(plan.rows())
        return
    if plan.curve:
        show.table(planning.title(plan), *planning.table(plan), wide=wide)
    show.say(*planning.sentences(plan))


def _number(word: str) -> float | str | None:
    """`--difference` as a number where it is one; words are judged by whoever plans."""
    try:
        return float(word) if word else None
    except ValueError:
        return word


def _scored(runs: list[Path], metric: str, options: PathOptions) -> Scores:
    """Score two runs, or a table with two systems; raises `InputError` for more or fewer."""
    from neraca.scores.sources.paths import is_table, score_paths

    table = len(runs) == 1 and is_table(runs[0])
    scores = score_paths(runs, metric if metric or table else "nDCG@10", options) if table or len(runs) == 2 else None
    if scores is None or len(scores.runs) != 2:
        there = len(runs) if scores is None else len(scores.runs)
        raise InputError(f"power is about the difference of two runs; there {'is' if there == 1 else 'are'} {there}")
    return scores
