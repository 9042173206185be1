"""Answers that no person rated yet, and names that may belong to one person."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from neraca.runs.run import Run
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.raters import is_one_person
from neraca.verdicts.source import is_human

#: At least so many equal verdicts are hardly due to chance.
FEWEST_SAME = 5
#: The same if one of two people gave further verdicts: a few equal ones are then no sign of one person.
FEWEST_IN_PART = 20


def unrated(run: Run) -> list[tuple[str, int]]:
    """Return (item, trial) of each answer of a run on which no person decided anything; failed ones need no rating.

    In the order of the items.  A decision on a hit of the answer counts, too.
    """
    answers = run.answers()
    table = current_verdicts(run, answers)
    by_people = table.take(table.by.where(is_human))
    rated = {(verdict.item, verdict.trial) for verdict in by_people if verdict.value is not None}
    keys = ((item.id, trial) for item in run.items for trial in range(run.manifest.trials))
    return [key for key in keys if key in answers and answers[key].replied and key not in rated]


def same_ratings(tables: Iterable[VerdictTable]) -> list[tuple[str, str, int]]:
    """Return each pair of people of whom the first gave no verdict that differs from those of the second.

    They may be one person under two names.  With the pair stands the number of verdicts of the first, who gave as many
    as the second, at least `FEWEST_SAME`, or fewer, at least `FEWEST_IN_PART`.  Withdrawn verdicts do not count.
    """
    values_by_rater: dict[str, dict[tuple[int, str, int, str, str], float]] = {}
    for number, table in enumerate(tables):
        for verdict in table.take(table.by.where(is_one_person)):
            place = number, verdict.item, verdict.trial, verdict.about, verdict.aspect
            values = values_by_rater.setdefault(verdict.by.removeprefix("human:"), {})
            if verdict.value is not None:
                values[place] = verdict.value
            elif verdict.status == "withdrawn":
                values.pop(place, None)
    pairs = []
    for names in combinations(sorted(values_by_rater), 2):
        rater, other = sorted(names, key=lambda name: len(values_by_rater[name]))
        first, second = values_by_rater[rater], values_by_rater[other]
        fewest = FEWEST_SAME if len(first) == len(second) else FEWEST_IN_PART
        if len(first) >= fewest and first.items() <= second.items():
            pairs.append((rater, other, len(first)))
    return pairs
