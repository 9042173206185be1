"""Write blocks as LaTeX: a document that compiles by itself, with tables (booktabs) to copy into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from neraca.reports.blocks.block import Cell, Document, Heading, Sentences, without_questions
from neraca.reports.formats.visible_text import visible
from neraca.reports.translation import language, say, written_in
from neraca.result import Table

#: Tables with this many columns or more are set in smaller type.
WIDE = 9

_GREEK = "alpha beta kappa lambda pi rho sigma tau phi omega Delta Sigma"
#: Signs that LaTeX would read as a command or that need a math symbol; all others are written as UTF-8.
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
    '"': r"\symbol{34}",  # has a glyph in every font encoding
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "≥": r"\ensuremath{\ge}",
    "≤": r"\ensuremath{\le}",
    "∞": r"\ensuremath{\infty}",
    "×": r"\ensuremath{\times}",
    "→": r"\ensuremath{\rightarrow}",
    "…": r"\dots{}",
    "▲": r"\ensuremath{\blacktriangle}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "↓": r"\ensuremath{\downarrow}",
    "√": r"\ensuremath{\surd}",
    "≈": r"\ensuremath{\approx}",
    "₁": r"\textsubscript{1}",
    "₂": r"\textsubscript{2}",
    "\N{REPLACEMENT CHARACTER}": "?",
    **{letter: rf"\ensuremath{{\{name}}}" for letter, name in zip("αβκλπρστφωΔΣ", _GREEK.split(), strict=True)},
}
#: Places where a long name, such as that of a metric, may be broken; a number is never broken.
_BREAKS = re.compile(r"(?<=[(=@/])(?=[\w(])|(?<=,)(?=[^\W\d]|\()|(?<=\D,)(?=\d)")
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
#: What to do if a report has one of `_SCRIPTS`.
COMPILE = "compile it with lualatex (texlive-luatex), which sets each script in a font that has it"
#: Scripts that the usual fonts of LaTeX lack: a language as babel names it, the ranges of its letters, and fonts with
#: these letters, the best first.
_SCRIPTS = (
    ("arabic", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff", ("Amiri", "Noto Naskh Arabic", "DejaVu Sans")),
    ("hebrew", "\u0590-\u05ff", ("Noto Serif Hebrew", "FreeSerif", "DejaVu Sans")),
    ("russian", "\u0400-\u04ff", ("Noto Serif", "FreeSerif", "DejaVu Serif")),
    ("thai", "\u0e00-\u0e7f", ("Noto Serif Thai", "Norasi", "FreeSerif")),
    ("hindi", "\u0900-\u097f", ("Noto Serif Devanagari", "FreeSerif", "Lohit Devanagari")),
    ("japanese", "\u3040-\u30ff", ("Noto Serif CJK JP", "Noto Sans CJK JP", "IPAexMincho")),
    ("korean", "\uac00-\ud7af\u1100-\u11ff", ("Noto Serif CJK KR", "Noto Sans CJK KR", "UnBatang")),
    ("chinese", "\u3400-\u9fff\uf900-\ufaff", ("Noto Serif CJK SC", "Noto Sans CJK SC", "FandolSong")),
)


def to_latex(document: Document) -> str:
    """Write a report as a LaTeX document, without drawings and the answers to single questions.

    pdfLaTeX sets Latin scripts.  If the report has Arabic, Chinese or another of `_SCRIPTS`, it must be compiled with
    LuaLaTeX and takes the first font of the script that is there; without one, it stops and names the fonts.
    """
    with written_in(document.language):
        body = "\n".join(_document(document)) + "\n"
    return f"{_head(scripts_in(body))}{body}"


def scripts_in(text: str) -> list[str]:
    """Return the languages of the scripts in a text that the usual fonts of LaTeX lack; 漢字 beside kana is Japanese.

    >>> scripts_in("Jalan 5, 東京 の"), scripts_in("استرجاع"), scripts_in("Málaga")
    (['japanese'], ['arabic'], [])
    """
    languages = [name for name, letters, _ in _SCRIPTS if re.search(f"[{letters}]", text)]
    return [name for name in languages if name != "chinese" or "japanese" not in languages]


def _head(languages: Sequence[str]) -> str:
    """Return what stands before the title: packages, and a font for each further script."""
    if not languages:
        return _HEAD
    lines = [
        rf"\ifLuaTeX\else\errmessage{{This report has the script of {', '.join(languages)}: {COMPILE}}}\fi",
        r"\usepackage[bidi=basic,english]{babel}",
    ]
    for name, _, fonts in _SCRIPTS:
        if name in languages:
            lines.append(rf"\babelprovide[import,onchar=ids fonts]{{{name}}}")
            choice = rf"\errmessage{{No font for {name}: install one of {', '.join(fonts)}, or write its name here}}"
            for font in reversed(fonts):
                choice = rf"\IfFontExistsTF{{{font}}}{{\babelfont[{name}]{{rm}}{{{font}}}}}{{{choice}}}"
            lines.append(choice)
    return _HEAD + "\n".join(lines) + "\n"


def _document(document: Document) -> Iterator[str]:
    table_name = f"\\renewcommand{{\\tablename}}{{{escaped(say('Table'))}}}\n" if language() != "en" else ""
    title = f"\\title{{{escaped(document.title)}}}\n\\author{{}}\n\\date{{}}"
    yield f"{table_name}{title}\n\\begin{{document}}\n\\maketitle"
    for block in without_questions(document.blocks):
        yield ""
        match block:
            case Heading():
                yield f"\\{'sub' * (block.level - 2)}section*{{{escaped(block.text)}}}"
            case Sentences():
                yield from _sentences(block)
            case Table():
                yield from _table(block) if block.columns else _facts(block)
    yield "\\end{document}"


def _sentences(block: Sentences) -> Iterator[str]:
    if block.title:
        yield f"\\paragraph{{{escaped(block.title)}}}"
    if block.kind == "list":
        yield from _list(map(escaped, block.sentences))
    elif block.kind == "lead":
        yield from (rf"\textbf{{{escaped(sentence)}}}" for sentence in block.sentences)
    else:
        yield "\n\n".join(map(escaped, block.sentences))


def _facts(table: Table) -> Iterator[str]:
    if table.title:
        yield f"\\paragraph{{{escaped(table.title)}}}"
    yield from _list(rf"\textbf{{{_cell(name)}}}: {_cell(value)}" for name, value in table.rows)


def escaped(text: str) -> str:
    r"""Escape a text so that LaTeX prints it.

    >>> print(escaped("50 % of a_b \\input{x} $"))
    50 \% of a\_b \textbackslash{}input\{x\} \$
    """
    return _TO_ESCAPE.sub(lambda sign: _SPECIAL[sign[0]], visible(text).replace("\n", " "))


def _cell(text: str) -> str:
    """Escape a text and allow breaks inside a long name."""
    return _BREAKS.sub(r"\\allowbreak{}", escaped(text))


def _list(lines: Iterable[str]) -> Iterator[str]:
    yield "\\begin{itemize}"
    yield from (f"\\item {{}}{line}" for line in lines)
    yield "\\end{itemize}"


def _columns(table: Table) -> str:
    """Share the width of the page among the columns by the length of their cells, whose words wrap."""
    cells = zip(table.columns, *table.rows, strict=True)
    sizes = [min(60, max(7, *map(len, column))) ** 0.7 for column in cells]
    room = 1 - 0.02 * len(sizes)
    shares = [room * size / sum(sizes) for size in sizes]
    return "".join(rf">{{\raggedright\arraybackslash}}p{{{share:.3f}\linewidth}}" for share in shares)


def _table(table: Table) -> Iterator[str]:
    """Write a table that may continue over pages."""
    size = "small" if len(table.columns) < WIDE else "scriptsize"
    yield rf"{{\{size}\setlength{{\tabcolsep}}{{0.01\linewidth}}"
    yield f"\\begin{{longtable}}{{@{{}}{_columns(table)}@{{}}}}"
    yield from [f"\\caption{{{escaped(table.title)}}}\\\\"] if table.title else []
    yield "\\toprule"
    yield f"{' & '.join(map(_cell, table.columns))} \\\\"
    yield "\\midrule\n\\endhead"
    yield from (f"{' & '.join(map(_marked, row))} \\\\" for row in table.rows)
    yield "\\bottomrule\n\\end{longtable}}"


def _marked(text: str) -> str:
    """Write a cell, with the text of a bold cell in bold."""
    if not isinstance(text, Cell) or not text.bold:
        return _cell(text)
    return rf"\textbf{{{_cell(text.text)}}}{f' {_cell(text.after)}' if text.after else ''}"
