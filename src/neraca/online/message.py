"""English messages that remember their template, so that a report can write them in another language."""

from __future__ import annotations

from typing import Any


class Message(str):
    """A text made of a template and its values; it prints and compares as the English text.

    Attributes
    ----------
    template, values
        The template as `str.format` takes it, and the value of each of its fields.

    Examples
    --------
    >>> message = Message("{n:,} searches of {arm}", n=1200, arm="A")
    >>> message, message.template
    ('1,200 searches of A', '{n:,} searches of {arm}')
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Message:
        """Fill the template, and remember both."""
        message = super().__new__(cls, template.format(**values))
        message.template, message.values = template, values
        return message
