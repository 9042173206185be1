"""Write sentences as HTML: every text is escaped, and names of questions link to them."""

from __future__ import annotations

from collections.abc import Container

from markupsafe import escape

from neraca.reports.blocks.block import Link, Named, Sentence
from neraca.reports.formats.visible_text import visible


def draw_text(text: str) -> str:
    """Escape a text."""
    return str(escape(visible(text)))


def draw_sentence(sentence: str, numbers: Container[int]) -> str:
    """Draw a sentence; names of questions become links if their number is in `numbers`."""
    parts = sentence.parts if isinstance(sentence, Sentence) else (sentence,)
    return "".join(_part(part, numbers) for part in parts)


def _part(part: str | Named | Link, numbers: Container[int]) -> str:
    match part:
        case Link():
            return f'<a href="{draw_text(part.address)}">{draw_text(part.text)}</a>'
        case Named(question=0):
            return f"<code>{draw_text(part.text)}</code>"
        case Named() if part.question in numbers:
            return f'<a href="#q-{part.question}" dir="auto">{draw_text(part.text)}</a>'
        case Named():
            return f'<span dir="auto">{draw_text(part.text)}</span>'
        case _:
            return draw_text(part)
