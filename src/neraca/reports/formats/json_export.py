"""Write the whole report as JSON: each sentence with its section, each number unrounded."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from neraca.reports.blocks.block import Document, Sentences
from neraca.reports.blocks.run_summary import facts
from neraca.reports.blocks.sections import FinishedSection
from neraca.reports.formats.data_export import report_data
from neraca.reports.formats.visible_text import visible
from neraca.reports.report import Report
from neraca.reports.sentences.captions import captions_by_section
from neraca.translation import say, written_in

#: The attributes of a report that its opening shows.
_OPENING = ("decision", "finding", "notes")
#: Parts with texts of answers, people and settings, not sentences of the report.
_QUOTED = ("questions", "words", "cards", "facts", "charts")


def to_json(report: Report) -> str:
    """Write a report as JSON; the same report gives the same bytes.

    `sections` has the parts of each section, `sentences` each sentence with its place in a section, `tables` the rows
    of `report_data`.  A number that is not finite is null.
    """
    with written_in(report.language):
        sections = _sections(report)
        whole = {
            "title": visible(report.title),
            "language": report.language,
            "level": report.level,
            "primary": report.primary,
            "runs": list(report.runs),
            "sentences": list(_sentences(sections)),
            "sections": sections,
            "tables": plain(report_data(report)),
        }
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def document_json(document: Document) -> str:
    """Write a report of another kind as JSON: its facts, `sentences`, and `tables` of its data; or else its blocks."""
    if document.data:
        blocks_of_words = [block for block in document.blocks if isinstance(block, Sentences) and block.only != "page"]
        whole = {
            "title": visible(document.title),
            "language": document.language,
            **plain(document.facts),
            "sentences": [visible(text) for block in blocks_of_words for text in block.sentences],
            "tables": plain(document.data),
        }
        return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    blocks = [{"block": type(block).__name__.lower(), **plain(block._asdict())} for block in document.blocks]
    whole = {"title": visible(document.title), "language": document.language, "blocks": blocks}
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _sections(report: Report) -> dict[str, dict[str, Any]]:
    """Return the parts and captions of each section that was asked for."""
    captions = captions_by_section(report)
    sections: dict[str, dict[str, Any]] = {
        "finding": _parts(report, _OPENING) | {"captions": _visible_captions(captions["finding"])}
    }
    for section, has_content in report.outline:
        parts: dict[str, Any] = {"heading": say(section.heading)}
        if has_content:
            parts |= _parts(report, section.parts or (section.name,))
            parts["captions"] = _visible_captions(captions.get(section.name, {}))
        else:
            parts |= {"nothing": say(section.nothing)}
        sections[section.name] = parts
    if "runs" in sections:
        sections["runs"]["facts"] = plain(facts(report.cards))
    return sections


def _visible_captions(captions: Mapping[str, str]) -> dict[str, str]:
    return {name: visible(text) for name, text in captions.items() if text}


def _parts(report: Report, names: Sequence[str]) -> dict[str, Any]:
    """Return parts of a report; the rows that a finished section exports stand among the tables."""
    parts = {name: getattr(report, name) for name in names}
    return {
        name: plain(part._replace(data={}) if isinstance(part, FinishedSection) else part)
        for name, part in parts.items()
    }


def _sentences(sections: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield each text of several words that the report itself wrote."""
    for name, parts in sections.items():
        for part, content in parts.items():
            if part not in _QUOTED:
                yield from ({"section": name, "at": at, "text": text} for at, text in _texts(content, part))


def _texts(content: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        if " " in content.strip():
            yield at, content
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from _texts(value, f"{at}.{name}")
    elif isinstance(content, list):
        for place, value in enumerate(content):
            yield from _texts(value, f"{at}.{place}")


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: a record becomes an object with its derived values, a text is made visible."""
    if isinstance(value, str):
        return visible(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {visible(str(name)): plain(element) for name, element in value.items()}
    if names := _names(value.__class__):
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Sequence | Set):
        return [plain(element) for element in value]
    return visible(str(value))


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields and properties of a record; () for other types."""
    if is_dataclass(kind):
        own = [field.name for field in fields(kind)]
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        own = list(kind._fields)
    else:
        return ()
    derived = [name for name in dir(kind) if isinstance(getattr(kind, name), property | cached_property)]
    return (*own, *(name for name in derived if name not in own and not name.startswith("_")))
