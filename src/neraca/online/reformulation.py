"""Detect reformulations: two consecutive queries of a session that express the same need in different words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.language_detection import stop_words
from neraca.unicode_words import compared_form, unicode_words, without_accents

if TYPE_CHECKING:
    import polars as pl

#: Seconds within which the next query must come.
WITHIN = 300.0
#: Shorter words carry too little meaning to count as shared words.
SHORTEST = 3
#: Two words with at least this similarity (1: identical) count as spellings or inflections of the same word.
ALIKE = 0.7
#: Two whole queries with at least this similarity count as spellings of the same query.
SPELLING = 0.75


def is_reformulation(first: str, second: str) -> bool:
    """Return whether the second query expresses the same need in different words.

    The two queries must have different sets of words; the same words in any order are a repetition.  Besides, one of
    these must hold:

    - They share a word that carries meaning: at least `SHORTEST` letters, not a stop word of any known language.  Two
      words count as shared if their similarity is at least `ALIKE`.
    - The similarity of the two texts, with words in alphabetical order, is at least `SPELLING`.

    Similarity is the normalised indel similarity of the letters.

    Examples
    --------
    >>> is_reformulation("cheap flats bandung", "flats in bandung with parking")
    True
    >>> is_reformulation("weather tomorrow", "pasta recipe"), is_reformulation("Red shoes", "shoes red")
    (False, False)
    """
    words = _words(first), _words(second)
    if words[0] == words[1] or not all(words):
        return False
    from rapidfuzz.distance import Indel

    content_words = [{word for word in part if len(word) >= SHORTEST} - _all_stop_words() for part in words]
    if content_words[0] & content_words[1]:
        return True
    similar = Indel.normalized_similarity
    if any(len(a) > 3 and len(b) > 3 and similar(a, b) >= ALIKE for a in content_words[0] for b in content_words[1]):
        return True
    return similar(" ".join(sorted(words[0])), " ".join(sorted(words[1]))) >= SPELLING


def reformulated(searches: pl.DataFrame, within: float = WITHIN) -> pl.Series:
    """Return whether the next search of the session, at most `within` seconds later, reformulates each search.

    `searches` has the columns `user`, `session`, `query` and `time`, in order of user and time.  Each distinct pair of
    queries is compared once.
    """
    import polars as pl

    following = [pl.col(name).shift(-1).alias(f"next_{name}") for name in ("user", "session", "query", "time")]
    pairs = searches.select("user", "session", "query", "time", *following).with_row_index("row")
    pairs = pairs.filter(
        pl.col("user") == pl.col("next_user"),
        pl.col("session").eq_missing(pl.col("next_session")),
        pl.col("next_time") - pl.col("time") <= within,
        pl.col("query") != pl.col("next_query"),
    )
    distinct = pairs.select("query", "next_query").unique()
    if len(distinct):
        answers = [is_reformulation(a, b) for a, b in distinct.iter_rows()]
        pairs = pairs.join(distinct.with_columns(reformulated=pl.Series(answers)), on=["query", "next_query"])
    result: NDArray[np.bool_] = np.zeros(len(searches), dtype=bool)
    if len(distinct):
        result[pairs.filter("reformulated")["row"].to_numpy()] = True
    return pl.Series("reformulated", result)


def _words(query: str) -> frozenset[str]:
    return frozenset(unicode_words(without_accents(compared_form(query))))


@cache
def _all_stop_words() -> frozenset[str]:
    """Return the stop words of all known languages: a stop word of one language seldom carries meaning in another."""
    return frozenset(without_accents(word) for words in stop_words().values() for word in words)
