"""ROUGE-Lsum: the longest common subsequences of sentences, each of the reference against all of the response."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.text.pair_counts_python import PythonPairCounts, Words
from neraca.metrics.text.rouge import as_shares, value_of_best
from neraca.metrics.text.rouge_sets import PLTRDY
from neraca.metrics.text.texts import NO_WORDS, Texts
from neraca.metrics.text.union_lcs import union_lcs

if TYPE_CHECKING:
    from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
    from neraca.stats.intervals.interval import Floats

_LINES = re.compile("\n")
#: Line ends, and signs that end a sentence, if white space follows or the script writes none.
_PUNCTUATION = re.compile("\n|(?<=[.!?…؟۔।॥])\\s+|(?<=[。！？｡])")
_CUTS = {"lines": _LINES, "punctuation": _PUNCTUATION}


@metric(
    "ROUGE-Lsum",
    described=as_shares("ROUGE-Lsum", "the words of the longest sequences that sentences of both texts share"),
    why_undefined=NO_WORDS,
    not_for="for answers of one sentence: there it is `ROUGE-L`",
)
def rouge_lsum(
    texts: Texts, *, stat: str = "f", tokens: str = "word", language: str = "", sentences: str = "lines"
) -> Floats:
    r"""ROUGE-L of summaries: sentence by sentence, so that the order of the sentences does not matter.

    $$ R = \frac{\sum_w \min(u_w, c_w)}{m} \qquad P = \frac{\sum_w \min(u_w, c_w)}{n} \qquad F = \frac{2PR}{P+R} $$

    with m and n the words of reference and response, and $c_w$ the number of times that the response has the word w.
    $u_w$ counts the places of w in the reference that belong to the longest common subsequence of their sentence with
    any sentence of the response.  `stat` is f, p or r.  0 to 1; the best of several references counts.

    A line is a sentence, so for texts of one line it equals ROUGE-L.  `sentences=punctuation` also cuts after . ! ? and
    similar signs of other scripts if white space follows; "Dr. Ali" is then two sentences.  `tokens=google`
    (`google+stem`) gives `rougeLsum` of rouge_score, which the Perl script calls ROUGE-L.

    References
    ----------
    Lin, C.-Y. (2004). ROUGE: a package for automatic evaluation of summaries. ACL workshop Text Summarization
    Branches Out, 74-81 (section 3.2).

    Examples
    --------
    >>> from neraca.metrics.metric import Metric
    >>> Metric.of("ROUGE-Lsum").pair("a b c d e", "a b f g h\na c g h e")  # a b and a c e: P 4/10, R 4/5
    0.5333333333333333
    """
    if tokens == PLTRDY:
        raise SpecError(f"ROUGE-Lsum: there is no tokens={PLTRDY}; ROUGE-L(tokens={PLTRDY}) goes by sentences")
    pairs = texts.pairs(tokens, language)
    return value_of_best(texts, pairs, _counts(texts, pairs, (tokens, language), sentences), stat, tokens)


def _counts(
    texts: Texts, pairs: PythonPairCounts | NumpyPairCounts, reading: tuple[str, str], sentences: str
) -> tuple[Any, Any, Any]:
    """Return the numbers of words shared, in the response and in the reference, shapes (p,)."""
    pieces = {place: cut(texts.corpus.texts[place], sentences) for place in {*texts.response, *texts.reference}}
    places = [(texts.response[row], place) for row, place in zip(texts.owner, texts.reference, strict=True)]
    with_sentences = [pair for pair, both in enumerate(places) if any(len(pieces[place]) > 1 for place in both)]
    if not with_sentences:
        return pairs.lcs, pairs.response, pairs.reference
    readings = texts.corpus.readings(*reading)
    counts_by_pair: dict[tuple[int, int], tuple[int, int, int]] = {}
    words = {
        place: [readings[place].words(piece) for piece in pieces[place]]
        for place in chain.from_iterable(places[pair] for pair in with_sentences)
    }
    shared = [0.0] * len(places) if len(with_sentences) == len(places) else texts.as_list(pairs.lcs)
    response, reference = texts.as_list(pairs.response), texts.as_list(pairs.reference)
    for pair in with_sentences:
        response_place, reference_place = key = places[pair]
        if key not in counts_by_pair:
            counts_by_pair[key] = count_union(words[response_place], words[reference_place])
        shared[pair], response[pair], reference[pair] = counts_by_pair[key]
    return texts.column(shared), texts.column(response), texts.column(reference)


def cut(text: str, sentences: str) -> list[str]:
    """Return the sentences of a text, cut at `lines` or `punctuation`, without empty ones; raise `SpecError`.

    >>> cut("It is 3.5 m wide. New!", "punctuation")
    ['It is 3.5 m wide.', 'New!']
    """
    if sentences not in _CUTS:
        raise SpecError(f"ROUGE-Lsum: sentences is lines or punctuation, not {sentences!r}")
    return [piece for piece in _CUTS[sentences].split(text) if piece and not piece.isspace()]


def count_union(response_sentences: Sequence[Words], reference_sentences: Sequence[Words]) -> tuple[int, int, int]:
    """Return the shared words of the unions, the words of the response and the words of the reference.

    >>> count_union([["a", "b"], ["a", "c"]], [["a", "b", "c"], ["a", "a", "a"]])  # a: four places, two in the response
    (4, 4, 6)
    """
    response_words: Counter[str] = Counter(chain.from_iterable(response_sentences))
    union: Counter[str] = Counter()
    for sentence in reference_sentences:
        union.update(union_lcs(sentence, response_sentences))
    shared = sum(min(count, response_words[word]) for word, count in union.items())
    return shared, response_words.total(), sum(map(len, reference_sentences))
