"""Warn of constraints that could not be checked on many hits, and say what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from neraca.counts_and_lists import count, listed
from neraca.reports.blocks.tables import answered, aspect_rows
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reasons import rule_reason
from neraca.runs.verdict_table import STATUSES, VerdictTable
from neraca.scores.scores import Scores
from neraca.translation import say

#: If a constraint is missing on a larger share of its hits, a warning is given.
SHARE = 0.2
EXAMPLES = 3
MISSING = STATUSES.index("missing")
REMEDY = (
    "Say in the settings of the judge rules where it stands (fields), in which language numbers are written (language) "
    'and which words may follow them (units = ["words"]), and judge again'
)
SKIP = 'or leave out of relevance what is missing, relevance = "rules(missing=skip)"'


def unread(scores: Scores) -> Iterator[str]:
    """Warn of each constraint that is missing on more than a fifth of the hits of a run, with the commonest reasons.

    The warning is given only if relevance by rules, or a metric of constraints, uses the constraint.
    """
    relevance = scores.relevance if scores.relevance and "rules" in scores.relevance.used else None
    if not relevance and not any("constraints" in m.needs for metric in scores.metrics for m in metric.with_inner()):
        return
    tables = {part.name: part.column("verdicts").table for part in answered(scores)}
    missing_by_aspect = [
        (row.aspect, [c for c in row.cells if c.missing > SHARE * c.asked]) for row in aspect_rows(scores)
    ]
    missing_by_aspect = [(aspect, cells) for aspect, cells in missing_by_aspect if cells]
    counts_as_irrelevant = relevance is not None and not relevance.skips_missing
    for place, (aspect, cells) in enumerate(missing_by_aspect):
        hits_by_run = listed(
            [
                say(
                    "{missing:,} of {hits} of {run}",
                    missing=cell.missing,
                    hits=count(cell.asked, "hit"),
                    run=line(cell.run),
                )
                for cell in cells
            ]
        )
        reasons = _reasons([tables[cell.run] for cell in cells], aspect)
        effect = say(", which by rules are therefore not relevant") if counts_as_irrelevant else ""
        remedy = (
            f" {say(REMEDY)}{f'; {say(SKIP)}' if counts_as_irrelevant else ''}."
            if place == len(missing_by_aspect) - 1
            else ""
        )
        yield say(
            "The constraint {aspect} could not be checked on {where}{effect}{why}.{remedy}",
            aspect=aspect,
            where=hits_by_run,
            effect=effect,
            why=f" ({reasons})" if reasons else "",
            remedy=remedy,
        )


def _reasons(tables: Sequence[VerdictTable], aspect: str) -> str:
    """Return the commonest reasons with their counts."""
    reasons = Counter[str]()
    for table in tables:
        of_aspect = table.aspect.where(lambda name: line(name) == aspect)
        reasons.update(
            table.why.words[code] for code in table.why.codes[of_aspect & (table.status == MISSING)].tolist()
        )
    return "; ".join(
        f"{line(rule_reason(why), 90)}: {count(n, 'time')}" for why, n in reasons.most_common(EXAMPLES) if why
    )
