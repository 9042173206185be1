"""Texts as scorables: the responses of several systems beside references, a block of rows at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from neraca.datasets.cells import blank
from neraca.metrics.answers import NO_REFERENCE
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable, constant
from neraca.records import ANSWER_STATUSES, FAILED, LEFT_OUT, REPLIED, Answer, Hit, Item
from neraca.scores.scores import RunScores
from neraca.scores.scoring import run_scores
from neraca.scores.text_facts import with_text_facts

#: Scored in addition to the metrics of the user: the length of responses.
WORDS = Metric.of("Words")


def scorables_of_texts(
    responses: Mapping[str, Callable[[], Sequence[str]]],
    references: Callable[[], Sequence[Sequence[str]]],
    n: int,
    *,
    start: int = 0,
    more: Mapping[str, Callable[[], Any]] | None = None,
    reasons: Mapping[str, Callable[[], Sequence[str]]] | None = None,
    statuses: Mapping[str, Callable[[], Sequence[str]]] | None = None,
) -> list[Scorable]:
    """Return a scorable for each system, over the same n rows; each column is made when it is first read.

    Parameters
    ----------
    responses
        System → its responses.
    references
        The references of each row; the best one counts.  A row without one is unscored by metrics that need one.
    start
        The number of rows before these.
    more
        Further columns, the same for every system: `language`, `query`, `contexts`, `ids`, `clusters`, `tags`, …
    reasons
        The reasons of these columns, as in `Scorable`.
    statuses
        System → the statuses of its answers; without them all are complete.
    """
    columns: dict[str, Callable[[], Any]] = {
        "ids": lambda: [str(number) for number in range(start, start + n)],
        "query": lambda: [""] * n,
        "contexts": lambda: [()] * n,
        "clusters": lambda: np.arange(start, start + n),
        "available": lambda: frozenset({"references"} if any(map(any, shared["references"]())) else ()),
        "items": lambda: _items(shared),
        "references": references,
    }
    shared = {name: cache(make) for name, make in (columns | dict(more or {})).items()}
    all_complete = constant(["complete"] * n)
    return [
        _scorable(name, n, (texts, cache((statuses or {}).get(name, all_complete))), shared, reasons or {})
        for name, texts in responses.items()
    ]


def _scorable(
    name: str,
    n: int,
    answers: tuple[Callable[[], Sequence[str]], Callable[[], Sequence[str]]],
    shared: Mapping[str, Callable[[], Any]],
    more_reasons: Mapping[str, Callable[[], Sequence[str]]],
) -> Scorable:
    """Return the scorable of a system, whose `answers` are texts and statuses."""
    texts, statuses = answers

    @cache
    def responses() -> Sequence[str]:
        pairs = zip(texts(), statuses(), strict=True)
        return [text if status in REPLIED else "" for text, status in pairs]

    columns: dict[str, Callable[[], Any]] = {
        "response": responses,
        "status": statuses,
        "failed": lambda: np.array([status in FAILED for status in statuses()], dtype=bool),
        "counted_answers": lambda: _answers(shared["items"](), responses(), statuses(), shared["contexts"]()),
        "facts": lambda: _facts(responses(), statuses()),
        **shared,
    }
    reasons: dict[str, Callable[[], Sequence[str]]] = {
        "": lambda: [LEFT_OUT.get(status, "") for status in statuses()],
        "references": lambda: ["" if _has_text(row) else NO_REFERENCE for row in shared["references"]()],
    }
    if "" in more_reasons:
        own = reasons[""]
        reasons[""] = lambda: [first or other for first, other in zip(own(), more_reasons[""](), strict=True)]
    return Scorable(name, n, columns, reasons={**more_reasons, **reasons}, holds="texts, such as hits or verdicts")


def _facts(responses: Sequence[str], statuses: Sequence[str]) -> dict[str, int]:
    """Count empty responses of the system, and answers by their statuses."""
    rows = zip(responses, statuses, strict=True)
    empty = sum(not text[:1].isalnum() and status in REPLIED and blank(text) for text, status in rows)
    by_status = Counter(statuses)
    return {"empty": empty, **{f"status {status}": by_status[status] for status in ANSWER_STATUSES}}


def _has_text(texts: Sequence[str]) -> bool:
    return any(text[:1].isalnum() or (text and not text.isspace()) for text in texts)


def _items(columns: Mapping[str, Callable[[], Any]]) -> list[Item]:
    """Return an item for each row, for users' metrics that read items."""
    codes = columns["language"]() if "language" in columns else [""] * len(columns["ids"]())
    extras = columns["extra"]() if "extra" in columns else [{}] * len(codes)
    rows = zip(columns["ids"](), columns["query"](), columns["references"](), codes, extras, strict=True)
    return [
        Item(id=name, query=query, references=tuple(references), tags={"language": code} if code else {}, extra=extra)
        for name, query, references, code, extra in rows
    ]


def _answers(
    items: Iterable[Item], texts: Iterable[str], statuses: Iterable[Any], contexts: Iterable[Sequence[str]]
) -> list[Answer]:
    return [
        Answer(
            item=item.id,
            text=text,
            status=status,
            hits=tuple(Hit(id=str(n), text=context) for n, context in enumerate(contexts_of_row)),
        )
        for item, text, status, contexts_of_row in zip(items, texts, statuses, contexts, strict=True)
    ]


def scores_of_texts(parts: Sequence[Scorable], metrics: Sequence[Metric]) -> list[RunScores]:
    """Return the scores of these rows and the lengths of their responses, without the texts."""
    runs = [run_scores(part, dict.fromkeys([*metrics, WORDS]), keep=False) for part in parts]
    return [with_text_facts(run, part, metrics) for run, part in zip(runs, parts, strict=True)]
