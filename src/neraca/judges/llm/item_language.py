"""Determine the language of each item: its own tag, else the judge's setting, else detected from all questions."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neraca.judges.llm import prompt
from neraca.judges.rules.fields import words_in
from neraca.language_detection import Detected, Unclear, find_language
from neraca.languages import AUTO, code_of, language_of, parse_language
from neraca.records import Answer, Item
from neraca.translation import language as written_language
from neraca.translation import say

Pairs = Sequence[tuple[Item, Answer]]
#: If there are more questions, the language is detected in about this many of them, spread evenly.
ENOUGH = 20_000


@dataclass(frozen=True)
class ItemLanguages:
    """The languages of items that are judged together.

    Attributes
    ----------
    default
        The language of items without a tag `language`: a code such as `es` or `es-MX`; "": unknown.
    note
        A note for readers on the languages and where they come from.
    """

    default: str
    note: str

    @classmethod
    def of(cls, pairs: Pairs, language: str = "") -> ItemLanguages:
        """Determine the languages of these items.

        `language` is the language of items without a tag.  If it is "" or `auto`, it is detected from their questions
        and, if these are too short, also from references, answers and hits.  If these contradict each other, as in a
        data set in two languages, it stays unknown.

        Raise `SpecError` if the name of a language is unknown.
        """
        languages = Counter(code for _, code in {(item.id, prompt.language_of(item)) for item, _ in pairs})
        untagged = languages.pop("", 0)
        parts = [
            say("{language} of {n:,}", language=_name_with_code(code), n=n) for code, n in sorted(languages.items())
        ]
        notes = [say("language as the questions say: {languages}", languages=", ".join(parts))] if parts else []
        if parse_language(language) not in ("", AUTO):
            code = language.strip() if "-" in language else code_of(language)
            stated = say("language as said to the judge: {language}", language=_name_with_code(code))
            notes += [stated] if untagged else []
            return cls(code, "; ".join(notes))
        if not untagged:
            return cls("", "; ".join(notes))
        where, detected = _detect(pairs)
        if isinstance(detected, Unclear):
            notes.append(
                say(
                    "language not said and not clear in {where} ({detected}): numbers that differ by language are "
                    "missing; say it with --language {example}",
                    where=where,
                    detected=detected,
                    example=detected.example,
                )
            )
            return cls("", "; ".join(notes))
        notes.append(
            say(
                "language found in {where}, not said: {detected}; say it with --language {code}",
                where=where,
                detected=detected,
                code=detected.code,
            )
        )
        return cls(detected.code, "; ".join(notes))

    def language_of(self, item: Item) -> str:
        """Return the language of an item, such as `es`; with a country, `es-MX`, if the item or the judge names one."""
        language = item.tags.get("language", "")
        return self.default if language in ("", code_of(self.default)) else language


def _name_with_code(code: str) -> str:
    """Return the English name of a language with its code; in other languages the code alone."""
    return f"{language_of(code_of(code)).name} ({code})" if written_language() == "en" else code


def _detect(pairs: Pairs) -> tuple[str, Detected | Unclear]:
    """Return a description of the texts that were searched, a sample if there are very many, and the result."""
    step = max(1, len(pairs) // ENOUGH)
    pairs = [(item, answer) for item, answer in pairs[::step] if not item.tags.get("language")]
    questions = tuple(dict.fromkeys(item.query for item, _ in pairs))
    detected = _find_language(questions)
    if isinstance(detected, Detected) or not detected.scarce:
        return say("the questions") if step == 1 else say("one question in {n}", n=step), detected
    where = "questions, references, answers and hits"
    if step > 1:
        where = "questions, references, answers and hits of one question in {n}"
    return say(where, n=step), _find_language((*questions, *dict.fromkeys(_texts(pairs))))


def _texts(pairs: Pairs) -> Iterator[str]:
    for item, answer in pairs:
        yield from item.references
        yield answer.text
        for hit in answer.hits:
            yield hit.text
            yield from words_in(hit.fields)


@functools.lru_cache(maxsize=2)
def _find_language(texts: tuple[str, ...]) -> Detected | Unclear:
    return find_language(texts)
