"""Verdicts in short sentences: what was decided, by whom, and why; many verdicts of one kind are one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from neraca.number_format import exact
from neraca.records import Verdict
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.scale_words import value_in_words
from neraca.runs.claim_aspects import CLAIM_LISTS
from neraca.verdicts.source import judge_of, source_of

#: (part of the answer, aspect) → words for the values 1 and 0.
_WORDS = {
    ("claim", "supported"): ("supported by a context", "not supported by any context"),
    ("claim", "correct"): ("in agreement with the reference", "not in agreement with the reference"),
    ("reference", "supported"): ("supported by a context", "not supported by any context"),
    ("reference", "stated"): ("stated in the answer", "not stated in the answer"),
    ("reference", "in_corpus"): ("in the knowledge base", "not in the knowledge base"),
    ("hit", "relevance"): ("relevant", "not relevant"),
    ("hit", "useful"): ("useful", "not useful"),
    ("answer", "declines"): ("says that it cannot answer", "does not say that it cannot answer"),
    ("answer", "valid"): ("responds to the question", "does not respond to the question"),
    ("answer", "supported"): ("follows from its contexts", "does not follow from its contexts"),
    ("session", "remembers"): ("keeps to what the user said", "does not keep to what the user said"),
    ("session", "consistent"): ("contradicts itself nowhere", "contradicts itself"),
    ("session", "stays"): ("stays in the role", "leaves the role"),
    ("session", "resolves"): ("reaches the user's goal", "does not reach the user's goal"),
    ("turn", "remembers"): ("in keeping with what the user said", "not in keeping with what the user said"),
    ("turn", "consistent"): ("without a contradiction", "in contradiction to an earlier one"),
    ("turn", "stays"): ("in the role", "out of the role"),
    ("item", "expects"): ("a good answer has results", "a good answer has no results"),
}
#: Decisions that are neither good nor bad.
_NEUTRAL = ("declines", "expects")
_PARTS = {
    "claim": "claims",
    "reference": "statements of the reference",
    "hit": "hits",
    "question": "questions",
    "turn": "turns",
}
_STATUSES = {"missing": "nothing to decide on", "not_applicable": "not applicable", "unscored": "not decided"}


class VerdictSentence(NamedTuple):
    """One verdict: `mark` is `yes`, `no`, `open` or `plain`; `by` is short and `source` is whole."""

    mark: str
    text: str
    by: str
    source: str
    why: str


class VerdictSummary(NamedTuple):
    """Several verdicts of one source on one aspect in a sentence, with each of them below it."""

    text: str
    by: str
    source: str
    verdicts: Sequence[VerdictSentence]


def verdict_sentences(
    verdicts: Iterable[Verdict], words_of_value: Callable[[Verdict], str] = lambda _: ""
) -> list[VerdictSentence | VerdictSummary]:
    """Return the verdicts on one answer in sentences; those that only list or count claims are left out.

    `words_of_value` returns the words of a value on people's scale, "" without words.

    >>> unsupported = Verdict(item="q", about="claim:2", aspect="supported", by="llm:openai:judge-a#b06b36", value=0)
    >>> [(sentence.text, sentence.by) for sentence in verdict_sentences([unsupported])]
    [('claim 2: not supported by any context', 'judge-a')]
    """
    verdicts = list(verdicts)
    claims = {(v.about, v.by): v.why for v in verdicts if v.aspect == "claim" and v.why}
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.aspect not in CLAIM_LISTS:
            groups.setdefault((_part(verdict), verdict.aspect, verdict.by), []).append(verdict)
    sentences: list[VerdictSentence | VerdictSummary] = []
    for (part, aspect, by), group in groups.items():
        of_group = [
            _sentence(verdict, claims.get((verdict.about, by), ""), words_of_value(verdict)) for verdict in group
        ]
        if len(group) == 1 or part not in _PARTS:
            sentences += of_group
        else:
            of_group.sort(key=lambda sentence: ("no", "open", "plain", "yes").index(sentence.mark))
            sentences.append(
                VerdictSummary(_summary(part, aspect, group, words_of_value), short_source(by), by, of_group)
            )
    return sentences


def short_source(by: str) -> str:
    """Return a short name of a source: the model without its provider and prompt, or the name of a person.

    >>> [short_source(by) for by in ("llm:openai:judge-a#b06b36", "human:ana", "rules")]
    ['judge-a', 'ana (person)', 'rules']
    """
    kind, _, name = judge_of(by).partition(":")
    if kind == "human":
        return f"{name or 'people'} (person)" if name else "people"
    return name.rpartition(":")[2] or kind


def _part(verdict: Verdict) -> str:
    return verdict.about.partition(":")[0]


def _sentence(verdict: Verdict, claim: str, scale_words: str) -> VerdictSentence:
    part, _, name = verdict.about.partition(":")
    words = _WORDS.get((part, verdict.aspect))
    value = verdict.value
    mark = "plain"
    if value is None:
        mark, said = "open", f"{line(verdict.aspect)}: {_STATUSES.get(verdict.status, verdict.status)}"
    elif scale_words:
        said = f"{line(verdict.aspect)}: {value_in_words(value, scale_words)}"
    elif words and value in (0, 1):
        said = words[0] if value else words[1]
    else:
        said = f"{line(verdict.aspect)}: {exact(value)}"
    is_constraint = part == "hit" and verdict.by == "rules"
    if value in (0, 1) and (words or is_constraint) and verdict.aspect not in _NEUTRAL:
        mark = "yes" if value else "no"
    subject = f"“{line(claim, 160)}”" if claim else f"{part} {line(name, 60)}" if name else ""
    subject = "the conversation" if part == "session" else subject
    joined = f"{subject}: {said}" if subject else said
    return VerdictSentence(mark, joined, short_source(verdict.by), verdict.by, line(verdict.why, 1000))


def _summary(part: str, aspect: str, group: Sequence[Verdict], words_of_value: Callable[[Verdict], str]) -> str:
    """Return the sentence that stands for a group of verdicts."""
    decided = [verdict.value for verdict in group if verdict.value is not None]
    open_verdicts = len(group) - len(decided)
    undecided = f", {open_verdicts} without a value" if open_verdicts else ""
    words, by_rules = _WORDS.get((part, aspect)), source_of(group[0].by) == "rules"
    if any(map(words_of_value, group)):
        counts = Counter(value_in_words(v.value, words_of_value(v)) for v in group if v.value is not None)
        values = ", ".join(f"{n} × {value}" for value, n in sorted(counts.items()))
        return f"{line(aspect)} of {len(group)} {_PARTS[part]}: {values or 'no value'}{undecided}"
    if decided and all(value in (0, 1) for value in decided):
        passed = sum(value == 1 for value in decided)
        meaning = words[0] if words else f"pass {line(aspect)}" if by_rules else f"with {line(aspect)}"
        return f"{passed} of {len(decided)} {_PARTS[part]} {meaning}{undecided}"
    values = ", ".join(exact(value) for value in decided)
    return f"{line(aspect)} of {len(group)} {_PARTS[part]}: {values or 'no value'}{undecided if values else ''}"
