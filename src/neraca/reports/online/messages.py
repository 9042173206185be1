"""Messages of `online/` in the language of the report."""

from __future__ import annotations

from neraca.online.message import Message
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reasons import reason
from neraca.translation import say


def translated(text: str) -> str:
    """Return a message in the language of the report, with each name in it on one line.

    >>> translated(Message("arm {arm}", arm="B"))
    'arm B'
    """
    if not isinstance(text, Message):
        return reason(text)
    values = {name: _written(value) for name, value in text.values.items()}
    return say(text.template, **values)


def _written(value: object) -> object:
    """Return a value of a template: names of the log stay as they are."""
    if isinstance(value, Message):
        return translated(value)
    return line(value) if isinstance(value, str) else value
