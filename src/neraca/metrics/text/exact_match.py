"""ExactMatch: whether the response has exactly the words of a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neraca.metrics.metric import metric
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


@metric(
    "ExactMatch",
    why_undefined=NO_WORDS,
    not_for="for answers in sentences: it is for codes, names, numbers and choices",
    binary=True,
)
def exact_match(texts: Texts, *, tokens: str = "word-articles", language: str = "") -> Floats:
    """1 where the response has the same words as a reference, in the same order, else 0.

    $$ [a = r] $$

    with a the words of the response and r those of the reference; a bracket is 1 if it is true.  Case, punctuation and
    the articles of a known language are ignored; `tokens=split` ignores only white space.  `tokens=squad` gives the
    numbers of SQuAD's script.  A reference of articles alone is undefined: for choices named A, B, C use `tokens=word`.
    LLMs seldom answer in one word, so TokenRecall says more about them.

    References
    ----------
    Rajpurkar, P., Zhang, J., Lopyrev, K. and Liang, P. (2016). SQuAD. EMNLP 2016, 2383-2392.

    Examples
    --------
    >>> exact_match(Texts.of_texts("Jakarta", "jakarta!")), exact_match(Texts.of_texts("Jakarta", "In Jakarta"))
    (1.0, 0.0)
    """
    pairs = texts.pairs(tokens, language)
    return texts.best(texts.defined(pairs.same * 1.0, pairs))
