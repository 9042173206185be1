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
#: Also after a sign that ends a sentence, if white space follows it or none is usual in its script.
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

    with m and n the words of reference and response, $c_w$ how often the response has the word w, and $u_w$ in how
    many places of the reference w belongs to the longest common subsequence of its sentence with any sentence of the
    response (the union of these).  `stat` is f, p or r; 0-1; several references: the best.

    Sentences are lines: a text on one line is one sentence, and then this is ROUGE-L.  `sentences=punctuation` also
    cuts after . ! ? and their like in other scripts, if white space follows; "Dr. Ali" is then two.
    With `tokens=google` (`google+stem`) it is `rougeLsum` of rouge_score, and what the Perl script calls ROUGE-L.

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
    """Words shared, of the response and of the reference, shapes (p,); the work is with texts of several sentences."""
    pieces = {place: cut(texts.corpus.texts[place], sentences) for place in {*texts.response, *texts.reference}}
    places = [(texts.response[row], place) for row, place in zip(texts.owner, texts.reference, strict=True)]
    hard = [pair for pair, texts_of_pair in enumerate(places) if any(len(pieces[place]) > 1 for place in texts_of_pair)]
    if not hard:
        return pairs.lcs, pairs.response, pairs.reference
    readings = texts.corpus.readings(*reading)
    counts_by_pair: dict[tuple[int, int], tuple[int, int, int]] = {}
    words = {
        place: [readings[place].words(piece) for piece in pieces[place]]
        for place in chain.from_iterable(places[pair] for pair in hard)
    }
    shared = [0.0] * len(places) if len(hard) == len(places) else texts.as_list(pairs.lcs)
    response, reference = texts.as_list(pairs.response), texts.as_list(pairs.reference)
    for pair in hard:
        one, other = places[pair]
        if (one, other) not in counts_by_pair:
            counts_by_pair[one, other] = count_union(words[one], words[other])
        shared[pair], response[pair], reference[pair] = counts_by_pair[one, other]
    return texts.column(shared), texts.column(response), texts.column(reference)


def cut(text: str, sentences: str) -> list[str]:
    """The sentences of a text by `lines` or `punctuation`, without empty ones; raises `SpecError` for another way.

    >>> cut("It is 3.5 m wide. New!", "punctuation")
    ['It is 3.5 m wide.', 'New!']
    """
    if sentences not in _CUTS:
        raise SpecError(f"ROUGE-Lsum: sentences is lines or punctuation, not {sentences!r}")
    return [piece for piece in _CUTS[sentences].split(text) if piece and not piece.isspace()]


def count_union(response_sentences: Sequence[Words], reference_sentences: Sequence[Words]) -> tuple[int, int, int]:
    """Return words of the unions that the response has as often, words of the response, words of the reference.

    >>> count_union([["a", "b"], ["a", "c"]], [["a", "b", "c"], ["a", "a", "a"]])  # a has four places, ours two
    (4, 4, 6)
    """
    have: Counter[str] = Counter(chain.from_iterable(response_sentences))
    union: Counter[str] = Counter()
    for sentence in reference_sentences:
        union.update(union_lcs(sentence, response_sentences))
    shared = sum(min(count, have[word]) for word, count in union.items())
    return shared, have.total(), sum(map(len, reference_sentences))
