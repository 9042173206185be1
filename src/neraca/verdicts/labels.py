"""The relevance that questions carry (their qrels) as verdicts, to compare them with judges' verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from neraca.grades import UNJUDGED
from neraca.records import Item, Verdict
from neraca.verdicts.source import QRELS


def label_verdicts(items: Iterable[Item]) -> Iterator[Verdict]:
    """Yield a verdict by `qrels` for each document that a question says the relevance of.

    >>> [(v.about, v.value, v.by) for v in label_verdicts([Item(id="1", query="rooms?", relevant={"d1": 2, "d2": 0})])]
    [('hit:d1', 2.0, 'qrels'), ('hit:d2', 0.0, 'qrels')]
    """
    for item in items:
        for document, label in (item.relevant or {}).items():
            if label != UNJUDGED:
                about = f"hit:{document}"
                yield Verdict(item=item.id, about=about, aspect="relevance", by=QRELS, value=float(label))
