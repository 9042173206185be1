"""Overlap of an answer with its contexts, without any model: a first screen for unsupported statements.

OverlapBigram, OverlapStem, OverlapNames, OverlapWeakest and OverlapSupport look for the answer's words in the texts of
its hits.  They compare words, not meaning: a paraphrase seems unsupported, and a sentence with the right words that
says the opposite seems supported.  They measure neither truth nor faithfulness, and no accuracy is claimed; use them
to choose the answers to look at first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from neraca.metrics.metric import metric
from neraca.metrics.text.grounding import NO_WORDS, Evidence, Sentence, Support, Term, keys_of

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

NO_NAMES = "the answer has no names and no numbers"


def _bigram(evidence: Evidence) -> float:
    context_grams = {gram for context in evidence.contexts for sentence in context for gram in _grams(sentence.words)}
    context_grams |= {(word,) for context in evidence.contexts for sentence in context for word in sentence.words}
    answer_grams = [gram for sentence in evidence.answer for gram in _grams(sentence.words)]
    return sum(gram in context_grams for gram in answer_grams) / len(answer_grams) if answer_grams else math.nan


def _grams(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the pairs of neighbours; for a sentence of one word, that word."""
    return list(pairwise(words)) if len(words) > 1 else [tuple(words)]


def _stem(evidence: Evidence) -> float:
    context_keys = keys_of(sentence for context in evidence.contexts for sentence in context)
    return _share(_weights(evidence, (term for sentence in evidence.answer for term in sentence.terms)), context_keys)


def _weights(evidence: Evidence, terms: Iterable[Term]) -> dict[Term, float]:
    """Return the weights of different terms."""
    return {term: evidence.weight(term) for term in dict.fromkeys(terms)}


def _share(weights: Mapping[Term, float], known_keys: set[str]) -> float:
    """Return the share of the total term weight that belongs to known terms."""
    known_weight = math.fsum(weight for term, weight in weights.items() if not known_keys.isdisjoint(term))
    return known_weight / math.fsum(weights.values()) if weights else math.nan


def _names(evidence: Evidence) -> float:
    context_stems = {stem for context in evidence.contexts for sentence in context for stem in sentence.stems}
    context_stems |= {
        key for context in evidence.contexts for sentence in context for term in sentence.numbers for key in term
    }
    answer_terms = {term for sentence in evidence.answer for term in (*sentence.names, *sentence.numbers)}
    shared_terms = sum(not context_stems.isdisjoint(term) for term in answer_terms)
    return shared_terms / len(answer_terms) if answer_terms else math.nan


def _weakest(evidence: Evidence) -> float:
    window_keys = [keys_of(window) for context in evidence.contexts for window in _windows(context)]
    weights = [_weights(evidence, sentence.terms) for sentence in evidence.answer if sentence.terms]
    shares = [max(_share(sentence_weights, keys) for keys in window_keys) for sentence_weights in weights]
    return min(shares) if shares else math.nan


def _windows(context: Sequence[Sentence]) -> list[Sequence[Sentence]]:
    """Return each sentence with the one before it, which often names its subject."""
    return [context[max(end - 2, 0) : end] for end in range(1, len(context) + 1)] or [()]


def _mean(evidence: Evidence) -> float:
    signals = [signal(evidence) for signal in (_bigram, _stem, _names, _weakest)]
    defined_signals = [value for value in signals if not math.isnan(value)]
    return math.fsum(defined_signals) / len(defined_signals) if defined_signals else math.nan


@metric(
    "OverlapBigram",
    why_undefined=NO_WORDS,
    not_for="for answers that reword rightly: it compares pairs of words, not meaning",
)
def overlap_bigram(support: Support, *, language: str = "") -> Floats:
    r"""Share of the answer's pairs of neighbouring words that occur in a sentence of some context.

    $$ \frac{1}{m} \sum_{b} [b \in C] $$

    over the m pairs b of the answer, with C the pairs of the contexts; a bracket is 1 if it is true.  0 to 1.  Each
    pair counts as often as the answer has it.  Pairs do not cross sentences, and for a sentence of one word that word
    counts.  Words are compared without case, diacritics and harakat.  A failed or empty answer has 0, so that no system
    gains by saying nothing, or is undefined if the question expects `none`.  Undefined without a context that has text.

    It is a screen of words, not of meaning: no accuracy is claimed.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> overlap_bigram(Support.pair("It has two floors.", "The house has two rooms."))  # of three: has two
    array([0.33333333])
    """
    return support.signals(_bigram, language)


@metric("OverlapStem", why_undefined=NO_WORDS, not_for="for meaning: a `not` hardly moves it")
def overlap_stem(support: Support, *, language: str = "") -> Floats:
    r"""Share of the weight of the answer's words that occurs in some context.

    $$ \frac{\sum_{t \in A \cap C} w_t}{\sum_{t \in A} w_t}, \qquad w_t = \ln \frac{1 + N}{1 + n_t} + 1 $$

    with A the different stems and numbers of the answer except the commonest words of its language, C those of its
    contexts, and $n_t$ the number of contexts with t among the N different contexts of all answers that are scored
    together.  So a rare word weighs most.  0 to 1.  Without a stemmer for the language words are compared whole; for an
    unknown language the commonest words count too, so tell it (tag `language`, or `language=`).  Undefined as
    `OverlapBigram`, and for an answer of common words only.

    It is a screen of words, not of meaning: no accuracy is claimed.

    References
    ----------
    Spärck Jones, K. (1972). Journal of Documentation 28(1), 11-21 (the weights).

    Examples
    --------
    >>> overlap_stem(Support.pair("two floors", "two rooms"))  # 1 / (1 + ln 2 + 1)
    array([0.37131279])
    """
    return support.signals(_stem, language)


@metric(
    "OverlapNames",
    why_undefined=NO_NAMES,
    not_for="for answers without names and numbers; and where these are written in several ways",
)
def overlap_names(support: Support, *, language: str = "") -> Floats:
    r"""Share of the answer's different names and numbers that occur in some context.

    $$ |A \cap C| / |A| $$

    with A the different names and numbers of the answer, and C those of the contexts.  0 to 1.  An answer without names
    and numbers is undefined, because there is nothing to check; otherwise undefined as `OverlapBigram`.

    Names are words with a capital, except the first word of a sentence and the commonest words of the language; in
    German these are all nouns.  They are compared by their stems, without case.  A sentence in capitals has no names,
    and scripts without capitals (Arabic, Chinese) have numbers only.  Numbers are compared by value: 1.250.000,
    1,250,000 and 1250000 are equal.  The language decides what 1.250 is; in an unknown language it can be 1250 or 1.25.
    Numbers in words and units (1.5 million) are not understood; [1] is a citation, not a number.

    It is a screen of words, not of meaning: no accuracy is claimed.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> overlap_names(Support.pair("In Medan it costs 1.250.000 or 3", "Price: 1,250,000 (Medan)"))
    array([0.66666667])
    """
    return support.signals(_names, language)


@metric(
    "OverlapWeakest",
    why_undefined=NO_WORDS,
    not_for="to compare long with short answers: more sentences, a weaker weakest one",
)
def overlap_weakest(support: Support, *, language: str = "") -> Floats:
    r"""The support of the answer's least supported sentence.

    $$ \min_s \max_c \frac{\sum_{t \in s \cap c} w_t}{\sum_{t \in s} w_t} $$

    over the sentences s of the answer and the pairs c of neighbouring sentences of a context, with the weights $w_t$ of
    `OverlapStem`.  0 to 1.  The support of a sentence is the share of its weight that occurs in the best pair, so one
    invented sentence shows however long the answer is.  A sentence of common words only does not count.  Undefined as
    `OverlapStem`.

    It is a screen of words, not of meaning: no accuracy is claimed.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> overlap_weakest(Support.pair("Two rooms. Two floors.", "two rooms"))  # 1 and 1 / (1 + ln 2 + 1)
    array([0.37131279])
    """
    return support.signals(_weakest, language)


@metric(
    "OverlapSupport",
    why_undefined=NO_WORDS,
    not_for="in place of a judge where it matters: it is a cheap first look that sees words, not claims",
)
def overlap_support(support: Support, *, language: str = "") -> Floats:
    r"""The mean of `OverlapBigram`, `OverlapStem`, `OverlapNames` and `OverlapWeakest`.

    $$ \frac{1}{m} \sum_{j=1}^{m} O_j $$

    with $O_j$ the m values among these four that are defined; without names and numbers, for example, m = 3.  0 to 1.
    Undefined as `OverlapBigram`.

    It is a screen of words, not of meaning: no accuracy is claimed, and it is not faithfulness.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> overlap_support(Support.pair("two floors", "two rooms"))  # 0 of one pair, then twice 0.3713
    array([0.24754186])
    """
    return support.signals(_mean, language)
