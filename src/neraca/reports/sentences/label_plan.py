"""Describe a plan of labels."""

from __future__ import annotations

from neraca.metaeval.label_draw import UNCERTAIN
from neraca.metaeval.label_plan import ASSUMED, LabelPlan
from neraca.number_format import about, number
from neraca.reports.counts_and_lists import count
from neraca.reports.formats.visible_text import line
from neraca.scores.judge_corrections import FEWEST_WEIGHTED


def sentences(plan: LabelPlan, file: str) -> list[str]:
    """Say how many labels are needed and why, which questions were drawn, and which mix is cheapest."""
    quantity = f"{line(plan.metric)} of {line(plan.of)}"
    texts = []
    if plan.width is not None and plan.needed is None:
        least = number(plan.foreseen[-1].width)
        texts.append(
            f"No number of labels makes the interval of {quantity} {plan.width:g} wide: with all {plan.items:,} "
            f"questions labelled it is {least}. Ask more questions."
        )
    elif plan.width is not None:
        texts.append(f"About {count(plan.needed or 0, 'label')} make the interval of {quantity} {plan.width:g} wide.")
    if plan.pilot:
        texts.append(
            f"Reckoned with {plan.pilot:,} labels at hand: people and judge go together by {number(plan.correlation)}."
        )
    else:
        texts.append(
            f"Too few people labelled yet: reckoned as if people and judge went together by {ASSUMED:g}. Label what "
            "was drawn, and plan again."
        )
    if (split := plan.split) is not None:
        texts.append(
            f"Cheapest for this width: {about(split.labels)} labels and {about(split.items)} judged questions "
            f"(cost {split.cost:,.6g})."
            if split.items
            else f"Cheapest for this width: {about(split.labels)} labels and no judge (cost {split.cost:,.6g})."
        )
    if plan.strategy == UNCERTAIN:
        texts.append(
            "Chances grow with the uncertainty of the judge. Fewer labels may then be enough than are reckoned here, "
            f"which is for a plain random sample; but with fewer than {FEWEST_WEIGHTED} the interval is too narrow."
        )
    texts.append(
        f"{count(plan.labels, 'question is', 'questions are')} drawn into {line(file)}: rate the answers of all runs "
        f"to them, in the order of the column draw; then add --correct ppi --sample {line(file)} to score, compare, "
        "gate or report."
    )
    return texts
