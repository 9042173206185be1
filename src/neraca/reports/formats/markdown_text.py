"""Words in Markdown: escaped where they would be something else than words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from neraca.reports.formats.escape import clip, visible

# Marks that GitHub and pandoc read as Markdown, where they do.
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
# What makes a task, an address for a link, a quotation, a list or a heading of a line that begins with it.
_BEGINS = re.compile(r"\[(?=[ xX]\]|.*\]$)|>|[-+](?=\s|$)|-(?=[-\s]+$)|#(?=#*(?:\s|$))|\d{1,9}[.)](?=\s|$)")
# A name behind @ calls its owner on GitHub and cites in pandoc, but not in code; the number of P@5 may stay.
_MENTION = re.compile(r"((?<![\w/])@(?=[\w-]*[A-Za-z])[\w-]+)", re.ASCII)


def plain(text: str) -> str:
    r"""Words that read in Markdown as they are, for one line: escaped where they would be something else.

    >>> print(plain("P(of=returned)@5 of <api_v2> at http://a.example is *low* [p < 0.001]"))
    P(of=returned)@5 of \<api_v2> at http://a.example is \*low\* [p < 0.001]
    """
    words = cell(text)
    begins = _BEGINS.match(words)
    return f"{_escape(begins)}{words[begins.end() :]}" if begins else words


def cell(text: str) -> str:
    r"""Words as `plain` writes them, for a cell alone: what a line may not begin with needs no escape there.

    >>> cell("> 99 %"), plain("> 99 %")
    ('> 99 %', '\\> 99 %')
    """
    parts = _MENTION.split(_MARKS.sub(_escape, " ".join(visible(text).split())))
    return "".join(f"`{part}`" if place % 2 else part for place, part in enumerate(parts))


def _escape(match: re.Match[str]) -> str:
    marks = match[0]
    return f"{marks[:-1]}\\{marks[-1]}" if marks[0].isdigit() else "".join(f"\\{mark}" for mark in marks)


def code(text: str, length: int = 0) -> str:
    """A text that a model, a page or a user wrote, exactly, as a code span in which nothing is ever live.

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
    """A table of finished cells; the first column is to the left, the others to the right."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
