"""The language of a report: every sentence is a template, and `translations.json` has it in other languages.

The English template stands where the sentence is made and is the key of its translations, as with gettext.  A
translation has the same placeholders; it may leave out those that only English grammar needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from neraca.errors import SpecError

#: Codes of the languages in which a report can be written.
LANGUAGES = ("en", "id", "es")
_language: ContextVar[str] = ContextVar("language of the report", default="en")


@contextmanager
def written_in(language: str) -> Iterator[None]:
    """Write what is said inside in a language of `LANGUAGES`.

    Raises
    ------
    SpecError
        For another language.

    Examples
    --------
    >>> with written_in("es"):
    ...     say("{n} runs", n=3)
    '3 ejecuciones'
    """
    before = _language.set(checked_report_language(language))
    try:
        yield
    finally:
        _language.reset(before)


def checked_report_language(language: str) -> str:
    """Return a code of `LANGUAGES` as it is; raises `SpecError` for another."""
    if language not in LANGUAGES:
        raise SpecError(f"the language of a report is one of {', '.join(LANGUAGES)}, not {language!r}")
    return language


def language() -> str:
    """The code of the language in which a report is being written."""
    return _language.get()


def say(template: str, /, **values: object) -> str:
    """Fill a template, in the language of the report; in English where it has no translation.

    >>> say("{n:,} questions", n=1200)
    '1,200 questions'
    """
    if language() != "en":
        template = translations().get(template, {}).get(language(), template)
    return template.format(**values) if values else template


def say_all(*templates: str) -> tuple[str, ...]:
    """Say several words, such as the headings of a table."""
    return tuple(map(say, templates))


def reason(text: str) -> str:
    """A reason that another room gave, such as why an answer is unscored; as it is where it has no translation."""
    return translations().get(text, {}).get(language(), text)


@cache
def translations() -> dict[str, dict[str, str]]:
    """English templates, each with its translations by the code of the language."""
    table: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("translations.json").read_text("utf-8"))
    return table
