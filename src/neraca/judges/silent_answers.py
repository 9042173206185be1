"""Find answers that say nothing: failed ones, and answers without text from a system that answers in words."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.records import Answer


def silent_answers(answers: Iterable[Answer]) -> list[bool]:
    """Return for each answer of a run whether it says nothing.

    A failed answer says nothing, nor does an answer without text and hits.  An answer with hits but no text says
    nothing if another answer of the run has text: that system answers in words, and its hits are contexts.  In a run
    without any text, the hits are the answers.

    >>> from neraca.records import Hit
    >>> hits = (Hit(id="a"),)
    >>> spoken, silent = Answer(item="1", text="Yes."), Answer(item="2", hits=hits)
    >>> failed = Answer(item="3", text="Y", status="error")
    >>> silent_answers([spoken, silent, failed]), silent_answers([silent, failed])
    ([False, True, True], [False, True])
    """
    rows = [(answer.replied and bool(answer.text.strip()), answer.replied and answer.hits) for answer in answers]
    in_words = any(says for says, _ in rows)
    return [not says and (in_words or not hits) for says, hits in rows]
