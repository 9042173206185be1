"""ROUGE: how many words, runs of words, and longest common sequences a response shares with a reference.

ROUGE-1, ROUGE-2, ROUGE-3, ROUGE-4 and ROUGE-L; ROUGE-Lsum, for summaries of several sentences, is in rouge_lsum.py.
Libraries count differently under these names, so cite the value of `tokens`:

- `tokens=google` is rouge_score, which drops every letter that is not ASCII: two equal Arabic texts have 0, and
  "niño" is "ni o".  `tokens=google+stem` is its `use_stemmer=True`.
- `tokens=pltrdy` is the package `rouge`, which counts each different word once and cuts sentences at full stops.

F is the harmonic mean of precision and recall, as in the Perl script ROUGE-1.5.5 with alpha 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from neraca.metrics.metric import metric
from neraca.metrics.text.overlap import divided, overlap
from neraca.metrics.text.rouge_sets import PLTRDY, rouge_of_sets
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
    from neraca.metrics.text.pair_counts_python import PythonPairCounts
    from neraca.stats.intervals.interval import Floats


def value_of_best(
    texts: Texts,
    pairs: PythonPairCounts | NumpyPairCounts,
    counts: tuple[Any, Any, Any],
    stat: str,
    tokens: str = "word",
) -> Floats:
    """Return precision, recall or F for the reference that counts, shape (n,).

    That is the reference with the best value.  rouge_score (`tokens=google`) gives P and R for the first reference with
    the best F.

    Parameters
    ----------
    counts
        The counts of shared words, of the response and of the reference, each of shape (p,).
    """
    values = texts.defined(overlap(texts.xp, *counts, stat), pairs)
    if stat == "f" or not tokens.startswith("google") or texts.corpus.one_pair:
        return texts.best(values)
    p, r = overlap(texts.xp, *counts, "p"), overlap(texts.xp, *counts, "r")
    f = list(divided(texts.xp, 2 * p * r, p + r))  # computed as in rouge_score, so that rounding breaks the same ties
    best: dict[int, int] = {}
    for pair, row in enumerate(texts.owner):
        if row not in best or f[pair] > f[best[row]]:
            best[row] = pair
    return texts.column([values[best[row]] if row in best else math.nan for row in range(texts.n)])


def as_shares(name: str, shared: str) -> dict[str, str]:
    """Describe precision and recall, for a name that asks for one of them."""
    return {
        "stat=p": f"{name} as precision: {shared}, divided by the number in the response.",
        "stat=r": f"{name} as recall: {shared}, divided by the number in the reference.",
    }


def _rouge(n: int, shared: str, not_for: str, documentation: str) -> Callable[..., Floats]:
    """Register ROUGE-n; `shared` names what response and reference share."""

    def rouge_n(texts: Texts, *, stat: str = "f", tokens: str = "word", language: str = "") -> Floats:
        if tokens == PLTRDY:
            return rouge_of_sets(texts, n, stat)
        pairs, xp = texts.pairs(tokens, language), texts.xp
        response, reference = pairs.response, pairs.reference
        if n > 1:
            response, reference = xp.maximum(response - (n - 1), 0.0), xp.maximum(reference - (n - 1), 0.0)
        return value_of_best(texts, pairs, (pairs.matches(n), response, reference), stat, tokens)

    name = f"ROUGE-{n}"
    rouge_n.__name__ = rouge_n.__qualname__ = f"rouge_{n}"
    rouge_n.__doc__ = documentation
    declare = metric(name, described=as_shares(name, shared), why_undefined=NO_WORDS, not_for=not_for)
    return declare(rouge_n)


rouge_1 = _rouge(
    1,
    "the words that response and reference share",
    "for meaning or order: the right words in any order score 1",
    r"""ROUGE-1: words that response and reference share, each as often as the text that has it less often.

    $$ R = \frac{\sum_g \min(c_g, r_g)}{\sum_g r_g} \qquad P = \frac{\sum_g \min(c_g, r_g)}{\sum_g c_g} \qquad
    F = \frac{2PR}{P+R} $$

    with $c_g$ and $r_g$ the numbers of the word g in the response and in the reference.  `stat` is f, p or r.  0 to 1;
    0 for an empty response; the best of several references counts.  A reference without words is undefined, or 0 with
    the tokenizers of other libraries.  `tokens=google` (`google+stem`) gives the numbers of rouge_score,
    `tokens=pltrdy` those of the package `rouge`.

    References
    ----------
    Lin, C.-Y. (2004). ROUGE: a package for automatic evaluation of summaries. ACL workshop Text Summarization
    Branches Out, 74-81.

    Examples
    --------
    >>> from neraca.metrics.metric import Metric
    >>> Metric.of("ROUGE-1(stat=r)").pair("the cat sat on the mat", "the cat the cat")  # the, the, cat of 6
    0.5
    """,
)
_LONGER_RUNS = r"""ROUGE-{n}: ROUGE-1 of {runs}; 0 if one of the texts has none.

    $$ P = \frac{{m}}{{a}}, \quad R = \frac{{m}}{{r}}, \quad F_1 = \frac{{2PR}}{{P + R}} $$

    with a {runs} of the response, r of the reference, and m that both have.{remark}

    References
    ----------
    Lin, C.-Y. (2004). ACL workshop Text Summarization Branches Out, 74-81.

    Examples
    --------
    >>> from neraca.metrics.metric import Metric
    >>> {example}
    """
rouge_2 = _rouge(
    2,
    "the pairs of neighbouring words that response and reference share",
    "for short answers, and for free wording: one other word costs two pairs",
    _LONGER_RUNS.format(
        n=2,
        runs="pairs of neighbouring words",
        remark="  A text of one word has no pair\n    and 0 even beside itself, as in all other programs.",
        example='Metric.of("ROUGE-2").pair("the cat sat down", "the cat sat")  # P 2/2, R 2/3\n    0.8',
    ),
)
rouge_3 = _rouge(
    3,
    "the runs of three words that response and reference share",
    "for short answers: most have no run of three words in common",
    _LONGER_RUNS.format(
        n=3,
        runs="runs of three words",
        remark="",
        example='Metric.of("ROUGE-3(stat=p)").pair("the cat sat down", "now the cat sat")  # of 2 runs\n    0.5',
    ),
)
rouge_4 = _rouge(
    4,
    "the runs of four words that response and reference share",
    "for short answers: most have no run of four words in common",
    _LONGER_RUNS.format(
        n=4,
        runs="runs of four words",
        remark="",
        example='Metric.of("ROUGE-4(stat=r)").pair("a b c d e", "b c d e")  # of 2 runs\n    0.5',
    ),
)


@metric(
    "ROUGE-L",
    described=as_shares("ROUGE-L", "the words of the longest sequence that stands in both texts, with gaps"),
    why_undefined=NO_WORDS,
    not_for="where facts may come in any order: it wants them in one; and for meaning",
)
def rouge_l(texts: Texts, *, stat: str = "f", tokens: str = "word", language: str = "") -> Floats:
    r"""ROUGE-L: the longest common subsequence of the words of response and reference.

    $$ R = \frac{LCS}{m} \qquad P = \frac{LCS}{n} \qquad F = \frac{2PR}{P+R} $$

    with LCS the length of that subsequence, and m and n the words of reference and response.  Edge cases are those of
    ROUGE-1.  The whole text is one sequence, as in rouge_score's `rougeL`; ROUGE-Lsum works sentence by sentence.
    `tokens=pltrdy` gives that package's `rouge-l`: the share of a text's different words that are in the longest common
    subsequence of any two sentences.

    References
    ----------
    Lin, C.-Y. (2004). ACL workshop Text Summarization Branches Out, 74-81 (section 3.1).

    Examples
    --------
    >>> from neraca.metrics.metric import Metric
    >>> Metric.of("ROUGE-L").pair("police killed the gunman", "police kill the gunman")  # police the gunman
    0.75
    """
    if tokens == PLTRDY:
        return rouge_of_sets(texts, 0, stat)
    pairs = texts.pairs(tokens, language)
    return value_of_best(texts, pairs, (pairs.lcs, pairs.response, pairs.reference), stat, tokens)
