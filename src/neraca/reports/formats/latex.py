"""Write blocks as LaTeX: a document that compiles by itself, with tables (booktabs) to copy into a paper."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from neraca.reports.blocks.block import Block, Cell, Document, Figure, Heading, Sentences, on_paper
from neraca.reports.figures.figures import standalone_picture
from neraca.reports.formats.figure_layout import BESIDE, FIGURE_WIDTH, figures_beside
from neraca.reports.formats.table_layout import LETTER, SPACE, UPRIGHT, Layout, letters_of, printed
from neraca.reports.formats.visible_text import SUBSCRIPTED, visible
from neraca.result import Table
from neraca.translation import language, say, written_in

#: Letters: a longer word in a sentence, a heading or the title may break anywhere.
_LINE, _HEADING_LINE, _TITLE_LINE = 50, 30, 20
#: A word of so many letters is never broken, if its room is not narrower still.
_SHORT = 12
#: Longer words may break after signs such as a full stop, so that a line with several of them can be filled.
_LONG = 18

#: The most rows of a table that stays on one page.
_TOGETHER = 20
#: Heights in cm: of a heading with the space around it, of the text that must stand below it, of a table's caption and
#: head, of a line in a table, and the most that a table may demand of a page, and of a turned page.
_HEADING, _TEXT, _HEAD_OF_TABLE, _LINE_HEIGHT, _TALLEST, _TURNED = 1.5, 2.0, 2.2, 0.36, 20.0, 13.5
#: Letters in a line of a figure's caption, its height in cm, and the space above and below a figure and its caption.
_CAPTION_LINE, _CAPTION_HEIGHT, _AROUND_FIGURE = 80, 0.49, 2.0
#: So many rows at the start and the end of a table that goes on over pages stay together, if all are that low, in cm.
_ENDS, _LOW = 3, 1.5

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
    "d_z": r"\ensuremath{d_z}",
    "τ_AP": r"\ensuremath{\tau_{\mathrm{AP}}}",
    **{letter: rf"\ensuremath{{\{name}}}" for letter, name in zip("αβκλπρστφωΔΣ", _GREEK.split(), strict=True)},
}
#: Places where a long name, such as that of a metric, may be broken; a number is never broken.
_BREAKS = re.compile(r"(?<=\S[(=@/])(?=[\w(])|(?<=,)(?=[^\W\d]|\()|(?<=\D,)(?=\d)")
#: More places in the name of a run or a file that is wider than its room.
_IN_NAMES = re.compile(f"{_BREAKS.pattern}|(?<=[_/-])(?=[^\\W_])|(?<=\\.)(?=[^\\W_\\d])")
_SIGNS = [sign for sign in _SPECIAL if len(sign) == 1]
_TO_ESCAPE = re.compile("|".join([SUBSCRIPTED.pattern, *map(re.escape, _SIGNS)]))
_HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \usepackage{lmodern}
\else
  \usepackage{fontspec}
\fi
\usepackage{amssymb,textcomp,booktabs,longtable,array,graphicx,float,pdflscape}
\usepackage[margin=2.5cm]{geometry}
\emergencystretch=4em
\AtBeginDocument{\setlength{\LTcapwidth}{\linewidth}}
% ends the page if less than this height is left; a longtable that moves to the next page would leave its head above
\newcommand{\roomfor}[1]{\par\ifdim\dimexpr\pagegoal-\pagetotal\relax<#1\relax\newpage\fi}
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


def to_latex(document: Document, figures: Mapping[str, str] | None = None, problem: str = "") -> str:
    """Write a report as a LaTeX document, without the answers to single questions.

    pdfLaTeX sets Latin scripts.  If the report has Arabic, Chinese or another of `_SCRIPTS`, it must be compiled with
    LuaLaTeX and takes the first font of the script that is there; without one, it stops and names the fonts.

    Parameters
    ----------
    figures
        Name of a figure → the path of its file, from the folder of the document.  Figures without a file are left out.
    problem
        The reason why figures are left out, for a sentence at the end; "" without a reason.
    """
    with written_in(document.language):
        body = "\n".join(_document(document, figures or {}, problem)) + "\n"
    body = re.sub(r"\\end\{landscape\}\n\n\\begin\{landscape\}.*\n", "\n", body)  # one turned page after the other
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


def _document(document: Document, figures: Mapping[str, str], problem: str) -> Iterator[str]:
    if language() != "en":
        for name in ("Table", "Figure"):
            yield f"\\renewcommand{{\\{name.lower()}name}}{{{escaped(say(name))}}}"
    yield f"\\begin{{document}}\n\\begin{{center}}\\LARGE {breakable(document.title, _TITLE_LINE)}\\end{{center}}"
    blocks, pairs = [*on_paper(document.blocks)], figures_beside(document)
    drawings = {block.name: block for block in blocks if isinstance(block, Figure)}
    for block, following in zip_longest(blocks, blocks[1:]):
        yield ""
        match block:
            case Heading():
                yield f"\\roomfor{{{_HEADING + _height_below(following):.1f}cm}}"
                yield f"\\{'sub' * (block.level - 2)}section*{{{breakable(block.text, _HEADING_LINE)}}}"
            case Sentences():
                yield from _sentences(block)
            case Table() if block.columns:
                for place, layout in enumerate(printed(block)):
                    yield from [""] if place else []
                    yield from [] if layout.turned else [f"\\roomfor{{{_height(layout):.1f}cm}}"]
                    yield from _table(layout)
            case Table():
                yield from _facts(block)
            case Figure() if block.name in figures and pairs.get(block.name) in figures:
                yield from _two_figures([block, drawings[pairs[block.name]]], figures)
            case Figure() if block.name in figures and block.name not in pairs.values():
                yield from _figure(block, figures[block.name])
    if problem:
        yield f"\n{breakable(say('The figures were left out: {error}', error=problem))}"
    yield "\\end{document}"


def _height_below(block: Block | None) -> float:
    """Estimate the height in cm of what must stand on one page with the heading above it."""
    match block:
        case Table() if block.columns:
            return _height(printed(block)[0])
        case Figure():
            picture = standalone_picture(block, FIGURE_WIDTH)
            return min(_TALLEST, UPRIGHT * picture.height / picture.width + _AROUND_FIGURE)
        case _:
            return _TEXT


def _sentences(block: Sentences) -> Iterator[str]:
    if block.title:
        yield f"\\paragraph{{{breakable(block.title)}}}"
    if block.kind == "list":
        yield from _list(map(breakable, block.sentences))
    elif block.kind == "lead":
        yield from (rf"\textbf{{{breakable(sentence)}}}" for sentence in block.sentences)
    else:
        yield "\n\n".join(map(breakable, block.sentences))


def _facts(table: Table) -> Iterator[str]:
    if table.title:
        yield f"\\paragraph{{{breakable(table.title)}}}"
    yield from _list(rf"\textbf{{{breakable(name)}}}: {breakable(value)}" for name, value in table.rows)


def _figure(figure: Figure, path: str) -> Iterator[str]:
    """Include a drawing that leaves room on its page for its caption and a heading."""
    lines = math.ceil(len(visible(figure.caption)) / _CAPTION_LINE)
    height = f"\\dimexpr\\textheight-{_HEADING + _AROUND_FIGURE + _CAPTION_HEIGHT * lines:.1f}cm\\relax"
    yield "\\begin{figure}[H]\n\\centering"
    yield f"\\includegraphics[width=\\linewidth,height={height},keepaspectratio]{{{path}}}"
    yield f"\\caption{{{breakable(figure.caption)}}}\n\\end{{figure}}"


def _two_figures(both: Sequence[Figure], paths: Mapping[str, str]) -> Iterator[str]:
    """Include two low drawings side by side, each above its caption."""
    yield "\\begin{figure}[H]"
    for place, figure in enumerate(both):
        yield "\\hfill" if place else "\\centering"
        yield f"\\begin{{minipage}}[t]{{{BESIDE:g}cm}}"
        yield f"\\includegraphics[width=\\linewidth]{{{paths[figure.name]}}}"
        yield f"\\caption{{{breakable(figure.caption)}}}\n\\end{{minipage}}"
    yield "\\end{figure}"


def escaped(text: str) -> str:
    r"""Escape a text so that LaTeX prints it.

    >>> print(escaped("50 % of a_b \\input{x} $"))
    50 \% of a\_b \textbackslash{}input\{x\} \$
    >>> print(escaped("Cohen's d_z"))
    Cohen's \ensuremath{d_z}
    """
    plain = _TO_ESCAPE.sub(lambda sign: _SPECIAL.get(sign[0], sign[0]), visible(text).replace("\n", " "))
    return re.sub("-(?=-)", "-{}", plain)  # two hyphens side by side would become a dash


def breakable(text: str, letters: float = _LINE) -> str:
    """Escape a text, and allow breaks inside long names and anywhere in words that are wider than so many letters."""
    return " ".join(_word(word, letters) for word in visible(text).split())


def _word(word: str, letters: float) -> str:
    if letters_of(word) <= min(letters, _SHORT):
        return escaped(word)
    for places in (_IN_NAMES,) if letters_of(word) > _LONG else (_BREAKS, _IN_NAMES):
        pieces = places.split(word)
        if max(map(letters_of, pieces)) <= letters:
            return r"\allowbreak{}".join(map(escaped, pieces))
    marks = ["" if unicodedata.combining(sign) else r"\allowbreak{}" for sign in word]
    return "".join(f"{mark}{escaped(sign)}" for mark, sign in zip(marks, word, strict=True))


def _list(lines: Iterable[str]) -> Iterator[str]:
    yield "\\begin{itemize}"
    yield from (f"\\item {{}}{line}" for line in lines)
    yield "\\end{itemize}"


def _heights(layout: Layout) -> list[float]:
    """Estimate the height in cm of each row of a table."""
    letters = [(width - SPACE) / LETTER for width in layout.widths]
    lines = (
        max(1, *(math.ceil(letters_of(cell) / room) for cell, room in zip(row, letters, strict=True)))
        for row in layout.table.rows
    )
    return [_LINE_HEIGHT * of_row for of_row in lines]


def _stays_together(layout: Layout) -> bool:
    """Return whether all rows of a table stay on one page: it holds them, and if it is not turned they are few."""
    height = _HEAD_OF_TABLE + sum(_heights(layout))
    return height <= _TURNED if layout.turned else len(layout.table.rows) <= _TOGETHER and height <= _TALLEST


def _height(layout: Layout) -> float:
    """Estimate the height in cm of the part of a table that must stand on one page, with its caption and head."""
    heights = _heights(layout)
    return min(_TALLEST, _HEAD_OF_TABLE + sum(heights if _stays_together(layout) else heights[:_ENDS]))


def _table(layout: Layout) -> Iterator[str]:
    """Write a table that may continue over pages, or a part of one; each column has the width of its layout."""
    table = layout.table
    rooms = [width - SPACE for width in layout.widths]
    letters = [math.floor(room / LETTER) for room in rooms]
    kinds = ["raggedright" if place < table.names else "raggedleft" for place in range(len(rooms))]
    columns = "".join(
        rf">{{\{kind}\arraybackslash\hspace{{0pt}}}}p{{{room:.2f}cm}}" for kind, room in zip(kinds, rooms, strict=True)
    )
    yield from ["\\begin{landscape}\\setlength{\\LTcapwidth}{\\linewidth}"] if layout.turned else []
    yield rf"{{\footnotesize\setlength{{\tabcolsep}}{{{SPACE / 2:g}cm}}\hyphenpenalty=10000"
    yield f"\\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
    yield from [f"\\caption{{{breakable(table.title)}}}\\\\"] if table.title else []
    yield "\\toprule"
    yield f"{' & '.join(map(breakable, table.columns, letters))} \\\\"
    yield "\\midrule\n\\endhead"
    together, low, last = _stays_together(layout), max(_heights(layout), default=0) <= _LOW, len(table.rows) - 1
    for place, row in enumerate(table.rows):
        kept = together or (low and (place < _ENDS - 1 or place > last - _ENDS))
        yield f"{' & '.join(map(_marked, row, letters))} \\\\{'*' if kept else ''}"  # a star: no page ends after it
    yield "\\bottomrule\n\\end{longtable}}"
    yield from ["\\end{landscape}"] if layout.turned else []


def _marked(text: str, letters: float) -> str:
    """Write a cell, with the text of a bold cell in bold."""
    if not isinstance(text, Cell) or not text.bold:
        return breakable(text, letters)
    return rf"\textbf{{{breakable(text.text, letters)}}}{f' {breakable(text.after, letters)}' if text.after else ''}"
