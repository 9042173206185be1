"""The view of an answer beside its contexts: the sentences of both, read as words, names and numbers."""

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

#: What is looked for in contexts: one key, or several of which any will do (a number that can be read in two ways).
Term = tuple[str, ...]
NO_TEXT = "no context has text"
NO_WORDS = "the answer has no words that contexts could support"
#: Texts of which the sentences are remembered; others are read anew.
_REMEMBERED = 20_000
#: Which source was used, as [1], [2, 3] and 【4†report.pdf】: it says nothing that contexts could support.
_CITATION = re.compile(r"\[\^?\d{1,3}(?:\s?[,;–-]\s?\^?\d{1,3})*\]|【[^【】]*†[^【】]*】")
#: Words that are written with a capital out of politeness.
_POLITE = {"id": ("anda",), "de": ("sie", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer")}


class Sentence(NamedTuple):
    """A sentence as it was read.

    Attributes
    ----------
    words
        Its words in their order, without case and diacritics; numbers are words.
    stems
        Stems of all its words but numbers; the words themselves where the language has no stemmer.
    terms
        The different stems without the commonest words of the language, and the numbers.
    names
        Stems of words with a capital, but for the first word and the commonest words of the language.
    numbers
        Its different numbers, by their value.
    """

    words: tuple[str, ...]
    stems: frozenset[str]
    terms: tuple[Term, ...]
    names: tuple[Term, ...]
    numbers: tuple[Term, ...]


class Evidence(NamedTuple):
    """An answer beside its contexts.

    Attributes
    ----------
    said
        The sentences of the answer that have words.
    contexts
        The sentences of each context with text.
    weight
        Term → its inverse document frequency among all contexts; see `Contexts.weight`.
    """

    said: Sequence[Sentence]
    contexts: Sequence[Sequence[Sentence]]
    weight: Callable[[Term], float]


@functools.cache
def _commonest(language: str) -> frozenset[str]:
    """The commonest words of a language, as they are read here and stemmed; none of one that is not known."""
    listed = stop_words().get(language, frozenset())
    read = Tokenizer.of("word+fold+maystem", language)
    return frozenset(plain(stem) for word in (*listed, *_POLITE.get(language, ())) for stem in read.words(word))


def read(text: str, language: str = "") -> tuple[Sentence, ...]:
    """The sentences of a text that have words; numbers in square brackets are taken for citations and left out.

    >>> read("The house in Medan has 3 rooms.", "en")[0].terms
    (('hous',), ('medan',), ('room',), ('#3',))
    """
    parts = sentences(_CITATION.sub(" ", text))
    return tuple(sentence for sentence in (_sentence(each, language) for each in parts) if sentence.words)


def _sentence(text: str, language: str) -> Sentence:
    common, stemmed = _commonest(language), Tokenizer.of("word+fold+maystem", language)
    found_numbers, text = numbers(text, language)
    numbered = tuple(dict.fromkeys(tuple(f"#{value}" for value in number) for number in found_numbers))
    words = [plain(word) for word in Tokenizer.of("word+fold", language).words(text)]
    stems = [plain(stem) for stem in stemmed.words(text) if not stem.isdecimal()]
    terms = tuple((stem,) for stem in dict.fromkeys(stems) if stem not in common)
    names = [] if text.upper() == text else _capitals(text, language)
    named = {plain(stem): None for name in names for stem in stemmed.words(name)}
    return Sentence(
        tuple(words),
        frozenset(stems),
        (*terms, *numbered),
        tuple((stem,) for stem in named if len(stem) > 1 and stem not in common),
        numbered,
    )


def _capitals(text: str, language: str) -> list[str]:
    """Return words that begin with a capital, but for the first, and for currencies."""
    words = [word for word in Tokenizer.of("word+case", language).words(text) if not word.isdecimal()]
    return [word for word in words[1:] if word[0].isupper() and word.lower() not in CURRENCIES]


class Contexts:
    """The different contexts of runs that are scored together.

    Attributes
    ----------
    texts
        Each with the language of the item that it was found for.
    counted
        Language → frequencies that `frequencies` gives instead of counting; put those of a whole file here where these
        are the contexts of a block of it.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self.texts = tuple(dict.fromkeys(texts))
        self.read = functools.lru_cache(maxsize=_REMEMBERED)(read)
        self.counted: dict[str, Frequencies] = {}

    @classmethod
    def of(cls, group: RunGroup) -> Self:
        """Take all that have text."""
        rows = (zip(part.column("contexts", ()), group.languages_of(part), strict=True) for part in group.parts)
        pairs = ((text, language) for part in rows for texts, language in part for text in texts)
        contexts = cls((text, language) for text, language in pairs if text.strip())
        contexts.counted |= group.prepared.get(cls, {})
        return contexts

    def weight(self, term: Term, language: str = "") -> float:
        r"""Inverse document frequency, smoothed: $\ln \frac{1 + N}{1 + n} + 1$ of a term that n of N contexts have.

        The commonest of several keys counts.  `language` reads all contexts in it, "" each in its own.

        >>> Contexts([("two floors", ""), ("two rooms", "")]).weight(("two",))
        1.0
        """
        n, df = self.frequencies(language)
        return math.log((1 + n) / (1 + max(df.get(key, 0) for key in term))) + 1

    def frequencies(self, language: str = "") -> Frequencies:
        """Return the number of contexts, and the number with each key; take them from `counted` if they are there."""
        if language not in self.counted:
            read_as = [(text, language or own) for text, own in self.texts]
            keys = (keys_of(self.read(*each)) for each in read_as)
            self.counted[language] = Frequencies(
                len(self.texts), Counter(key for keys_of_text in keys for key in keys_of_text)
            )
        return self.counted[language]


def keys_of(sentences: Iterable[Sentence]) -> set[str]:
    """All keys of the terms of some sentences."""
    return {key for sentence in sentences for term in sentence.terms for key in term}


@dataclass(frozen=True)
class Support:
    """n answers beside their contexts, which are the texts of their hits.

    Attributes
    ----------
    shared
        The contexts of all answers.
    answers
        Text, texts of the contexts, and language of each answer.
    unscored
        For each answer why it cannot be scored, or "".
    silent
        For each answer whether it says nothing although its question can be answered: 0 for every signal.
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "contexts")
    shared: Contexts
    answers: Sequence[tuple[str, Sequence[str], str]]
    unscored: Sequence[str]
    silent: Sequence[bool]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look at the answers."""
        unscored, answers = part.why_not(), []
        rows = zip(part.column("response"), part.column("expects", ""), unscored, strict=True)
        silent = [not text.strip() and expects != "none" and not why for text, expects, why in rows]
        columns = part.column("response"), part.column("contexts"), part.group.languages_of(part)
        for row, (text, contexts, language) in enumerate(zip(*columns, strict=True)):
            texts = [each for each in contexts if each.strip()]
            answers.append((text, texts, language))
            why = NO_WORDS if not any(map(str.isalnum, text)) else NO_TEXT if not texts else ""
            unscored[row] = unscored[row] or ("" if silent[row] else why)
        return cls(part.group.share(Contexts), answers, unscored, silent)

    @classmethod
    def pair(cls, text: str, *contexts: str, language: str = "") -> Self:
        """One answer beside its contexts."""
        code = code_of(language)
        return cls(Contexts((each, code) for each in contexts), [(text, contexts, code)], [""], [False])

    def each(self, signal: Callable[[Evidence], float], language: str = "") -> Floats:
        """Return a signal of each answer, shape (n,); NaN for one that cannot be scored.

        `language` is that in which the texts are read; "": each in that of its item.  Raises `SpecError` for one that
        is not known.
        """
        code, values = code_of(language), np.full(len(self.answers), math.nan)
        weight = functools.partial(self.shared.weight, language=code)
        for row, (text, contexts, own) in enumerate(self.answers):
            if self.silent[row]:
                values[row] = 0.0
            elif not self.unscored[row]:
                sentences = read(text, code or own)
                values[row] = signal(
                    Evidence(sentences, [self.shared.read(each, code or own) for each in contexts], weight)
                )
        return values
