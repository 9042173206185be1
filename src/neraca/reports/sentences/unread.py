"""Warnings about constraints that could not be checked on many hits, and what to do about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from neraca.reports.blocks.tables import answered, aspect_rows
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.translation import say
from neraca.runs.verdict_table import STATUSES, VerdictTable
from neraca.scores.scores import Scores

#: The largest share of a constraint's hits on which it may be missing without a warning.
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

    Only where relevance by rules, or a metric of constraints, rests on it.
    """
    relevance = scores.relevance if scores.relevance and "rules" in scores.relevance.used else None
    if not relevance and not any("constraints" in m.needs for metric in scores.metrics for m in metric.with_inner()):
        return
    tables = {part.name: part.column("verdicts").table for part in answered(scores)}
    found = [(row.aspect, [c for c in row.cells if c.missing > SHARE * c.asked]) for row in aspect_rows(scores)]
    found = [(aspect, cells) for aspect, cells in found if cells]
    fails = relevance is not None and not relevance.skips_missing
    for place, (aspect, cells) in enumerate(found):
        where = listed(
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
        why = _reasons([tables[cell.run] for cell in cells], aspect)
        effect = say(", which by rules are therefore not relevant") if fails else ""
        remedy = f" {say(REMEDY)}{f'; {say(SKIP)}' if fails else ''}." if place == len(found) - 1 else ""
        yield say(
            "The constraint {aspect} could not be checked on {where}{effect}{why}.{remedy}",
            aspect=aspect,
            where=where,
            effect=effect,
            why=f" ({why})" if why else "",
            remedy=remedy,
        )


def _reasons(tables: Sequence[VerdictTable], aspect: str) -> str:
    """Return the commonest reasons with their counts."""
    reasons = Counter[str]()
    for table in tables:
        of_aspect = table.aspect.where([line(name) == aspect for name in table.aspect.words])
        reasons.update(
            table.why.words[code] for code in table.why.codes[of_aspect & (table.status == MISSING)].tolist()
        )
    return "; ".join(f"{line(why, 90)}: {count(n, 'time')}" for why, n in reasons.most_common(EXAMPLES) if why)
