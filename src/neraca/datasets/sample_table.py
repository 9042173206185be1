"""Read the sample of questions that people rate: a table with a row for each question."""

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
    """The sampling of one question.

    `drawn` says whether it is in the sample.  `stratum` is "" if there are no strata.  `probability` is its
    probability of being drawn, NaN if unknown.
    """

    drawn: bool
    stratum: str
    probability: float


def read_sample(path: Path | str) -> Mapping[str, Draw]:
    """Return item id → its sampling.

    The column `item` names the question.  `draw` is its position in the sample, empty if it was not drawn; without
    this column all questions were drawn.  At least one of `stratum` and `probability` must be there.

    Raise `InputError` if a column is missing, an item comes twice, or a probability is not above 0 and at most 1.
    """
    table = read_table(path)
    for names in (("item",), ("stratum", "probability")):
        if not set(names) & set(table.columns):
            columns = ", ".join(table.columns) or "none"
            raise InputError(f'{table.header}: no column "{" or ".join(names)}" (found: {columns})')
    empty: list[Any] = [""] * len(table)
    cells = {name: table.column(name) if name in table.columns else empty for name in COLUMNS}
    draws: dict[str, Draw] = {}
    for row in range(len(table)):
        item, place = words(cells["item"][row]), f"{table.path} {table.place(row)}"
        if not item or item in draws:
            raise InputError(f'{place}, column "item": {f"{item!r} comes twice" if item else "it is empty"}')
        is_drawn = "draw" not in table.columns or bool(words(cells["draw"][row]))
        draws[item] = Draw(is_drawn, words(cells["stratum"][row]), _probability(cells["probability"][row], place))
    return draws


def _probability(cell: Any, place: str) -> float:
    text = words(cell).replace(",", ".")
    if not text:
        return math.nan
    try:
        probability = float(text)
    except ValueError:
        probability = math.nan
    if not 0 < probability <= 1:
        raise InputError(f'{place}, column "probability": {shown(cell)} is not a number above 0 and at most 1')
    return probability
