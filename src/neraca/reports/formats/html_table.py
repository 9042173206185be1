"""Tables as HTML.  Where cells have parts, the table is turned on a narrow page: each cell then says its column."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from neraca.reports.blocks.block import Cell
from neraca.reports.formats.html_text import draw_sentence, draw_text
from neraca.reports.translation import say
from neraca.result import Table

#: The width in rem below which a table is turned: of its first column and of each other; of one with many small cells.
FIRST, OTHER, LINES = 11, 6, 66


def draw_table(table: Table, name: str, numbers: Container[int] = ()) -> str:
    """Draw a table with its caption, in a region of its own that scrolls.

    Parameters
    ----------
    table, name
        The table, and its name in the page.
    numbers
        Numbers of the questions on the page, to which cells can lead.
    """
    css = style_of(table)
    heads = [
        f'<th scope="col"{_words(place < table.names)} dir="auto">{draw_text(column) or _hidden(say("What"))}</th>'
        for place, column in enumerate(table.columns)
    ]
    rows = "\n".join(f"<tr>{''.join(_row(table, row, css, numbers))}</tr>" for row in table.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{draw_text(name)}">\n'
        f'<table class="{css}">\n<caption id="{draw_text(name)}"><span>{draw_text(table.title)}</span></caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def draw_facts(table: Table) -> str:
    """Draw a list of facts; of one that is folded, the title stands outside."""
    facts = [
        f'<div><dt dir="auto">{draw_text(name)}</dt><dd dir="auto">{draw_text(what)}</dd></div>'
        for name, what in table.rows
    ]
    title = f"<h3>{draw_text(table.title)}</h3>\n" if table.title and not table.depth else ""
    return "\n".join([f'{title}<dl class="facts">', *facts, "</dl>"])


def style_of(table: Table) -> str:
    """Choose the classes of a table by what its cells hold."""
    cells = [cell for row in table.rows for cell in row[1:] if isinstance(cell, Cell)]
    shaded, noted = any(cell.shade for cell in cells), any(cell.note for cell in cells)
    if table.names == len(table.columns):
        return "dense wordy turn runs" if cells else "dense wordy"
    if not cells:
        return "flat dense"
    if table.names > 1:
        return "dense turn lines"
    if noted:
        return "turn runs shades" if shaded else "turn runs"
    if shaded:
        return "heat effects" if any(cell.beside for cell in cells) else "heat"
    return "flat turn runs"


def widths_of(tables: Iterable[Table]) -> list[tuple[str, int]]:
    """Return, for each class of tables that are turned, the width below which they are."""
    columns = [len(table.columns) - 1 for table in tables if style_of(table).endswith(("turn runs", "shades"))]
    return [("runs", FIRST + OTHER * max(columns, default=1)), ("lines", LINES)]


def _row(table: Table, row: Sequence[str], css: str, numbers: Container[int]) -> Iterator[str]:
    first, *others = row
    yield f'<th scope="row" dir="auto">{_cell(first, numbers)}</th>'
    turns, boxed = "turn" in css, "runs" in css
    for place, cell in enumerate(others, start=1):
        of = f'<span class="of" dir="auto">{draw_text(table.columns[place])}</span> ' if turns else ""
        words = place < table.names
        shade = cell.shade if isinstance(cell, Cell) else ""
        drawn = _cell(cell, numbers)
        drawn = f"<div>{drawn}</div>" if boxed else drawn
        side = ' dir="auto"' if words else ""
        yield f"<td{_words(words, shade)}{side}>{of}{drawn}</td>"


def _cell(cell: str, numbers: Container[int]) -> str:
    if not isinstance(cell, Cell):
        return draw_sentence(cell, numbers)
    words = draw_text(cell.text)
    marks = "".join(map(_mark, cell.mark.split(" "))) if cell.mark else ""
    notes = cell.note.split(", ") if cell.note else []
    apart = " ".join(f"<span>{draw_text(note)}{',' if note != notes[-1] else ''}</span>" for note in notes)
    beside = ", ".join(filter(None, (draw_text(cell.beside), apart)))
    small = f" <small>{beside}</small>" if beside else ""
    return f"{f'<strong>{words}</strong>' if cell.bold else words}{marks}{cell.drawn}{small}"


def _mark(sign: str) -> str:
    """Write a letter above the line, and say what the triangle means."""
    if sign == "▲":
        return f' <span class="star">▲{_hidden(" " + say("better than all"))}</span>'
    return f"<sup>{draw_text(sign)}</sup>"


def _hidden(words: str) -> str:
    """Say something to those who do not see the page."""
    return f'<span class="hidden">{draw_text(words)}</span>'


def _words(words: bool, shade: str = "") -> str:
    css = " ".join(filter(None, ("words" if words else "", shade)))
    return f' class="{css}"' if css else ""
