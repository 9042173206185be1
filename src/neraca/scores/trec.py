"""Runs against qrels: what trec_eval does, for TREC files, mappings, data frames and the answers of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import compress, islice
from typing import Any

import numpy as np

from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.errors import InputError, SpecError
from neraca.metrics.aliases import of_trec_eval
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.scorable import Scorable, constant
from neraca.scores.ranking_basis import reordered
from neraca.scores.scores import Scores
from neraca.scores.scoring import run_scores, score_parts, scores_of
from neraca.scores.sources.trec_sources import (
    SHOWN,
    columns_of_topics,
    is_run,
    named,
    queries_of,
    read_qrels,
    read_run,
    suspects,
)
from neraca.scores.unit import AUTO

#: Sums of more than this would lose the small grades beside it.
LARGEST = 1e15


def trec(
    qrels: Any,
    runs: Any,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    only_answered: bool = False,
    relevant_from: float | None = None,
    single: bool = False,
    topics: Any = None,
    unit: str = AUTO,
) -> Scores:
    """Score runs with qrels.

    Parameters
    ----------
    qrels
        A TREC file, a BEIR folder or its `qrels/*.tsv`, query → document → grade, or a data frame (polars, pandas).
    runs
        A TREC file, query → document → score, a data frame, or the folder of a run; or a list of them, or a mapping
        from names to them.
    metrics
        Names (`"nDCG@10 AP RBP(p=0.8)"`, or a list), ours or trec_eval's (`map`, `P_5,10`).
    only_answered
        Average over the judged queries that a run has documents for; else those it lacks count as 0, as with
        `trec_eval -c`.
    relevant_from
        Smallest grade that is relevant, in metrics that take `rel` and are not given one; None: their own default, 1.
    single
        Rank by scores rounded to single precision, as pytrec_eval does.
    topics
        A data set, or its path, with questions, tags and sessions of the queries; other queries in it are ignored.
    unit
        As in `score`, by these sessions and tags.

    Raises
    ------
    InputError
        For files that cannot be read, documents that stand twice, scores and grades that are no numbers, and where
        no query of a run is judged.
    SpecError
        For an unknown metric, or one that needs more than judged documents.

    Examples
    --------
    >>> scores = trec({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["RR", "nDCG@10"])
    >>> scores.mean("RR"), scores.by_item("RR")
    (0.5, {'q1': 0.5})
    """
    chosen = trec_metrics(metrics, relevant_from)
    if not chosen:
        raise SpecError("there is no metric to score with; name at least one, such as nDCG@10")
    judgments = read_qrels(qrels)
    known = {} if topics is None else columns_of_topics(topics, judgments.queries)
    read_all = ((name, source, read_run(name, source, judgments, single)) for name, source in named(runs))
    parts = [scorable_of_judged(*one, judgments, only_answered, known) for one in read_all]
    group = score_parts(parts, chosen)
    read = partial(trec_metrics, relevant_from=relevant_from)
    facts = {"complete": not only_answered}
    return scores_of([run_scores(part, chosen) for part in parts], chosen, group, unit=unit, read=read, facts=facts)


def trec_metrics(metrics: Any, relevant_from: float | None = None) -> list[Metric]:
    """Metrics by our names or trec_eval's, each once; raises `SpecError`."""
    if relevant_from is not None and not (isinstance(relevant_from, int | float) and math.isfinite(relevant_from)):
        raise SpecError(f"the smallest relevant grade is a number, not {relevant_from!r}")
    defaults = {} if relevant_from is None else {"rel": relevant_from}
    several = [metrics] if isinstance(metrics, str | Metric) else metrics
    if isinstance(several, Iterable):
        several = [of_trec_eval(name) if isinstance(name, str) else name for name in several]
    return Metric.several(several, **defaults)


def scorable_of_judged(
    name: str,
    source: Any,
    judged: RankedJudgments,
    qrels: Qrels,
    only_answered: bool,
    more: Mapping[str, Callable[[], Any]],
) -> Scorable:
    """The judged hits of a run beside its qrels: a row for each judged query; raises `InputError` without any."""
    if not judged.returned.any():
        check_common(name, source, qrels)
    out, n = suspects(source), len(qrels.queries)
    left_out = np.array([query in out for query in qrels.queries], dtype=bool) if out else np.zeros(n, dtype=bool)
    if only_answered:
        left_out |= judged.returned == 0
    columns: dict[str, Callable[[], Any]] = {
        "ids": lambda: qrels.queries,
        "item_ids": lambda: qrels.queries,
        "left_out": lambda: left_out if left_out.any() else None,
        "facts": lambda: _facts(source, judged, qrels, out),
        "grades": partial(_graded, judged, qrels),
        "known": partial(_known, qrels),
        "subtopics": lambda: [qrels.topics(query) for query in qrels.queries],
        "subtopic_hits": partial(_subtopic_hits, judged, qrels),
        "available": lambda: frozenset({"grades"}),
        **more,
    }
    columns["orders"] = partial(_orders, name, n, columns.copy(), judged)
    return Scorable(name, n, columns, holds="judged documents, such as texts or verdicts")


def _graded(judged: RankedJudgments, qrels: Qrels) -> GradedHits:
    flat, place = np.array(qrels.flat, dtype=np.float64), judged.place
    return GradedHits(np.where(place >= 0, flat[place], -np.inf), judged.rank, judged.owner, judged.returned)


def _orders(
    name: str, n: int, columns: Mapping[str, Callable[[], Any]], judged: RankedJudgments
) -> tuple[Scorable, ...]:
    """The same run with its tied documents in their worst and in their best order; nothing where none are tied."""
    if judged.ties is None:
        return ()
    return tuple(
        Scorable(name, n, {**columns, "grades": constant(hits)}) for hits in reordered(columns["grades"](), judged.ties)
    )


def _known(qrels: Qrels) -> KnownGrades:
    flat, lengths = np.array(qrels.flat, dtype=np.float64), np.array(qrels.lengths, dtype=np.int64)
    top = max(1.0, float(flat.max()))
    if top > LARGEST:
        raise InputError(f"{qrels.source}: a grade is too large: {top:g}; grades go up to {LARGEST:g}")
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return KnownGrades.sorted(flat[np.lexsort((-flat, owner))], lengths, top)


def _subtopic_hits(judged: RankedJudgments, qrels: Qrels) -> list[list[tuple[int, frozenset[str]]]]:
    known = [qrels.topics(query) for query in qrels.queries]
    hits: list[list[tuple[int, frozenset[str]]]] = [[] for _ in known]
    for owner, rank, place in zip(judged.owner, judged.rank, judged.place, strict=True):
        if place >= 0 and (topics := known[owner].get(qrels.documents[place])):
            hits[owner].append((int(rank), frozenset(topics)))
    return hits


def _facts(source: Any, judged: RankedJudgments, qrels: Qrels, suspect: Collection[str]) -> dict[str, Any]:
    """What a reader of the scores must know of a run."""
    absent = (judged.returned == 0).tolist()
    return {
        "queries": len(qrels.queries),
        "absent": sum(absent),
        "absent_names": tuple(islice(compress(qrels.queries, absent), SHOWN)),
        "unjudged_queries": judged.unjudged_queries,
        "suspect": len(suspect),
        "trials": source.manifest.trials if is_run(source) else 1,
        "tied": judged.ties.lines / max(1, int(judged.returned.sum())) if judged.ties else math.nan,
        "subtopics": bool(qrels.subtopics),
    }


def check_common(name: str, source: Any, qrels: Qrels) -> None:
    """Raise `InputError` where run and qrels have no query in common."""
    run_queries = queries_of(source)
    if not run_queries:
        raise InputError(f"{name}: there is no query in it")
    if not any(query in qrels.grades for query in run_queries):
        theirs, judged = (", ".join(map(repr, islice(queries, SHOWN))) for queries in (run_queries, qrels.queries))
        explanation = f"the run has {theirs}, the qrels {judged}; do the two belong together?"
        raise InputError(f"{name}: none of its queries is judged in {qrels.source}: {explanation}")
