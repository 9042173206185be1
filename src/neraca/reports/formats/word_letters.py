"""Write letters for long names of runs in tables of pairs, so that a row takes one line, and make the legend."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.reports.blocks.block import Cell
from neraca.reports.sentences.parts import CROWD
from neraca.reports.sentences.standings import letters_of
from neraca.result import Table
from neraca.translation import say

#: Letters of two names and the sign between them that fit in a line of a table, and the fewest runs that get letters.
SHORT, FEW = 20, 4
#: The same for a page and for figures, whose names may take two lines.
SHORT_ON_PAGE, FEW_ON_PAGE = 36, CROWD
_BETWEEN = " − "


def with_letters(table: Table, longest: int = SHORT, fewest: int = FEW) -> tuple[Table, str]:
    """Return a table of pairs with letters for names, and a legend; the same table and "" if the names fit.

    Letters stand for the names if some pair has more than `longest` letters and there are at least `fewest` runs.
    They are in the order of the table's `runs`; without `runs`, in that of its rows.

    >>> pairs = [("new-run-of-monday", "a"), ("b", "c"), ("a", "c")]
    >>> made, legend = with_letters(Table(("Pair", "p"), [(" − ".join(pair), "0.5") for pair in pairs], "Pairs."))
    >>> [row[0] for row in made.rows], legend
    (['A − B', 'C − D', 'B − D'], 'A: new-run-of-monday; B: a; C: b; D: c.')
    """
    place = next((place for place, column in enumerate(table.columns) if column == say("Pair")), -1)
    if place < 0 or not table.rows:
        return table, ""
    pairs = [row[place].split(_BETWEEN) for row in table.rows]
    letters = letters_of_pairs(pairs, table.runs, longest, fewest)
    if not letters:
        return table, ""
    results = {say("{run} better", run=name): say("{run} better", run=letter) for name, letter in letters.items()}
    rows = [
        tuple(
            _BETWEEN.join(letters[name] for name in pair) if column == place else _short(cell, results)
            for column, cell in enumerate(row)
        )
        for row, pair in zip(table.rows, pairs, strict=True)
    ]
    return table._replace(rows=rows), legend(letters)


def with_letters_of_runs(table: Table, runs: Sequence[str]) -> tuple[Table, str]:
    """Return a table with letters for the names of runs in its first columns and its heading, and a legend.

    Letters are in the order of `runs`, as in the tables of pairs; the table is the same and the legend "" with fewer
    than `FEW` runs, and if no name is longer than half a line.

    >>> runs = ["hybrid-of-bm25-and-e5", "b", "c", "d"]
    >>> made, legend = with_letters_of_runs(Table(("Run", "p"), [(run, "0.5") for run in runs], "Values."), runs)
    >>> [row[0] for row in made.rows], legend
    (['A', 'B', 'C', 'D'], 'A: hybrid-of-bm25-and-e5; B: b; C: c; D: d.')
    """
    letters = letters_of(runs) if len(runs) >= FEW and max(map(len, runs)) > SHORT else {}
    columns = list(zip(*table.rows, strict=True))[: table.names]
    places = [place for place, cells in enumerate(columns) if {*cells} <= letters.keys()]
    is_heading = len({*table.columns} & letters.keys()) >= FEW
    if not letters or not (places or is_heading):
        return table, ""
    rows = [
        tuple(_short(cell, letters) if place in places else cell for place, cell in enumerate(row))
        for row in table.rows
    ]
    columns_short = tuple(letters.get(column, column) for column in table.columns) if is_heading else table.columns
    return table._replace(columns=columns_short, rows=rows), legend(letters)


def letters_of_pairs(pairs: Sequence[Sequence[str]], runs: Sequence[str], longest: int, fewest: int) -> dict[str, str]:
    """Return the letters of runs whose pairs are too long for their room, as in `with_letters`; {} if they fit."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    fits = max((len(_BETWEEN.join(pair)) for pair in pairs), default=0) <= longest
    if fits or len(names) < fewest or any(len(pair) != 2 for pair in pairs):
        return {}
    letters = letters_of(runs if names.keys() <= {*runs} else [*names])
    return {run: letter for run, letter in letters.items() if run in names}


def legend(letters: dict[str, str]) -> str:
    """Say which run each letter stands for; "" without letters."""
    return f"{'; '.join(f'{letter}: {name}' for name, letter in letters.items())}." if letters else ""


def _short(cell: str, results: dict[str, str]) -> str:
    """Return the cell with the words that stand for it, if there are any."""
    if cell not in results:
        return cell
    return Cell(results[cell], bold=cell.bold) if isinstance(cell, Cell) else results[cell]
