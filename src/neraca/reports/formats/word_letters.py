"""Write letters for long names of runs in tables of pairs, so that a row takes one line; a legend stands below."""

from __future__ import annotations

from string import ascii_uppercase

from neraca.reports.blocks.block import Cell
from neraca.reports.translation import say
from neraca.result import Table

#: Letters of two names and the sign between them that fit in a line of a table, and the fewest runs that get letters.
SHORT, FEW = 20, 4
_BETWEEN = " − "


def with_letters(table: Table) -> Table:
    """Return a table of pairs with letters for names, if four or more runs have long names; else the same table.

    >>> pairs = [("new-run-of-monday", "a"), ("b", "c"), ("a", "c")]
    >>> made = with_letters(Table(("Pair", "p"), [(" − ".join(pair), "0.5") for pair in pairs], "Pairs."))
    >>> [row[0] for row in made.rows], made.title
    (['A − B', 'C − D', 'B − D'], 'Pairs. A: new-run-of-monday; B: a; C: b; D: c.')
    """
    place = next((place for place, column in enumerate(table.columns) if column == say("Pair")), -1)
    if place < 0 or not table.rows:
        return table
    pairs = [row[place].split(_BETWEEN) for row in table.rows]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    longest = max(len(row[place]) for row in table.rows)
    if longest <= SHORT or not FEW <= len(names) <= len(ascii_uppercase) or any(len(pair) != 2 for pair in pairs):
        return table
    letters = dict(zip(names, ascii_uppercase, strict=False))
    results = {say("{run} better", run=name): say("{run} better", run=letter) for name, letter in letters.items()}
    rows = [
        tuple(
            _BETWEEN.join(letters[name] for name in pair) if column == place else _short(cell, results)
            for column, cell in enumerate(row)
        )
        for row, pair in zip(table.rows, pairs, strict=True)
    ]
    legend = "; ".join(f"{letter}: {name}" for name, letter in letters.items())
    return table._replace(rows=rows, title=f"{table.title} {legend}.".lstrip())


def _short(cell: str, results: dict[str, str]) -> str:
    """Return the cell, with a letter for the run that it calls better."""
    if cell not in results:
        return cell
    return Cell(results[cell], bold=cell.bold) if isinstance(cell, Cell) else results[cell]
