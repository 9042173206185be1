"""Write the sentences of a report in its language: `translations.json` has a translation of each English template.

The English template stands in the code that makes the sentence, and is the key of its translations, as with gettext.
A translation has the same placeholders; it may leave out those that only English grammar needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from neraca.errors import SpecError
from neraca.number_format import localised, numbers_in

#: Codes of the languages in which a report can be written.
LANGUAGES = ("en", "id", "es")
_language: ContextVar[str] = ContextVar("language of the report", default="en")


@contextmanager
def written_in(language: str) -> Iterator[None]:
    """Write the sentences and numbers inside the `with` block in a language of `LANGUAGES`.

    Raises
    ------
    SpecError
        If the language is not one of them.

    Examples
    --------
    >>> with written_in("es"):
    ...     say("{n} runs", n=3)
    '3 ejecuciones'
    """
    token = _language.set(checked_report_language(language))
    try:
        with numbers_in(language):
            yield
    finally:
        _language.reset(token)


def checked_report_language(language: str) -> str:
    """Return the code if it is one of `LANGUAGES`, else raise `SpecError`."""
    if language not in LANGUAGES:
        raise SpecError(f"the language of a report is one of {', '.join(LANGUAGES)}, not {language!r}")
    return language


def language() -> str:
    """Return the code of the language in which the report is being written."""
    return _language.get()


class _LocalNumbers(Formatter):
    """Fills a template and writes the numbers among the values with the marks of the language."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return the text of a value; texts and booleans stay as they are."""
        text = format(value, format_spec)
        return localised(text) if isinstance(value, int | float) and not isinstance(value, bool) else text


def say(template: str, /, **values: object) -> str:
    """Fill a template in the language of the report, or in English if it has no translation.

    >>> say("{n:,} questions", n=1200)
    '1,200 questions'
    """
    if language() == "en":
        return template.format(**values) if values else template
    template = translations().get(template, {}).get(language(), template)
    return _LocalNumbers().vformat(template, (), values) if values else template


def say_all(*templates: str) -> tuple[str, ...]:
    """Return several words in the language of the report, such as the headings of a table."""
    return tuple(map(say, templates))


@cache
def translations() -> dict[str, dict[str, str]]:
    """Return the translations by English template and code of the language."""
    table: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("translations.json").read_text("utf-8"))
    return table
