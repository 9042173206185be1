"""Write one table as a LaTeX `table`, to paste or to read into a paper of one or two columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from neraca.reports.blocks.block import Cell
from neraca.reports.formats.latex import escaped
from neraca.result import Table

#: Widths in points at the size `small` of a paper in 10 point type: one letter, the space between two columns, and a
#: column of a paper in two columns; then the width of a superscript or a small letter, as a share of a letter's.
_LETTER, _SPACE, _COLUMN = 4.7, 9.0, 225
_SMALLER = 0.75


def to_latex_table(table: Table, name: str) -> str:
    r"""Write the table with its caption, and with the label `tab:NAME`.

    It needs the packages booktabs and graphicx.  If it is wider than a column, it is a `table*`, which spans both
    columns of a paper, and it shrinks to the width that it has.
    """
    label = re.sub(r"[^A-Za-z0-9:.-]+", "-", name).strip("-") or "results"
    wide = _width(table) > _COLUMN
    kind = "table*" if wide else "table"
    tabular = "\n".join(_tabular(table))
    if wide:
        tabular = f"\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n{tabular}%\n}}"
    texts = "".join([table.title, *table.columns, *(cell for row in table.rows for cell in row)])
    fonts = (
        ("% needs xelatex or lualatex, and a font with letters of all scripts below",)
        if _beyond(escaped(texts))
        else ()
    )
    lines = (
        *fonts,
        "% needs \\usepackage{booktabs,graphicx}" if wide else "% needs \\usepackage{booktabs}",
        f"\\begin{{{kind}}}[tb]",
        "\\centering",
        f"\\caption{{{escaped(table.title)}}}",
        f"\\label{{tab:{label}}}",
        "\\small\\setlength{\\tabcolsep}{4pt}",
        tabular,
        f"\\end{{{kind}}}",
    )
    return "\n".join(lines) + "\n"


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


def _width(table: Table) -> float:
    """Estimate the width of the table in points."""
    columns = zip(table.columns, *table.rows, strict=True)
    return sum(max(map(_letters, cells)) * _LETTER + _SPACE for cells in columns)


def _letters(text: str) -> float:
    """Count the letters of a cell's longer line, each as wide as a letter of its first."""
    if not isinstance(text, Cell):
        return len(text)
    below = len(f"({text.beside}) {text.note}") if text.beside else len(text.note)
    return max(len(text.text) + _SMALLER * len(text.mark), _SMALLER * below)
