"""The view of answers and their contexts as sentences with words, names and numbers."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from neraca.language_detection import stop_words
from neraca.languages import code_of
from neraca.metrics.scorable import RunGroup, Scorable
from neraca.metrics.text.corpus import Frequencies
from neraca.metrics.text.normalize import plain
from neraca.metrics.text.numbers import CURRENCIES, numbers
from neraca.metrics.text.tokenizer import Tokenizer
from neraca.sentences import sentences
from neraca.stats.intervals.interval import Floats

#: A term to look for in contexts: one key, or alternatives (a number that can be read in two ways).
Term = tuple[str, ...]
NO_TEXT = "no context has text"
NO_WORDS = "the answer has no words that contexts could support"
#: Number of texts whose sentences are cached.
_REMEMBERED = 20_000
#: Citations such as [1], [2, 3] and 【4†report.pdf】; contexts cannot support them.
_CITATION = re.compile(r"\[\^?\d{1,3}(?:\s?[,;–-]\s?\^?\d{1,3})*\]|【[^【】]*†[^【】]*】")
#: Polite pronouns that are written with a capital.
_POLITE = {"id": ("anda",), "de": ("sie", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer")}


class Sentence(NamedTuple):
    """A sentence as words, stems, names and numbers.

    Attributes
    ----------
    words
        The words in order, without case and diacritics; numbers are words.
    stems
        Stems of all words except numbers; the words themselves if the language has no stemmer.
    terms
        The different stems except the commonest words of the language, and the numbers.
    names
        Stems of words with a capital, except the first word and the commonest words of the language.
    numbers
        The different numbers, by value.
    """

    words: tuple[str, ...]
    stems: frozenset[str]
    terms: tuple[Term, ...]
    names: tuple[Term, ...]
    numbers: tuple[Term, ...]


class Evidence(NamedTuple):
    """An answer and its contexts.

    Attributes
    ----------
    answer
        The sentences of the answer that have words.
    contexts
        The sentences of each context with text.
    weight
        Term → its inverse document frequency among all contexts; see `Contexts.weight`.
    """

    answer: Sequence[Sentence]
    contexts: Sequence[Sequence[Sentence]]
    weight: Callable[[Term], float]


@functools.cache
def _commonest(language: str) -> frozenset[str]:
    """Return the stems of the commonest words of a language; empty if it is not known."""
    common_words = (*stop_words().get(language, ()), *_POLITE.get(language, ()))
    stemming = Tokenizer.of("word+fold+maystem", language)
    return frozenset(plain(stem) for word in common_words for stem in stemming.words(word))


def read_sentences(text: str, language: str = "") -> tuple[Sentence, ...]:
    """Return the sentences of a text that have words, without citations in brackets.

    >>> read_sentences("The house in Medan has 3 rooms.", "en")[0].terms
    (('hous',), ('medan',), ('room',), ('#3',))
    """
    parts = (_sentence(part, language) for part in sentences(_CITATION.sub(" ", text)))
    return tuple(sentence for sentence in parts if sentence.words)


def _sentence(text: str, language: str) -> Sentence:
    common, stemmed = _commonest(language), Tokenizer.of("word+fold+maystem", language)
    text_numbers, text = numbers(text, language)
    number_terms = tuple(dict.fromkeys(tuple(f"#{value}" for value in number) for number in text_numbers))
    words = [plain(word) for word in Tokenizer.of("word+fold", language).words(text)]
    stems = [plain(stem) for stem in stemmed.words(text) if not stem.isdecimal()]
    terms = tuple((stem,) for stem in dict.fromkeys(stems) if stem not in common)
    names = [] if text.upper() == text else _capitals(text, language)
    name_stems = dict.fromkeys(plain(stem) for name in names for stem in stemmed.words(name))
    return Sentence(
        tuple(words),
        frozenset(stems),
        (*terms, *number_terms),
        tuple((stem,) for stem in name_stems if len(stem) > 1 and stem not in common),
        number_terms,
    )


def _capitals(text: str, language: str) -> list[str]:
    """Return the words that begin with a capital, except the first word and currencies."""
    words = [word for word in Tokenizer.of("word+case", language).words(text) if not word.isdecimal()]
    return [word for word in words[1:] if word[0].isupper() and word.lower() not in CURRENCIES]


class Contexts:
    """The different contexts of runs that are scored together.

    Attributes
    ----------
    texts
        Each text with the language of its item.
    counted
        Language → frequencies that `frequencies` returns without counting.  For a block of a file, put the frequencies
        of the whole file here.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self.texts = tuple(dict.fromkeys(texts))
        self.sentences = functools.lru_cache(maxsize=_REMEMBERED)(read_sentences)
        self.counted: dict[str, Frequencies] = {}

    @classmethod
    def of(cls, group: RunGroup) -> Self:
        """Collect the contexts that have text."""
        rows = (zip(part.column("contexts", ()), group.languages_of(part), strict=True) for part in group.parts)
        pairs = ((text, language) for part in rows for texts, language in part for text in texts)
        contexts = cls((text, language) for text, language in pairs if text.strip())
        contexts.counted |= group.prepared.get(cls, {})
        return contexts

    def weight(self, term: Term, language: str = "") -> float:
        r"""Return the smoothed inverse document frequency $\ln \frac{1 + N}{1 + n} + 1$ of a term in n of N contexts.

        The commonest of several keys counts.  `language` applies to all contexts; "": each has its own.

        >>> Contexts([("two floors", ""), ("two rooms", "")]).weight(("two",))
        1.0
        """
        n, df = self.frequencies(language)
        return math.log((1 + n) / (1 + max(df.get(key, 0) for key in term))) + 1

    def frequencies(self, language: str = "") -> Frequencies:
        """Return the number of contexts, and the number with each key, from `counted` if possible."""
        if language not in self.counted:
            keys = (key for text, own in self.texts for key in keys_of(self.sentences(text, language or own)))
            self.counted[language] = Frequencies(len(self.texts), Counter(keys))
        return self.counted[language]


def keys_of(sentences: Iterable[Sentence]) -> set[str]:
    """Return all keys of the terms of some sentences."""
    return {key for sentence in sentences for term in sentence.terms for key in term}


@dataclass(frozen=True)
class Support:
    """n answers and their contexts, which are the texts of their hits.

    Attributes
    ----------
    shared
        The contexts of all answers.
    answers
        Text, contexts and language of each answer.
    unscored
        For each answer why it cannot be scored, or "".
    silent
        For each answer whether it says nothing although its question can be answered; every signal is then 0.
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "contexts")
    shared: Contexts
    answers: Sequence[tuple[str, Sequence[str], str]]
    unscored: Sequence[str]
    silent: Sequence[bool]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Make the view of these answers."""
        unscored, answers = part.why_not("hits"), []
        rows = zip(part.column("response"), part.column("expects", ""), unscored, strict=True)
        silent = [not text.strip() and expects != "none" and not why for text, expects, why in rows]
        columns = part.column("response"), part.column("contexts"), part.group.languages_of(part)
        for row, (text, contexts, language) in enumerate(zip(*columns, strict=True)):
            texts = [context for context in contexts if context.strip()]
            answers.append((text, texts, language))
            why = NO_WORDS if not any(map(str.isalnum, text)) else NO_TEXT if not texts else ""
            unscored[row] = unscored[row] or ("" if silent[row] else why)
        return cls(part.group.share(Contexts), answers, unscored, silent)

    @classmethod
    def pair(cls, text: str, *contexts: str, language: str = "") -> Self:
        """Return the view of one answer and its contexts."""
        code = code_of(language)
        return cls(Contexts((context, code) for context in contexts), [(text, contexts, code)], [""], [False])

    def signals(self, signal: Callable[[Evidence], float], language: str = "") -> Floats:
        """Return a signal of each answer, shape (n,); NaN for an answer that cannot be scored.

        `language` is the language of the texts; "": that of each item.  Raises `SpecError` for an unknown language.
        """
        code, values = code_of(language), np.full(len(self.answers), math.nan)
        weight = functools.partial(self.shared.weight, language=code)
        for row, (text, contexts, own) in enumerate(self.answers):
            if self.silent[row]:
                values[row] = 0.0
            elif not self.unscored[row]:
                sentences = read_sentences(text, code or own)
                context_sentences = [self.shared.sentences(context, code or own) for context in contexts]
                values[row] = signal(Evidence(sentences, context_sentences, weight))
        return values
