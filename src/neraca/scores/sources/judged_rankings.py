"""Judged rankings as scorables: the ranks of judged documents in a TREC run, beside the qrels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neraca.datasets.trec.file_encoding import declared_encoding
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.errors import InputError
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.scorable import Scorable, constant
from neraca.scores.ranking_basis import reordered
from neraca.scores.sources.run_names import is_run
from neraca.scores.sources.trec_sources import SHOWN, left_out_queries, queries_of

if TYPE_CHECKING:
    from neraca.records import Item
    from neraca.scores.sources.ranked_lists import AnswerReader

#: Largest grade; in sums with larger ones, small grades would be lost.
LARGEST = 1e15


def scorable_of_ranking(
    name: str,
    source: Any,
    judged: RankedJudgments,
    qrels: Qrels,
    only_answered: bool,
    columns_of_queries: Mapping[str, Callable[[], Any]],
    single: bool = False,
) -> Scorable:
    """Return a scorable with a row for each judged query.

    Parameters
    ----------
    judged
        The judged hits that were read from `source`.
    only_answered
        Whether to leave out the queries for which the run has no document.
    columns_of_queries
        Further columns, such as tags and sessions of the queries.
    single
        Whether `judged` was ranked by scores in single precision.

    Raises
    ------
    InputError
        No query of the run is judged.
    """
    if not judged.returned.any():
        check_common(name, source, qrels)
    why_left_out, n = left_out_queries(source), len(qrels.queries)
    left_out = np.array([query in why_left_out for query in qrels.queries], dtype=bool)
    if only_answered:
        left_out |= judged.returned == 0
    columns: dict[str, Callable[[], Any]] = {
        "ids": lambda: qrels.queries,
        "item_ids": lambda: qrels.queries,
        "left_out": lambda: left_out if left_out.any() else None,
        "facts": lambda: _facts(source, judged, qrels, why_left_out),
        "grades": partial(_graded_hits, judged, qrels),
        "known": partial(_known_grades, qrels),
        "subtopics": lambda: [qrels.topics(query) for query in qrels.queries],
        "subtopic_hits": partial(_subtopic_hits, judged, qrels),
        "available": lambda: frozenset({"grades"}),
        "judgments": lambda: qrels.grades,
        "answer_reader": partial(_answer_reader, name, source, single, declared_encoding()),
        "item_records": partial(_items, qrels),
        **columns_of_queries,
    }
    columns["orders"] = partial(_orders, name, n, columns.copy(), judged)
    return Scorable(name, n, columns, holds="judged documents, such as texts or verdicts")


def _answer_reader(name: str, source: Any, single: bool, encoding: str | None) -> AnswerReader:
    from neraca.scores.sources.ranked_lists import answer_reader  # its records are only needed where lists are shown

    return answer_reader(name, source, single, encoding)


def _items(qrels: Qrels) -> list[Item]:
    """Return the queries as questions without a text."""
    from neraca.records import Item

    return [Item(id=query, query="") for query in qrels.queries]


def _graded_hits(judged: RankedJudgments, qrels: Qrels) -> GradedHits:
    grades, place = np.array(qrels.flat, dtype=np.float64), judged.place
    return GradedHits(np.where(place >= 0, grades[place], -np.inf), judged.rank, judged.owner, judged.returned)


def _orders(
    name: str, n: int, columns: Mapping[str, Callable[[], Any]], judged: RankedJudgments
) -> tuple[Scorable, ...]:
    """Return the run with its tied documents in their worst and in their best order; () without ties."""
    if judged.ties is None:
        return ()
    return tuple(
        Scorable(name, n, {**columns, "grades": constant(hits)}) for hits in reordered(columns["grades"](), judged.ties)
    )


def _known_grades(qrels: Qrels) -> KnownGrades:
    grades, lengths = np.array(qrels.flat, dtype=np.float64), np.array(qrels.lengths, dtype=np.int64)
    top = max(1.0, float(grades.max()))
    if top > LARGEST:
        raise InputError(f"{qrels.source}: a grade is too large: {top:g}; grades go up to {LARGEST:g}")
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return KnownGrades.sorted(grades[np.lexsort((-grades, owner))], lengths, top)


def _subtopic_hits(judged: RankedJudgments, qrels: Qrels) -> list[list[tuple[int, frozenset[str]]]]:
    subtopics = [qrels.topics(query) for query in qrels.queries]
    hits: list[list[tuple[int, frozenset[str]]]] = [[] for _ in subtopics]
    for owner, rank, place in zip(judged.owner, judged.rank, judged.place, strict=True):
        if place >= 0 and (topics := subtopics[owner].get(qrels.documents[place])):
            hits[owner].append((int(rank), frozenset(topics)))
    return hits


def _facts(source: Any, judged: RankedJudgments, qrels: Qrels, why_left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return the facts about a run that readers of its scores need."""
    absent = (judged.returned == 0).tolist()
    return {
        "queries": len(qrels.queries),
        "absent": sum(absent),
        "absent_names": tuple(islice(compress(qrels.queries, absent), SHOWN)),
        "unjudged_queries": judged.unjudged_queries,
        "left_out": Counter(why_left_out.values()),
        "trials": source.manifest.trials if is_run(source) else 1,
        "tied": judged.ties.lines / max(1, int(judged.returned.sum())) if judged.ties else math.nan,
        "subtopics": bool(qrels.subtopics),
    }


def check_common(name: str, source: Any, qrels: Qrels) -> None:
    """Raise `InputError` if run and qrels have no query in common."""
    run_queries = queries_of(source)
    place = source.name if isinstance(source, Path) else name
    if not run_queries:
        raise InputError(f"{place}: there is no query in it")
    if not any(query in qrels.grades for query in run_queries):
        in_run, in_qrels = (", ".join(map(repr, islice(queries, SHOWN))) for queries in (run_queries, qrels.queries))
        explanation = f"the run has {in_run}, the qrels {in_qrels}; do the two belong together?"
        raise InputError(f"{place}: none of its queries is judged in {qrels.source}: {explanation}")
