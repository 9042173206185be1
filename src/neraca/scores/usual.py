"""Which metrics are scored where nobody names any: those for which the questions have what they need."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.records import Item

#: Of hits, where the questions say what is relevant, what a hit must be, or whether there should be any.
RANKED = ("P@5", "RR", "nDCG@10", "Success", "Coverage")
#: Of answers, where the questions have references.  TokenRecall leads: see there.
WORDED = ("TokenRecall", "TokenF1", "ROUGE-L", "METEOR", "TFIDF", "ExactMatch")


def usual_metrics(items: Iterable[Item]) -> tuple[str, ...]:
    """Names of metrics for these questions; those of hits where the questions say nothing at all.

    >>> usual_metrics([Item(id="1", query="How much?", references=("two",))])[0]
    'TokenRecall'
    """
    known = list(items)
    worded = any(item.references for item in known)
    ranked = any(item.relevant is not None or item.constraints or item.expects for item in known)
    return (*(RANKED if ranked or not worded else ()), *(WORDED if worded else ()))
