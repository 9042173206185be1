"""Write one table as a LaTeX `table`, to paste or to read into a paper of one or two columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from neraca.number_format import integer
from neraca.reports.blocks.block import Cell
from neraca.reports.formats.latex import breakable, escaped
from neraca.reports.sentences.standings import letters_of
from neraca.result import Table
from neraca.translation import say

#: Points: the sizes `small` and `footnotesize` of a paper in 10 point type, and the smallest that is readable.
_SMALL, _FOOTNOTE, _SMALLEST = 9.0, 8.0, 7.0
#: Size in points → the command for it.
_COMMANDS = {_SMALL: "\\small", _FOOTNOTE: "\\footnotesize", _SMALLEST: "\\fontsize{7}{8.4}\\selectfont"}
#: Width of a letter as a share of the size of the type, and in points the space between two columns, usual and least.
_LETTER, _SPACE, _TIGHT = 0.52, 8.0, 4.0
#: The width of a superscript or a small letter, as a share of a letter's.
_SMALLER = 0.75
#: In points: a column of a paper in two columns, the text of a paper in one, both columns of a paper in two together.
_COLUMN, _TEXT, _SPREAD = 200.0, 345.0, 465.0
#: In points: the height of a table on a page, a line of a table, and the rules and the space around a part of a table.
_PAGE, _LINE, _RULES = 470.0, 9.5, 24.0
#: Letters: longer words of a caption or a note may break anywhere.
_LONGEST = 24
#: Letters: shorter names of rows are never replaced.
_WORTH_A_LETTER = 12


class Part(NamedTuple):
    """Some columns of a table, with the names of its rows, set at a size of type and with a space between columns.

    Both are in points.
    """

    table: Table
    size: float
    space: float = _SPACE

    @property
    def printed_size(self) -> float:
        """The size of the type in points after the part is shrunk to the width of the text of a paper in one column."""
        return self.size * min(1.0, _TEXT / _width(self.table, self.size, self.space))

    @property
    def height(self) -> float:
        """The estimated height in points."""
        lines = sum(2 if any(map(_additions, row)) else 1 for row in self.table.rows)
        return _RULES + _LINE * (lines + 1)


class Layout(NamedTuple):
    """The parts of a table, below each other, and the key if letters stand for the names of its rows: letter → name."""

    parts: list[Part]
    key: Mapping[str, str]


def to_latex_table(table: Table, name: str, notes: Sequence[str] = ()) -> str:
    r"""Write the table with its caption, and with the label `tab:NAME`; the notes stand below it in small type.

    It needs the package booktabs.  If it is wider than a column, it is a `table*`, which spans both columns of a paper,
    and needs graphicx too.  If its columns do not fit side by side at a readable size, letters stand for the names of
    its rows, with a key in the notes; if that is not enough, it has several parts below each other.  Parts for which
    one page is too short go into further floats with the same number.
    """
    label = re.sub(r"[^A-Za-z0-9:.-]+", "-", name).strip("-") or "results"
    parts, key = layout_of(table)
    if key:
        names = "; ".join(f"{letter} = {row}" for letter, row in key.items())
        notes = (f"{table.columns[0]}: {names}.", *(_with_letters_of(key, note) for note in notes))
    wide = _width(table, _SMALL) > _COLUMN
    kind = "table*" if wide else "table"
    lines = [
        *_needs_fonts(table, notes),
        "% needs \\usepackage{booktabs,graphicx}" if wide else "% needs \\usepackage{booktabs}",
    ]
    floats = _pages(parts)
    for place, page in enumerate(floats):
        lines += [f"\\begin{{{kind}}}[tb]", "\\centering\\sloppy"]
        if place:
            lines += ["\\addtocounter{table}{-1}", f"\\caption{{{breakable(say('(continued)'), _LONGEST)}}}"]
        else:
            lines += [f"\\caption{{{breakable(table.title, _LONGEST)}}}", f"\\label{{tab:{label}}}"]
        for n, part in enumerate(page):
            lines.append(f"\\par\\vspace{{{6 if n else 3}pt}}")
            lines += _sized(part, wide)
        lines += _notes(notes) if notes and page is floats[-1] else []
        lines.append(f"\\end{{{kind}}}")
    return "\n".join(lines) + "\n"


def remarks_on(table: Table) -> list[str]:
    """Say if a table has letters for names, several parts, small type, or more rows than a page; and what to do."""
    parts, key = layout_of(table)
    remarks = []
    if len(parts) > 1:
        most = max(len(part.table.columns) for part in parts) - table.names
        remarks.append(
            f"its {len(table.columns) - table.names} columns do not fit side by side at a readable size, so they stand "
            f"in {len(parts)} parts below each other; for one part choose about {most} metrics with -m"
        )
    if key:
        remarks.append(
            "letters stand for the names of runs, with a key below the table, because the names are long; NAME=FILE "
            "gives a run a shorter name"
        )
    smallest = min(part.printed_size for part in parts)
    if smallest < _SMALLEST:
        remarks.append(
            f"its type is about {smallest:.0f} pt high in a text of 12 cm, "
            + (
                "and larger over both columns of a paper; for the first choose fewer metrics with -m"
                if key
                else "because names are long; give the runs shorter names (NAME=FILE)"
            )
        )
    if max(part.height for part in parts) > _PAGE:
        remarks.append(
            f"its {len(table.rows)} rows may be taller than a page; choose fewer runs, or write report.tex, whose "
            "tables go on over pages"
        )
    return remarks


def layout_of(table: Table) -> Layout:
    """Choose the layout: one part with the names at a readable size, else with letters, else as few parts as possible.

    With letters, a part may be as wide as both columns of a paper in two columns; a narrower text shrinks it.
    """
    lettered, key = _with_letters(table)
    choices = [(table, size, _SPACE, _TEXT) for size in _COMMANDS]
    if key:
        choices += [(lettered, size, _SPACE, _TEXT) for size in _COMMANDS]
        choices += [(lettered, _SMALLEST, _TIGHT, limit) for limit in (_TEXT, _SPREAD)]
    for tried, size, space, limit in choices:
        if _width(tried, size, space) <= limit:
            return Layout([Part(tried, size, space)], key if tried is lettered else {})
    return Layout(_several_parts(lettered if key else table), key)


def _with_letters(table: Table) -> tuple[Table, Mapping[str, str]]:
    """Return the table with letters (or numbers, if there are too many rows) for the names of its rows, and the key.

    Return no key if letters are not shorter, or if names do not tell the rows apart.
    """
    names = [str(row[0]) for row in table.rows]
    signs = letters_of(names) or {name: integer(place) for place, name in enumerate(names, start=1)}
    if table.names != 1 or len(signs) < max(len(names), 2) or max(map(len, names)) < _WORTH_A_LETTER:
        return table, {}
    rows = [[signs[name], *row[1:]] for name, row in zip(names, table.rows, strict=True)]
    return table._replace(rows=rows), {sign: name for name, sign in signs.items()}


def _with_letters_of(key: Mapping[str, str], note: str) -> str:
    """Return a note with letters in place of the names that they stand for; a name inside a longer word stays.

    >>> _with_letters_of({"A": "bm25-k09", "B": "bm25-k09-rm3"}, "bm25-k09-rm3 (3), bm25-k09 (2), x-bm25-k09")
    'B (3), A (2), x-bm25-k09'
    """
    letters = {name: letter for letter, name in key.items()}
    names = "|".join(map(re.escape, sorted(letters, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.-])(?:{names})(?![\w-])", lambda match: letters[match[0]], note)


def _several_parts(table: Table) -> list[Part]:
    """Split the columns into parts that fit into the width of a text at a readable size, as few as possible."""
    columns = range(table.names, len(table.columns))
    for n in range(1, len(columns) + 1):
        bounds = [-(-len(columns) * place // n) for place in range(n + 1)]
        tables = [_with_columns(table, columns[start:end]) for start, end in pairwise(bounds)]
        widest = {size: max(_width(part, size) for part in tables) for size in _COMMANDS}
        size = next((size for size in widest if widest[size] <= _TEXT), None)
        if size or n == len(columns):
            return [Part(part, size or _SMALLEST) for part in tables]
    return [Part(table, _SMALLEST)]


def _with_columns(table: Table, columns: Sequence[int]) -> Table:
    places = [*range(table.names), *columns]
    rows = [[row[place] for place in places] for row in table.rows]
    return table._replace(columns=[table.columns[place] for place in places], rows=rows)


def _pages(parts: Sequence[Part]) -> list[list[Part]]:
    """Distribute the parts over floats that are not taller than a page."""
    pages: list[list[Part]] = [[]]
    for part in parts:
        if pages[-1] and sum(other.height for other in pages[-1]) + part.height > _PAGE:
            pages.append([])
        pages[-1].append(part)
    return pages


def _sized(part: Part, wide: bool) -> Iterator[str]:
    """Write a part at its size; a wide one is shrunk if the text of the paper is narrower still."""
    yield f"{{{_COMMANDS[part.size]}\\setlength{{\\tabcolsep}}{{{part.space / 2:g}pt}}%"
    tabular = "\n".join(_tabular(part.table))
    if wide:
        tabular = f"\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n{tabular}%\n}}"
    yield f"{tabular}\\par}}"


def _notes(notes: Sequence[str]) -> Iterator[str]:
    yield "\\par\\vspace{4pt}"
    yield "\\begin{minipage}{\\linewidth}\\footnotesize\\sloppy"
    yield f"\\emph{{{escaped(say('Notes.'))}}}"
    yield from (breakable(note, _LONGEST) for note in notes)
    yield "\\end{minipage}"


def _needs_fonts(table: Table, notes: Sequence[str]) -> Iterator[str]:
    texts = "".join([table.title, *table.columns, *(cell for row in table.rows for cell in row), *notes])
    if _beyond(escaped(texts)):
        yield "% needs xelatex or lualatex, and a font with letters of all scripts below"


def _beyond(text: str) -> bool:
    r"""Return whether a text has letters that pdflatex lacks: of other scripts than the Latin one.

    >>> _beyond("búsqueda − 0.3"), _beyond("الدلالي")
    (False, True)
    """
    return any(letter.isalpha() and ord(letter) > 0x24F for letter in text)


def _tabular(table: Table) -> Iterator[str]:
    """Write the rows; numbers with marks take two columns, so that they stay aligned; intervals stand below them."""
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    double = [place >= table.names and any(map(_mark, cells)) for place, cells in enumerate(columns)]
    kinds = ["l" if place < table.names else "r@{}l" if double[place] else "r" for place in range(len(columns))]
    yield f"\\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}"
    yield "\\toprule"
    yield _line(_over(escaped(text), two) for text, two in zip(table.columns, double, strict=True))
    yield "\\midrule"
    for row in table.rows:
        yield _line(
            f"{_value(cell)}{f' & {_mark(cell)}' if two else ''}" for cell, two in zip(row, double, strict=True)
        )
        additions = list(map(_additions, row))
        if any(additions):
            yield _line(map(_over, additions, double))
    yield "\\bottomrule"
    yield "\\end{tabular}"


def _line(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _over(text: str, double: bool) -> str:
    """Write a text over both parts of a double column."""
    return f"\\multicolumn{{2}}{{c}}{{{text}}}" if double else text


def _value(text: str) -> str:
    value = escaped(text.text if isinstance(text, Cell) else text)
    return f"\\textbf{{{value}}}" if isinstance(text, Cell) and text.bold else value


def _mark(text: str) -> str:
    return f"\\textsuperscript{{{escaped(text.mark)}}}" if isinstance(text, Cell) and text.mark else ""


def _additions(text: str) -> str:
    """Write the interval and the note of a cell in small type; "" without them."""
    parts = (f"({text.beside})" if text.beside else "", text.note) if isinstance(text, Cell) else ()
    additions = " ".join(filter(None, parts))
    return f"{{\\scriptsize {escaped(additions)}}}" if additions else ""


def _width(table: Table, size: float, space: float = _SPACE) -> float:
    """Estimate the width of the table in points, for type of this size and this space between two columns."""
    columns = [*zip(table.columns, *table.rows, strict=True)]
    return sum(max(map(_letters, cells)) for cells in columns) * _LETTER * size + space * (len(columns) - 1)


def _letters(text: str) -> float:
    """Count the letters of a cell's longer line, each as wide as a letter of its first."""
    if not isinstance(text, Cell):
        return len(text)
    below = len(f"({text.beside}) {text.note}") if text.beside else len(text.note)
    return max(len(text.text) + _SMALLER * len(text.mark), _SMALLER * below)
