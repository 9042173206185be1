"""The claims of an answer, found again in its text: which sentence says what a context supports, and which does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from neraca.records import Verdict
from neraca.reports.escape import line
from neraca.sentences import sentences
from neraca.unicode_words import unicode_words

#: A sentence says a claim where it has this share of the claim's words.
ENOUGH = 0.5
SUPPORTED, UNSUPPORTED = "supported", "not supported"


class TextPart(NamedTuple):
    """A part of a text; `mark` is what a judge said of the claims in it, or ""."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class MarkedText:
    """A text in parts, and what was claimed in it.

    Attributes
    ----------
    parts
        Together they are the text.
    supported, claims
        How many claims some context supports, of how many on which a judge decided.
    unsupported
        The claims that none supports, in the judge's words.
    elsewhere
        Those of them that no sentence shown says.
    """

    parts: tuple[TextPart, ...]
    supported: int = 0
    claims: int = 0
    unsupported: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


def mark_claims(text: str, verdicts: Sequence[Verdict]) -> MarkedText:
    """Mark the sentences of an answer by the verdicts on its claims.

    A claim belongs to the sentence that has most of its words.  A sentence with several claims counts as supported
    only where all of them are.

    >>> claim = Verdict(item="q", about="claim:1", aspect="claim", by="llm", value=1, why="The house has a garden")
    >>> decision = Verdict(item="q", about="claim:1", aspect="supported", by="llm", value=0)
    >>> mark_claims("Yes. The house has a big garden.", [claim, decision]).parts
    (TextPart(text='Yes. ', mark=''), TextPart(text='The house has a big garden.', mark='not supported'))
    """
    claims = _claims(verdicts)
    spans = _spans(text)
    words = [frozenset(unicode_words(text[start:end].lower())) for start, end in spans]
    marks: dict[int, bool] = {}
    elsewhere = []
    for claim, supported in claims:
        wanted = frozenset(unicode_words(claim.lower()))
        shares = [len(wanted & of_sentence) / max(1, len(wanted)) for of_sentence in words]
        best = max(range(len(shares)), key=shares.__getitem__, default=-1)
        if best >= 0 and shares[best] >= ENOUGH:
            marks[best] = marks.get(best, True) and supported
        elif not supported:
            elsewhere.append(line(claim, 160))
    unsupported = tuple(line(claim, 160) for claim, supported in claims if not supported)
    return MarkedText(
        tuple(_parts(text, spans, marks)), len(claims) - len(unsupported), len(claims), unsupported, tuple(elsewhere)
    )


def _claims(verdicts: Sequence[Verdict]) -> list[tuple[str, bool]]:
    """The text of each claim of the answer on which a judge decided, and whether a context supports it."""
    texts: Mapping[str, str] = {
        v.about: v.why for v in verdicts if v.about.startswith("claim:") and v.aspect == "claim"
    }
    values = {v.about: v.value for v in verdicts if v.aspect == "supported"}
    return [(why, value >= 0.5) for about, why in texts.items() if (value := values.get(about)) is not None and why]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends."""
    spans, start = [], 0
    for sentence in sentences(text):
        begin = text.find(sentence, start)
        if begin >= 0:
            start = begin + len(sentence)
            spans.append((begin, start))
    return spans


def _parts(text: str, spans: Sequence[tuple[int, int]], marks: Mapping[int, bool]) -> list[TextPart]:
    parts, done = [], 0
    for place in sorted(marks):
        start, end = spans[place]
        parts += [TextPart(text[done:start])] if start > done else []
        parts.append(TextPart(text[start:end], SUPPORTED if marks[place] else UNSUPPORTED))
        done = end
    return [*parts, TextPart(text[done:])] if done < len(text) else parts
