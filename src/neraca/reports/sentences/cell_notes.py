"""Notes on the cells of a table that hold no number, or say that nothing is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neraca.counts_and_lists import form
from neraca.translation import say


def cell_notes(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say for each column of a table which cells are no number, and which say that nothing is there."""
    for name, (n_cells, first, comma, no_number) in facts.get("no_numbers", {}).items():
        yield say(
            "column {name!r}: {times:,} {cells} no number and left out, such as {first}{none}{remedy}",
            name=name,
            times=n_cells,
            cells=form(n_cells, "cell is", "cells are"),
            first=first,
            none=say("; none is a number") if no_number else "",
            remedy=say("; if a comma is a decimal comma there, write a point (4.5)") if comma else "",
        )
    for name, n_cells in facts.get("marks_for_nothing", {}).items():
        yield say(
            "column {name!r}: {times:,} {cells} a mark such as NaN or #N/A, read as an empty cell",
            name=name,
            times=n_cells,
            cells=form(n_cells, "cell holds", "cells hold"),
        )
    for name, n_cells in facts.get("words_for_nothing", {}).items():
        yield say(
            "column {name!r}: {times:,} {cells} the word None or null, which is text like any other; leave a cell "
            "empty where there is nothing",
            name=name,
            times=n_cells,
            cells=form(n_cells, "cell holds", "cells hold"),
        )
