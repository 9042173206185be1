"""The meanings of metrics in the language of a report, sentence by sentence; a sentence without a translation stays."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from neraca.reports.sentences.aspect_words import aspect_words
from neraca.translation import language

_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])")


def meaning_in_language(text: str) -> str:
    """Translate the description of a metric.

    >>> from neraca.translation import written_in
    >>> with written_in("es"):
    ...     meaning_in_language("One divided by something else. Only the first 10 hits count.")
    'One divided by something else. Solo cuentan los primeros 10 resultados.'
    """
    if language() == "en":
        return text
    return " ".join(map(_translated, _SENTENCE_END.split(text)))


def _translated(sentence: str) -> str:
    for pattern, translations in _meanings():
        if match := pattern.fullmatch(sentence):
            words = {name: aspect_words(word) for name, word in match.groupdict().items()}
            return translations[language()].format(**words)
    return sentence


@cache
def _meanings() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """Return a pattern of each sentence, in which a name in braces stands for any word, and its translations."""
    table = json.loads(Path(__file__).with_name("metric_meanings.json").read_text("utf-8"))
    return [
        (re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template))), translations)
        for template, translations in table.items()
    ]
