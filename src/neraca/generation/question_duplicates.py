"""Find written questions that ask the same: in the same words, or for the same answer from the same document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from neraca.generation.drafts import TWO_DOCUMENTS, Check, Checked
from neraca.generation.near_duplicates import near_duplicates
from neraca.judges.outcome import Outcome
from neraca.judges.rules.phrases import fold
from neraca.language_detection import stop_words
from neraca.unicode_words import unicode_words

#: Share of the words of two answers that both have, if the answers are the same.
SAME_ANSWER = 0.8
ASPECT = "duplicate"
_NUMBER = re.compile(r"\d+")
#: Letters by which two words are compared, so that endings play no part.
_STEM = 5


def check_duplicates(questions: Sequence[Checked], language: str) -> list[Check]:
    """Return for each question whether it asks for something else than those before it that ask for something new."""
    texts = near_duplicates([" ".join(_all_words(question.draft.complete)) for question in questions])
    exact: dict[tuple[str, ...], Checked] = {}
    new: list[Checked] = []
    outcomes = []
    for question, first in zip(questions, texts, strict=True):
        words = tuple(_all_words(question.draft.complete))
        earlier = exact.get(words) or (questions[first] if questions[first] is not question else None)
        why = f"nearly the words of {earlier.id}" if earlier else ""
        if earlier is None and (earlier := next((q for q in new if _same_answer(q, question, language)), None)):
            why = f"the same answer from the same document as {earlier.id}: {earlier.draft.answer}"
        if earlier is None:
            new.append(question)
            exact[words] = question
        outcomes.append(Check(ASPECT, Outcome(float(earlier is None), why)))
    return outcomes


def check_answers(answer: str, reading: str, language: str) -> Outcome:
    """Return whether the answers of the writer and of the second reader agree, as far as words and numbers show.

    Only a plain contradiction counts: both have numbers and none in common, or no word that carries meaning is in both.
    """
    ours, theirs = set(_NUMBER.findall(fold(answer))), set(_NUMBER.findall(fold(reading)))
    if ours and theirs and not ours & theirs:
        return Outcome(0.0, f"the second reader answers with other numbers: {reading}")
    stems, others = ({word[:_STEM] for word in answer_words(text, language)} for text in (answer, reading))
    if stems and others and not stems & others and not ours & theirs:
        return Outcome(0.0, f"the second reader answers otherwise: {reading}")
    return Outcome(1.0, f"the second reader answers: {reading}")


def says_same(reference: str, answer: str, language: str) -> bool:
    """Return whether an answer has all numbers of a reference, and at least half of its words that carry meaning.

    >>> says_same("30 days from the purchase.", "Within 30 days.", "en"), says_same("30 days", "14 days", "en")
    (True, False)
    """
    if not set(_NUMBER.findall(fold(reference))) <= set(_NUMBER.findall(fold(answer))):
        return False
    expected, stems = ({word[:_STEM] for word in answer_words(text, language)} for text in (reference, answer))
    return len(expected & stems) >= len(expected) / 2


def answer_words(text: str, language: str) -> set[str]:
    """Return the words of an answer without the most common ones; all words if there are no others.

    >>> sorted(answer_words("30 days from the purchase.", "en"))
    ['30', 'days', 'purchase']
    """
    words = set(_all_words(text))
    common = {fold(word) for word in stop_words().get(language, ())}
    return words - common or words


def _same_answer(one: Checked, other: Checked, language: str) -> bool:
    """Return whether two questions have the same answer from the same documents.

    Questions that need two documents must need the same two; of others, one document that answers both is enough.
    """
    kinds = {question.draft.kind in TWO_DOCUMENTS for question in (one, other)}
    if not (one.draft.answerable and other.draft.answerable) or len(kinds) == 2:
        return False
    sources, other_sources = ({*question.draft.documents, *question.others} for question in (one, other))
    if sources != other_sources if True in kinds else not sources & other_sources:
        return False
    ours, theirs = answer_words(one.draft.answer, language), answer_words(other.draft.answer, language)
    return bool(ours | theirs) and len(ours & theirs) >= SAME_ANSWER * len(ours | theirs)


def _all_words(text: str) -> list[str]:
    return unicode_words(fold(text))
