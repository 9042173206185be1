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
    """Return each pair of people with exactly the same verdicts on these runs, and the number of verdicts.

    They may be one person under two names.  Pairs with fewer than `FEWEST_SAME` verdicts are left out.
    """
    values_by_rater: dict[str, dict[tuple[int, str, int, str, str], float]] = {}
    for number, table in enumerate(tables):
        for verdict in table.take(table.by.where(is_one_person)):
            if verdict.value is not None:
                place = number, verdict.item, verdict.trial, verdict.about, verdict.aspect
                values_by_rater.setdefault(verdict.by.removeprefix("human:"), {})[place] = verdict.value
    return [
        (rater, other, len(values_by_rater[rater]))
        for rater, other in combinations(sorted(values_by_rater), 2)
        if values_by_rater[rater] == values_by_rater[other] and len(values_by_rater[rater]) >= FEWEST_SAME
    ]
