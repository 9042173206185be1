"""Signatures: one line that says how a score was computed, for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from neraca.errors import SpecError
from neraca.languages import code_of
from neraca.metrics.metric import Metric
from neraca.metrics.text.tokenizer import KINDS, OWN, Tokenizer, kind_of

#: For these metrics `tokens=nltk` means words from `str.split` with case, which users mostly pass to NLTK.
_AS_SPLIT = ("BLEU", "CorpusBLEU")


def signature(metric: Metric, languages: Iterable[str] = ("",), detected: str = "") -> str:
    """Return the signature of a metric's scores, in the form of sacreBLEU's signatures.

    It has the name, all parameters, the reading of words (`norm`, the Unicode normal form; `case`; `stem`, with
    Snowball's version; `articles`), the language, the reference that counts among several, and the version of Neraca.
    Facts that do not apply are left out.

    Parameters
    ----------
    metric
        Any metric; the line is shorter for one that reads no text.
    languages
        Codes of the languages of the scored texts; "": unknown.
    detected
        The code among them that was detected in the texts; it is marked (auto).

    References
    ----------
    Post, M. (2018). A call for clarity in reporting BLEU scores. WMT 2018, 186-191.

    Examples
    --------
    >>> signature(Metric.of("ROUGE-1"), ["es"]).rpartition("|")[0]
    'ROUGE-1|stat:f|tokens:word|norm:nfkc|case:lower|stem:no|articles:kept|language:es|refs:best'
    """
    from importlib.metadata import version

    params = _params(metric)
    tokens = (
        params.pop("tokens") if isinstance(params.get("tokens"), str) else ""
    )  # a user's parameter may be another type
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
        facts.append(
            "language:" + ",".join(_marked(code, code == detected != "" and not own_language) for code in codes)
        )
    if _has_references(metric):
        facts.append(f"refs:{metric.definition.references}")
    return "|".join([metric.spec.name, *facts, f"neraca:{version('neraca')}"])


def signatures(metrics: Iterable[Metric], languages: Iterable[str] = ("",), detected: str = "") -> dict[str, str]:
    """Return the signatures of metrics and of the metrics that they are made of, by canonical name.

    >>> list(signatures([Metric.of("Condensed(nDCG@10)")]))
    ['Condensed(nDCG@10)', 'nDCG@10']
    """
    codes = list(languages)
    return {str(part): signature(part, codes, detected) for metric in metrics for part in metric.with_inner()}


def _params(metric: Metric) -> dict[str, Any]:
    """Return the value of each parameter, without a cutoff of 0."""
    params = metric.settings
    params |= {"of": ",".join(params.pop("*"))} if "*" in params else {}
    return {name: value for name, value in params.items() if name != "at" or value}


def _with_stems(tokens: str) -> str:
    """Return the tokens of a metric that also compares stems, see METEOR."""
    options = KINDS[kind_of(tokens)].options
    stem_options = [option for option in ("maystem", "stem") if option in options and "stem" not in tokens]
    return f"{tokens}+{stem_options[0]}" if stem_options else tokens


def _reading(tokens: str, stemmed: str, codes: Sequence[str]) -> Iterator[str]:
    """Yield the facts of how words are read; only the name if no `Tokenizer` has it."""
    from importlib.metadata import version

    try:
        readings = [Tokenizer.of(stemmed, code) for code in codes]
        yield f"tokens:{Tokenizer.of(tokens, codes[0])}"
    except SpecError:
        yield f"tokens:{tokens}"
        return
    yield f"norm:{readings[0].norm}"
    yield f"case:{readings[0].case}"
    stemmer = f"snowball-{version('PyStemmer')}" if readings[0].own else "porter"
    yield f"stem:{_where([reading.stems for reading in readings], codes, stemmer, 'no')}"
    dropped = _where([reading.drops_articles for reading in readings], codes, "dropped", "kept")
    yield f"articles:{'dropped(en)' if readings[0].kind == 'squad' else dropped}"
    if any(reading.cuts_prefixes for reading in readings):
        yield f"prefixes:{_where([reading.cuts_prefixes for reading in readings], codes, 'cut', 'kept')}"
    if any(reading.folds_marks for reading in readings):
        yield f"marks:{_where([reading.folds_marks for reading in readings], codes, 'folded', 'kept')}"


def _where(holds: Sequence[bool], codes: Sequence[str], fact: str, otherwise: str) -> str:
    """Return a fact, with its languages if it does not hold in all of them; `otherwise` if it holds in none."""
    if not any(holds):
        return otherwise
    holding_codes = [code for code, fact_holds in zip(codes, holds, strict=True) if fact_holds]
    return fact if all(holds) else f"{fact}({','.join(holding_codes)})"


def _marked(code: str, detected: bool) -> str:
    return f"{code or 'unknown'}{'(auto)' if detected else ''}"


def _has_references(metric: Metric) -> bool:
    from neraca.metrics.text.texts import Texts

    return metric.view is Texts or (metric.view is None and "reference" in metric.arguments())


def _is_on(value: Any) -> bool:
    return value not in (False, "", "no", "false", "none")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"
