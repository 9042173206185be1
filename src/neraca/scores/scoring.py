"""From scorables to scores: the one way from data to numbers, for runs, TREC runs, texts and ready values.

`prepare` collects the facts about all parts that scoring the first one needs, `score_parts` scores the same part of all
runs, and `merge` joins the parts of a run.  Parts are whole runs, blocks of rows, or the work of several machines.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from neraca.categorical import Categorical
from neraca.errors import SpecError
from neraca.metrics.counts import Counts, check_offered, score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import RunGroup, Scorable
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import AUTO, unit_of

if TYPE_CHECKING:
    from neraca.language_detection import Detected

B = TypeVar("B")
INTERVALS = ("t", "bca", "percentile")


@dataclass(frozen=True, eq=False)
class Prepared:
    """Facts about all parts that are needed before the first is scored.

    Attributes
    ----------
    language
        The language of answers without one of their own: a code, `auto` or "".
    detected
        The language that was detected in all parts; None if it was not looked for.
    shared
        Facts about all parts that views need, by the kind of view.
    """

    language: str = ""
    detected: Detected | None = None
    shared: Mapping[type, Mapping[Any, Any]] = field(default_factory=dict)


def score_parts(parts: Sequence[Scorable], metrics: Sequence[Metric], prepared: Prepared | None = None) -> RunGroup:
    """Score the same part of several runs; each part keeps its counts.

    Return the group of parts, which knows the languages.  Raise `SpecError` if a metric needs a missing column.
    """
    facts = prepared or Prepared()
    group = RunGroup(parts, facts.language, facts.shared)
    for part in parts:
        for metric in metrics:
            check_offered(metric, part)
    for part in parts:
        for metric in metrics:
            score_metric(metric, part)
    return group


def one_by_one(blocks: Iterable[B]) -> Iterator[B]:
    """Yield blocks of a large input, and free the memory of each before the next one is read.

    The objects made from a block refer to each other and are few but large.  Without `gc.collect`, Python would free
    them too late, and memory would grow.  What was there before is not looked through after each block: in a process
    that holds millions of objects, this took longer than scoring.
    """
    frozen = gc.get_freeze_count() > 0  # by the process itself, or by a loop around this one
    if not frozen:
        gc.freeze()
    try:
        for block in blocks:
            yield block
            del block
            gc.collect()
    finally:
        if not frozen:
            gc.unfreeze()


def run_scores(part: Scorable, metrics: Iterable[Metric], *, keep: bool = True) -> RunScores:
    """Return the counts of the metrics in a part; with `keep`, its texts and verdicts can still be looked up.

    Items, sessions and tags come from the columns `item_ids`, `clusters`, `tags`, `item`, `trial`, `trials`,
    `left_out`, `lacking` and `facts`, if the part offers them.
    """
    optional_columns = ("tags", "item", "trial", "trials", "left_out", "lacking", "facts")
    columns = {name: part.column(name) for name in optional_columns if part.offers(name)}
    ids = part.column("item_ids") if part.offers("item_ids") else range(part.n)
    clusters = part.column("clusters") if part.offers("clusters") else np.arange(len(ids))
    counts = {str(metric): score_metric(metric, part) for metric in metrics}
    return RunScores(part.name, ids, counts, clusters, scorable=part if keep else None, **columns)


def merge(parts: Sequence[RunScores]) -> RunScores:
    """Join the parts of one run in which each item has one answer.

    If an id is empty or occurs twice, or a part has no ids, the items are numbered from 0.
    """
    first = parts[0]
    ids: Sequence[Any] = range(sum(map(len, parts)))
    if not any(isinstance(part.ids, range) for part in parts):
        distinct_ids = dict.fromkeys(name for part in parts for name in part.ids)
        ids = list(distinct_ids) if len(distinct_ids) == len(ids) and "" not in distinct_ids else ids
    if len(parts) == 1:
        return replace(first, ids=ids)
    counts = {name: Counts.joined([part.counts[name] for part in parts]) for name in first.counts}
    tags = {name: Categorical.joined([part.tags[name] for part in parts]) for name in first.tags}
    clusters = np.concatenate([part.clusters for part in parts])
    facts = {name: sum(part.facts[name] for part in parts) for name in first.facts}
    return replace(first, ids=ids, counts=counts, clusters=clusters, tags=tags, facts=facts, scorable=None)


def scores_of(
    runs: Sequence[RunScores], metrics: Sequence[Metric], languages: Languages, *, unit: str = AUTO, **how: Any
) -> Scores:
    """Put the scores of runs together, with this unit, and with the signatures of metrics that read texts."""
    scores = by_unit(Scores(tuple(runs), tuple(metrics), **how), unit)
    if not (text_metrics := [metric for metric in scores.scored if metric.reads_texts]):
        return scores
    from neraca.metrics.text.signature import signatures

    detected = languages.detected
    signature_by_metric = signatures(text_metrics, languages.languages, detected.code if detected else "")
    return replace(scores, signatures=signature_by_metric, detected=detected)


def by_unit(scores: Scores, unit: str) -> Scores:
    """Return scores with another unit as one observation (see `unit_of`); raise `SpecError` for an unknown unit."""
    sessions = [run.clusters if run.sessions is None else run.sessions for run in scores.runs]
    units = [unit_of(unit, run_sessions, run.tags) for run_sessions, run in zip(sessions, scores.runs, strict=True)]
    runs = [
        replace(run, clusters=clusters, sessions=run_sessions)
        for run, run_sessions, (_, clusters) in zip(scores.runs, sessions, units, strict=True)
    ]
    return replace(scores, runs=tuple(runs), unit=units[0][0])


class Languages(Protocol):
    """The languages of the texts: their codes, and the language that was detected."""

    @property
    def languages(self) -> Sequence[str]:
        """Codes, sorted; "" for texts without a language."""

    @property
    def detected(self) -> Detected | None:
        """The language that was detected; None if it was not looked for."""


def check_level(level: float) -> None:
    """Raise `SpecError` if the level is not between 0 and 1."""
    if not 0 < level < 1:
        raise SpecError(f"the level of confidence is a share such as 0.95, not {level:g}")
