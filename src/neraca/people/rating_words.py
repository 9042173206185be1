"""Name the subjects and values of ratings in the words of the rating page, and refuse values that are not allowed."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.errors import InputError
from neraca.number_format import localised
from neraca.people.rating_task import RatingTasks
from neraca.translation import say

#: Kind of subject → its name in words.
_SUBJECTS = {
    "quality": "quality",
    "note": "note",
    "hit": "grade of a result",
    "empty": "whether something should have been found",
    "preferred": "better answer",
    "verdict": "verdict",
}
#: Value of a choice in a file → its words on the page.
_CHOICES = {
    ("empty", "none"): "nothing exists",
    ("empty", "results"): "something should have come",
    ("preferred", "left"): "A",
    ("preferred", "tie"): "equally good",
    ("preferred", "right"): "B",
    ("verdict", "not_applicable"): "does not apply",
}


def subject_words(on: str, tasks: RatingTasks | None = None) -> str:
    """Return the name of the subject of a rating (`Rating.on`); `tasks` know the documents of hits.

    >>> subject_words("quality"), subject_words("preferred"), subject_words("count:mrr")
    ('quality', 'better answer', 'mrr')
    """
    kind, _, key = on.partition(":")
    if kind == "hit" and tasks and (places := tasks.documents.get(key)):
        return say("result with the id {id}", id=places[0][1])
    return key if kind == "count" else say(_SUBJECTS.get(kind, on))


def value_words(on: str, value: float | str | None, in_file: bool = False) -> str:
    """Return a value of a rating in words.

    Whole numbers stand without decimals, and choices as on the page; `in_file` adds how a file writes the choice.

    >>> value_words("quality", 5.0), value_words("preferred", "tie"), value_words("preferred", "tie", in_file=True)
    ('5', 'equally good', 'equally good (tie)')
    """
    if value is None:
        return say("taken back")
    if not isinstance(value, str):
        return localised(f"{value:g}")
    if template := _CHOICES.get((on, value), ""):
        return f"{say(template)} ({value})" if in_file else say(template)
    return repr(value)


def wrong_value(
    on: str,
    value: float | str | None,
    allowed: Iterable[float | str],
    kind: str = "",
    tasks: RatingTasks | None = None,
) -> InputError:
    """Return the error for a value that is not among the allowed ones.

    Parameters
    ----------
    on
        The subject, as in `Rating.on`.
    value
        The value.
    allowed
        The allowed values; empty if a kind is allowed.
    kind
        The kind of value that is allowed, in words, such as a text.
    tasks
        The tasks that were rated, which know the documents of hits.
    """
    words = ", ".join(value_words(on, each, in_file=True) for each in allowed)
    template = (
        "{subject}: {value} is not one of {allowed}; correct it, or rate again"
        if words
        else "{subject}: {value} is not {kind}; correct it, or rate again"
    )
    subject = subject_words(on, tasks)
    return InputError(say(template, subject=subject, value=value_words(on, value), allowed=words, kind=kind))
