"""Write the pages of the explorer, with the styles and drawings of the report."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from jinja2 import Environment

from neraca.reports.formats.render import TEMPLATES, environment
from neraca.reports.formats.visible_text import visible

#: Content security policy: styles, scripts and forms of the server itself, nothing from elsewhere.
EXPLORER_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'"
)


def explorer_page(name: str, title: str, **values: Any) -> str:
    """Write a page from a template of `templates/explorer`; printed values are made harmless."""
    return _environment().get_template(f"{name}.html").render({"live": False} | values, title=title)


def word_changes(before: str, after: str, most: int = 2000) -> list[tuple[str, str]]:
    """Split a changed text into parts (`same`, `del` or `ins`, words); a text of over `most` words is one new part.

    >>> word_changes("a red shoe", "a blue shoe")
    [('same', 'a '), ('del', 'red '), ('ins', 'blue '), ('same', 'shoe')]
    """
    old, new = (re.findall(r"\S+\s*|\s+", text) for text in (before, after))
    if max(len(old), len(new)) > most:
        return [("ins", after)]
    parts = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        changes = [("same", old[i:j])] if kind == "equal" else [("del", old[i:j]), ("ins", new[k:m])]
        parts += [(mark, "".join(words)) for mark, words in changes if words]
    return parts


def prepare_pages() -> None:
    """Compile the templates, which takes longer than most pages, so that no visitor waits for it."""
    for name in _environment().list_templates(filter_func=lambda name: name.endswith(".html")):
        _environment().get_template(name)


@cache
def explorer_style() -> str:
    """Return the style of these pages: the report's, and the rules for tables of runs."""
    files = (TEMPLATES / "html/style.css", TEMPLATES / "explorer/explorer.css")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@cache
def explorer_script(name: str) -> str:
    """Return a script: `live` renews lists that are not finished, `matrix` has the keys of the table of questions."""
    return (TEMPLATES / f"explorer/{name}.js").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return environment("explorer", lambda value: visible(value) if type(value) is str else value)
