"""How texts are read, said once for all metrics: `tokens` and `norm` for each metric that takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from neraca.metrics.metric import Metric
from neraca.metrics.text.normalize import normal_form

#: The fact of scores that names the metrics which do not take a parameter that was given for all.
LEFT_AS_IS = "left_as_is"


class ReadingOptions(TypedDict, total=False):
    """How metrics read texts, unless their own brackets say otherwise; "" is as each of them does.

    `tokens`: how words are read, such as `word+stem`; `norm`: the form of Unicode, `nfc` or `nfkc`.
    """

    tokens: str
    norm: str


def read_so(metrics: str | Metric | Iterable[str | Metric], reading: ReadingOptions) -> list[Metric]:
    """Return metrics by names, each reading texts so where it takes the parameter and its name does not give it.

    Raises
    ------
    SpecError
        For an unknown metric, or a form of Unicode that there is not.

    Examples
    --------
    >>> list(map(str, read_so("TokenF1 ROUGE-L(tokens=space) chrF RR", {"tokens": "word+stem", "norm": "nfkc"})))
    ['TokenF1(tokens=word+stem)', 'ROUGE-L(tokens=space)', 'chrF(norm=nfkc)', 'RR']
    """
    if norm := reading.get("norm", ""):
        normal_form(norm)
    return Metric.several(metrics, **{name: value for name, value in reading.items() if value})


def left_as_is(metrics: Iterable[Metric], reading: ReadingOptions) -> Mapping[str, tuple[str, ...]]:
    """Return `tokens=word+stem`, as it was given for all metrics → the metrics that do not take it.

    >>> left_as_is(read_so("TokenF1 chrF", {"tokens": "word+stem"}), {"tokens": "word+stem"})
    {'tokens=word+stem': ('chrF',)}
    """
    known = list(metrics)
    left = {
        f"{name}={value}": tuple(str(metric) for metric in known if not _takes(metric, name))
        for name, value in reading.items()
        if value
    }
    return {what: names for what, names in left.items() if names}


def _takes(metric: Metric, name: str) -> bool:
    return any(name in inner.settings for inner in metric.with_inner())
