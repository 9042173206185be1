"""Merge the wordings of one question: spelled alike but for case, accents, punctuation and rare misspellings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from neraca.judges.rules.phrases import fold
from neraca.unicode_words import unicode_words

#: Fewest letters of a word that may be a misspelling, and how many times as common the right spelling must be.
LETTERS, TIMES = 6, 10


class AskedQuestion(NamedTuple):
    """A question in its commonest wording, with the number of times it was asked in any wording, and the others."""

    text: str
    asked: int
    others: tuple[str, ...] = ()


def merge_wordings(counts: Mapping[str, int]) -> list[AskedQuestion]:
    """Merge wordings of one question, and return the questions, the commonest first.

    Case, accents, punctuation and spaces play no part.  A word of six letters and more counts as a misspelling of
    another if this one is ten times as common, begins with the same letter, and differs by one letter.  The order of
    words counts, and so does each number.

    Parameters
    ----------
    counts
        Wording → the number of times it was asked.

    Examples
    --------
    >>> merge_wordings({"Garden house": 30, "garden house?": 5, "gardem house": 2, "garden 2 houses": 1})[0]
    AskedQuestion(text='Garden house', asked=37, others=('garden house?', 'gardem house'))
    """
    words = {text: tuple(map(fold, unicode_words(text))) for text in counts}
    of_words: Counter[str] = Counter()
    for text, count in counts.items():
        of_words.update(dict.fromkeys(words[text], count))
    spellings = _right_spellings(of_words)
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in counts:
        groups[tuple(spellings.get(word, word) for word in words[text]) or (text,)].append(text)
    questions = []
    for texts in groups.values():
        first, *others = sorted(texts, key=lambda text: (-counts[text], text))
        questions.append(AskedQuestion(first, sum(counts[text] for text in texts), tuple(others)))
    return sorted(questions, key=lambda question: (-question.asked, question.text))


def _right_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """Return misspelling → the common word that was meant."""
    from rapidfuzz.distance import OSA

    near: dict[str, list[str]] = defaultdict(list)
    for word in counts:
        for shorter in _one_letter_less(word):
            near[shorter].append(word)
    spellings: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: (counts[word], word)):
        if len(word) < LETTERS or not word.isalpha():
            continue
        candidates = {
            other
            for shorter in _one_letter_less(word)
            for other in near[shorter]
            if counts[other] >= TIMES * counts[word] and OSA.distance(word, other, score_cutoff=1) == 1
        }
        if candidates:
            spellings[word] = max(candidates, key=lambda other: (counts[other], other))
    return {word: spelling for word, spelling in spellings.items() if spelling not in spellings}


def _one_letter_less(word: str) -> Iterator[str]:
    """Yield a word, and the word without each of its letters but the first; nothing for short words and numbers."""
    if len(word) >= LETTERS - 1 and word.isalpha():
        yield word
        for place in range(1, len(word)):
            yield word[:place] + word[place + 1 :]
