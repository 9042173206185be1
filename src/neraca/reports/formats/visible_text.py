"""Make text that a model or a web page wrote fit to show: it cannot act, hide or reorder the text near it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neraca.number_format import exact

if TYPE_CHECKING:
    from neraca.records import Hit

# C0 and C1 controls except tab and newline, zero-width space and byte order mark, the bidirectional embeddings,
# overrides and isolates, invisible tag characters, and halves of surrogate pairs.
_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
#: Words in Hebrew, Arabic and other scripts that are written from right to left, joined by a space or a hyphen.
RIGHT_TO_LEFT = re.compile(
    "{0}+(?:[ _\u200c\u200d-]{0}+)*".format(
        "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
    )
)
#: Symbols of statistics with a subscript, which formats that can write it as one.
SUBSCRIPTED = re.compile(r"(?<![\w-])(d|τ)_(z|AP)(?![\w-])")
_PER_CENT = re.compile(r"(?<=\d) %")
_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
#: An end tag that only HTML has, and all marks of HTML with what is never shown.
_OF_HTML = re.compile(
    r"</(?:p|div|li|ul|ol|td|tr|table|h[1-6]|span|b|strong|em|a|section|article|body|html)\s*>", re.IGNORECASE
)
_MARKS = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->|</?[a-z!][^<>]*>", re.IGNORECASE | re.DOTALL)


def visible(text: str) -> str:
    """Replace each character that is invisible, reorders its neighbours or steers a terminal by `�`."""
    return text if text.isprintable() else _HOSTILE.sub("\ufffd", text)  # no hostile character is printable


def isolated(text: str) -> str:
    r"""Make a text visible, and put words from right to left between isolates, so that they move nothing beside them.

    >>> isolated("\u05d0\u05d1 0.9").encode("unicode_escape")
    b'\\u2068\\u05d0\\u05d1\\u2069 0.9'
    """
    return RIGHT_TO_LEFT.sub("\u2068\\g<0>\u2069", visible(text))


def unbroken(text: str) -> str:
    r"""Keep a number and its per cent sign on one line.

    >>> unbroken("95 % of 20")
    '95\xa0% of 20'
    """
    return _PER_CENT.sub("\u00a0%", text)


def clean(text: str) -> str:
    r"""Replace hostile characters, turn all line breaks into newlines, and strip space at the ends.

    >>> clean("safe\u202egnp.exe\x1b[31m")
    'safe�gnp.exe�[31m'
    """
    return (text if text.isprintable() else visible(_BREAKS.sub("\n", text)).replace("\t", " ")).strip()


def clip(text: str, length: int) -> str:
    """Return the beginning of a cleaned text, with `…` if something was left out.

    >>> clip("a long description", 7)
    'a long…'
    """
    start = clean(text[: 4 * length])
    return start if len(start) <= length and len(text) <= 4 * length else f"{start[: length - 1].rstrip()}…"


def line(text: str, length: int = 200) -> str:
    """Return a cleaned and clipped text on one line."""
    if not text:
        return ""
    cut = "…" if len(text) > 4 * length else ""
    return clip(" ".join(text[: 4 * length].split()) + cut, length)


def snippet(hit: Hit, length: int) -> str:
    """Return the beginning of a hit's text on one line, of HTML its words alone; "" if the text is only the id.

    >>> from neraca.records import Hit
    >>> snippet(Hit(id="a", text="<h1>Fees</h1><p>A transfer costs &lt; 1&nbsp;euro.</p>"), 60)
    'Fees A transfer costs < 1 euro.'
    >>> snippet(Hit(id="a", text="if a<b and c>d"), 60), snippet(Hit(id="a", text="a"), 60)
    ('if a<b and c>d', '')
    """
    text = hit.text
    if text.strip() == hit.id:
        return ""
    start = text[: 20 * length]
    return line(html.unescape(_MARKS.sub(" ", start)) if _OF_HTML.search(start) else text, length)


def field_text(value: Any, length: int = 60) -> str:
    """Return the value of a field as text on one line.

    >>> field_text(1250000000.0), field_text(["taman", "genset"]), field_text(True), field_text({"a": 1})
    ('1,250,000,000', 'taman, genset', 'true', '{"a": 1}')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 1e15:
        return line(str(value), length)
    if isinstance(value, int | float):
        return exact(value)
    if isinstance(value, list | tuple) and not any(isinstance(part, Mapping | list | tuple) for part in value):
        return line(", ".join(field_text(part, length) for part in value[:20]), length)
    if isinstance(value, Mapping | list | tuple):
        return line(json.dumps(value, ensure_ascii=False, default=str), length)
    return line(str(value), length)
