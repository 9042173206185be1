"""Options for reading texts, given once for all metrics: `tokens` and `norm` for each metric that takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from neraca.metrics.metric import Metric
from neraca.metrics.text.normalize import normal_form
from neraca.metrics.text.tokenizer import OWN, kind_of

_DROPPED = "-articles"
#: The fact of scores that names the metrics which do not take a parameter that was given for all.
LEFT_AS_IS = "left_as_is"
#: The fact of scores that names the metrics which count articles only because of the `tokens` that were given for all.
COUNTING_ARTICLES = "counting_articles"


class ReadingOptions(TypedDict, total=False):
    """Options for reading texts, unless a metric's own brackets say otherwise; "" keeps the default of each metric.

    `tokens`: how words are read, such as `word+stem`; `norm`: the form of Unicode, `nfc` or `nfkc`.
    """

    tokens: str
    norm: str


def parse_metrics(metrics: str | Metric | Iterable[str | Metric], reading: ReadingOptions) -> list[Metric]:
    """Return metrics by names; each takes the options that it has as parameters and that its name does not set.

    Raise `SpecError` for an unknown metric or form of Unicode.

    >>> list(map(str, parse_metrics("TokenF1 ROUGE-L(tokens=space) chrF RR", {"tokens": "word+stem", "norm": "nfkc"})))
    ['TokenF1(tokens=word+stem)', 'ROUGE-L(tokens=space)', 'chrF(norm=nfkc)', 'RR']
    """
    if norm := reading.get("norm", ""):
        normal_form(norm)
    return Metric.several(metrics, **{name: value for name, value in reading.items() if value})


def left_as_is(metrics: Iterable[Metric], reading: ReadingOptions) -> Mapping[str, tuple[str, ...]]:
    """Return `tokens=word+stem`, as it was given for all metrics → the metrics that do not take it.

    >>> left_as_is(parse_metrics("TokenF1 chrF", {"tokens": "word+stem"}), {"tokens": "word+stem"})
    {'tokens=word+stem': ('chrF',)}
    """
    metric_list = list(metrics)
    unaffected = {
        f"{name}={value}": tuple(
            str(metric) for metric in metric_list if not any(name in inner.settings for inner in metric.with_inner())
        )
        for name, value in reading.items()
        if value
    }
    return {option: names for option, names in unaffected.items() if names}


def reading_facts(metrics: Iterable[Metric], reading: ReadingOptions) -> dict[str, object]:
    """Return the facts about options for reading texts that were given for all metrics."""
    chosen = list(metrics)
    return {LEFT_AS_IS: left_as_is(chosen, reading), COUNTING_ARTICLES: _counting_articles(chosen, reading)}


def _counting_articles(metrics: Iterable[Metric], reading: ReadingOptions) -> tuple[str, ...]:
    """Return the metrics that drop articles by default, but count them with these `tokens`."""
    tokens = reading.get("tokens", "")
    inner = dict.fromkeys(each for metric in metrics for each in metric.with_inner())
    return tuple(
        str(each)
        for each in inner
        if kind_of(tokens) in OWN and _DROPPED not in tokens and each.settings.get("tokens") == tokens
        if _DROPPED in str(Metric.of(each.spec.name).settings["tokens"])
    )
