"""What a good answer to a question returns, by whoever's word counts: something, or rightly nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from neraca.records import Item
from neraca.runs.verdict_table import VerdictTable, numbered
from neraca.verdicts.effective import effective


def with_expected(items: Sequence[Item], verdicts: Sequence[VerdictTable]) -> Sequence[Item]:
    """Return the items with `expects` as somebody decided it in a verdict about `item`, aspect `expects`.

    A verdict in any of the runs holds in all of them, and comes before what the data set says.  Of several people the
    majority of what each said last counts; where they are level, what the data set says stands.
    """
    table = VerdictTable.joined([_on_expects(part) for part in verdicts])
    if not len(table):
        return items
    table = table.take(np.argsort([verdict.at for verdict in table], kind="stable"))
    item = table.item
    place = numbered(item.codes.astype(np.int64))
    settled = effective(place, table.value, table.by, "majority")
    decided = {item[int(row)]: value for row, value in zip(settled.row, settled.value, strict=True)}
    return tuple(
        item
        if np.isnan(value := decided.get(item.id, np.nan))
        else replace(item, expects="results" if value else "none")
        for item in items
    )


def _on_expects(table: VerdictTable) -> VerdictTable:
    """The verdicts on what items expect."""
    on_item = table.about.where([name == "item" for name in table.about.words])
    return table.take(on_item & table.aspect.where([name == "expects" for name in table.aspect.words])).compact()
