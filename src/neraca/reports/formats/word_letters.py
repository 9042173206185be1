"""Write letters for long names of runs in tables of pairs, so that a row takes one line, and make the legend."""

from __future__ import annotations

from string import ascii_uppercase

from neraca.reports.blocks.block import Cell
from neraca.reports.translation import say
from neraca.result import Table

#: Letters of two names and the sign between them that fit in a line of a table, and the fewest runs that get letters.
SHORT, FEW = 20, 4
_BETWEEN = " − "


def with_letters(table: Table, longest: int = SHORT, fewest: int = FEW) -> tuple[Table, str]:
    """Return a table of pairs with letters for names, and a legend; the same table and "" if the names fit.

    Letters stand for the names if some pair has more than `longest` letters and there are at least `fewest` runs.

    >>> pairs = [("new-run-of-monday", "a"), ("b", "c"), ("a", "c")]
    >>> made, legend = with_letters(Table(("Pair", "p"), [(" − ".join(pair), "0.5") for pair in pairs], "Pairs."))
    >>> [row[0] for row in made.rows], legend
    (['A − B', 'C − D', 'B − D'], 'A: new-run-of-monday; B: a; C: b; D: c.')
    """
    place = next((place for place, column in enumerate(table.columns) if column == say("Pair")), -1)
    if place < 0 or not table.rows:
        return table, ""
    pairs = [row[place].split(_BETWEEN) for row in table.rows]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    fits = max(len(row[place]) for row in table.rows) <= longest
    if fits or not fewest <= len(names) <= len(ascii_uppercase) or any(len(pair) != 2 for pair in pairs):
        return table, ""
    letters = dict(zip(names, ascii_uppercase, strict=False))
    results = {say("{run} better", run=name): say("{run} better", run=letter) for name, letter in letters.items()}
    rows = [
        tuple(
            _BETWEEN.join(letters[name] for name in pair) if column == place else _short(cell, results)
            for column, cell in enumerate(row)
        )
        for row, pair in zip(table.rows, pairs, strict=True)
    ]
    return table._replace(rows=rows), f"{'; '.join(f'{letter}: {name}' for name, letter in letters.items())}."


def _short(cell: str, results: dict[str, str]) -> str:
    """Return the cell, with a letter for the run that it calls better."""
    if cell not in results:
        return cell
    return Cell(results[cell], bold=cell.bold) if isinstance(cell, Cell) else results[cell]
