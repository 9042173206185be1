"""Which questions were drawn for people to rate, and how: a table with a row for each question."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from neraca.datasets.cells import shown, words
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError

#: The columns of the table, in order; `neraca agree --plan` writes them.
COLUMNS = ("item", "draw", "stratum", "probability", "query")


class Draw(NamedTuple):
    """How one question came into the sample, or not.

    `stratum` is "" where there are none; `probability` is its chance to be drawn, NaN where nobody said.
    """

    drawn: bool
    stratum: str
    probability: float


def read_sample(path: Path | str) -> Mapping[str, Draw]:
    """Item id → how it was drawn.

    The column `item` names the question, `draw` is its place in the sample, empty where it was not drawn; without
    this column all are.  `stratum` and `probability` are optional, but one of them says how it was drawn.

    Raises
    ------
    InputError
        Where a column is missing, an item comes twice, or a probability is none.
    """
    table = read_table(path)
    for names in (("item",), ("stratum", "probability")):
        if not set(names) & set(table.columns):
            known = ", ".join(table.columns) or "none"
            raise InputError(f'{table.header}: no column "{" or ".join(names)}" (found: {known})')
    empty: list[Any] = [""] * len(table)
    cells = {name: table.column(name) if name in table.columns else empty for name in COLUMNS}
    drawn: dict[str, Draw] = {}
    for row in range(len(table)):
        item, place = words(cells["item"][row]), f"{table.path} {table.place(row)}"
        if not item or item in drawn:
            raise InputError(f'{place}, column "item": {f"{item!r} comes twice" if item else "it is empty"}')
        chosen = "draw" not in table.columns or bool(words(cells["draw"][row]))
        drawn[item] = Draw(chosen, words(cells["stratum"][row]), _chance(cells["probability"][row], place))
    return drawn


def _chance(cell: Any, place: str) -> float:
    text = words(cell).replace(",", ".")
    if not text:
        return math.nan
    try:
        chance = float(text)
    except ValueError:
        chance = math.nan
    if not 0 < chance <= 1:
        raise InputError(f'{place}, column "probability": {shown(cell)} is no probability; it is above 0, at most 1')
    return chance
