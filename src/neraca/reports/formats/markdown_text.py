"""Escape text for Markdown, so that it reads as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from neraca.reports.formats.visible_text import clip, visible

# Marks that GitHub or pandoc reads as Markdown, in the places where they do.
_MARKS = re.compile(
    r"""
    [\\*`|]                             # wherever they stand
    | (?<![^\W_])(?<!_)_+ | _++(?![^\W_])   # not inside a word
    | <(?=[A-Za-z/!?]) | &(?=\#?\w+;)   # what could be HTML
    | \](?=[(\[:{])                     # what could be the end of a link's words
    | (?<=\S)[$~^] | \^(?=\[)           # what could close a formula, a deletion or an exponent
    | (?<=\s)\#(?=\#*$)                 # at the end of a heading
    """,
    re.VERBOSE,
)
# Beginnings of a line that make it a task, the address of a link, a quotation, a list or a heading.
_BEGINS = re.compile(r"\[(?=[ xX]\]|.*\]$)|>|[-+](?=\s|$)|-(?=[-\s]+$)|#(?=#*(?:\s|$))|\d{1,9}[.)](?=\s|$)")
# Outside code, @ and a name mention a person on GitHub and cite in pandoc; a number, as in P@5, is harmless.
_MENTION = re.compile(r"((?<![\w/])@(?=[\w-]*[A-Za-z])[\w-]+)", re.ASCII)


def plain(text: str) -> str:
    r"""Escape a text for one line of Markdown, so that it reads as it is.

    >>> print(plain("P(of=returned)@5 of <api_v2> at http://a.example is *low* [p < 0.001]"))
    P(of=returned)@5 of \<api_v2> at http://a.example is \*low\* [p < 0.001]
    """
    escaped = cell(text)
    begins = _BEGINS.match(escaped)
    return f"{_escape(begins)}{escaped[begins.end() :]}" if begins else escaped


def cell(text: str) -> str:
    r"""Escape a text for a cell of a table, where the beginning of a line needs no escape.

    >>> cell("> 99 %"), plain("> 99 %")
    ('> 99 %', '\\> 99 %')
    """
    parts = _MENTION.split(_MARKS.sub(_escape, " ".join(visible(text).split())))
    return "".join(f"`{part}`" if place % 2 else part for place, part in enumerate(parts))


def _escape(match: re.Match[str]) -> str:
    marks = match[0]
    return f"{marks[:-1]}\\{marks[-1]}" if marks[0].isdigit() else "".join(f"\\{mark}" for mark in marks)


def code(text: str, length: int = 0) -> str:
    """Write a text that a model, a page or a user wrote as a code span, in which nothing is interpreted.

    >>> code("![x](http://y) `b`"), code("")
    ('`` ![x](http://y) `b` ``', '(empty)')
    """
    text = " ".join((clip(text, length) if length else visible(text)).split())
    if not text:
        return "(empty)"
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table of finished cells.

    The first column and those that mostly hold words are aligned left, the others right.

    >>> print(*table(["run", "n", "why"], [["a", "3", "it is short"]]), sep=chr(10))
    | run | n | why |
    |---|---:|---|
    | a | 3 | it is short |
    <BLANKLINE>
    """
    cells = [*rows]
    yield f"| {' | '.join(header)} |"
    yield "|" + "".join(_alignment([row[n] for row in cells if n < len(row)], n) + "|" for n in range(len(header)))
    for row in cells:
        yield f"| {' | '.join(row)} |"
    yield ""


def _alignment(column: Sequence[str], place: int) -> str:
    cells = [cell for cell in column if cell.strip()]
    words = sum(cell.lstrip("`*[\\ ")[:1].isalpha() for cell in cells)
    return "---" if not place or 2 * words > len(cells) else "---:"
