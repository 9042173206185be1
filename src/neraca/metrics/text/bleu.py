"""BLEU: how many n-grams of a response occur in its references, smoothed as in NLTK or sacreBLEU."""

from __future__ import annotations

import functools
import math
import operator
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.text.overlap import divided
from neraca.metrics.text.texts import NO_WORDS, Texts
from neraca.nearest import nearest

if TYPE_CHECKING:
    from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
    from neraca.metrics.text.pair_counts_python import PythonPairCounts
    from neraca.stats.intervals.interval import Floats

#: The largest order: words of the longest n-grams.
LONGEST = 9
#: NLTK's method0 replaces a precision of 0 by this.
_LEAST = sys.float_info.min
_SMOOTHING = re.compile(r"([a-z][a-z0-9-]*)(?:\[([^\[\]]+)\])?")


class Counts(NamedTuple):
    """Counts of n-grams of 1 to N words: numbers, or arrays of shape (n,).

    Attributes
    ----------
    matches
        For each order, n-grams of the response that a reference has too, each at most as often as the reference that
        has it most.
    totals
        For each order, n-grams of the response; at least 1 for NLTK's methods.
    response
        Words of the response.
    divide
        Computes matches / totals; 0 if there are no n-grams.
    fifth
        Share of the n-grams of five words that match; only for methods 5 and 7.
    """

    matches: Sequence[Any]
    totals: Sequence[Any]
    response: Any
    divide: Callable[[Any, Any], Any]
    fifth: Any = 0.0


class _Smoothing(NamedTuple):
    """A smoothing method: a function from counts and a value to N precisions.

    `value` is the default, None for a method without a value; it lies above 0, from `least` to `most`.  `shortest` is
    the smallest order.
    """

    precisions: Callable[[Any, Counts, float], list[Any]]
    value: float | None
    nltk: bool = True
    fifth: bool = False
    least: float = 0.0
    most: float = math.inf
    shortest: int = 1


def _shares(xp: Any, counts: Counts, empty: Any) -> list[Any]:
    """Return matches / totals, with `empty` in place of 0 matches."""
    return [counts.divide(xp.where(m == 0, empty, m), t) for m, t in zip(counts.matches, counts.totals, strict=True)]


def _least(xp: Any, counts: Counts, value: float) -> list[Any]:
    return [xp.where(share == 0, _LEAST, share) for share in _shares(xp, counts, 0.0)]


def _add(xp: Any, counts: Counts, value: float) -> list[Any]:
    """Add the value to matches and totals, except for single words."""
    pairs = zip(counts.matches, counts.totals, strict=True)
    return [counts.divide(m + value * (n > 0), t + value * (n > 0)) for n, (m, t) in enumerate(pairs)]


def _halved(xp: Any, counts: Counts, first: Any) -> list[Any]:
    """Count half of `first` for the first order without a match, a quarter for the next, and so on."""
    precisions = []
    for m, t in zip(counts.matches, counts.totals, strict=True):
        first = xp.where(m == 0, first / 2, first)
        precisions.append(counts.divide(xp.where(m == 0, first, m), t))
    return precisions


def _by_length(xp: Any, counts: Counts, k: float) -> list[Any]:
    return _halved(xp, counts, xp.log(xp.maximum(counts.response, 1.0)) / k)


def _averaged(xp: Any, counts: Counts, shares: list[Any]) -> list[Any]:
    """Average each share with the averaged one before it and the one after it."""
    averages = [shares[0] + 1]
    for share, next_share in zip(shares, [*shares[1:], counts.fifth], strict=True):
        averages.append((averages[-1] + share + next_share) / 3)
    return averages[1:]


def _expected(xp: Any, counts: Counts, alpha: float) -> list[Any]:
    """From order 3 on, add alpha n-grams with the precision that the two orders before predict."""
    precisions = _shares(xp, counts, 0.0)
    for n in range(2, len(precisions)):
        prior = divided(xp, precisions[n - 1] * precisions[n - 1], precisions[n - 2])
        precisions[n] = (counts.matches[n] + alpha * prior) / (xp.maximum(counts.response - n, 0.0) + alpha)
    precisions[2] = xp.where(counts.matches[2] == 0, math.nan, precisions[2])
    return precisions


_SMOOTHINGS = {
    "method0": _Smoothing(_least, None),
    "method1": _Smoothing(_shares, 0.1, most=1.0),
    "method2": _Smoothing(lambda xp, counts, _: _add(xp, counts, 1.0), None),
    "method3": _Smoothing(lambda xp, counts, _: _halved(xp, counts, 1.0), None),
    "method4": _Smoothing(_by_length, 5.0, least=1.0),
    "method5": _Smoothing(lambda xp, counts, _: _averaged(xp, counts, _shares(xp, counts, 0.0)), None, fifth=True),
    "method6": _Smoothing(_expected, 5.0, shortest=3),
    "method7": _Smoothing(
        lambda xp, counts, k: _averaged(xp, counts, _by_length(xp, counts, k)), 5.0, fifth=True, least=1.0
    ),
    "exp": _Smoothing(lambda xp, counts, _: _halved(xp, counts, 1.0), None, nltk=False),
    "floor": _Smoothing(_shares, 0.1, nltk=False, most=1.0),
    "add-k": _Smoothing(_add, 1.0, nltk=False),
    "none": _Smoothing(lambda xp, counts, _: _shares(xp, counts, 0.0), None, nltk=False),
}


class BleuConfig(NamedTuple):
    """The parameters of BLEU, and its formula; made by `bleu_config`."""

    name: str
    smoothing: _Smoothing
    value: float
    weights: tuple[float, ...]
    effective: bool

    @property
    def order(self) -> int:
        """Words of the longest n-grams."""
        return len(self.weights)

    def sentence(self, xp: Any, *columns: Any) -> Any:
        """Return the score of single answers from matches, lengths of response and reference, and fifth matches."""
        order = self.order
        response, reference = columns[order : order + 2]
        fifth = columns[-1] / xp.maximum(response - 4, 1.0) if self.smoothing.fifth else 0.0
        return self.score(xp, columns[:order], self.totals(xp, response), response, reference, fifth)

    def totals(self, xp: Any, response: Any) -> list[Any]:
        """Return the n-grams of the response of each order; as in NLTK at least 1."""
        least = 1.0 if self.smoothing.nltk else 0.0
        return [xp.maximum(response - n, least) for n in range(self.order)]

    def score(
        self, xp: Any, matches: Sequence[Any], totals: Sequence[Any], response: Any, reference: Any, fifth: Any = 0.0
    ) -> Any:
        """Return brevity penalty times weighted geometric mean of precisions; NaN without a reference."""
        divide = operator.truediv if self.smoothing.nltk else functools.partial(divided, xp)
        counts = Counts(matches, totals, response, divide, fifth)
        precisions = self.smoothing.precisions(xp, counts, self.value)
        if self.smoothing.nltk:  # NLTK leaves a precision of 0 out; in sacreBLEU it makes the score 0
            precisions = [xp.where(precision == 0, 1.0, precision) for precision in precisions]
        score = xp.exp(xp.minimum(1.0 - reference / xp.where(response == 0, 1.0, response), 0.0))
        for precision, weight in zip(precisions, self._exponents(xp, counts), strict=True):
            score = score * precision**weight
        return xp.where(reference != reference, math.nan, xp.where(matches[0] == 0, 0.0, score))

    def _exponents(self, xp: Any, counts: Counts) -> Sequence[Any]:
        """Return the weights; with `effective`, equal weights of the orders that the response has."""
        if not self.effective:
            return self.weights
        has_order = [xp.where(self._has_order(counts, n), 1.0, 0.0) for n in range(self.order)]
        orders = xp.maximum(sum(has_order), 1.0)
        return [indicator / orders for indicator in has_order]

    def _has_order(self, counts: Counts, n: int) -> Any:
        """Return whether the responses have n-grams of n + 1 words."""
        if self.smoothing.nltk:
            return counts.response > n
        return counts.totals[n] + (self.value if self.name == "add-k" else 0.0) > 0


@functools.lru_cache(maxsize=256)
def bleu_config(smoothing: str, order: int, weights: str, effective: bool) -> BleuConfig:
    """Read the parameters of BLEU; raise `SpecError` if they are invalid.

    >>> bleu_config("floor[0.2]", 4, "0.6/0.4", False).weights
    (0.6, 0.4)
    """
    match = _SMOOTHING.fullmatch(smoothing)
    if not match or match[1] not in _SMOOTHINGS:
        raise SpecError(f"BLEU: no smoothing is called {smoothing!r}; {nearest(smoothing, sorted(_SMOOTHINGS))}")
    method = _SMOOTHINGS[match[1]]
    if match[2] and method.value is None:
        raise SpecError(f"BLEU: smoothing={match[1]} takes no value; leave [{match[2]}] out")
    value = _number(match[2]) if match[2] else method.value or 0.0
    if match[2] and not (0 < value < math.inf and method.least <= value <= method.most):
        limit = "of at most 1" if method.most == 1 else "of at least 1" if method.least else "without bound"
        raise SpecError(f"BLEU: the value of smoothing={smoothing} is a number above 0, {limit}")
    if order not in range(1, LONGEST + 1):
        raise SpecError(f"BLEU: order, the words of the longest runs, is a whole number from 1 to {LONGEST}")
    shares = _weights(weights) if weights else (1.0 / order,) * int(order)
    if weights and (order not in (4, len(shares)) or effective):
        raise SpecError(f"BLEU: weights={weights} says for itself how long runs are; leave order and effective out")
    if len(shares) < method.shortest:
        raise SpecError(f"BLEU: smoothing={smoothing} needs an order of at least {method.shortest}, or as many weights")
    return BleuConfig(match[1], method, value, shares, effective)


def _weights(text: str) -> tuple[float, ...]:
    weights = tuple(_number(part) for part in text.split("/"))
    if not all(weight >= 0 for weight in weights) or len(weights) > LONGEST or not 0.95 <= sum(weights) <= 1.05:
        raise SpecError(f"BLEU: weights={text}: write up to {LONGEST} numbers that make 1 together, as 0.5/0.3/0.2")
    return weights


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def count_matches(texts: Texts, config: BleuConfig, tokens: str, language: str) -> list[Any]:
    """Return columns of shape (n,): matches of each order, the two lengths, and fifth matches for methods 5 and 7.

    `tokens=nltk` means words from `str.split`, which users mostly pass to NLTK's BLEU.
    """
    tokens = "split" + tokens[4:] if tokens[:4] == "nltk" else tokens
    longest = max(config.order, 5) if config.smoothing.fifth else config.order
    pairs = texts.pairs(tokens, language)
    matches = [pairs.clipped(n) for n in range(longest, 0, -1)][::-1]
    lengths = _lengths(texts, pairs)
    return [*matches[: config.order], *lengths, *([matches[4]] if config.smoothing.fifth else [])]


def _lengths(texts: Texts, pairs: PythonPairCounts | NumpyPairCounts) -> tuple[Any, Any]:
    """Return the words of each response and of the reference nearest in length (the shorter of two), shapes (n,).

    With our own tokenizers, NaN for an answer whose references have no words.
    """
    xp, response, reference = texts.xp, pairs.response, texts.defined(pairs.reference, pairs)
    if len(texts.owner) == len(set(texts.owner)):
        return texts.best(response), texts.best(reference)
    gap = xp.maximum(response - reference, reference - response)
    least = texts.best(gap, higher=False)[list(texts.owner)]
    return texts.best(response), texts.best(xp.where(gap == least, reference, math.nan), higher=False)


def _most(smoothing: str = "method1", **_: Any) -> float:
    """Return the largest value; a full match exceeds 1 with methods 5 and 7."""
    return 4 / 3 if smoothing.startswith(("method5", "method7")) else 1.0


@metric(
    "BLEU",
    high=_most,
    why_undefined=f"{NO_WORDS}, or no run of three words matches (method6)",
    references="all",
    not_for=(
        "for single short answers (most runs of four words are missing), and for meaning: it compares wording, "
        "best over a corpus"
    ),
)
def bleu(
    texts: Texts,
    *,
    smoothing: str = "method1",
    order: int = 4,
    weights: str = "",
    effective: bool = False,
    tokens: str = "word",
    language: str = "",
) -> Floats:
    r"""BLEU of each answer: the geometric mean of the shares of its n-grams that the references have too.

    $$ BLEU = \min(1, e^{1 - r/c}) \prod_{n=1}^{N} p_n^{w_n} $$

    with c the words of the response, r the words of the reference nearest in length, $p_n$ = matches / n-grams of the
    response (an n-gram matches at most as often as in the reference that has it most), N the `order`, and $w_n$ = 1/N
    or given as in `weights=0.6/0.4`.  0 to 1 (methods 5 and 7: up to 4/3); 0 if no word matches.

    `smoothing` decides what an order without a match counts: NLTK's `method0` to `method7`, or sacreBLEU's `exp`,
    `floor`, `add-k` and `none`; `method1[0.01]` or `floor[0.2]` sets the value.  With `method1` an identical answer of
    one word has 0.178; `effective=true` leaves out orders longer than the response.  As in NLTK, methods 4 and 7 leave
    a response of one word unsmoothed, 5 and 7 use n-grams of five words at any order, and 6 is undefined without a
    match of three words.  `BLEU(tokens=nltk)` gives NLTK's numbers, `BLEU(smoothing=exp,effective=true,tokens=13a)`
    sacreBLEU's.

    References
    ----------
    Papineni, K. et al. (2002). ACL, 311-318.  Chen, B. and Cherry, C. (2014). WMT, 362-367 (smoothing).

    Examples
    --------
    >>> from neraca.metrics.text.texts import Texts
    >>> round(bleu(Texts.of_texts("a b c", "a b d"), order=2), 6)  # (2/3 * 1/2) ** (1/2)
    0.57735
    """
    config = bleu_config(smoothing, order, weights, effective)
    return config.sentence(texts.xp, *count_matches(texts, config, tokens, language))  # type: ignore[no-any-return]
