"""BLEU: how many runs of one to four words of a response stand in its references, smoothed as NLTK or sacreBLEU do."""

from __future__ import annotations

import functools
import math
import operator
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from neraca.errors import SpecError, nearest
from neraca.metrics.metric import metric
from neraca.metrics.text.overlap import divided
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
    from neraca.metrics.text.pair_counts_python import PythonPairCounts
    from neraca.stats.intervals.interval import Floats

#: Words of the longest run that may be asked for.
LONGEST = 9
#: What NLTK's method0 puts in place of a precision of 0.
_LEAST = sys.float_info.min
_SMOOTHING = re.compile(r"([a-z][a-z0-9-]*)(?:\[([^\[\]]+)\])?")


class Counts(NamedTuple):
    """Matches of responses with their references, in runs of 1 to N words: numbers, or arrays of shape (n,).

    Attributes
    ----------
    matches
        N of them: runs that the references have too, each at most as often as the one that has it most.
    totals
        N of them: runs of the response; of NLTK's methods at least 1.
    response
        Words of the response.
    divide
        Matches / totals; 0 where there are no runs.
    fifth
        Share of the runs of five words that match; only for methods 5 and 7, which always look at it.
    """

    matches: Sequence[Any]
    totals: Sequence[Any]
    response: Any
    divide: Callable[[Any, Any], Any]
    fifth: Any = 0.0


class _Smoothing(NamedTuple):
    """From counts and a value to N precisions; `value` is the usual one, None where there is none.

    The value is above 0, at least `least` and at most `most`; `shortest` is the least order.
    """

    precisions: Callable[[Any, Counts, float], list[Any]]
    value: float | None
    nltk: bool = True
    fifth: bool = False
    least: float = 0.0
    most: float = math.inf
    shortest: int = 1


def _shares(xp: Any, counts: Counts, empty: Any) -> list[Any]:
    """Matches / totals, with `empty` counted where there is no match."""
    return [counts.divide(xp.where(m == 0, empty, m), t) for m, t in zip(counts.matches, counts.totals, strict=True)]


def _least(xp: Any, counts: Counts, value: float) -> list[Any]:
    return [xp.where(share == 0, _LEAST, share) for share in _shares(xp, counts, 0.0)]


def _add(xp: Any, counts: Counts, value: float) -> list[Any]:
    """The value more of both, but not of single words."""
    pairs = zip(counts.matches, counts.totals, strict=True)
    return [counts.divide(m + value * (n > 0), t + value * (n > 0)) for n, (m, t) in enumerate(pairs)]


def _halved(xp: Any, counts: Counts, first: Any) -> list[Any]:
    """The first order without a match counts half of `first`, the next a quarter and so on."""
    precisions = []
    for m, t in zip(counts.matches, counts.totals, strict=True):
        first = xp.where(m == 0, first / 2, first)
        precisions.append(counts.divide(xp.where(m == 0, first, m), t))
    return precisions


def _by_length(xp: Any, counts: Counts, k: float) -> list[Any]:
    return _halved(xp, counts, xp.log(xp.maximum(counts.response, 1.0)) / k)


def _averaged(xp: Any, counts: Counts, shares: list[Any]) -> list[Any]:
    """Each the mean of itself, the one before as averaged, and the one after."""
    averages = [shares[0] + 1]
    for share, after in zip(shares, [*shares[1:], counts.fifth], strict=True):
        averages.append((averages[-1] + share + after) / 3)
    return averages[1:]


def _expected(xp: Any, counts: Counts, alpha: float) -> list[Any]:
    """From runs of three words on, alpha parts of what the two orders before let one expect."""
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
    """The formula from counts to a score; made by `bleu_config`."""

    name: str
    smoothing: _Smoothing
    value: float
    weights: tuple[float, ...]
    effective: bool

    @property
    def order(self) -> int:
        """Words of the longest runs."""
        return len(self.weights)

    def sentence(self, xp: Any, *columns: Any) -> Any:
        """The score of single answers from matches, the response's length, the reference's, and fifth matches."""
        order = self.order
        response, reference = columns[order : order + 2]
        fifth = columns[-1] / xp.maximum(response - 4, 1.0) if self.smoothing.fifth else 0.0
        return self.score(xp, columns[:order], self.totals(xp, response), response, reference, fifth)

    def totals(self, xp: Any, response: Any) -> list[Any]:
        """Runs of the response of each order; as NLTK counts them at least 1."""
        least = 1.0 if self.smoothing.nltk else 0.0
        return [xp.maximum(response - n, least) for n in range(self.order)]

    def score(
        self, xp: Any, matches: Sequence[Any], totals: Sequence[Any], response: Any, reference: Any, fifth: Any = 0.0
    ) -> Any:
        """Brevity penalty times the weighted geometric mean of the precisions; NaN where there is no reference."""
        divide = operator.truediv if self.smoothing.nltk else functools.partial(divided, xp)
        counts = Counts(matches, totals, response, divide, fifth)
        precisions = self.smoothing.precisions(xp, counts, self.value)
        if self.smoothing.nltk:  # leaves a precision of 0 out; in sacreBLEU it makes the score 0
            precisions = [xp.where(precision == 0, 1.0, precision) for precision in precisions]
        score = xp.exp(xp.minimum(1.0 - reference / xp.where(response == 0, 1.0, response), 0.0))
        for precision, weight in zip(precisions, self._exponents(xp, counts), strict=True):
            score = score * precision**weight
        return xp.where(reference != reference, math.nan, xp.where(matches[0] == 0, 0.0, score))

    def _exponents(self, xp: Any, counts: Counts) -> Sequence[Any]:
        """The weights; with `effective` equal ones of the orders of which there are runs."""
        if not self.effective:
            return self.weights
        there = [xp.where(self._is_there(counts, n), 1.0, 0.0) for n in range(self.order)]
        number = xp.maximum(sum(there), 1.0)
        return [each / number for each in there]

    def _is_there(self, counts: Counts, n: int) -> Any:
        """Whether there are runs of n + 1 words in the responses."""
        if self.smoothing.nltk:
            return counts.response > n
        return counts.totals[n] + (self.value if self.name == "add-k" else 0.0) > 0


@functools.lru_cache(maxsize=256)
def bleu_config(smoothing: str, order: int, weights: str, effective: bool) -> BleuConfig:
    """Read the parameters of BLEU; raises `SpecError`.

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


def counted(texts: Texts, config: BleuConfig, tokens: str, language: str) -> list[Any]:
    """For each answer its matches of each order, the two lengths, and for methods 5 and 7 its matches of five words.

    Columns of shape (n,).  `tokens=nltk` is what NLTK's BLEU is mostly given: words as `str.split` makes them.
    """
    tokens = "split" + tokens[4:] if tokens[:4] == "nltk" else tokens
    longest = max(config.order, 5) if config.smoothing.fifth else config.order
    pairs = texts.pairs(tokens, language)
    matches = [pairs.clipped(n) for n in range(longest, 0, -1)][::-1]
    lengths = _lengths(texts, pairs)
    return [*matches[: config.order], *lengths, *([matches[4]] if config.smoothing.fifth else [])]


def _lengths(texts: Texts, pairs: PythonPairCounts | NumpyPairCounts) -> tuple[Any, Any]:
    """Words of each response and of its reference that is nearest in length, of two the shorter one, shapes (n,).

    NaN for an answer whose references have no word, where we read our own way.
    """
    xp, response, reference = texts.xp, pairs.response, texts.defined(pairs.reference, pairs)
    if len(texts.owner) == len(set(texts.owner)):
        return texts.best(response), texts.best(reference)
    gap = xp.maximum(response - reference, reference - response)
    least = texts.best(gap, higher=False)[list(texts.owner)]
    return texts.best(response), texts.best(xp.where(gap == least, reference, math.nan), higher=False)


def _most(smoothing: str = "method1", **_: Any) -> float:
    """The largest value: method 5 counts more than 1 where all matches."""
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
    r"""BLEU of each answer: the geometric mean of the shares of its runs of n words that the references have too.

    $$ BLEU = \min(1, e^{1 - r/c}) \prod_{n=1}^{N} p_n^{w_n} $$

    with c the words of the response, r those of the reference nearest in length, $p_n$ = matches / runs of n words
    (a run matches at most as often as in the reference that has it most), N `order`, $w_n$ = 1/N or e.g.
    `weights=0.6/0.4`.  0 to 1 (methods 5 and 7: up to 4/3); 0 where no word matches.

    `smoothing` says what an order without a match counts: NLTK's `method0` to `method7`, sacreBLEU's `exp`, `floor`,
    `add-k`, `none`; a value as `method1[0.01]`, `floor[0.2]`.  With `method1` an identical answer of one word has
    0.178; `effective=true` leaves out orders longer than the response.  As NLTK: method4 and 7 leave a response of
    one word unsmoothed; 5 and 7 look at runs of five words at any order; method6 has no value without a match of
    three words.  Two libraries: `BLEU(tokens=nltk)`, `BLEU(smoothing=exp,effective=true,tokens=13a)`.

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
    return config.sentence(texts.xp, *counted(texts, config, tokens, language))  # type: ignore[no-any-return]
