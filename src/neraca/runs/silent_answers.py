"""Answers that say nothing: those that failed, and those without a text from a system that answers in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neraca.records import Answer


def silent_rows(texts: Iterable[str], hits: Iterable[Sequence[object] | None]) -> list[bool]:
    """Return for each answer whether it says nothing.

    An answer without text and hits does.  One with hits and no text does if another answer of the run has a text:
    then the system answers in words, and hits are its contexts.  A run without any text answers by its hits.

    >>> silent_rows(["Yes.", "", ""], [["a"], ["b"], []]), silent_rows(["", ""], [["b"], []])
    ([False, True, True], [False, True])
    """
    words = [bool(text) and not text.isspace() for text in texts]
    in_words = any(words)
    return [not said and (in_words or not returned) for said, returned in zip(words, hits, strict=True)]


def silent_answers(answers: Iterable[Answer]) -> list[bool]:
    """Return for each answer of a run whether it says nothing; a failed one does not.

    >>> silent_answers([Answer(item="1", text="Half an ans", status="timeout"), Answer(item="2", text="Yes.")])
    [True, False]
    """
    texts: list[str] = []
    hits: list[Sequence[object]] = []
    for answer in answers:
        texts.append("" if answer.failed else answer.text)
        hits.append(() if answer.failed else answer.hits)
    return silent_rows(texts, hits)
