"""Find the claims of an answer in its text, and mark its sentences as supported or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.rag.claims import ASPECTS
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, aspects_of
from neraca.metrics.scorable import Scorable
from neraca.reports.formats.visible_text import line
from neraca.runs.claim_aspects import CLAIM_LISTS
from neraca.sentences import sentences
from neraca.unicode_words import unicode_words
from neraca.verdicts.judge_verdicts import Decision, JudgedAnswers

#: A sentence contains a claim if it has at least this share of the claim's words.
ENOUGH = 0.5
SUPPORTED, UNSUPPORTED = "supported", "not supported"


class TextPart(NamedTuple):
    """A part of a text; `mark` is the judge's verdict on the claims in it, or ""."""

    text: str
    mark: str = ""


class Claim(NamedTuple):
    """A claim of an answer, in the judge's words, and whether a context supports it."""

    text: str
    supported: bool


@dataclass(frozen=True)
class MarkedText:
    """A text in parts, with the verdicts on its claims.

    Attributes
    ----------
    parts
        The parts that together are the text.
    supported, claims
        How many of the judged claims some context supports, and how many claims were judged.
    unsupported
        The claims that no context supports, in the judge's words.
    elsewhere
        The unsupported claims that no shown sentence contains.
    """

    parts: tuple[TextPart, ...]
    supported: int = 0
    claims: int = 0
    unsupported: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


def claims_of(part: Scorable, metrics: Sequence[Metric]) -> Sequence[Sequence[Claim]]:
    """Return the claims of each answer that the metrics count: those of one judge, overruled by people.

    If several judges found claims, they are those of the judge that a metric names.  If no metric names a judge, there
    are none.
    """
    no_claims: Sequence[Sequence[Claim]] = [()] * part.n
    if not part.offers("verdicts"):
        return no_claims
    verdicts = part.view(JudgeVerdicts)
    if not any(about.startswith("claim:") for about in verdicts.verdicts.table.about.words):
        return no_claims
    judges_named = [str(dict(metric.params).get("by", "")) for metric in metrics if "claims" in aspects_of(metric)]
    try:
        judged = verdicts.of_judge(ASPECTS, next(filter(None, judges_named), ""), keep=CLAIM_LISTS)
    except SpecError:  # no metric of claims has a value either
        return no_claims
    return [_claims(decisions, judged) for decisions in judged]


def mark_claims(text: str, claims: Sequence[Claim]) -> MarkedText:
    """Mark the sentences of an answer with the verdicts on its claims.

    A claim belongs to the sentence that has most of its words.  A sentence with several claims counts as supported only
    if all of them are.

    >>> mark_claims("Yes. The house has a big garden.", [Claim("The house has a garden", False)]).parts
    (TextPart(text='Yes. ', mark=''), TextPart(text='The house has a big garden.', mark='not supported'))
    """
    spans = _spans(text)
    words_by_sentence = [frozenset(unicode_words(text[start:end].lower())) for start, end in spans]
    marks: dict[int, bool] = {}
    elsewhere = []
    for claim, supported in claims:
        claim_words = frozenset(unicode_words(claim.lower()))
        shares = [len(claim_words & sentence_words) / max(1, len(claim_words)) for sentence_words in words_by_sentence]
        best = max(range(len(shares)), key=shares.__getitem__, default=-1)
        if best >= 0 and shares[best] >= ENOUGH:
            marks[best] = marks.get(best, True) and supported
        elif not supported:
            elsewhere.append(line(claim, 160))
    unsupported = tuple(line(claim, 160) for claim, supported in claims if not supported)
    return MarkedText(
        tuple(_parts(text, spans, marks)), len(claims) - len(unsupported), len(claims), unsupported, tuple(elsewhere)
    )


def _claims(decisions: Mapping[tuple[str, str], Decision], judged: JudgedAnswers) -> list[Claim]:
    """Return the judged claims of one answer, without those that a person rejected as claims."""
    count = decisions.get(("answer", "claims"))
    claims = []
    for number in range(1, int((count and count.value) or 0) + 1):
        claim, supported = (decisions.get((f"claim:{number}", aspect)) for aspect in ("claim", "supported"))
        if claim is None or claim.value == 0 or supported is None or supported.value is None:
            continue
        text = judged.table[claim.row].why
        claims += [Claim(text, supported.value == 1)] if text else []
    return claims


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and the end of each sentence."""
    spans, start = [], 0
    for sentence in sentences(text):
        begin = text.find(sentence, start)
        if begin >= 0:
            start = begin + len(sentence)
            spans.append((begin, start))
    return spans


def _parts(text: str, spans: Sequence[tuple[int, int]], marks: Mapping[int, bool]) -> list[TextPart]:
    parts, end_of_last = [], 0
    for place in sorted(marks):
        start, end = spans[place]
        parts += [TextPart(text[end_of_last:start])] if start > end_of_last else []
        parts.append(TextPart(text[start:end], SUPPORTED if marks[place] else UNSUPPORTED))
        end_of_last = end
    return [*parts, TextPart(text[end_of_last:])] if end_of_last < len(text) else parts
