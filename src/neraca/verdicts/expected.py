"""What a good answer to a question returns, by whoever's word counts: something, or rightly nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from neraca.records import Item
from neraca.runs.verdict_table import VerdictTable, numbered
from neraca.verdicts.effective import effective


def with_expected(items: Sequence[Item], verdicts: Sequence[VerdictTable]) -> tuple[Item, ...]:
    """Return the items with `expects` as somebody decided it in a verdict about `item`, aspect `expects`.

    A verdict in any of the runs holds in all of them, and comes before what the data set says.  Of several people the
    majority of what each said last counts; where they are level, what the data set says stands.
    """
    table = VerdictTable.joined(list(verdicts))
    on = table.about.where([name == "item" for name in table.about.words])
    rows = np.flatnonzero(on & table.aspect.where([name == "expects" for name in table.aspect.words]))
    if not len(rows):
        return tuple(items)
    rows = rows[np.argsort([table.at[int(row)] for row in rows], kind="stable")]
    item = table.item.take(rows)
    place = numbered(item.codes.astype(np.int64))
    settled = effective(place, table.value[rows], table.by.take(rows), "majority")
    decided = {item[int(row)]: value for row, value in zip(settled.row, settled.value, strict=True)}
    return tuple(
        item
        if np.isnan(value := decided.get(item.id, np.nan))
        else replace(item, expects="results" if value else "none")
        for item in items
    )
