"""Write sentences as HTML: every text is escaped, and names of questions link to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from markupsafe import escape

from neraca.reports.blocks.block import Link, Named, Sentence
from neraca.reports.formats.visible_text import RIGHT_TO_LEFT, SUBSCRIPTED, unbroken, visible

#: Letters: longer words may break after a sign.
_NARROW = 14
_SIGNS = re.compile(r"(?<=[^\W_][_/(=,@:+-])(?=[^\W_])|(?<=[^\W_]\.)(?=[^\W_\d])")


def draw_text(text: str) -> str:
    """Escape a text, and write subscripts of symbols.

    >>> draw_text("Cohen's d_z"), draw_text("bad_z")
    ('Cohen&#39;s d<sub>z</sub>', 'bad_z')
    """
    return SUBSCRIPTED.sub(r"\1<sub>\2</sub>", str(escape(visible(text))))


def draw_name(text: str) -> str:
    """Escape a text, and let words that are wider than a narrow column break after signs, not in the middle of a word.

    >>> draw_name("splade.v3-self.run and AP"), draw_name("bm25.default.k1-0.9")
    ('splade.<wbr>v3-<wbr>self.<wbr>run and AP', 'bm25.<wbr>default.<wbr>k1-<wbr>0.9')
    """
    return " ".join(
        "<wbr>".join(map(draw_text, _SIGNS.split(word))) if len(word) > _NARROW else draw_text(word)
        for word in text.split(" ")
    )


def draw_prose(text: str) -> str:
    r"""Escape a text of the report, keep numbers at their signs, and isolate words from right to left.

    An isolated word moves nothing beside it.  This function is not for an element with `dir="auto"`, whose direction
    would ignore the isolated words.

    >>> draw_prose("shop \u05d0\u05d1: 99 %")
    'shop <bdi>אב</bdi>: 99\xa0%'
    """
    return RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", draw_text(unbroken(text)))


def draw_sentence(sentence: str, numbers: Container[int], draw: Callable[[str], str] = draw_text) -> str:
    """Draw a sentence; names of questions become links if their number is in `numbers`, and `draw` draws the rest."""
    parts = sentence.parts if isinstance(sentence, Sentence) else (sentence,)
    return "".join(_part(part, numbers, draw) for part in parts)


def _part(part: str | Named | Link, numbers: Container[int], draw: Callable[[str], str]) -> str:
    match part:
        case Link():
            return f'<a href="{draw_text(part.address)}">{draw(part.text)}</a>'
        case Named(question=0):
            return f"<code>{draw_text(part.text)}</code>"
        case Named() if part.question in numbers:
            return f'<a href="#q-{part.question}" dir="auto">{draw_text(part.text)}</a>'
        case Named():
            return f'<span dir="auto">{draw_text(part.text)}</span>'
        case _:
            return draw(part)
