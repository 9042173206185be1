"""The report in GitHub-flavoured Markdown: the same tables and words, without drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from neraca.reports.escape import clip, visible
from neraca.reports.render import environment, of_report
from neraca.reports.report import Report

_ENTITIES = {"\\": "&#92;", "|": "&#124;", "<": "&lt;", ">": "&gt;", "&": "&amp;", "`": "&#96;", ":": "&#58;"}
_ESCAPED = re.compile(r"[\\|<>&`*_\[\]~$#!]|:(?=//)|(?<=www)\.|@(?<!\w@)|@(?!\d+(?![\w-]|\.\w))")


def plain(text: str) -> str:
    r"""Words in which nothing is Markdown any more, for one line or one cell.

    >>> plain("a|b *c* ![x](http://y) nDCG@10")
    'a&#124;b \\*c\\* \\!\\[x\\](http&#58;//y) nDCG@10'
    """
    return _ESCAPED.sub(_escape, " ".join(visible(text).split()))


def _escape(match: re.Match[str]) -> str:
    sign = match[0]
    if sign == "@":  # a word joiner keeps mentions and addresses from becoming links, and is not seen
        return "@\u2060"
    return "&#46;" if sign == "." else _ENTITIES.get(sign, f"\\{sign}")


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
    return fill("page.md", **of_report(report))


@cache
def _environment() -> Environment:
    env = environment("markdown", _finalize, keep_trailing_newline=True)
    env.filters.update(code=lambda text, length=0: Markup(code(text, length)), html=_html)
    env.globals.update(row=_row, head=_head)
    return env


def _finalize(value: Any) -> Any:
    """Whatever is printed is plain words, but what a filter or a macro has made Markdown of."""
    return Markup(plain(value)) if type(value) is str else value


def _html(text: str) -> Markup:
    """Words on one line inside an element of HTML."""
    return Markup(escape(" ".join(visible(text).split())))


def _row(*cells: object) -> Markup:
    """A row of a table."""
    return Markup(f"| {' | '.join(plain(str(cell)) for cell in cells)} |")


def _head(*names: str) -> Markup:
    """A table as yet without rows."""
    return Markup("\n".join(table([plain(str(name)) for name in names], ())).rstrip())
