"""The verdicts of models on which the value of a metric rests, in one run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neraca.metrics.metric import Metric
from neraca.metrics.rag.decided_by import ModelVerdicts, verdicts_of_models
from neraca.metrics.scorable import Scorable
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.scores import RunScores, Scores
from neraca.verdicts.labels import label_verdicts
from neraca.verdicts.raters import RELEVANCE
from neraca.verdicts.source import judge_of, matches, source_of

#: The kind of the verdicts that decide whether a hit is relevant (see `evidence_of`).
ON_HITS = frozenset({f"hit {RELEVANCE}"})
#: Sources that decide on the relevance of a hit before a model does.
_BEFORE_MODELS = ("human", "qrels", "rules")


def judged_parts(scores: Scores) -> list[Scorable]:
    """Return the answers of the runs that have verdicts."""
    parts = [run.scorable for run in scores.runs if run.scorable is not None]
    return [part for part in parts if part.offers("verdicts")]


def verdicts_behind(metric: Metric, run: RunScores, scores: Scores) -> list[ModelVerdicts]:
    """Return the verdicts of models on which a metric of one run rests, also those that decide relevance."""
    part = run.scorable
    if part is None or not part.offers("verdicts"):
        return []
    return part.once(("verdicts behind", str(metric)), lambda: list(_behind(metric, part, scores)))


def _behind(metric: Metric, part: Scorable, scores: Scores) -> Iterator[ModelVerdicts]:
    for inner in metric.with_inner():
        yield from verdicts_of_models(inner, part)
        if "grades" in inner.needs and not inner.diagnostic:
            yield from part.once("models on hits", lambda: list(_on_hits(part, scores)))


def _on_hits(part: Scorable, scores: Scores) -> Iterator[ModelVerdicts]:
    """Yield the verdicts of each model that decide whether hits are relevant."""
    relevance = scores.relevance
    if relevance is None or not relevance.used.get("llm"):
        return
    table: VerdictTable = part.column("verdicts").table
    chosen = "" if relevance.source.startswith("auto") else relevance.source
    decided = table.on_hits & table.aspect.isin([RELEVANCE]) & ~np.isnan(table.value)
    rows = np.flatnonzero(decided & table.by.where(lambda name: source_of(name) == "llm" and matches(name, chosen)))
    if not chosen:
        overruled = part.group.once("decided before models", lambda: _before_models(scores))
        kept = [(table.item[row], table.about[row]) not in overruled for row in rows.tolist()]
        rows = rows[np.array(kept, dtype=bool)]
    names = np.array([judge_of(table.by[row]) for row in rows.tolist()], dtype=np.str_)
    for judge in sorted(set(names.tolist())):
        yield ModelVerdicts(judge, RELEVANCE, ON_HITS, rows[names == judge])


def _before_models(scores: Scores) -> set[tuple[str, str]]:
    """Return the hits, as (item, about), whose relevance people, rules or the questions themselves decide."""
    decided: set[tuple[str, str]] = set()
    for part in judged_parts(scores):
        table: VerdictTable = part.column("verdicts").table
        before = table.by.where(lambda name: source_of(name) in _BEFORE_MODELS)
        rows = np.flatnonzero(table.on_hits & before & ~np.isnan(table.value)).tolist()
        decided.update((table.item[row], table.about[row]) for row in rows)
    items = next((part.column("item_records") for part in judged_parts(scores) if part.offers("item_records")), ())
    decided.update((label.item, label.about) for label in label_verdicts(items))
    return decided
