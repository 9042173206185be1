"""Whether a query is put in other words: found from two consecutive queries of a session, by stated rules."""

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
#: Words of fewer letters carry too little meaning to be shared.
SHORTEST = 3
#: Words that are this much alike (1 is the same) are taken for one word, spelt otherwise or inflected.
ALIKE = 0.7
#: Whole queries that are this much alike are one query, spelt otherwise.
SPELLING = 0.75


def is_reformulation(first: str, second: str) -> bool:
    """Tell whether the second query says the same need in other words.

    It does where both have different words, and share one that carries meaning (of `SHORTEST` letters or more, no stop
    word of any known language; words that are alike in at least `ALIKE` of their letters count as shared), or where the
    two texts as a whole are alike in `SPELLING`.  The same words again, in whatever order, are a repetition.

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

    telling = [{word for word in part if len(word) >= SHORTEST} - _empty_words() for part in words]
    if telling[0] & telling[1]:
        return True
    similar = Indel.normalized_similarity
    if any(len(a) > 3 and len(b) > 3 and similar(a, b) >= ALIKE for a in telling[0] for b in telling[1]):
        return True
    return similar(" ".join(sorted(words[0])), " ".join(sorted(words[1]))) >= SPELLING


def reformulated(searches: pl.DataFrame, within: float = WITHIN) -> pl.Series:
    """Tell of each search whether the next one of its session, within some seconds, is a reformulation of it.

    `searches` has `user`, `session`, `query` and `time`, in order of user and time; each distinct pair of queries is
    looked at once.
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
        pairs = pairs.join(distinct.with_columns(found=pl.Series(answers)), on=["query", "next_query"])
    result: NDArray[np.bool_] = np.zeros(len(searches), dtype=bool)
    if len(distinct):
        result[pairs.filter("found")["row"].to_numpy()] = True
    return pl.Series("reformulated", result)


def _words(query: str) -> frozenset[str]:
    return frozenset(unicode_words(without_accents(compared_form(query))))


@cache
def _empty_words() -> frozenset[str]:
    """Stop words of all known languages; those of one are seldom telling words of another."""
    return frozenset(without_accents(word) for words in stop_words().values() for word in words)
