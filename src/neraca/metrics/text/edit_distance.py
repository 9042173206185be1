"""Levenshtein, DamerauLevenshtein and JaroWinkler: similarity of two texts, character by character."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from neraca.metrics.metric import metric
from neraca.metrics.text.texts import NO_WORDS, Texts
from neraca.metrics.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

#: The texts as they are.
RAW = "raw"


def strings(texts: Texts, tokens: str, language: str) -> list[str]:
    r"""Return each text of the corpus as a string to compare: its words, separated by single spaces.

    So `space` means NFKC, lower case, and one space for any white space; `raw` is the text as it is.

    >>> strings(Texts.of_texts("Rumah  baru", "RUMAH\tbaru "), "space", "")
    ['rumah baru', 'rumah baru']
    """
    corpus = texts.corpus
    if tokens == RAW:
        return corpus.texts
    readings = corpus.readings(tokens, language)
    return [" ".join(reading.words(text)) for reading, text in zip(readings, corpus.texts, strict=True)]


def _similarity(texts: Texts, similarity: Callable[[str, str], float], tokens: str, language: str) -> Floats:
    compared_strings = strings(texts, tokens, language)
    similarities: dict[tuple[str, str], float] = {}
    values = []
    own = tokens != RAW and Tokenizer.of(tokens, language).own
    for row, place in zip(texts.owner, texts.reference, strict=True):
        pair = compared_strings[texts.response[row]], compared_strings[place]
        if pair not in similarities:
            similarities[pair] = similarity(*pair) if pair[1] or not own else math.nan
        values.append(similarities[pair])
    return texts.best(texts.column(values))


@metric("Levenshtein", why_undefined=NO_WORDS, not_for="for sentences or meaning: other wording counts as wrong")
def levenshtein(texts: Texts, *, tokens: str = "space", language: str = "") -> Floats:
    r"""Similarity of two strings by their edit distance; 1 is equal, 0 has no character in its place.

    $$ 1 - \frac{d}{\max(|a|, |b|)} $$

    with d the fewest characters to insert, delete or replace, and |a| and |b| the lengths in code points.  The strings
    are in NFKC and lower case, with one space for any white space; `tokens=raw` compares them as they are,
    `tokens=word` without punctuation.  0 for an empty response.  Undefined for an empty reference, except with
    `tokens=raw`, which gives rapidfuzz's numbers: two empty strings are equal.  It compares spellings, not meanings:
    use it for names, addresses and short answers.

    References
    ----------
    Levenshtein, V. (1966). Soviet Physics Doklady 10(8), 707-710.

    Examples
    --------
    >>> levenshtein(Texts.of_texts("kitten", "Sitting"))  # 1 - 3/7
    0.5714285714285714
    """
    from rapidfuzz.distance import Levenshtein

    return _similarity(texts, Levenshtein.normalized_similarity, tokens, language)


@metric(
    "DamerauLevenshtein",
    why_undefined=NO_WORDS,
    not_for="for sentences or meaning: it is for codes, names and what people type",
)
def damerau_levenshtein(texts: Texts, *, tokens: str = "space", language: str = "") -> Floats:
    r"""Similarity of two strings in which swapping two neighbours is one edit; for texts that people type.

    $$ 1 - \frac{d}{\max(|a|, |b|)} $$

    with d as for Levenshtein, plus swaps.  Swapped characters may be edited again (the unrestricted distance).
    Parameters and edge cases are those of Levenshtein.  Its time grows as the product of the lengths.

    References
    ----------
    Damerau, F. (1964). Communications of the ACM 7(3), 171-176.
    Lowrance, R. and Wagner, R. (1975). Journal of the ACM 22(2), 177-183.

    Examples
    --------
    >>> damerau_levenshtein(Texts.of_texts("rumah", "rumha"))  # 1 - 1/5
    0.8
    """
    from rapidfuzz.distance import DamerauLevenshtein

    return _similarity(texts, DamerauLevenshtein.normalized_similarity, tokens, language)


@metric("JaroWinkler", why_undefined=NO_WORDS, not_for="for sentences, or names that begin alike and are others")
def jaro_winkler(texts: Texts, *, tokens: str = "space", language: str = "") -> Floats:
    r"""Similarity of two short strings, such as names, with more weight on their beginnings; 1 is equal.

    $$ J + 0.1\,\ell\,(1 - J), \quad J = \frac{1}{3}\left(\frac{c}{|a|} + \frac{c}{|b|} + \frac{c - t}{c}\right) $$

    with c the characters in both at most half of the longer length minus one place apart, t half of those in another
    order, and $\ell$ the length of the common beginning, at most 4.  The second part is added if J is above 0.7.
    Parameters and edge cases are those of Levenshtein.  It is high for all long texts of one language, because they
    share most letters.

    References
    ----------
    Winkler, W. (1990). Proceedings of the Section on Survey Research Methods, ASA, 354-359.

    Examples
    --------
    >>> jaro_winkler(Texts.of_texts("martha", "Marhta"))  # J = (1 + 1 + 5/6) / 3, then 0.3 of what is left
    0.9611111111111111
    """
    from rapidfuzz.distance import JaroWinkler

    return _similarity(texts, JaroWinkler.normalized_similarity, tokens, language)
