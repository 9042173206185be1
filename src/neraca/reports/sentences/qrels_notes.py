"""Note what qrels do to values: queries at 0 because of their judgments, and `empty=correct` without effect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from neraca.counts_and_lists import count
from neraca.grades import UNJUDGED
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import KnownGrades
from neraca.metrics.scorable import Scorable
from neraca.scores.ranking_basis import last_rank
from neraca.scores.scores import Scores
from neraca.translation import say

Mask = NDArray[np.bool_]


def empty_answers_of_qrels(scores: Scores) -> Iterator[str]:
    """Note metrics with `empty=correct` on TREC runs: qrels do not say for which queries an empty answer is right."""
    names = [
        str(metric)
        for metric in scores.metrics
        if any(inner.spec.params.get("empty") == "correct" for inner in metric.with_inner())
    ]
    if names and scores.runs and all("queries" in run.facts for run in scores.runs):
        yield say(
            "empty=correct finds no right empty answer here ({names}): qrels do not say which queries expect no "
            "document; the questions of a run folder do, so neraca score of the folder may give another value",
            names=", ".join(names),
        )


def queries_at_zero(scores: Scores) -> Iterator[str]:
    """Note how many queries without a judged document, and how many without a relevant one, count as 0 in every run.

    trec_eval counts both kinds, too.  TREC runs alone have them: a question of a run folder may expect nothing, and
    has no value if nobody judged a document.
    """
    if not scores.runs:
        return
    run = scores.runs[0]
    metrics = [metric for metric in scores.metrics if last_rank(metric) and not metric.diagnostic]
    if "queries" not in run.facts or not metrics or run.scorable is None or not run.scorable.offers("known"):
        return
    queries = count(len(run), "query", "queries")
    for (n, unjudged), names in _metrics_by_kind(scores, run.scorable, metrics).items():
        where = "" if len(names) == len(metrics) else say(" in {names}", names=", ".join(names))
        if unjudged:
            yield say(
                "no document is judged for {n} of {queries} (each grade is -1): counted as 0{where}, as by trec_eval "
                "-c; to leave these out, delete their lines from the qrels",
                n=n,
                queries=queries,
                where=where,
            )
        else:
            yield say(
                "no judged document is relevant for {n} of {queries}: counted as 0{where} in every run, as by "
                "trec_eval -c; they lower each mean and tell no runs apart",
                n=n,
                queries=queries,
                where=where,
            )


def unjudged_questions(scores: Scores) -> Iterator[str]:
    """Note how many questions of run folders are left out because each of their documents has the grade -1.

    A question with other judgments, by a person or a judge, or with a known expectation counts.
    """
    part = scores.runs[0].scorable if scores.runs else None
    if part is None or scores.relevance is None or not part.offers("item_records"):
        return
    from neraca.reports.blocks.tables import about_hits  # takes msgspec, which scoring small TREC files does without

    if not about_hits(scores):
        return
    items = part.column("item_records")
    n = sum(
        1
        for item in items
        if item.relevant and not item.expected and not item.judged and item.id not in scores.relevance.grades
    )
    if n:
        yield say(
            "no document is judged for {n} of {questions} (each grade is -1): left out, like questions without "
            "judgments",
            n=n,
            questions=count(len(items), "question"),
        )


def _metrics_by_kind(scores: Scores, part: Scorable, metrics: list[Metric]) -> dict[tuple[int, bool], list[str]]:
    """Return (queries at 0, whether these have no judged document) → the metrics with this number; numbers are > 0.

    `part` has the judgments of the first run.
    """
    run = scores.runs[0]
    judgments: KnownGrades = part.column("known")
    owner = judgments.owner if run.item is None else run.item[judgments.owner]

    def has(chosen: Mask) -> Mask:
        return np.bincount(owner[chosen], minlength=len(run)) > 0

    listed, judged = has(np.ones(len(judgments.grade), dtype=bool)), has(judgments.grade != UNJUDGED)
    names: dict[tuple[int, bool], list[str]] = {}
    for metric in metrics:
        relevant = has(judgments.grade >= _smallest_relevant(metric))
        at_zero = _at_zero(scores, metric)
        for unjudged, rows in ((True, listed & ~judged), (False, judged & ~relevant)):
            if total := int((rows & at_zero).sum()):
                names.setdefault((total, unjudged), []).append(str(metric))
    return dict(sorted(names.items(), key=lambda pair: not pair[0][1]))


def _smallest_relevant(metric: Metric) -> float:
    """Return the smallest grade that any part of the metric takes as relevant; without `rel`, any grade above 0 is."""
    levels = [inner.settings["rel"] for inner in metric.with_inner() if "rel" in inner.settings]
    return min(map(float, levels), default=float(np.nextafter(0, 1)))


def _at_zero(scores: Scores, metric: Metric) -> Mask:
    """Return whether each query counts, and is 0 in every run that scores it, shape (n,)."""
    ids = scores.runs[0].ids
    alike = [run for run in scores.runs if run.ids is ids or list(run.ids) == list(ids)]  # folders may differ in theirs
    values = np.array([run.values(metric) for run in alike])
    return np.asarray((np.isnan(values) | (values == 0)).all(axis=0) & (values == 0).any(axis=0))
