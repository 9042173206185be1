"""Pages of the site that stand elsewhere: the README, the starters, the map of the house, and the metrics themselves.

`mkdocs.yml` names this file as a hook.  Nothing is told twice: a metric's entry is its declaration and docstring.
"""

from __future__ import annotations

import html
import inspect
import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

import neraca.cli
from neraca.cli.metrics import EMPTY_ANSWERS, KINDS, kind_of, shown_parameters
from neraca.metrics.definition import Definition
from neraca.metrics.metric import METRICS

ROOT = Path(__file__).parents[1]
STARTERS = "src/neraca/cli/starter"
#: Where a file stands in the repository → the page that it is on the site; those of docs/ keep their names.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    **{f"{STARTERS}/{kind}/en/README.md": f"for/{kind}.md" for kind in ("thesis", "chatpage", "trec", "texts", "rag")},
}
#: On the site alone, above the page of a starter.
BEGIN = "    neraca init --for {kind} shop\n    cd shop\n\nThe first line writes the files of this page, in English.\n"
#: How a formula stands in a page → whether it has a line of its own.
FORMULAS = {
    r'<div class="arithmatex">\\\[(.*?)\\\]</div>': "block",
    r'<span class="arithmatex">\\\((.*?)\\\)</span>': "inline",
}
HEADINGS = {"References": "Source", "Examples": "By hand", "Raises": "Errors", "Parameters": "Parameters"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in docs/."""
    for source, page in PAGES.items():
        text = _moved((ROOT / source).read_text(encoding="utf-8"), source, page)
        if page.startswith("for/"):
            title, _, rest = text.partition("\n")
            text = f"{title}\n\n{BEGIN.format(kind=Path(page).stem)}{rest}"
        files.append(File.generated(config, page, content=text))
    for home, kind in KINDS.items():
        if home:
            name = home.removeprefix("neraca.metrics.").rstrip(".")
            files.append(File.generated(config, f"reference/{name}.md", content=reference(kind)))
    return files


def on_page_markdown(markdown: str, page: Any, **others: Any) -> str:
    """Lead links of guides out of docs/ to the pages of the site."""
    path = page.file.src_uri
    return markdown if page.file.generated_by else _moved(markdown, f"docs/{path}", path)


def on_page_content(content: str, **others: Any) -> str:
    """Write formulas as MathML, which browsers show without a script."""
    for pattern, display in FORMULAS.items():
        content = re.sub(
            pattern,
            lambda found, display=display: convert(html.unescape(found[1]), display=display),
            content,
            flags=re.S,
        )
    return content


def reference(kind: str) -> str:
    """Return the page of all metrics that look at the same, such as rankings."""
    title, _, meaning = kind.partition(": ")
    known = [METRICS.get(name) for name in sorted(METRICS.names(), key=str.casefold)]
    parts = [each for each in known if kind_of(each.function.__module__) == kind]
    head = f"# Metrics: {title}\n\nThey look at {meaning}. `neraca metrics NAME` shows the same in the terminal.\n"
    return "\n".join([head, *map(_entry, parts)])


def _entry(definition: Definition) -> str:
    """What a metric's declaration and docstring say, as Markdown."""
    text = _markdown(inspect.getdoc(definition.function) or "")
    facts = {
        "Range": f"{definition.low:g} to {definition.high:g}; {definition.better} is better",
        "Parameters": f"`{shown}`" if (shown := shown_parameters(definition.function)) else "none",
        "Without a value": definition.why_undefined,
    }
    facts |= {"When not to use it": definition.not_for} if definition.not_for else {}
    lines = [f"| {key} | {value} |" for key, value in facts.items()]
    empty = [f"```text\n{EMPTY_ANSWERS}\n```\n"] if "empty=" in shown else []
    return "\n".join([f"## {definition.name}\n", text, "", "| | |", "|---|---|", *lines, "", *empty])


def _markdown(docstring: str) -> str:
    """Return a docstring with its sections as bold words and its examples as code."""
    parts = re.split(r"^(\w+)\n-{3,}\n", docstring, flags=re.MULTILINE)
    text = parts[0].strip()
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        body = body.strip()
        if title == "Examples":
            body = f"```pycon\n{body}\n```"
        elif title in ("Raises", "Parameters"):  # terms, each with what it means indented below it
            body = re.sub(r"^(\S.*)\n((?:    .*\n?)+)", r"- `\1`: \2", body, flags=re.MULTILINE)
        text += f"\n\n**{HEADINGS[title]}**\n\n{body}"
    return text


def _moved(text: str, source: str, page: str) -> str:
    """Return a page with the links that it needs at its place on the site."""

    def moved(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[1]))
        target = PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
        return f"]({posixpath.relpath(target, posixpath.dirname(page) or '.')}{found[2] or ''})" if target else found[0]

    return re.sub(r"\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)", moved, text)


neraca.cli.app()  # reads all that is registered
