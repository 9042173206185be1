"""Write tables as HTML.  If cells have parts, a narrow page turns the table: each cell then names its column."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from neraca.reports.blocks.block import Cell
from neraca.reports.formats.html_text import draw_name, draw_prose, draw_sentence, draw_text
from neraca.reports.formats.word_letters import FEW_ON_PAGE, SHORT_ON_PAGE, with_letters
from neraca.result import Table
from neraca.translation import say

#: In rem: a table of runs is turned if it has less room than `FIRST` and `OTHER` for each other column; a table of
#: plain cells, if it has less than `PLAIN` for each column.
FIRST, OTHER, PLAIN = 11, 6, 5.8
#: Names such as `same_answer` or `TokenRecall` that are no longer are not broken.
_WHOLE = 16
#: A table of so many columns, most of them numbers, leaves out a first column that says the same in every row.
_MANY = 10


def draw_table(table: Table, name: str, numbers: Container[int] = ()) -> str:
    """Draw a table with its caption, in a region of its own that scrolls.

    The caption of a folded table is for screen readers only: the summary above it has the same words.

    Parameters
    ----------
    table, name
        The table, and its name in the page.
    numbers
        Numbers of the questions on the page, to which cells can lead.
    """
    table = narrowed(_with_letters(table))
    css = style_of(table)
    caption = '<span class="hidden">' if table.depth else "<span>"
    heads = [
        f'<th scope="col"{_cell_class(place < table.names)} dir="auto">{draw_name(column) or _hidden(say("What"))}</th>'
        for place, column in enumerate(table.columns)
    ]
    rows = "\n".join(f"<tr>{''.join(_row(table, row, css, numbers))}</tr>" for row in table.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{draw_text(name)}">\n'
        f'<table class="{css}">\n<caption id="{draw_text(name)}">{caption}{draw_prose(table.title)}</span></caption>\n'
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _with_letters(table: Table) -> Table:
    """Return a table of many pairs with letters for long names, and the legend in its caption."""
    short, legend = with_letters(table, SHORT_ON_PAGE, FEW_ON_PAGE)
    return short._replace(title=f"{table.title} {legend}".strip())


def narrowed(table: Table) -> Table:
    """Return a table of many columns without its first, if that says the same in every row; the caption says it."""
    first = {row[0] for row in table.rows}
    if len(table.columns) < _MANY or table.names < 2 or table.names == len(table.columns) or len(first) != 1:
        return table
    title = f"{table.title.rstrip('.')}. {table.columns[0]}: {first.pop()}.".lstrip(". ")
    rows = [row[1:] for row in table.rows]
    return table._replace(columns=table.columns[1:], rows=rows, title=title, names=table.names - 1)


def draw_facts(table: Table) -> str:
    """Draw a list of facts; a folded list has its title outside."""
    facts = [
        f'<div><dt dir="auto">{draw_text(name)}</dt><dd dir="auto">{draw_text(value)}</dd></div>'
        for name, value in table.rows
    ]
    title = f"<h3>{draw_prose(table.title)}</h3>\n" if table.title and not table.depth else ""
    return "\n".join([f'{title}<dl class="facts">', *facts, "</dl>"])


def style_of(table: Table) -> str:
    """Choose the CSS classes of a table by the parts of its cells."""
    cells = [cell for row in table.rows for cell in row[1:] if isinstance(cell, Cell)]
    shaded, noted = any(cell.shade for cell in cells), any(cell.note for cell in cells)
    if table.names == len(table.columns):
        return "dense wordy turn runs" if cells else f"dense wordy turn lines c{len(table.columns)}"
    if not cells:
        return f"flat dense turn lines c{len(table.columns)}"
    if table.names > 1:
        return f"dense turn lines c{len(table.columns)}"
    if noted:
        return "turn runs shades" if shaded else "turn runs"
    if shaded:
        return "heat effects" if any(cell.beside for cell in cells) else "heat"
    return "flat turn runs"


def widths_of(tables: Iterable[Table]) -> list[tuple[str, float]]:
    """Return, for each class of tables that are turned, the width below which that happens."""
    columns_by_kind: dict[str, set[int]] = {"runs": set(), "lines": set()}
    for table in map(narrowed, tables):
        for kind, columns in columns_by_kind.items():
            if table.columns and {"turn", kind} <= set(style_of(table).split()):
                columns.add(len(table.columns))
    widths: list[tuple[str, float]] = [("runs", FIRST + OTHER * (max(columns_by_kind["runs"], default=2) - 1))]
    return [*widths, *((f"c{n}", PLAIN * n) for n in sorted(columns_by_kind["lines"]))]


def _row(table: Table, row: Sequence[str], css: str, numbers: Container[int]) -> Iterator[str]:
    first, *cells = row
    is_turned, is_boxed = "turn" in css, "runs" in css
    labels = [f'<span class="of" dir="auto">{draw_text(c)}</span> ' if is_turned else "" for c in table.columns]
    whole = ' class="whole"' if "lines" in css and " " not in first and len(first) <= _WHOLE else ""
    yield f'<th scope="row"{whole} dir="auto">{"" if is_boxed else labels[0]}{_cell(first, numbers)}</th>'
    for place, cell in enumerate(cells, start=1):
        wordy = place < table.names
        shade = cell.shade if isinstance(cell, Cell) else "" if cell else "none"
        html = _cell(cell, numbers)
        html = f"<div>{html}</div>" if is_boxed else html
        side = ' dir="auto"' if wordy else ""
        yield f"<td{_cell_class(wordy, shade)}{side}>{labels[place]}{html}</td>"


def _cell(cell: str, numbers: Container[int]) -> str:
    if not isinstance(cell, Cell):
        return draw_sentence(cell, numbers, draw_name)
    text = draw_name(cell.text)
    marks = "".join(map(_mark, cell.mark.split(" "))) if cell.mark else ""
    notes = cell.note.split(", ") if cell.note else []
    notes_html = " ".join(f"<span>{draw_text(note)}{',' if note != notes[-1] else ''}</span>" for note in notes)
    beside = ", ".join(filter(None, (draw_text(cell.beside), notes_html)))
    small = f" <small>{beside}</small>" if beside else ""
    return f"{f'<strong>{text}</strong>' if cell.bold else text}{marks}{cell.drawn}{small}"


def _mark(sign: str) -> str:
    """Write a letter above the line, and the triangle with its meaning."""
    if sign == "▲":
        return f' <span class="star">▲{_hidden(" " + say("better than all"))}</span>'
    return f"<sup>{draw_text(sign)}</sup>"


def _hidden(text: str) -> str:
    """Write a text for screen readers only."""
    return f'<span class="hidden">{draw_text(text)}</span>'


def _cell_class(wordy: bool, shade: str = "") -> str:
    css = " ".join(filter(None, ("words" if wordy else "", shade)))
    return f' class="{css}"' if css else ""
