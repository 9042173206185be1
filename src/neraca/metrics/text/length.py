"""Words and LengthRatio: the length of responses, which is neither better nor worse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Self

from neraca.metrics.metric import metric
from neraca.metrics.scorable import Scorable
from neraca.metrics.text.corpus import Corpus
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


class Responses(Texts):
    """The view of texts for metrics that need no reference."""

    needs: ClassVar[tuple[str, ...]] = ("response",)

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Make the view of these responses."""
        corpus = part.group.share(Corpus)
        rows = zip(part.column("response"), part.group.languages_of(part), strict=True)
        return cls(corpus, [corpus.number(text, language) for text, language in rows], [], [], part.why_not())


@metric("Words", better="neither", high=math.inf, not_for="as quality: it explains other metrics")
def length_in_words(texts: Responses, *, tokens: str = "word", language: str = "") -> Floats:
    r"""Number of words of the response; over items the mean.  0 for an answer that failed.

    $$ \frac{1}{n} \sum_{i=1}^{n} w_i $$

    with $w_i$ words of response i, of n.  Read it beside metrics that favour long answers, such as TokenRecall; neither
    more nor less is better.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> length_in_words(Responses.of_texts("", "It has two floors."))
    4.0
    """
    lengths = texts.corpus.lengths(tokens, language)
    return texts.column([float(lengths[place]) for place in texts.response])


@metric(
    "LengthRatio",
    better="neither",
    high=math.inf,
    why_undefined=NO_WORDS,
    references="nearest",
    not_for="as quality: a good answer may be short; it explains other metrics",
)
def length_ratio(texts: Texts, *, tokens: str = "word", language: str = "") -> Floats:
    r"""Words of the response / words of the reference: above 1 it is longer; over items the ratio of the sums.

    $$ \sum_i a_i / \sum_i r_i $$

    with $a_i$ words of response i, and $r_i$ of its reference.  The reference of nearest length counts, the shorter of
    two, as in BLEU.  Undefined if no reference has a word; neither more nor less is better.

    References
    ----------
    Post, M. (2018). WMT, 186-191 (sacreBLEU prints the ratio beside BLEU).

    Examples
    --------
    >>> length_ratio(Texts.of_texts("two floors", "It has two floors."))  # 4 / 2, as counts
    array([[4., 2.]])
    """
    import numpy as np  # counts have two columns

    pairs = texts.pairs(tokens, language)
    counts = np.full((texts.n, 2), math.nan)
    lengths = texts.as_list(pairs.response), texts.as_list(pairs.reference)
    for row, response, reference in zip(texts.owner, *lengths, strict=True):
        distance, nearest = (abs(reference - response), reference), counts[row]
        if reference and (math.isnan(nearest[0]) or distance < (abs(nearest[1] - response), nearest[1])):
            counts[row] = response, reference
    return counts
