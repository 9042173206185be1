"""The pages of the explorer, from the same styles and drawings as the report; they have no script."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment

from neraca.reports.escape import visible
from neraca.reports.render import TEMPLATES, environment

#: What a page may load and do: its style, nothing else; forms lead to the server itself.
POLICY = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'"


def explorer_page(name: str, title: str, **values: Any) -> str:
    """Write a page: a template of `templates/explorer`; its values are made harmless as they are printed."""
    return _environment().get_template(f"{name}.html").render({"refresh": 0} | values, title=title)


@cache
def explorer_style() -> str:
    """The style of these pages: that of the report, and what tables of runs need beside it."""
    files = (TEMPLATES / "html/style.css", TEMPLATES / "explorer/explorer.css")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@cache
def _environment() -> Environment:
    return environment("explorer", lambda value: visible(value) if type(value) is str else value)
