"""Answers that say nothing: those that failed, and those without a text from a system that answers in words."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.records import Answer


def silent_answers(answers: Iterable[Answer]) -> list[bool]:
    """Return for each answer of a run whether it says nothing.

    A failed answer does, and one without text and hits.  One with hits and no text does if another answer of the run
    has a text: then the system answers in words, and hits are its contexts.  A run without any text answers by its
    hits.

    >>> from neraca.records import Hit
    >>> hits = (Hit(id="a"),)
    >>> spoken, silent = Answer(item="1", text="Yes."), Answer(item="2", hits=hits)
    >>> failed = Answer(item="3", text="Y", status="error")
    >>> silent_answers([spoken, silent, failed]), silent_answers([silent, failed])
    ([False, True, True], [False, True])
    """
    rows = [(not answer.failed and bool(answer.text.strip()), not answer.failed and answer.hits) for answer in answers]
    in_words = any(says for says, _ in rows)
    return [not says and (in_words or not hits) for says, hits in rows]
