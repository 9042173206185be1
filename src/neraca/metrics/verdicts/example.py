"""Constraint verdicts from a table of numbers: for examples, and to compute a metric by hand."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.metrics.batch import Batch, Relevance, opinions
from neraca.metrics.verdicts.checks import Checks
from neraca.records import Answer, Constraint, Hit, Item, Verdict


def checks(
    hits: Sequence[Sequence[float | None]],
    names: Sequence[str] = (),
    expects: str | None = "results",
    status: str = "complete",
) -> Checks:
    """The view of one answer: a row per hit, a column per constraint (1 pass, 0 fail, None missing).

    Examples
    --------
    >>> checks([[1, 0], [None, 1]]).value
    array([ 1.,  0., nan,  1.])
    """
    names = names or [f"c{number}" for number in range(max((len(row) for row in hits), default=0))]
    item = Item(id="1", query="?", constraints={name: Constraint(exact=1) for name in names}, expects=expects)  # type: ignore[arg-type]
    answer = Answer(item="1", hits=tuple(Hit(id=f"d{rank}") for rank in range(len(hits))), status=status)  # type: ignore[arg-type]
    said = [
        Verdict(item="1", about=f"hit:d{rank}", aspect=name, by="rules", value=value)
        for rank, row in enumerate(hits)
        for name, value in zip(names, row, strict=False)
    ]
    return Checks.of(Batch([(item, answer)], opinions(said), Relevance.of([item], [said])))
