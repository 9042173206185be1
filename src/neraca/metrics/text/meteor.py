"""METEOR: words aligned by form, stem and meaning; fewer chunks are better."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from neraca.errors import SpecError
from neraca.languages import code_of, language_of
from neraca.metrics.metric import metric
from neraca.metrics.text.texts import NO_WORDS, Texts
from neraca.metrics.text.tokenizer import KINDS, Tokenizer

if TYPE_CHECKING:
    from neraca.metrics.text.synonyms import Synonyms
    from neraca.stats.intervals.interval import Floats


@metric(
    "METEOR",
    why_undefined=NO_WORDS,
    not_for=(
        "where the language has no stems or synonyms here (`neraca metrics METEOR`): there it is close to words "
        "in order"
    ),
)
def meteor(
    texts: Texts,
    *,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    stem: Any = None,
    synonyms: str = "",
    tokens: str = "word",
    language: str = "",
) -> Floats:
    r"""F score of words aligned by form, stem or meaning, less a penalty for the number of chunks.

    $$ \left(1 - \gamma (c/m)^\beta\right) \frac{PR}{\alpha P + (1-\alpha) R} $$

    with m aligned words in c chunks, P = m / words of the response, and R = m / words of the reference.  A chunk is a
    run of aligned words that are neighbours in both texts.  0 to 1; a perfect answer of m words reaches only
    1 - gamma/m^beta, so one word has .5.  An empty response has 0; the best of several references counts.

    Stems are Snowball's.  By default they are compared if the language is known and has a stemmer; `stem=true` raises
    `SpecError` otherwise, and `stem=false` leaves them out.  `synonyms` is a file (`Synonyms.load`); without it
    meanings are not compared.  `tokens=nltk` gives NLTK's numbers for texts split at white space: Porter's stems, and
    synonyms compared with the stems as written.

    References
    ----------
    Lavie, A. and Agarwal, A. (2007). METEOR: an automatic metric for MT evaluation. WMT 2007, 228-231.

    Examples
    --------
    >>> meteor(Texts.of_texts("the cats sat", "the cat sat", "en"))  # all aligned in one chunk: 1 - 0.5 * (1/3)**3
    0.9814814814814815
    >>> meteor(Texts.of_texts("the cats sat", "the cat sat"))  # language unknown: 2 of 3 words, in two chunks
    0.3333333333333333
    """
    _check(alpha, beta, gamma)
    pairs = texts.pairs(tokens, language)
    stemmed = _stemmed(texts, stem, tokens, language)
    stems: Any = texts.pairs(stemmed, language) if stemmed else None
    aligned, chunks = pairs.aligned(stems, _meanings(texts, synonyms, stemmed or tokens, language))

    xp = texts.xp
    precision, recall = aligned / xp.maximum(pairs.response, 1.0), aligned / xp.maximum(pairs.reference, 1.0)
    mean = precision * recall / xp.where(aligned == 0, 1.0, alpha * precision + (1 - alpha) * recall)
    values = mean * (1 - gamma * (chunks / xp.maximum(aligned, 1.0)) ** beta)
    return texts.best(texts.defined(values, pairs))


def _check(alpha: float, beta: float, gamma: float) -> None:
    if not (0 <= alpha <= 1 and 0 <= gamma <= 1 and beta >= 0):
        raise SpecError(
            f"METEOR: alpha and gamma are from 0 to 1, beta is 0 or more, not alpha={alpha:g}, beta={beta:g}, "
            f"gamma={gamma:g}"
        )


def _stemmed(texts: Texts, stem: object, tokens: str, language: str) -> str:
    """Return the tokens for comparing stems; "" if stems are not compared."""
    if stem not in (None, True, False):
        raise SpecError(f"METEOR: stem is true or false, not {stem!r}")
    if stem is False or "+stem" in tokens or "+maystem" in tokens:
        return ""
    kind = Tokenizer.of(tokens, language).kind
    if stem or kind in ("google", "nltk"):
        return f"{tokens}+stem"
    has_stemmer = "maystem" in KINDS[kind].options and any(
        language_of(code).stemmer for code in _codes(texts, language)
    )
    return f"{tokens}+maystem" if has_stemmer else ""


def _codes(texts: Texts, language: str) -> tuple[str, ...]:
    """Return the languages of the texts."""
    return (code_of(language),) if language else tuple(dict.fromkeys(map(code_of, set(texts.corpus.languages))))


def _meanings(texts: Texts, file: str, tokens: str, language: str) -> dict[str, set[str]] | None:
    """Return the user's table of synonyms, tokenized like the words that are compared with it."""
    if not file:
        return None
    from neraca.metrics.text.synonyms import Synonyms

    if Tokenizer.of(tokens, language).kind == "nltk":
        tokens = "nltk"
    return _read(Synonyms.load(file), tokens, _codes(texts, language))


@functools.lru_cache(maxsize=8)
def _read(table: Synonyms, tokens: str, codes: tuple[str, ...]) -> dict[str, set[str]]:
    return table.read(Tokenizer.of(tokens, code) for code in codes)
