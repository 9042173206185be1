"""The language of each item: its own tag, else the judge's setting, else detected over all questions."""

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

Pairs = Sequence[tuple[Item, Answer]]
#: The language of more questions is found in about so many of them, spread evenly.
ENOUGH = 20_000


@dataclass(frozen=True)
class ItemLanguages:
    """The languages of items that are judged together.

    Attributes
    ----------
    default
        Of items that do not say theirs: a code such as `es` or `es-MX`; "": unknown.
    note
        Which languages were taken and who said so, for people.
    """

    default: str
    note: str

    @classmethod
    def of(cls, pairs: Pairs, language: str = "") -> ItemLanguages:
        """Determine the languages of these items.

        `language` is that of items that do not say theirs.  Where it is "" or `auto`, it is detected in their
        questions; where these are too short, also in references, answers and hits.  Where they contradict each other,
        as in a set of two languages, it stays unknown.

        Raises `SpecError` for an unknown name of a language.
        """
        languages = Counter(code for _, code in {(item.id, prompt.language_of(item)) for item, _ in pairs})
        silent = languages.pop("", 0)
        parts = [f"{_titled(code)} of {count:,}" for code, count in sorted(languages.items())]
        notes = [f"language as the questions say: {', '.join(parts)}"] if parts else []
        if parse_language(language) not in ("", AUTO):
            code = language.strip() if "-" in language else code_of(language)
            notes += [f"language as said to the judge: {_titled(code)}"] if silent else []
            return cls(code, "; ".join(notes))
        if not silent:
            return cls("", "; ".join(notes))
        where, detected = _found(pairs)
        if isinstance(detected, Unclear):
            notes.append(
                f"language not said and not clear in {where} ({detected}): "
                f"numbers that differ by language are missing; say it with --language {detected.example}"
            )
            return cls("", "; ".join(notes))
        notes.append(f"language found in {where}, not said: {detected}; say it with --language {detected.code}")
        return cls(detected.code, "; ".join(notes))

    def language_of(self, item: Item) -> str:
        """Return the language of an item, `es`; with its country, `es-MX`, where the item or the judge says it."""
        language = item.tags.get("language", "")
        return self.default if language in ("", code_of(self.default)) else language


def _titled(code: str) -> str:
    return f"{language_of(code_of(code)).name} ({code})"


def _found(pairs: Pairs) -> tuple[str, Detected | Unclear]:
    """Return the texts in which the language was looked for, and the result.  Sample them if there are very many."""
    each = max(1, len(pairs) // ENOUGH)
    of = f" of one question in {each}" if each > 1 else ""
    pairs = [(item, answer) for item, answer in pairs[::each] if not item.tags.get("language")]
    questions = tuple(dict.fromkeys(item.query for item, _ in pairs))
    detected = _find_language(questions)
    if isinstance(detected, Detected) or not detected.scarce:
        return "the questions" if each == 1 else f"one question in {each}", detected
    return f"questions, references, answers and hits{of}", _find_language((*questions, *dict.fromkeys(_texts(pairs))))


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
