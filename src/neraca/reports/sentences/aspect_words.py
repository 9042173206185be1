"""Name the aspects of verdicts in the language of the report."""

from __future__ import annotations

from neraca.people.quality_scale import QUALITY
from neraca.reports.formats.visible_text import line
from neraca.runs.preferred import run_preferred_over, run_shown_second
from neraca.translation import say
from neraca.verdicts.pair_decisions import PREFERENCES
from neraca.verdicts.raters import EXPECTS, NOTE, RELEVANCE

#: Aspects that Neraca names itself.  All other names are the user's own and stay as they are.
_OWN = (PREFERENCES, QUALITY, RELEVANCE, EXPECTS, NOTE)

#: The numbered parts of an answer, and what has no number.
_PARTS = ("claim", "reference", "question", "turn")
_WHOLE = ("answer", "item", "session")


def aspect_words(aspect: str, most: int = 40) -> str:
    """Return the name of an aspect in the language of the report, in at most `most` letters.

    >>> from neraca.translation import written_in
    >>> aspect_words("quality"), aspect_words("preferred:api")
    ('quality', 'preferred to api')
    >>> with written_in("id"):
    ...     aspect_words("quality"), aspect_words("price")
    ('kualitas', 'price')
    """
    if aspect in _OWN:
        return say(aspect)
    if other := run_preferred_over(aspect):
        return say("preferred to {run}", run=line(other, most))
    if other := run_shown_second(aspect):
        return say("preferred to {run} when shown first", run=line(other, most))
    return line(aspect, most)


def about_words(about: str, most: int = 60) -> str:
    """Return the part of an answer that a verdict judges, in the language of the report.

    >>> about_words("hit:ab1"), about_words("claim:2"), about_words("answer")
    ('result with the id ab1', 'claim 2', 'answer')
    """
    kind, colon, key = about.partition(":")
    if kind == "hit":
        return say("result with the id {id}", id=line(key, most))
    return f"{say(kind)} {line(key, most)}" if colon and kind in _PARTS else say(about) if about in _WHOLE else about
