"""`neraca power`: how many questions it takes to see a difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from neraca.cli import options, show, speak
from neraca.errors import InputError, SpecError

if TYPE_CHECKING:
    from neraca.scores.scores import Scores


class _Whose(NamedTuple):
    """Whose word counts in run folders, and the language of their questions."""

    relevance: str
    by: str
    language: str


def command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN_A RUN_B", help="Two runs whose differences show the spread.", show_default=False),
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
    metric: Annotated[str, typer.Option("--metric", "-m", help="Of runs: the metric.")] = "nDCG@10",
    qrels: Annotated[
        Path | None, typer.Option(help="The runs are TREC runs, judged by these qrels.", show_default=False)
    ] = None,
    relevance: options.Relevance = "auto",
    by: options.By = "",
    language: options.Language = "",
    seed: Annotated[int, typer.Option(help="Of the simulated tests.", min=0)] = 0,
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """How many questions it takes to see a difference, on paper (--difference, --sd) or by two runs of your own."""
    from neraca.comparisons.power import power as plan_power

    options.load_plugins(plugin)
    if runs and (sd is not None or effect is not None):
        raise SpecError("the runs show the spread; give --sd or --effect without runs, or runs with --difference")
    scores = _scored(runs, metric, qrels, _Whose(relevance, by, language)) if runs else None
    plan = plan_power(
        sd if scores is None else scores,
        difference=_number(difference),
        effect=effect,
        n=n,
        alpha=alpha,
        power=power,
        seed=seed,
    )
    from neraca.reports import planning
    from neraca.reports.escape import visible
    from neraca.reports.notes import notes

    for note in notes(scores) if scores else ():
        speak(note)
    if json:
        if warning := planning.warning(plan):
            speak(warning)
        show.jsonl(plan.rows())
        return
    if plan.curve:
        show.table(planning.title(plan), *planning.table(plan))
    for sentence in planning.sentences(plan):
        print(visible(sentence))


def _number(word: str) -> float | str | None:
    """`--difference` as a number where it is one; words are judged by whoever plans."""
    try:
        return float(word) if word else None
    except ValueError:
        return word


def _scored(runs: list[Path], metric: str, qrels: Path | None, whose: _Whose) -> Scores:
    if len(runs) != 2:
        there = f"there {'is' if len(runs) == 1 else 'are'} {len(runs)}"
        raise InputError(f"power is about the difference of two runs; {there}")
    if qrels is not None:
        from neraca.scores.trec import trec

        return trec(qrels, runs, metric)
    from neraca.scores.score import score

    return score(runs, metric, relevance=whose.relevance, by=whose.by, language=whose.language)
