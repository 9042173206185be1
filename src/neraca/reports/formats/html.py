"""Write blocks as one HTML page with its style, script and drawings inside; it loads nothing from the network."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from neraca.reports.blocks.block import Document, Questions, is_section
from neraca.reports.blocks.questions import Question, question_filters
from neraca.reports.formats.html_blocks import Drawer, draw_opening, sections
from neraca.reports.formats.html_table import widths_of
from neraca.reports.formats.render import TEMPLATES, environment
from neraca.reports.formats.visible_text import visible
from neraca.translation import written_in

#: If the details of the questions have more characters than this, they are compressed, `PACKED` questions together.
IN_PLACE = 2_000_000
PACKED = 50
#: Content security policy: the page's own style, script and drawings, nothing from the network.
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def to_html(document: Document, links: Sequence[tuple[str, str]] = ()) -> str:
    """Write a report as a page with these links (address, text) on top; the same report gives the same bytes."""
    with written_in(document.language):
        return _page(document, links)


def _page(document: Document, links: Sequence[tuple[str, str]]) -> str:
    questions = [block for block in document.blocks if isinstance(block, Questions)]
    numbers = frozenset(question.number for block in questions for question in block.questions)
    drawer = Drawer(numbers, _questions)
    first = next((place for place, block in enumerate(document.blocks) if is_section(block)), len(document.blocks))
    return fill(
        "page.html",
        title=document.title,
        links=links,
        widths=widths_of(document.tables),
        opening=Markup(draw_opening(drawer, document.blocks[:first])),
        sections=[(part.heading, Markup(part.html)) for part in sections(drawer, document.blocks[first:])],
        searched=bool(numbers),
    )


def _questions(block: Questions) -> str:
    """Draw the questions; long details are compressed."""
    template = _environment().get_template("question.html")
    details = [Markup(template.render(block=block, q=question)) for question in block.questions]
    packed = _packed(block.questions, details) if sum(map(len, details)) > IN_PLACE else []
    values = {"filters": question_filters(block.questions), "details": details, "packed": packed, "size": PACKED}
    return fill("questions.html", block=block, runs=block.runs, **values).rstrip()


def fill(page: str, **values: object) -> str:
    """Fill a template of this format; each printed value is escaped."""
    return _environment().get_template(page).render(values) + "\n"


def _packed(questions: Sequence[Question], details: Sequence[str]) -> list[str]:
    """Compress the details of `PACKED` questions together: each part is a list of texts as JSON, gzip and base64."""
    texts = ["" if q.matters else text for q, text in zip(questions, details, strict=True)]
    parts = [texts[start : start + PACKED] for start in range(0, len(texts), PACKED)]
    return [b64encode(gzip.compress(json.dumps(part, ensure_ascii=False).encode(), mtime=0)).decode() for part in parts]


@cache
def _environment() -> Environment:
    env = environment("html", _finalize)
    env.globals["policy"] = Markup(PAGE_POLICY)
    env.globals["script_words"] = _script_words
    env.globals["asset"] = lambda name: Markup((TEMPLATES / "html" / name).read_text(encoding="utf-8"))
    return env


def _script_words(*templates: str) -> Markup:
    """Return the templates that the page's script fills, in the order in which it reads them."""
    return Markup(json.dumps(templates, ensure_ascii=False).replace("<", "\\u003c"))


def _finalize(value: Any) -> Any:
    """Replace hostile characters in a printed text; drawings and blocks are safe already."""
    return visible(value) if type(value) is str else value
