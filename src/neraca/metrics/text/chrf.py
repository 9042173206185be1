"""chrF, chrF++ and CorpusChrF: how many n-grams of characters a response shares with a reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.text.normalize import normal_form
from neraca.metrics.text.overlap import divided
from neraca.metrics.text.scalar import columns_of, rows
from neraca.metrics.text.texts import Texts

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

#: The largest order of characters or words.
LONGEST = 9
_NO_REFERENCE = "no reference"


def _check(order: int, words: int, beta: float) -> None:
    for name, value, least in (("order", order, 1), ("words", words, 0)):
        if value not in range(least, LONGEST + 1):
            raise SpecError(f"chrF: {name} is a whole number from {least} to {LONGEST}, not {value:g}")
    if not 0 <= beta < math.inf:
        raise SpecError(f"chrF: beta, how much more recall weighs than precision, is 0 or more, not {beta:g}")


class Form(NamedTuple):
    """The form in which texts are compared: the normal form of Unicode, and whether capitals are kept."""

    norm: str
    case: bool

    @property
    def options(self) -> str:
        """The form as options of a tokenizer; raise `SpecError` for an unknown normal form."""
        normal_form(self.norm)
        return "+nfkc" * (self.norm == "nfkc") + "+lower" * (not self.case)


def _matches(texts: Texts, order: int, words: int, form: Form) -> list[Any]:
    """Return matches of each order and both lengths, for characters and then words, shapes (p,)."""
    columns: list[Any] = []
    for tokens, longest in (("char", order), ("chrf", words)):
        if longest:
            pairs = texts.pairs(tokens + form.options)
            columns += [pairs.matches(n) for n in range(longest, 0, -1)][::-1]
            columns += [pairs.response, pairs.reference]
    return columns


def _counts(xp: Any, *matches: Any, orders: tuple[int, ...]) -> list[Any]:
    """Return n-grams of the response, of the reference, and matches of each order.

    An order for which the reference is too short does not count.
    """
    counts: list[Any] = []
    for longest in orders:
        response, reference = matches[longest : longest + 2]
        for n in range(longest):
            reference_runs = xp.maximum(reference - n, 0.0)
            counts += [xp.maximum(response - n, 0.0) * (reference_runs > 0), reference_runs, matches[n]]
        matches = matches[longest + 2 :]
    return counts


def _f(xp: Any, *counts: Any, beta: float) -> Any:
    """Return F of the mean precision and mean recall over the orders that both texts have."""
    precision = recall = shared_orders = 0.0
    for place in range(0, len(counts), 3):
        response_runs, reference_runs, shared = counts[place : place + 3]
        precision = precision + shared / xp.where(response_runs > 0, response_runs, 1.0)
        recall = recall + shared / xp.where(reference_runs > 0, reference_runs, 1.0)
        shared_orders = shared_orders + ((response_runs > 0) & (reference_runs > 0))
    shared_orders, factor = xp.maximum(shared_orders, 1.0), beta * beta
    precision, recall = precision / shared_orders, recall / shared_orders
    return divided(xp, (1 + factor) * precision * recall, factor * precision + recall)


def _orders(order: int, words: int) -> tuple[int, ...]:
    return (int(order), int(words)) if words else (int(order),)


def _score(texts: Texts, words: int, order: int, beta: float, form: Form) -> Floats:
    _check(order, words, beta)
    orders = _orders(order, words)
    counts = _counts(texts.xp, *_matches(texts, int(order), int(words), form), orders=orders)
    return texts.best(_f(texts.xp, *counts, beta=beta))


@metric(
    "chrF", why_undefined=_NO_REFERENCE, not_for="for meaning: a wrong name or number of a few letters barely moves it"
)
def chrf(texts: Texts, *, order: int = 6, beta: float = 2, norm: str = "nfc", case: bool = True) -> Floats:
    r"""Character F score: n-grams of one to six characters that response and reference share, in any language.

    $$ chrF_\beta = (1 + \beta^2) \frac{P R}{\beta^2 P + R} $$

    with P and R the means over n = 1 ... `order` of matches / n-grams of the response and of the reference.  An n-gram
    matches as often as the text that has it less often.  An order for which a text is too short is left out.  White
    space is removed, and capitals are kept unless `case=false`; `beta` 2 makes recall count twice as much.  0 to 1; 0
    if a text is empty; the best reference counts.  Equal to sacreBLEU's chrF2 divided by 100 for texts in NFC; others
    are first converted to NFC.  `norm=nfkc` also reads full-width letters as plain ones and removes invisible
    characters.

    References
    ----------
    Popović, M. (2015). chrF: character n-gram F-score for automatic MT evaluation. WMT, 392-395.

    Examples
    --------
    >>> from neraca.metrics.text.texts import Texts
    >>> chrf(Texts.of_texts("abc", "ab"), order=2, beta=1)  # P = (2/2 + 1/1) / 2, R = (2/3 + 1/2) / 2
    0.7368421052631579
    """
    return _score(texts, 0, order, beta, Form(norm, case))


@metric(
    "chrF++",
    why_undefined=_NO_REFERENCE,
    not_for="for meaning; and in languages that write no spaces between words, where `chrF` suffices",
)
def chrf_plus_plus(texts: Texts, *, order: int = 6, beta: float = 2, norm: str = "nfc", case: bool = True) -> Floats:
    r"""Character F score with words: single words and pairs of words are two more orders in its means.

    $$ \frac{(1 + \beta^2) P R}{\beta^2 P + R} $$

    with P and R the means over the orders of characters and of words.  Words are separated by white space; one ASCII
    punctuation mark at the end, otherwise at the start, is a word of its own.  The rest is as in `chrF`.  Equal to
    sacreBLEU's chrF2++ divided by 100.

    References
    ----------
    Popović, M. (2017). chrF++: words helping character n-grams. WMT, 612-618.

    Examples
    --------
    >>> from neraca.metrics.text.texts import Texts
    >>> chrf_plus_plus(Texts.of_texts("a b.", "a b"), order=1)  # P = (1 + 1 + 1) / 3, R = (2/3 + 2/3 + 1/2) / 3
    0.6626506024096386
    """
    return _score(texts, 2, order, beta, Form(norm, case))


def corpus_chrf(sums: Floats, *, beta: float = 2) -> Floats:
    """Return the character F score from summed counts: n-grams of responses and references, and matches, by order.

    Shapes (..., 3 N) -> (...).

    >>> import numpy as np
    >>> corpus_chrf(np.array([[4.0, 6, 4, 2, 4, 2]]), beta=1)  # P = 1, R = (4/6 + 2/4) / 2
    array([0.73684211])
    """
    xp, columns = columns_of(sums)
    return _f(xp, *columns, beta=beta)  # type: ignore[no-any-return]


@metric(
    "CorpusChrF",
    total=corpus_chrf,
    why_undefined=_NO_REFERENCE,
    not_for="to compare single answers: long ones weigh more",
)
def corpus_chrf_counts(
    texts: Texts, *, words: int = 0, order: int = 6, beta: float = 2, norm: str = "nfc", case: bool = True
) -> Floats:
    r"""Character F score over all answers: their counts are summed before they are divided, so long answers weigh more.

    $$ \frac{(1 + \beta^2) P R}{\beta^2 P + R} $$

    with P and R the means over the orders, each of matches in all answers / n-grams of all responses or references.
    Each answer counts with the reference that gives it the best chrF, the first of equals.  `words=2` is chrF++; the
    other parameters are those of `chrF`.  0 to 1.  Equal to sacreBLEU's corpus score divided by 100.

    References
    ----------
    Popović, M. (2015). WMT, 392-395.  Post, M. (2018). WMT, 186-191 (sacreBLEU).

    Examples
    --------
    >>> from neraca.metrics.text.texts import Texts
    >>> corpus_chrf_counts(Texts.of_texts("abc", "ab"), order=2)  # twice: of the response, of the reference, matches
    [2.0, 3.0, 2.0, 1.0, 2.0, 1.0]
    """
    _check(order, words, beta)
    xp, orders = texts.xp, _orders(order, words)
    matches = _matches(texts, int(order), int(words), Form(norm, case))
    table = rows(xp, _counts(xp, *matches, orders=orders))
    if texts.corpus.one_pair or len(texts.owner) == texts.n == len(set(texts.owner)) > 0:
        return table  # type: ignore[no-any-return]
    best_pair = _first_best(texts, corpus_chrf(table, beta=beta))
    nothing = [math.nan] * 3 * sum(orders)
    counts = [table[best_pair[row]] if row in best_pair else nothing for row in range(texts.n)]
    return xp.array(counts, dtype="float64").reshape(texts.n, len(nothing))  # type: ignore[no-any-return]


def _first_best(texts: Texts, values: Any) -> dict[int, int]:
    """Return, for each answer with a pair, its first pair with the largest value."""
    best_pair: dict[int, int] = {}
    for pair, row in enumerate(texts.owner):
        if row not in best_pair or values[pair] > values[best_pair[row]]:
            best_pair[row] = pair
    return best_pair
