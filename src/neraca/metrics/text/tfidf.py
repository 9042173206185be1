"""TFIDF: the cosine of two texts as bags of words, in which rare words weigh more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.metrics.text.corpus import Frequencies
    from neraca.stats.intervals.interval import Floats


class Idf(dict[str, float]):
    """Word → smoothed inverse document frequency ln((1 + N) / (1 + df)) + 1, also for words in none of N texts.

    >>> from neraca.metrics.text.corpus import Frequencies
    >>> Idf(Frequencies(3, {"the": 3}))["the"]
    1.0
    """

    def __init__(self, frequencies: Frequencies) -> None:
        super().__init__()
        self._n, self._df = frequencies

    def __missing__(self, word: str) -> float:
        self[word] = value = math.log((1 + self._n) / (1 + self._df.get(word, 0))) + 1
        return value


@metric("TFIDF", why_undefined=NO_WORDS, not_for="for order or meaning; and on few texts, from which its weights come")
def tfidf(texts: Texts, *, idf: str = "pair", tokens: str = "word", language: str = "") -> Floats:
    r"""Cosine of the two texts as vectors of tf * idf; the order of words does not matter.

    $$ \frac{\sum_w a_w b_w i_w^2}{\sqrt{\sum_w (a_w i_w)^2} \sqrt{\sum_w (b_w i_w)^2}}, \quad
       i_w = \ln\frac{1+N}{1+df_w} + 1 $$

    with $a_w$ and $b_w$ the numbers of the word w in the two texts.  0 to 1; 0 for an empty response; the best of
    several references counts.

    With `idf=pair` the documents are the two texts (N = 2): a word of both weighs 1, a word of one 1.405465.
    `tokens=sklearn` then gives scikit-learn's numbers, and 0 for texts without words, which it refuses.  With
    `idf=corpus` they are all different references that are scored together, so that rare words weigh more and a score
    does not depend on the responses of other systems.

    References
    ----------
    Salton, G. and Buckley, C. (1988). Information Processing and Management 24(5), 513-523; smoothed as in
    scikit-learn's TfidfVectorizer.

    Examples
    --------
    >>> tfidf(Texts.of_texts("red car", "blue car"))  # 1 / (1 + 1.405465**2)
    0.33609692727625745
    >>> tfidf(Texts.of_texts("red car", "blue car"), idf="corpus")  # car, red 1; blue ln(2) + 1
    0.35959372325985667
    """
    if idf not in ("pair", "corpus"):
        raise SpecError(f"TFIDF: idf is pair or corpus, not {idf!r}")
    weights = Idf(texts.corpus.frequencies(tokens, language)) if idf == "corpus" else None
    pairs = texts.pairs(tokens, language)
    cosine = texts.xp.minimum(pairs.cosine(weights), 1.0)  # rounding can pass 1
    return texts.best(texts.defined(cosine, pairs))
