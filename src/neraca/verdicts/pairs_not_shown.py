"""Find the preferences that follow from the answers alone, of pairs that nobody was shown.

Two identical answers are even, and an answer with a text beats one without.  These preferences are stored beside those
of each rater and judge, so that every question has a value, but they are nobody's opinion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from neraca.records import Answer
from neraca.runs.preferred import preferred_first, preferred_over
from neraca.runs.run import Run
from neraca.runs.verdict_table import VerdictTable

Reason = Literal["identical", "no text"]
IDENTICAL: Reason = "identical"
NO_TEXT: Reason = "no text"
#: Item, trial, the two runs by number, the smaller first.
Pair = tuple[str, int, int, int]
_Answers = Sequence[Mapping[tuple[str, int], Answer]]


def pairs_not_shown(runs: Sequence[Run], tables: Sequence[VerdictTable]) -> list[dict[int, tuple[Pair, Reason]]]:
    """Return, for each run, row of a preference that nobody was asked for → its pair, and why it needs no rating.

    Whoever was shown a pair has a verdict on the order in which it was shown (`preferred_first`).  A preference without
    one was not asked for if the answers are identical, or only one of them has a text.  A preference over a run that is
    not among `runs`, or whose name two of them have, is never in the result, because the other answer is not known.

    Parameters
    ----------
    runs
        Runs that answer the same questions.
    tables
        The verdicts of each run.
    """
    runs_by_name = Counter(run.name for run in runs)
    names = {place: run.name for place, run in enumerate(runs) if runs_by_name[run.name] == 1}
    aspects = set(map(preferred_over, names.values()))  # empty if the verdicts are of no run
    if not any(aspects.intersection(table.aspect.words) for table in tables):
        return [{} for _ in tables]
    answers: _Answers = [run.answers() for run in runs]
    shown: set[tuple[Pair, str]] = set()
    for number, table in enumerate(tables):
        places = {preferred_first(name): place for place, name in names.items() if place != number}
        for row in np.flatnonzero(table.aspect.isin(places)).tolist():
            shown.add((_pair(table, row, number, places[table.aspect[row]]), table.by[row]))
    reasons: list[dict[int, tuple[Pair, Reason]]] = []
    for number, table in enumerate(tables):
        places = {preferred_over(name): place for place, name in names.items() if place != number}
        decided = table.aspect.isin(places) & table.about.isin(["answer"]) & ~np.isnan(table.value)
        of_run: dict[int, tuple[Pair, Reason]] = {}
        for row in np.flatnonzero(decided).tolist():
            pair = _pair(table, row, number, places[table.aspect[row]])
            if (pair, table.by[row]) not in shown and (reason := _reason(pair, float(table.value[row]), answers)):
                of_run[row] = pair, reason
        reasons.append(of_run)
    return reasons


def without_pairs_not_shown(
    runs: Sequence[Run], tables: Sequence[VerdictTable]
) -> tuple[list[VerdictTable], dict[Reason, int]]:
    """Return the verdicts without the preferences that nobody was asked for, and how many pairs these were on."""
    reasons = pairs_not_shown(runs, tables)
    rest = [
        table.take(~np.isin(np.arange(len(table)), [*of_run])) if of_run else table
        for table, of_run in zip(tables, reasons, strict=True)
    ]
    return rest, count_pairs({pair: reason for of_run in reasons for pair, reason in of_run.values()})


def count_pairs(reasons: Mapping[Pair, Reason]) -> dict[Reason, int]:
    """Count the pairs of each reason.

    >>> count_pairs({("q1", 0, 0, 1): "identical", ("q2", 0, 0, 1): "identical"})
    {'identical': 2, 'no text': 0}
    """
    counts: dict[Reason, int] = {IDENTICAL: 0, NO_TEXT: 0}
    for reason in reasons.values():
        counts[reason] += 1
    return counts


def _pair(table: VerdictTable, row: int, run: int, other: int) -> Pair:
    return table.item[row], int(table.trial[row]), min(run, other), max(run, other)


def _reason(pair: Pair, value: float, answers: _Answers) -> Reason | None:
    """Return why a preference of this value follows from the two answers; None if it does not."""
    item, trial, first, second = pair
    one, other = answers[first].get((item, trial)), answers[second].get((item, trial))
    if one is None or other is None:
        return None
    texts = ["" if answer.failed else answer.text.strip() for answer in (one, other)]
    same_text, same_hits = texts[0] == texts[1], one.hits == other.hits
    if value == 0.5 and ((texts[0] and same_text) or (one.hits and same_hits) or (same_text and same_hits)):
        return IDENTICAL
    return NO_TEXT if value != 0.5 and bool(texts[0]) != bool(texts[1]) else None
