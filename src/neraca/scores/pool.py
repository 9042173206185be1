"""Pools: the documents that several runs return, and which of them to judge next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from neraca.datasets.trec.file_encoding import files_in
from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.scorable import Scorable, constant
from neraca.number_format import percent
from neraca.people.pool import Coverage, Pool, PoolDocument, union
from neraca.people.pool_selection import Selection, choose
from neraca.people.sample import Drawn, draws_of
from neraca.records import Hit
from neraca.scores.pool_effect import expected_changes
from neraca.scores.sources.documents import read_documents
from neraca.scores.sources.pool_sources import PoolSources, read_pool_sources
from neraca.scores.sources.ranked_lists import Rankings
from neraca.translation import say
from neraca.verdicts.raters import read_rule
from neraca.verdicts.source import SOURCES

#: The default metric of the strategy `change`.
METRIC = "nDCG@10"
#: The depth to which runs are read for a metric without a cutoff.
_WHOLE = 1000
#: A change up to this is due to rounding.
_ROUNDING = 1e-12


def pool(
    runs: Any,
    depth: int = 10,
    *,
    qrels: Any = (),
    topics: Any = None,
    documents: Any = None,
    relevance: str = "auto",
    combine: str = "",
    encoding: str | None = None,
    strategy: str = "depth",
    n: int | None = None,
    strata: str = "",
    metric: str = "",
    seed: int = 0,
) -> Pool:
    """Pool what runs return, and choose what to judge.

    Parameters
    ----------
    runs
        Run folders, TREC files, query → document → score, data frames; one, a list, or a mapping from names to them.
        A run folder that is itself a pool gives its verdicts and no documents.
    depth
        The number of first documents of each run and question that form the pool; a stratified sample has its own.
    qrels
        Judgments as in `trec`, or a list of them, such as a file of each rater.  Verdicts in run folders count, too.
    topics
        A data set, or its path, with the questions of TREC runs.
    documents
        A table, or its path, with the texts of documents, for raters: an id and a text in each row.
    relevance
        The source whose judgments count: `auto` (every source), `human`, `qrels`, …  Documents that only other sources
        judged count as unjudged.
    combine
        The rule for documents that several qrels judge: `median` (the lower one), `majority`, `mean` or `newest` (the
        last file).  "": the majority if all grades are 0 or 1, else the lower median.
    encoding
        The encoding of those of the files that are not UTF-8, such as `cp1252`; None: that of their byte order mark.
    strategy
        The way to choose documents: `depth`, `rrf`, `uniform`, `stratified`, `move-to-front`, `max-mean` or `change`.
    n
        The number of documents to choose for each question; with `change`, for all questions together.  None: the
        strategy takes no number.
    strata
        Ascending depths of a stratified sample with the share of each, such as `10=1 100=0.2`.
    metric
        The metric whose difference `change` looks at; "": nDCG@10.
    seed
        Seed of every random order and sample.

    Raises
    ------
    InputError
        If a file cannot be read, or runs and qrels do not belong together.
    SpecError
        If the strategy is unknown, lacks a setting, or does not take one.

    Examples
    --------
    >>> runs = {"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d3": 2, "d1": 1}}}
    >>> pooled = pool(runs, 2, qrels={"q": {"d1": 1}})
    >>> sorted(document.document_id for document in pooled.documents), pooled.coverage[0].judged
    (['d2', 'd3'], 0.5)
    """
    selection = Selection(strategy=strategy, n=n, strata=strata, metric=metric, seed=seed)
    if depth < 1:
        raise SpecError(say("the depth of a pool is at least 1, not {depth}", depth=depth))
    if selection.strata_by_depth:
        depth = selection.strata_by_depth[-1].depth
    change_in = Metric.of(metric or METRIC) if strategy == "change" else None
    read_depth = depth if change_in is None else max(depth, _depth_of(change_in))
    judgments = list(qrels) if isinstance(qrels, list | tuple) else [qrels]
    with files_in(encoding):
        sources = read_pool_sources(runs, read_depth, judgments, topics, relevance, combine=read_rule(combine))
        pooled = _pooled(sources, selection, depth, change_in)
        return pooled if documents is None else replace(pooled, hits={**pooled.hits, **_texts(pooled, documents)})


def _texts(pooled: Pool, documents: Any) -> dict[tuple[str, str], Hit]:
    """Return the texts in a table of those documents to judge for which no run has a text."""
    places = [(document.query_id, document.document_id) for document in pooled.documents]
    without_text = [place for place in places if place not in pooled.hits or not pooled.hits[place].text]
    texts = read_documents(documents, {document for _, document in without_text})
    return {place: texts[place[1]] for place in without_text if place[1] in texts}


def _pooled(sources: PoolSources, selection: Selection, depth: int, metric: Metric | None) -> Pool:
    """Pool the runs down to a depth and choose what to judge; `metric` is that of the strategy `change`."""
    rankings, judged = [*sources.rankings.values()], sources.relevance.grades
    pooled = union(rankings, depth)
    in_order = {question: pooled[question] for question in sources.items if question in pooled}
    if metric is None:
        documents, note = _by_question(selection, in_order, rankings, judged), ""
    else:
        documents, note = _by_change(selection, in_order, rankings, judged, metric)
    return Pool(
        documents=tuple(documents),
        union={question: tuple(best) for question, best in in_order.items()},
        judged=judged,
        by=tuple(kind for kind in SOURCES if kind in sources.relevance.used),
        shared=tuple(sources.qrels.sentences(say(" (--combine names another rule)"))),
        coverage=tuple(_coverage(name, run, sources, depth) for name, run in sources.rankings.items()),
        items=sources.items,
        hits=sources.hits,
        depth=depth,
        settings=selection.settings,
        note=note,
    )


def _depth_of(metric: Metric) -> int:
    """Return the depth to which a metric looks into a ranking."""
    cutoff = dict(metric.params).get("at")
    return cutoff if isinstance(cutoff, int) and cutoff else _WHOLE


def _by_question(
    selection: Selection,
    pooled: Mapping[str, Mapping[str, int]],
    rankings: Sequence[Rankings],
    judged: Mapping[str, Mapping[str, float]],
) -> list[PoolDocument]:
    documents: list[PoolDocument] = []
    for question, best in pooled.items():
        of_question = [run.get(question, ()) for run in rankings]
        documents += _in_order(question, choose(selection, question, best, of_question, judged.get(question, {})))
    return documents


def _by_change(
    selection: Selection,
    pooled: Mapping[str, Mapping[str, int]],
    rankings: Sequence[Rankings],
    judged: Mapping[str, Mapping[str, float]],
    metric: Metric,
) -> tuple[list[PoolDocument], str]:
    """Return the documents with the largest expected change, and a note on the size of these changes."""
    candidates = {
        question: [document for document in sorted(best) if document not in judged.get(question, ())]
        for question, best in pooled.items()
    }
    changes = expected_changes(rankings, judged, candidates, metric)
    draws = draws_of(selection.seed, "")
    chances = {place: draws.random() for place in changes}  # equal changes in a random order
    largest = sorted(
        (place for place in changes if changes[place] > _ROUNDING), key=lambda p: (-changes[p], chances[p])
    )
    chosen = largest[: selection.n]
    documents = chain.from_iterable(
        _in_order(question, [Drawn(document, "change", math.nan) for q, document in chosen if q == question])
        for question in pooled
    )
    total = sum(changes.values())
    share = percent(sum(map(changes.__getitem__, chosen)) / total) if total else ""
    note = say(
        "Chosen by the expected change of the difference of two runs in {metric} (mean of all questions; largest "
        "{largest:.3g}){share}; {n:,} unjudged documents would change nothing.",
        metric=metric,
        largest=changes[chosen[0]] if chosen else 0,
        share=say(", {share} of what all of them would", share=share) if total else "",
        n=len(changes) - len(largest),
    )
    return list(documents), note


def _in_order(question: str, drawn: Sequence[Drawn]) -> list[PoolDocument]:
    return [PoolDocument(question, draw.document, order, *draw[1:]) for order, draw in enumerate(drawn, start=1)]


def _coverage(name: str, run: Rankings, sources: PoolSources, depth: int) -> Coverage:
    """Return the judged share of a run down to a depth."""
    tops = [documents[:depth] for documents in run.values()]
    grades = [sources.relevance.grades.get(question, {}) for question in run]
    columns = {
        "grades": constant(GradedHits.of(tops, grades)),
        "known": constant(
            KnownGrades.of([grade_by_document.values() for grade_by_document in grades], sources.relevance.top)
        ),
    }
    values = score_metric(Metric.of(f"Judged@{depth}"), Scorable(name, len(tops), columns)).per_answer
    places = [
        (documents, grade_by_document) for documents, grade_by_document in zip(tops, grades, strict=True) if documents
    ]
    unjudged = sum(
        document not in grade_by_document
        for documents, grade_by_document in places
        for document in dict.fromkeys(documents)
    )
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else math.nan
    return Coverage(name, len(places), sum(len(documents) for documents, _ in places), unjudged, mean)
