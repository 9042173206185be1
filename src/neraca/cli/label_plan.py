"""The part of `neraca agree` that plans which questions people should label."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import options, show
from neraca.errors import SpecError
from neraca.translation import written_in
from neraca.verdicts.source import is_human

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neraca.metaeval.label_plan import LabelPlan
    from neraca.runs.run import Run
    from neraca.scores.scores import Scores

#: Options of `Labelling` that are also settings of the plan.
_LABELLING = ("width", "labels", "human_cost", "model_cost", "strategy")


class Labelling(NamedTuple):
    """A plan of the questions that people should label."""

    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Only draw the questions that people should label to correct a judge's scores, and write them to this "
            "file (.csv, .xlsx, …).",
            show_default=False,
        ),
    ] = None
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="With --plan: the metric of the scores.", show_default=False)
    ] = ""
    by: Annotated[str, typer.Option(help="With --plan: the judge to correct.", show_default=False)] = ""
    width: Annotated[
        float | None, typer.Option(help="With --plan: wanted width of the interval, such as 0.1.", show_default=False)
    ] = None
    labels: Annotated[
        int | None, typer.Option(help="With --plan: number of questions that people will label.", show_default=False)
    ] = None
    human_cost: Annotated[
        float | None, typer.Option(help="With --plan: cost of a person's label.", show_default=False)
    ] = None
    model_cost: Annotated[float, typer.Option(help="With --plan: cost of a model's verdict.")] = 0.0
    strategy: Annotated[
        str,
        typer.Option(
            help="With --plan: stratified (by the judge's values), uniform, or uncertain (the less certain the judge, "
            "the larger the chance)."
        ),
    ] = "stratified"


def draw_labels(runs: Sequence[Run], to: Path, labelling: Labelling, *, seed: int, **scoring: Any) -> LabelPlan:
    """Draw the questions that people should label, and write them."""
    from neraca.datasets.sample_table import COLUMNS
    from neraca.datasets.table_writer import write_table
    from neraca.metaeval.label_draw import UNCERTAIN
    from neraca.metaeval.label_plan import LabelPlanOptions, plan_labels
    from neraca.scores.score import score

    metric, by = labelling.metric, labelling.by
    settings = LabelPlanOptions(seed=seed, **{name: getattr(labelling, name) for name in _LABELLING})
    rated = any(is_human(name) for run in runs for name in run.verdicts().by.words)
    scores = score(runs, metric, correct="ppi" if rated else "", by=by, **scoring)
    opinions = _opinions(runs, scores, by, scoring) if settings.strategy == UNCERTAIN else []
    plan = plan_labels(scores, metric, settings, opinions)
    write_table(to, plan.questions, COLUMNS)
    return plan


def print_plan(plan: LabelPlan, file: Path, report_language: str, output: options.Output) -> None:
    """Print what the labels of the drawn questions will achieve."""
    from dataclasses import asdict

    from neraca.reports.blocks.table_words import translated
    from neraca.reports.sentences import label_plan as words
    from neraca.translation import say

    if output.json:
        row = {name: value for name, value in asdict(plan).items() if name not in ("questions", "foreseen", "split")}
        split = plan.split._asdict() if plan.split else {}
        show.jsonl([row | {f"cheapest_{name}": value for name, value in split.items()}])
        return
    with written_in(report_language):
        title = say("{metric} of {run}, corrected by so many labels", metric=plan.metric, run=plan.of)
        show.result(translated(plan.table())._replace(title=title), "")
        show.print_sentences(*words.sentences(plan, str(file)))


def _opinions(runs: Sequence[Run], scores: Scores, by: str, scoring: Mapping[str, Any]) -> list[Scores]:
    """Return the scores by each other program that decided on the same answers, as far as it scores the metrics."""
    from neraca.scores.score import score
    from neraca.verdicts.source import CATEGORICAL, matches, source_of

    names = sorted({name for run in runs for name in run.verdicts().by.words})
    opinions = []
    for name in names:
        if is_human(name) or source_of(name) not in CATEGORICAL or (by and matches(name, by)):
            continue
        with suppress(SpecError):  # it judged something else
            opinions.append(score(runs, scores.metrics, by=name, **scoring))
    return opinions
