"""CorpusBLEU: one BLEU for all answers, from summed counts, as usual for translations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.text.bleu import BleuConfig, bleu_config, count_matches
from neraca.metrics.text.scalar import columns_of, rows
from neraca.metrics.text.texts import NO_WORDS, Texts

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


def _config(smoothing: str, order: int, weights: str, effective: bool) -> BleuConfig:
    config = bleu_config(smoothing, order, weights, effective)
    if config.name in ("method5", "method6", "method7"):
        raise SpecError(f"CorpusBLEU: {config.name} needs the words of one answer; take method0 to method4, or exp")
    return config


def corpus_bleu(
    sums: Floats, *, smoothing: str = "exp", order: int = 4, weights: str = "", effective: bool = False
) -> Floats:
    """Return BLEU from summed counts: N matches, N totals, words of the responses and of the references.

    Shapes (..., 2 N + 2) -> (...).

    >>> import numpy as np
    >>> corpus_bleu(np.array([[3.0, 1, 4, 2, 4, 4]]), order=2)  # (3/4 * 1/2) ** (1/2)
    array([0.61237244])
    """
    config = _config(smoothing, order, weights, effective)
    xp, columns = columns_of(sums)
    return config.score(xp, columns[: config.order], columns[config.order : -2], *columns[-2:])  # type: ignore[no-any-return]


@metric(
    "CorpusBLEU",
    total=corpus_bleu,
    why_undefined=NO_WORDS,
    references="all",
    not_for="to compare single answers, or corpora with other tokens or settings: cite the signature",
)
def corpus_bleu_counts(
    texts: Texts,
    *,
    smoothing: str = "exp",
    order: int = 4,
    weights: str = "",
    effective: bool = False,
    tokens: str = "13a",
    language: str = "",
) -> Floats:
    r"""BLEU over all answers: their counts are summed before they are divided, so long answers weigh more.

    $$ BLEU = \min(1, e^{1 - R/C}) \prod_{n=1}^{N} (M_n / T_n)^{w_n} $$

    with $M_n$ matches and $T_n$ n-grams of all responses, C their words, and R the words of the references nearest in
    length.  0 to 1.  Parameters are those of `BLEU`.  The defaults give sacreBLEU's corpus score divided by 100,
    `tokens=nltk,smoothing=method1` NLTK's `corpus_bleu`.  Methods 5 to 7 cannot be computed from summed counts and
    raise `SpecError`.  For single answers use BLEU: a short one has no n-gram of four words.

    References
    ----------
    Papineni, K. et al. (2002). ACL, 311-318.  Post, M. (2018). WMT, 186-191 (sacreBLEU).

    Examples
    --------
    >>> from neraca.metrics.text.texts import Texts
    >>> corpus_bleu_counts(Texts.of_texts("the cat sat down", "the cat is down"), order=2)  # matches, runs, words
    [3.0, 1.0, 4.0, 3.0, 4.0, 4.0]
    """
    config, xp = _config(smoothing, order, weights, effective), texts.xp
    *matches, response, reference = count_matches(texts, config, tokens, language)
    return rows(xp, [*matches, *config.totals(xp, response), response, reference])  # type: ignore[no-any-return]
