"""Pools: the documents that several runs return, those that nobody judged, and the next ones to judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.scorable import Scorable, constant
from neraca.people.pool import Coverage, Pool, PoolDocument, union
from neraca.people.pool_selection import Selection, choose
from neraca.people.sample import Drawn, draws_of
from neraca.records import Hit
from neraca.scores.pool_effect import expected_changes
from neraca.scores.sources.pool_sources import PoolSources, Rankings, read_documents, read_pool_sources
from neraca.verdicts.source import SOURCES

#: In which `change` compares runs, where nobody says.
METRIC = "nDCG@10"
#: How deep runs are read for a metric that looks at all that they returned.
_WHOLE = 1000
#: A change up to this is one of rounding.
_ROUNDING = 1e-12


def pool(
    runs: Any,
    depth: int = 10,
    *,
    qrels: Any = (),
    topics: Any = None,
    documents: Any = None,
    relevance: str = "auto",
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
        The first so many documents of each run and question are the pool; a stratified sample has its own.
    qrels
        Judgments, as of `trec`; a list of several.  Verdicts in run folders count, too.
    topics
        A data set, or its path, with the questions of TREC runs.
    documents
        A table, or its path, with the texts of documents, for raters: an id and a text in each row.
    relevance
        The source whose judgments count: `auto` (everybody), `human`, `qrels`, …  What only others judged is to be
        judged.
    strategy
        The way to choose documents: `depth`, `rrf`, `uniform`, `stratified`, `move-to-front`, `max-mean` or `change`.
    n
        Number of documents to choose for each question, with `change` for all questions together.  None: the strategy
        takes no number.
    strata
        Rising depths of a stratified sample with the share of each, such as `10=1 100=0.2`.
    metric
        The metric whose difference `change` looks at; "": nDCG@10.
    seed
        Seed of every random order and sample.

    Raises
    ------
    InputError
        For files that cannot be read, and runs or qrels that do not belong together.
    SpecError
        The strategy is not known, lacks a setting, or does not take one.

    Examples
    --------
    >>> runs = {"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d3": 2, "d1": 1}}}
    >>> found = pool(runs, 2, qrels={"q": {"d1": 1}})
    >>> sorted(document.document_id for document in found.documents), found.coverage[0].judged
    (['d2', 'd3'], 0.5)
    """
    selection = Selection(strategy=strategy, n=n, strata=strata, metric=metric, seed=seed)
    if depth < 1:
        raise SpecError(f"the depth of a pool is at least 1, not {depth}")
    if selection.strata_by_depth:
        depth = selection.strata_by_depth[-1].depth
    change_in = Metric.of(metric or METRIC) if strategy == "change" else None
    read_depth = depth if change_in is None else max(depth, _depth_of(change_in))
    several = list(qrels) if isinstance(qrels, list | tuple) else [qrels]
    sources = read_pool_sources(runs, read_depth, several, topics, relevance)
    made = _pooled(sources, selection, depth, change_in)
    return made if documents is None else replace(made, hits={**made.hits, **_texts(made, documents)})


def _texts(made: Pool, documents: Any) -> dict[tuple[str, str], Hit]:
    """Return the text that a table has of each document to judge, if no run shows one."""
    places = [(one.query_id, one.document_id) for one in made.documents]
    silent = [place for place in places if place not in made.hits or not made.hits[place].text]
    texts = read_documents(documents, {document for _, document in silent})
    return {place: texts[place[1]] for place in silent if place[1] in texts}


def _pooled(sources: PoolSources, selection: Selection, depth: int, metric: Metric | None) -> Pool:
    """The pool of the runs down to a depth, with what is chosen of it; the metric is that of `change`."""
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
    """The documents with the largest expected change, and what they and all would change."""
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
    share = f", {sum(map(changes.__getitem__, chosen)) / total:.0%} of what all of them would" if total else ""
    largest_change = f"{changes[chosen[0]]:.3g}" if chosen else "0"
    note = (
        f"Chosen by the expected change of the difference of two runs in {metric} (mean of all questions; largest "
        f"{largest_change}){share}; {len(changes) - len(largest):,} unjudged documents would change nothing."
    )
    return list(documents), note


def _in_order(question: str, drawn: Sequence[Drawn]) -> list[PoolDocument]:
    return [PoolDocument(question, one.document, order, *one[1:]) for order, one in enumerate(drawn, start=1)]


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
