"""Give each part of a table's cells a column of its own: the value, its interval, and the number of questions."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.reports.blocks.block import Cell
from neraca.result import Parts, Table

#: A note about a number of questions begins so; in a column that is headed so, the number alone is enough.
_COUNT = "n = "


def with_parts_apart(table: Table) -> Table:
    """Return the table with a row for each value, if its columns may become rows, else with intervals in columns.

    Examples
    --------
    >>> cells = [Cell("0.82", "0.7 to 0.9", note="n = 5"), Cell("0.40", "0.3 to 0.5", note="n = 5")]
    >>> parts = Parts("Run", "Mean", "95 % interval", "n")
    >>> narrow = with_parts_apart(Table(("Metric", "new", "old"), [("AP", *cells)], parts=parts))
    >>> narrow.columns
    ('Metric', 'Run', 'Mean', '95 % interval', 'n')
    >>> [tuple(map(str, row)) for row in narrow.rows]
    [('AP', 'new', '0.82', '0.7 to 0.9', '5'), ('', 'old', '0.40', '0.3 to 0.5', '5')]
    """
    if not table.parts:
        return table
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    divided = [any(isinstance(cell, Cell) and cell.beside for cell in column) for column in columns]
    divided[: table.names] = [False] * table.names
    if not any(divided):
        return table
    return _as_rows(table, divided, table.parts) if table.parts.columns else _as_columns(table, divided, table.parts)


def _as_rows(table: Table, divided: Sequence[bool], parts: Parts) -> Table:
    """Make a row of each divided cell; the cells that all rows of a group share stand in its first row."""
    shared = [place for place, is_divided in enumerate(divided) if not is_divided]
    runs = [place for place, is_divided in enumerate(divided) if is_divided]
    noted = any(isinstance(cell, Cell) and cell.note for row in table.rows for cell in row)
    rows = []
    for row in table.rows:
        for place in runs:
            value, beside, note = _parts_of(row[place])
            first = [row[column] if place == runs[0] else "" for column in shared]
            rows.append((*first, table.columns[place], value, beside, *([note] if noted else [])))
    headings = (parts.columns, parts.value, parts.beside, *([parts.note] if noted else []))
    columns = (*(table.columns[place] for place in shared), *headings)
    return table._replace(columns=columns, rows=rows, names=len(shared) + 1, parts=())


def _as_columns(table: Table, divided: Sequence[bool], parts: Parts) -> Table:
    """Put each interval into a column of its own, to the right of its value; `parts` still has its heading."""
    columns: list[str] = []
    cells: list[Sequence[str]] = []
    for column, heading, is_divided in zip(zip(*table.rows, strict=True), table.columns, divided, strict=True):
        columns += [parts.value or heading, parts.beside] if is_divided else [heading]
        cells += (
            [[_with_note(cell) for cell in column], [_parts_of(cell)[1] for cell in column]] if is_divided else [column]
        )
    return table._replace(columns=tuple(columns), rows=list(zip(*cells, strict=True)))


def _with_note(cell: str) -> str:
    """Return the cell without its interval."""
    return Cell(cell.text, mark=cell.mark, note=cell.note, bold=cell.bold) if isinstance(cell, Cell) else cell


def _parts_of(cell: str) -> tuple[str, str, str]:
    """Return the value with its mark, the interval, and the note without the words that its heading says."""
    if not isinstance(cell, Cell):
        return cell, "", ""
    return Cell(cell.text, mark=cell.mark, bold=cell.bold), cell.beside, cell.note.removeprefix(_COUNT)
