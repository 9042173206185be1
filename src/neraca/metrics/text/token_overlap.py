"""TokenF1, TokenPrecision and TokenRecall: words that response and reference share, in any order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from neraca.metrics.metric import metric
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


def _shared(texts: Texts, stat: str, tokens: str, language: str) -> Floats:
    pairs = texts.pairs(tokens, language)
    counts = pairs.matches(1), pairs.response, pairs.reference
    return texts.best(_value(texts.xp, *counts, stat=stat, own=pairs.own))


def _value(xp: Any, shared: Any, response: Any, reference: Any, *, stat: str, own: bool) -> Any:
    all_words = response + reference
    whole, share = {"f": (all_words, 2.0), "p": (response, 1.0), "r": (reference, 1.0)}[stat]
    values = share * shared / xp.maximum(whole, 1.0)
    if own:
        return xp.where(reference == 0, math.nan, values)
    return xp.where(all_words == 0, 1.0, values)  # SQuAD: two texts without words are equal


@metric(
    "TokenF1",
    why_undefined=NO_WORDS,
    not_for=(
        "for meaning: a `not` is one word of many; and where answers rightly say more than the reference: `TokenRecall`"
    ),
)
def token_f1(texts: Texts, *, tokens: str = "word-articles", language: str = "") -> Floats:
    r"""F of the words that both have: 2PR / (P + R).

    $$ F_1 = \frac{2PR}{P + R} $$

    with P and R as in TokenPrecision and TokenRecall.  0 to 1; 0 for an empty response; the best of several references
    counts.  Articles of a known language are left out, so a reference of articles alone is undefined; `tokens=word`
    keeps them.  `tokens=squad` gives the numbers of SQuAD's script, which knows English articles and ASCII punctuation.

    References
    ----------
    Rajpurkar, P., Zhang, J., Lopyrev, K. and Liang, P. (2016). SQuAD. EMNLP 2016, 2383-2392.

    Examples
    --------
    >>> token_f1(Texts.of_texts("two floors and two baths", "two floors"))  # P = 2/2, R = 2/5
    0.5714285714285714
    """
    return _shared(texts, "f", tokens, language)


@metric(
    "TokenPrecision",
    why_undefined=NO_WORDS,
    not_for="where answers rightly say more than the reference: each further word counts against them",
)
def token_precision(texts: Texts, *, tokens: str = "word-articles", language: str = "") -> Floats:
    """Words that both have / words of the response; each as often as the text that has it less often.

    $$ P = m / a $$

    with m words that both have, and a words of the response.  A long answer loses, right or wrong.  The rest is as in
    TokenF1.

    References
    ----------
    Rajpurkar, P., Zhang, J., Lopyrev, K. and Liang, P. (2016). SQuAD. EMNLP 2016, 2383-2392.

    Examples
    --------
    >>> token_precision(Texts.of_texts("two floors", "it has two floors"))
    0.5
    """
    return _shared(texts, "p", tokens, language)


@metric("TokenRecall", why_undefined=NO_WORDS, not_for="alone: long answers raise it; look at `Words` too")
def token_recall(texts: Texts, *, tokens: str = "word-articles", language: str = "") -> Floats:
    """Words that both have / words of the reference; each as often as the text that has it less often.

    $$ R = m / r $$

    with m words that both have, and r words of the reference.

    It is the best lexical sign that an LLM's answer is correct, because it ignores the sentences around the reference.
    Against human judgments of LLM answers (EVOUNA) it has an AUROC of .87 to .98, TokenF1 .80 to .94, ROUGE-L .78 to
    .91, ExactMatch .50 to .65.  A response that says everything has 1: show `Words` or `LengthRatio` beside it.  The
    rest is as in TokenF1.

    References
    ----------
    Adlakha, V. and others (2024). Evaluating correctness and faithfulness of instruction-following models for question
    answering. TACL 12, 681-699.  EVOUNA: Wang, C. and others (2023). Evaluating open-QA evaluation. NeurIPS.

    Examples
    --------
    >>> token_recall(Texts.of_texts("two floors", "Yes, it has two floors."))
    1.0
    """
    return _shared(texts, "r", tokens, language)
