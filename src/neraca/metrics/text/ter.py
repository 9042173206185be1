"""TER and CorpusTER: the edits that turn a response into its reference, per word of the reference."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from neraca.metrics.metric import metric
from neraca.metrics.text.normalize import normal_form
from neraca.metrics.text.ter_shifts import edits
from neraca.metrics.text.texts import Texts
from neraca.unicode_words import count_spaceless_letters

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

#: Tercom's normalisation separates signs from words; a point or comma unless it stands between two digits.
_SIGNS = re.compile(r"([{-~\[-` -&(-+:-@/])")
_WESTERN = (
    (re.compile("'s "), " 's "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile("([0-9])(-)"), r"\1 \2 "),
)
_UNESCAPED = (("\n-", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_PUNCTUATION = re.compile(r'[.,?:;!"()]')
#: Mean letters per word above which a text counts as unspaced; in Thai, spaces separate phrases.
LONG = 8
_ASIAN_SIGNS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
_ASIAN_PUNCTUATION = re.compile(f"[{_ASIAN_SIGNS}]")
#: Chinese characters, radicals, strokes and compatibility forms, and Asian punctuation.
_ASIAN = re.compile(
    f"([\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3200-\u33ff\uf900-\ufaff\ufe30-\ufe4f{_ASIAN_SIGNS}])"
)


def tercom(text: str, *, normalized: bool, no_punct: bool, asian: bool, case: bool) -> list[str]:
    """Return the words of a text as Tercom reads them in sacreBLEU; parameters as in `ter`.

    >>> tercom("It's 3,5 m.", normalized=True, no_punct=False, asian=False, case=False)
    ['it', "'s", '3,5', 'm', '.']
    """
    text = text.rstrip()
    if not case:
        text = text.lower()
    if normalized and text:
        for escaped, plain in _UNESCAPED:
            text = text.replace(escaped, plain)
        text = _SIGNS.sub(r" \1 ", f" {text} ")
        for pattern, plain in _WESTERN:
            text = pattern.sub(plain, text)
        if asian:
            text = _ASIAN.sub(r" \1 ", text)
    if no_punct:
        text = _PUNCTUATION.sub("", text)
        if asian:
            text = _ASIAN_PUNCTUATION.sub("", text)
    return text.split()


def is_unspaced(text: str, **options: bool) -> bool:
    """Return whether `tercom`, with these options, finds hardly any words in a text of an unspaced script.

    True if it has at least two letters of such scripts, and one word or on average more than `LONG` letters per word.

    >>> plain = {"normalized": False, "no_punct": False, "asian": False, "case": False}
    >>> is_unspaced("今天天气很好", **plain), is_unspaced("今天 天气 很 好", **plain), is_unspaced("Jakarta", **plain)
    (True, False, False)
    """
    letters, words = count_spaceless_letters(text), len(tercom(text, **options))
    return letters > 1 and (words == 1 or letters > LONG * words)


def rate(sums: Floats) -> Floats:
    """Return edits / words of the references from summed counts, shapes (..., 2) -> (...).

    If the references have no words, it is 1 if there is anything to delete, else 0.

    >>> import numpy as np
    >>> rate(np.array([[3, 4], [2, 0], [0, 0]]))
    array([0.75, 1.  , 0.  ])
    """
    import numpy as np

    empty = sums[..., 1] == 0
    ratios: Floats = np.where(empty, sums[..., 0] > 0, sums[..., 0] / np.where(empty, 1, sums[..., 1]))
    return ratios


def _counts(texts: Texts, norm: str, tokenize: Callable[[str], list[str]]) -> list[tuple[float, float]]:
    """Return, for each answer, the fewest edits and the mean number of words of its references."""
    form = normal_form(norm)
    words = functools.cache(lambda text: tokenize(form(text)))
    fewest = texts.best(
        texts.per_pair(lambda response, reference: edits(words(response), words(reference))), higher=False
    )
    lengths_of: list[list[int]] = [[] for _ in range(texts.n)]
    for row, place in zip(texts.owner, texts.reference, strict=True):
        lengths_of[row].append(len(words(texts.corpus.texts[place])))
    lengths = [sum(counts) / len(counts) if counts else math.nan for counts in lengths_of]
    return list(zip(map(float, texts.as_list(fewest)), lengths, strict=True))


@metric("TER", better="lower", high=math.inf, references="all", not_for="for free wording: every other word is an edit")
def ter(
    texts: Texts,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian: bool = False,
    norm: str = "nfc",
    case: bool = False,
) -> Floats:
    r"""Translation edit rate of each response; lower is better.  As sacreBLEU's sentence score / 100.

    $$ TER = \frac{\min_r E_r}{\frac{1}{R} \sum_r |r|} $$

    with $E_r$ the edits that turn the response into reference r, of R references with |r| words.  An edit inserts,
    deletes or replaces a word, or shifts a run of words.  From 0 (equal) without an upper bound: a response of 10 words
    beside a reference of 2 has 4 or more.  Shifts are searched greedily as in sacreBLEU: runs of up to 10 words, up to
    50 places, distances within 25 cells of the diagonal, 1,000 candidates.  An empty response has 1 if all
    references are equally long.  Otherwise it has less: the shortest length / the mean length.  A reference without
    words gives 1, or 0 if the response has none either.  A text without spaces, as in Chinese, Japanese and Thai, is
    one word; use `WER` or `CER` there.

    Parameters
    ----------
    normalized
        Punctuation becomes words, and escaped signs are decoded.  sacreBLEU does this twice with references, so that
        "it's." does not equal itself there; here both texts are normalized once.
    no_punct
        Punctuation is left out.
    asian
        With `normalized` each Chinese character is a word; with `no_punct` Asian punctuation is left out too.
    norm
        `nfc`: as in sacreBLEU for texts in NFC; others are first converted.  `nfkc`: also, full-width signs become
        plain, a no-break space separates words, and invisible characters are removed.
    case
        Upper and lower case differ.

    References
    ----------
    Snover, M., Dorr, B., Schwartz, R., Micciulla, L. and Makhoul, J. (2006). AMTA, 223-231.

    Examples
    --------
    >>> ter(Texts.of_texts("the cat sat on the mat", "on the mat the cat slept"))  # a shift and a word replaced
    0.3333333333333333
    """
    tokenize = functools.partial(tercom, normalized=normalized, no_punct=no_punct, asian=asian, case=case)
    counts = _counts(texts, norm, tokenize)
    return texts.column([edited / size if size else float(edited > 0) for edited, size in counts])


@metric(
    "CorpusTER",
    total=rate,
    better="lower",
    high=math.inf,
    references="all",
    not_for="for free wording: every other word is an edit",
)
def corpus_ter(
    texts: Texts,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian: bool = False,
    norm: str = "nfc",
    case: bool = False,
) -> Floats:
    r"""Translation edit rate of all responses together; lower is better.  As sacreBLEU's corpus score / 100.

    $$ \frac{\sum_i \min_r E_{ir}}{\sum_i \overline{|r_i|}} $$

    Edits and words of the references are summed before they are divided, so long references weigh more.  Symbols,
    parameters and edge cases are those of TER.

    References
    ----------
    Snover, M., Dorr, B., Schwartz, R., Micciulla, L. and Makhoul, J. (2006). AMTA, 223-231.

    Examples
    --------
    >>> corpus_ter(Texts.of_texts("the cat sat on the mat", "on the mat the cat slept"))
    array([[2., 6.]])
    """
    import numpy as np  # a ratio of sums needs two columns

    tokenize = functools.partial(tercom, normalized=normalized, no_punct=no_punct, asian=asian, case=case)
    return np.array(_counts(texts, norm, tokenize), dtype=np.float64).reshape(-1, 2)
