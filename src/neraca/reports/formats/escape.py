"""Text that a model or a web page wrote, made fit to show: nothing in it may act, hide or reorder what is near it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from neraca.number_format import exact

# C0 and C1 controls but tab and newline, zero-width space and byte order mark, the bidirectional embeddings,
# overrides and isolates, invisible tag characters, and halves of surrogate pairs.
_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")


def visible(text: str) -> str:
    """Put `�` for every character that is invisible, reorders its neighbours or steers a terminal."""
    return text if text.isprintable() else _HOSTILE.sub("\ufffd", text)  # no hostile character is printable


def clean(text: str) -> str:
    r"""Make hostile characters visible, breaks newlines, and take space off the ends.

    >>> clean("safe\u202egnp.exe\x1b[31m")
    'safe�gnp.exe�[31m'
    """
    return (text if text.isprintable() else visible(_BREAKS.sub("\n", text)).replace("\t", " ")).strip()


def clip(text: str, length: int) -> str:
    """The beginning of a cleaned text, with `…` where something was left out.

    >>> clip("a long description", 7)
    'a long…'
    """
    start = clean(text[: 4 * length])
    return start if len(start) <= length and len(text) <= 4 * length else f"{start[: length - 1].rstrip()}…"


def line(text: str, length: int = 200) -> str:
    """A cleaned and clipped text on one line."""
    if not text:
        return ""
    cut = "…" if len(text) > 4 * length else ""
    return clip(" ".join(text[: 4 * length].split()) + cut, length)


def shown(value: Any, length: int = 60) -> str:
    """A field's value in one line.

    >>> shown(1250000000.0), shown(["taman", "genset"]), shown(True), shown({"a": 1})
    ('1,250,000,000', 'taman, genset', 'true', '{"a": 1}')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 1e15:
        return line(str(value), length)
    if isinstance(value, int | float):
        return exact(value)
    if isinstance(value, list | tuple) and not any(isinstance(part, Mapping | list | tuple) for part in value):
        return line(", ".join(shown(part, length) for part in value[:20]), length)
    if isinstance(value, Mapping | list | tuple):
        return line(json.dumps(value, ensure_ascii=False, default=str), length)
    return line(str(value), length)
