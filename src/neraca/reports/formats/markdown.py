"""The report in GitHub-flavoured Markdown: the same tables and words, without drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from neraca.reports.formats.escape import clip, visible
from neraca.reports.formats.render import environment, of_report
from neraca.reports.report import Report
from neraca.reports.translation import written_in

# What GitHub and pandoc read as Markdown, and only there where they do.
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


def fill(page: str, **values: object) -> str:
    """Fill a template of this format; each value that it prints becomes plain words."""
    return _environment().get_template(page).render(values).rstrip() + "\n"


def to_markdown(report: Report) -> str:
    """Write a report as Markdown; the same report gives the same bytes."""
    with written_in(report.language):
        return fill("page.md", **of_report(report))


@cache
def _environment() -> Environment:
    env = environment("markdown", _finalize, keep_trailing_newline=True)
    env.filters.update(
        cell=lambda text: Markup(cell(text)), code=lambda text, length=0: Markup(code(text, length)), html=_html
    )
    env.globals.update(row=_row, head=_head)
    return env


def _finalize(value: Any) -> Any:
    """Whatever is printed is plain words, but what a filter or a macro has made Markdown of."""
    return Markup(plain(value)) if type(value) is str else value


def _html(text: str) -> Markup:
    """Words on one line inside an element of HTML."""
    return Markup(escape(" ".join(visible(text).split()), quote=False))


def _row(*cells: object) -> Markup:
    """A row of a table."""
    return Markup(f"| {' | '.join(cell(str(words)) for words in cells)} |")


def _head(*names: str) -> Markup:
    """A table as yet without rows."""
    return Markup("\n".join(table([cell(str(name)) for name in names], ())).rstrip())
