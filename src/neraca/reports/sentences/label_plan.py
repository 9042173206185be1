"""Describe a plan of labels."""

from __future__ import annotations

from neraca.counts_and_lists import count
from neraca.metaeval.label_command import label_command
from neraca.metaeval.label_draw import UNCERTAIN
from neraca.metaeval.label_plan import ASSUMED, LabelPlan
from neraca.metrics.metric import Metric
from neraca.number_format import about, exact, localised, number
from neraca.reports.formats.visible_text import line
from neraca.scores.judge_corrections import FEWEST_WEIGHTED
from neraca.stats.planning.label_planning import Split
from neraca.translation import say


def sentences(plan: LabelPlan, file: str) -> list[str]:
    """Say how many labels are needed and why, which questions were drawn, and which mix is cheapest."""
    quantity = say("{metric} of {run}", metric=line(plan.metric), run=line(plan.of))
    texts = []
    if plan.width is not None and plan.needed is None:
        texts.append(
            say(
                "No number of labels makes the interval of {quantity} {width} wide: with all {n:,} questions labelled "
                "it is {least}. Ask more questions.",
                quantity=quantity,
                width=exact(plan.width),
                n=plan.items,
                least=number(plan.foreseen[-1].width),
            )
        )
    elif plan.width is not None:
        texts.append(
            say(
                "About {labels} make the interval of {quantity} {width} wide.",
                labels=count(plan.needed or 0, "label"),
                quantity=quantity,
                width=exact(plan.width),
            )
        )
    if plan.pilot:
        texts.append(
            say(
                "Reckoned with {n:,} labels at hand: people and judge go together by {correlation}.",
                n=plan.pilot,
                correlation=number(plan.correlation),
            )
        )
    else:
        texts.append(
            say(
                "Too few people labelled yet: reckoned as if people and judge went together by {correlation}. Label "
                "what was drawn, and plan again.",
                correlation=exact(ASSUMED),
            )
        )
    return [*texts, *_cheapest(plan.split), *_drawn(plan, file)]


def _cheapest(split: Split | None) -> list[str]:
    if split is None:
        return []
    cost, labels = localised(f"{split.cost:,.6g}"), about(split.labels)
    if not split.items:
        return [say("Cheapest for this width: {labels} labels and no judge (cost {cost}).", labels=labels, cost=cost)]
    return [
        say(
            "Cheapest for this width: {labels} labels and {items} judged questions (cost {cost}).",
            labels=labels,
            items=about(split.items),
            cost=cost,
        )
    ]


def _drawn(plan: LabelPlan, file: str) -> list[str]:
    texts = []
    if plan.strategy == UNCERTAIN:
        texts.append(
            say(
                "Chances grow with the uncertainty of the judge. Fewer labels may then be enough than are reckoned "
                "here, which is for a plain random sample; but with fewer than {n} the interval is too narrow.",
                n=FEWEST_WEIGHTED,
            )
        )
    texts.append(
        say(
            "{questions} drawn into {file}. Label them in all runs, and import the file that the page saves: "
            "{command}. Then add --correct ppi --sample {file} to score, compare, gate or report.",
            questions=count(plan.labels, "question is", "questions are"),
            file=line(file),
            command=line(label_command(Metric.of(plan.metric), file)),
        )
    )
    return texts
