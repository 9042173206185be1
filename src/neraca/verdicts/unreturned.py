"""Leave out and count the verdicts of people on results that no run returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.records import Verdict
from neraca.runs.answers import Answers
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.source import is_human


@dataclass(frozen=True)
class Unreturned:
    """Verdicts of people about results that none of the runs returned for the question.

    Attributes
    ----------
    n
        The number of these verdicts.
    first
        The first one; None if there is none.
    """

    n: int = 0
    first: Verdict | None = None


def without_unreturned(
    tables: Sequence[VerdictTable], answers: Sequence[Answers]
) -> tuple[list[VerdictTable], Unreturned]:
    """Leave out people's verdicts on results that no run returned; otherwise they would make a question judged.

    A result of any trial of any of the runs counts as returned.  `tables` and `answers`: one for each run.
    """
    rows_by_table = [np.flatnonzero(table.by.where(is_human) & table.on_hits) for table in tables]
    items = {table.item[row] for table, rows in zip(tables, rows_by_table, strict=True) for row in rows.tolist()}
    returned: set[tuple[str, str]] = set()
    for of_run in answers if items else ():
        for answer in of_run.take(key for key in of_run if key[0] in items):
            returned.update((answer.item, f"hit:{hit.id}") for hit in answer.hits)
    tables_of_returned, n, first = [], 0, None
    for table, rows in zip(tables, rows_by_table, strict=True):
        out = [row for row in rows.tolist() if (table.item[row], table.about[row]) not in returned]
        if out:
            n, first = n + len(out), first or table[out[0]]
            table = table.take(np.setdiff1d(np.arange(len(table)), out))
        tables_of_returned.append(table)
    return tables_of_returned, Unreturned(n, first)
