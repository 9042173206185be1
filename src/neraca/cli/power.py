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


Difference = Annotated[
    str,
    typer.Option(
        help="Smallest difference that would matter; with runs also the word observed.",
        show_default=False,
    ),
]
StandardDeviation = Annotated[
    float | None, typer.Option("--sd", help="Standard deviation of the paired differences.", show_default=False)
]
Effect = Annotated[
    float | None,
    typer.Option(
        help="In place of --difference and --sd: the difference divided by the standard deviation.",
        show_default=False,
    ),
]


def command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN_A RUN_B",
            help="Two runs whose differences show the spread, or a table with two systems.",
            show_default=False,
        ),
    ] = None,
    *,
    difference: Difference = "",
    sd: StandardDeviation = None,
    effect: Effect = None,
    n: Annotated[
        int | None, typer.Option("--n", "-n", help="Number of questions that you have.", show_default=False)
    ] = None,
    alpha: options.Alpha = 0.05,
    power: options.Power = 0.8,
    metric: Annotated[
        str,
        typer.Option("--metric", "-m", help="With runs: the metric; default: nDCG@10, or Value for a table of values."),
    ] = "",
    qrels: options.Qrels = None,
    reference: options.References = [],
    response: options.Systems = [],
    verdicts: options.Verdicts,
    unit: options.Unit = "auto",
    language: options.Language = "",
    seed: options.Seed = 0,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Tell how many questions it takes to see a difference.

    The spread of the differences comes from --sd, or from two runs.
    """
    from neraca.comparisons.power import power as plan_power
    from neraca.translation import written_in

    options.load_plugins(plugin)
    if runs and (sd is not None or effect is not None):
        raise SpecError("the runs show the spread; give --sd or --effect without runs, or runs with --difference")
    shared_options = {"qrels": qrels, "reference": reference, "response": response, "unit": unit, "language": language}
    scores = _score(runs, metric, options.path_options(verdicts, **shared_options)) if runs else None
    plan = plan_power(
        sd if scores is None else scores,
        difference=_number(difference),
        effect=effect,
        n=n,
        alpha=alpha,
        power=power,
        seed=seed,
    )
    with written_in(report_language):
        _print(plan, scores, output)


def _print(plan: Power, scores: Scores | None, output: options.Output) -> None:
    """Print the plan as JSON Lines with a warning on stderr, or as a table and sentences."""
    from neraca.reports.sentences import planning
    from neraca.reports.sentences.notes import notes

    for note in notes(scores) if scores else ():
        speak(note)
    if output.json:
        if warning := planning.warning(plan):
            speak(warning)
        show.jsonl(plan.rows())
        return
    if plan.curve:
        show.table(planning.title(plan), *planning.table(plan), wide=output.wide)
    show.print_sentences(*planning.sentences(plan))


def _number(word: str) -> float | str | None:
    """Return `--difference` as a number, or as the word that it is; `power` rejects wrong words."""
    try:
        return float(word) if word else None
    except ValueError:
        return word


def _score(runs: list[Path], metric: str, scoring: PathOptions) -> Scores:
    """Score two runs, or a table with two systems; raise `InputError` for more or fewer."""
    from neraca.scores.sources.paths import is_table, score_paths

    is_single_table = len(runs) == 1 and is_table(runs[0])
    scores = None
    if is_single_table or len(runs) == 2:
        scores = score_paths(runs, metric if metric or is_single_table else "nDCG@10", scoring)
    if scores is None or len(scores.runs) != 2:
        count = len(runs) if scores is None else len(scores.runs)
        raise InputError(f"power is about the difference of two runs; there {'is' if count == 1 else 'are'} {count}")
    return scores
