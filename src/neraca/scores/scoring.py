"""From scorables to scores: the one way from data to numbers, for runs, TREC runs, texts and ready values.

`prepare` learns from all parts what must be known before the first is scored, `score_parts` scores some parts of all
runs together, `merge` puts the parts of a run below each other: whole, block by block, or on several machines.
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
        The language that was looked for in all parts and found.
    shared
        Facts about all parts that views need, by the kind of view.
    """

    language: str = ""
    detected: Detected | None = None
    shared: Mapping[type, Mapping[Any, Any]] = field(default_factory=dict)


def score_parts(parts: Sequence[Scorable], metrics: Sequence[Metric], prepared: Prepared | None = None) -> RunGroup:
    """Score parts of several runs that belong together; the counts are then kept in each of them.

    Returns the group, which knows the languages.  Raises `SpecError` where a metric needs what is not there.
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
    """Yield blocks of a large input; what was made of one is let go of when the next one is asked for.

    The texts of a block and what was made of them refer to each other, and few objects hold much: the collector alone
    would come too late, and memory grow by a block at a time.
    """
    for block in blocks:
        yield block
        del block
        gc.collect()


def run_scores(part: Scorable, metrics: Iterable[Metric], *, keep: bool = True) -> RunScores:
    """Return the counts of the metrics in a part; with `keep`, its texts and verdicts can still be looked up.

    Items, sessions and tags come from the columns `item_ids`, `clusters`, `tags`, `item`, `trial`, `trials`,
    `left_out`, `lacking` and `facts`, those of them that are offered.
    """
    optional_columns = ("tags", "item", "trial", "trials", "left_out", "lacking", "facts")
    columns = {name: part.column(name) for name in optional_columns if part.offers(name)}
    ids = part.column("item_ids") if part.offers("item_ids") else range(part.n)
    clusters = part.column("clusters") if part.offers("clusters") else np.arange(len(ids))
    counts = {str(metric): score_metric(metric, part) for metric in metrics}
    return RunScores(part.name, ids, counts, clusters, scorable=part if keep else None, **columns)


def merge(parts: Sequence[RunScores]) -> RunScores:
    """Put parts of one run below each other, whose items all have one answer.

    Ids that are empty or occur twice name no item; the items are then numbered from 0, as those without ids are.
    """
    first = parts[0]
    ids: Sequence[Any] = range(sum(map(len, parts)))
    if not any(isinstance(part.ids, range) for part in parts):
        named = dict.fromkeys(name for part in parts for name in part.ids)
        ids = list(named) if len(named) == len(ids) and "" not in named else ids
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
    """Put the scores of runs together, by this unit; of metrics of texts it is said how these were made."""
    scores = by_unit(Scores(tuple(runs), tuple(metrics), **how), unit)
    if not (reading := [metric for metric in scores.scored if metric.reads_texts]):
        return scores
    from neraca.metrics.text.signature import signatures

    detected = languages.detected
    made = signatures(reading, languages.languages, detected.code if detected else "")
    return replace(scores, signatures=made, detected=detected)


def by_unit(scores: Scores, asked: str) -> Scores:
    """The same scores with another unit as one observation (see `unit_of`); raises `SpecError` for an unknown one."""
    sessions = [run.clusters if run.sessions is None else run.sessions for run in scores.runs]
    units = [unit_of(asked, own, run.tags) for own, run in zip(sessions, scores.runs, strict=True)]
    runs = [
        replace(run, clusters=clusters, sessions=own)
        for run, own, (_, clusters) in zip(scores.runs, sessions, units, strict=True)
    ]
    return replace(scores, runs=tuple(runs), unit=units[0][0])


class Languages(Protocol):
    """The languages of the texts: their codes, and the language that was detected."""

    @property
    def languages(self) -> Sequence[str]:
        """Codes, sorted; "" where nobody said."""

    @property
    def detected(self) -> Detected | None:
        """The language that was looked for and found."""


def check_level(level: float) -> None:
    """Raise `SpecError` where it is no share."""
    if not 0 < level < 1:
        raise SpecError(f"the level of confidence is a share such as 0.95, not {level:g}")
