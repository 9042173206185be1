"""WER and CER, word and character error rate: edits from a response to its reference, per word or character."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from neraca.metrics.metric import metric
from neraca.metrics.text.edit_distance import strings
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


def errors(sums: Floats) -> Floats:
    """Return edits / length of the references from summed counts, shapes (..., 2) -> (...)."""
    return sums[..., 0] / sums[..., 1]


def _lowest(texts: Texts, edits: Iterable[float], lengths: Iterable[float]) -> Floats:
    """Return edits and length of the reference with the lowest rate, the shortest of equals, shape (n, 2).

    NaN without a reference that has a length.
    """
    import numpy as np  # a ratio of sums needs two columns

    lowest = np.full((texts.n, 2), math.nan)
    best: dict[int, tuple[float, float]] = {}
    for row, edited, length in zip(texts.owner, edits, lengths, strict=True):
        if length and (edited / length, length) < best.get(row, (math.inf, 0.0)):
            lowest[row], best[row] = (edited, length), (edited / length, length)
    return lowest


@metric(
    "WER",
    total=errors,
    better="lower",
    high=math.inf,
    why_undefined=NO_WORDS,
    not_for="for meaning or free wording: it is for transcripts; and it may pass 1",
)
def wer(texts: Texts, *, tokens: str = "word", language: str = "") -> Floats:
    r"""Word error rate: lower is better.

    $$ \frac{\sum_i E_i}{\sum_i |r_i|} $$

    with $E_i$ the fewest words to insert, delete or replace to turn response i into its reference, and $|r_i|$ the
    words of that reference.  From 0 (equal) without an upper bound; 1 for an empty response.  Over items the sums are
    divided, so long references weigh more.  Case and punctuation are ignored; `tokens=split` splits at white space
    only.  The reference with the lowest rate counts, the shortest of equals.  Undefined if no reference has a word.

    References
    ----------
    Levenshtein, V. (1966). Soviet Physics Doklady 10(8), 707-710 (the distance).

    Examples
    --------
    >>> wer(Texts.of_texts("the cat sat on the mat", "The cat sits on a mat, now."))  # two replaced, one inserted
    array([[3., 6.]])
    """
    pairs = texts.pairs(tokens, language)
    return _lowest(texts, texts.as_list(pairs.edits), texts.as_list(pairs.reference))


@metric(
    "CER",
    total=errors,
    better="lower",
    high=math.inf,
    why_undefined=NO_WORDS,
    not_for="for meaning, or answers that may be worded freely: it is for transcripts and typing",
)
def cer(texts: Texts, *, tokens: str = "space", language: str = "") -> Floats:
    r"""Character error rate: lower is better.

    $$ \frac{\sum_i E_i}{\sum_i |r_i|} $$

    as WER, for characters: the code points of the text in NFKC and lower case.  Any white space is one space, which
    counts as a character; there is none at the ends.  `tokens=raw` compares the texts as they are, `tokens=word`
    without punctuation, `tokens=char` without spaces.  Marks without a composed form, such as harakat, count as
    characters.

    References
    ----------
    Levenshtein, V. (1966). Soviet Physics Doklady 10(8), 707-710 (the distance).

    Examples
    --------
    >>> cer(Texts.of_texts("kitten", "Sitting"))  # two replaced, one inserted
    array([[3., 6.]])
    """
    from rapidfuzz.distance import Levenshtein

    compared = strings(texts, tokens, language)
    places = zip(texts.owner, texts.reference, strict=True)
    pairs = [(compared[texts.response[row]], compared[place]) for row, place in places]
    edits = {pair: float(Levenshtein.distance(*pair)) for pair in dict.fromkeys(pairs)}
    return _lowest(texts, [edits[pair] for pair in pairs], [float(len(reference)) for _, reference in pairs])
