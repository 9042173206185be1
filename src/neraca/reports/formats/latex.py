"""The report as LaTeX: a document that compiles by itself, with tables (booktabs) to copy into a thesis or a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from neraca.reports.formats.escape import visible
from neraca.reports.formats.report_tables import ReportTable, method_sentences, paragraphs, report_tables
from neraca.reports.report import Report
from neraca.reports.translation import language, say, written_in

#: What LaTeX would read as a command; all else stands for itself in UTF-8.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "≥": r"\ensuremath{\ge}",
    "≤": r"\ensuremath{\le}",
    "∞": r"\ensuremath{\infty}",
    "×": r"\ensuremath{\times}",
    "→": r"\ensuremath{\rightarrow}",
    "…": r"\dots{}",
    "▲": r"\ensuremath{\blacktriangle}",
}
_TO_ESCAPE = re.compile("|".join(map(re.escape, _SPECIAL)))
_HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \usepackage{lmodern}
\else
  \usepackage{fontspec}
\fi
\usepackage{amssymb,textcomp,booktabs,longtable,array,graphicx}
\usepackage[margin=2.5cm]{geometry}
"""


def to_latex(report: Report) -> str:
    """Write a report as a LaTeX document.

    pdfLaTeX sets Latin scripts; for Arabic, Chinese and others compile with XeLaTeX or LuaLaTeX and a font that has
    them.
    """
    with written_in(report.language):
        return "\n".join(_document(report)) + "\n"


def _document(report: Report) -> Iterator[str]:
    named = f"\\renewcommand{{\\tablename}}{{{escaped(say('Table'))}}}\n" if language() != "en" else ""
    title = f"\\title{{{escaped(report.title)}}}\n\\author{{}}\n\\date{{}}"
    yield f"{_HEAD}{named}{title}\n\\begin{{document}}\n\\maketitle"
    for heading, sentences in paragraphs(report):
        yield f"\n\\section*{{{escaped(heading)}}}" if heading else ""
        yield from _list(sentences) if heading else [rf"\textbf{{{escaped(s)}}}" for s in sentences]
    for table in report_tables(report):
        yield ""
        yield from _table(table)
    if any(section.name == "method" for section in report.sections):
        yield f"\n\\section*{{{escaped(say('Method'))}}}"
        yield from _list(method_sentences(report))
    yield "\\end{document}"


def escaped(text: str) -> str:
    r"""Any text as LaTeX that prints it and does nothing.

    >>> print(escaped("50 % of a_b \\input{x} $"))
    50 \% of a\_b \textbackslash{}input\{x\} \$
    """
    return _TO_ESCAPE.sub(lambda found: _SPECIAL[found[0]], visible(text).replace("\n", " "))


def _cell(text: str) -> str:
    """A text that may be broken inside a long name, such as that of a metric."""
    return re.sub(r"(?<=[(,=@/])(?=[\w(])", r"\\allowbreak{}", escaped(text))


def _list(sentences: Iterable[str]) -> Iterator[str]:
    yield "\\begin{itemize}"
    yield from (f"\\item {{}}{escaped(sentence)}" for sentence in sentences)
    yield "\\end{itemize}"


def _columns(table: ReportTable) -> str:
    """Columns of words that wrap, as wide as what they hold, so that no row is wider than the page."""
    cells = zip(table.columns, *table.rows, strict=True)
    sizes = [min(60, max(7, *map(len, column))) ** 0.7 for column in cells]
    room = 1 - 0.02 * len(sizes)
    shares = [room * size / sum(sizes) for size in sizes]
    return "".join(rf">{{\raggedright\arraybackslash}}p{{{share:.3f}\linewidth}}" for share in shares)


def _table(table: ReportTable) -> Iterator[str]:
    """A table that goes on over pages."""
    yield r"{\small\setlength{\tabcolsep}{0.01\linewidth}"
    yield f"\\begin{{longtable}}{{@{{}}{_columns(table)}@{{}}}}"
    yield f"\\caption{{{escaped(table.caption)}}}\\\\"
    yield "\\toprule"
    yield f"{' & '.join(map(_cell, table.columns))} \\\\"
    yield "\\midrule\n\\endhead"
    for number, row in enumerate(table.rows):
        cells = [
            rf"\textbf{{{_cell(cell)}}}" if (number, place) in table.best else _cell(cell)
            for place, cell in enumerate(row)
        ]
        yield f"{' & '.join(cells)} \\\\"
    yield "\\bottomrule\n\\end{longtable}}"
