"""Signatures: how a score was made, in one line that can be printed beside it and read by a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from neraca.errors import SpecError
from neraca.languages import code_of
from neraca.metrics.metric import Metric
from neraca.metrics.text.tokenizer import KINDS, OWN, Tokenizer, kind_of

#: In these `tokens=nltk` is what NLTK's functions are mostly given: words as `str.split` makes them, case kept.
_AS_SPLIT = ("BLEU", "CorpusBLEU")


def signature(metric: Metric, languages: Iterable[str] = ("",), found: str = "") -> str:
    """Return how the scores of a metric were made, in the form of sacreBLEU's signatures.

    Its name; each of its parameters, those that were not given too; how words were read: `norm` (the Unicode
    normal form), `case`, `stem` (with Snowball's version), `articles`; the language; which of several references
    counts; the version of Neraca.  What plays no part is left out.

    Parameters
    ----------
    metric
        Any metric; the line is shorter for one that reads no text.
    languages
        Codes of the languages of the texts that were scored; "" is one that nobody said.
    found
        The code among them that was not said but found in the texts; it is marked (auto).

    References
    ----------
    Post, M. (2018). A call for clarity in reporting BLEU scores. WMT 2018, 186-191.

    Examples
    --------
    >>> made = signature(Metric.of("ROUGE-1"), ["es"])
    >>> made.rpartition("|")[0]
    'ROUGE-1|stat:f|tokens:word|norm:nfkc|case:lower|stem:no|articles:kept|language:es|refs:best'
    """
    from importlib.metadata import version

    params = _params(metric)
    tokens = params.pop("tokens") if isinstance(params.get("tokens"), str) else ""  # a user's may mean another thing
    own_language = params.pop("language") if isinstance(params.get("language"), str) else None
    codes = (
        [code_of(own_language)] if own_language else sorted(set(languages), key=lambda code: code or "~") or [""]
    )  # "" is last
    if metric.spec.name in _AS_SPLIT and kind_of(tokens) == "nltk":
        tokens = tokens.replace("nltk", "split", 1)
    own = kind_of(tokens) in OWN
    stemmed = _with_stems(tokens) if kind_of(tokens) and _is_on(params.pop("stem", False)) else tokens
    facts = [f"{name}:{_text(value)}" for name, value in params.items()]
    if tokens:
        facts += _reading(tokens, stemmed, codes)
    if own_language is not None and (own or not tokens):
        facts.append("language:" + ",".join(_marked(code, code == found != "" and not own_language) for code in codes))
    if _has_references(metric):
        facts.append(f"refs:{metric.definition.references}")
    return "|".join([metric.spec.name, *facts, f"neraca:{version('neraca')}"])


def signatures(metrics: Iterable[Metric], languages: Iterable[str] = ("",), found: str = "") -> dict[str, str]:
    """The signature of each metric, and of those that it is made of, by canonical name.

    >>> list(signatures([Metric.of("Condensed(nDCG@10)")]))
    ['Condensed(nDCG@10)', 'nDCG@10']
    """
    codes = list(languages)
    return {str(each): signature(each, codes, found) for metric in metrics for each in metric.with_inner()}


def _params(metric: Metric) -> dict[str, Any]:
    """Return each parameter with its value; without a cutoff that cuts nothing."""
    params = metric.settings
    params |= {"of": ",".join(params.pop("*"))} if "*" in params else {}
    return {name: value for name, value in params.items() if name != "at" or value}


def _with_stems(tokens: str) -> str:
    """Return the tokens of a metric that also compares stems, see METEOR."""
    options = KINDS[kind_of(tokens)].options
    stem_options = [option for option in ("maystem", "stem") if option in options and "stem" not in tokens]
    return f"{tokens}+{stem_options[0]}" if stem_options else tokens


def _reading(tokens: str, stemmed: str, codes: Sequence[str]) -> Iterator[str]:
    """Facts of how words are read; of a way that is not one of `Tokenizer` its name alone."""
    try:
        readings = [Tokenizer.of(stemmed, code) for code in codes]
        yield f"tokens:{Tokenizer.of(tokens, codes[0])}"
    except SpecError:
        yield f"tokens:{tokens}"
        return
    yield f"norm:{readings[0].norm}"
    yield f"case:{readings[0].case}"
    stemmer = f"snowball-{_snowball()}" if readings[0].own else "porter"
    yield f"stem:{_where([reading.stems for reading in readings], codes, stemmer, 'no')}"
    dropped = _where([reading.drops_articles for reading in readings], codes, "dropped", "kept")
    yield f"articles:{'dropped(en)' if readings[0].kind == 'squad' else dropped}"
    if any(reading.cuts_prefixes for reading in readings):
        yield f"prefixes:{_where([reading.cuts_prefixes for reading in readings], codes, 'cut', 'kept')}"
    if any(reading.folds_marks for reading in readings):
        yield f"marks:{_where([reading.folds_marks for reading in readings], codes, 'folded', 'kept')}"


def _where(holds: Sequence[bool], codes: Sequence[str], fact: str, otherwise: str) -> str:
    """Return what holds, with the languages in which it does if these are not all."""
    if not any(holds):
        return otherwise
    where = [code for code, has_option in zip(codes, holds, strict=True) if has_option]
    return fact if all(holds) else f"{fact}({','.join(where)})"


def _marked(code: str, found: bool) -> str:
    return f"{code or 'unknown'}{'(auto)' if found else ''}"


def _has_references(metric: Metric) -> bool:
    from neraca.metrics.text.texts import Texts

    return metric.view is Texts or (metric.view is None and "reference" in metric.arguments())


def _is_on(value: Any) -> bool:
    return value not in (False, "", "no", "false", "none")


def _snowball() -> str:
    from importlib.metadata import version

    return version("PyStemmer")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"
