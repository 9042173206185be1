"""Scores: each metric of each run, over all items, for groups of items, and item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.errors import InputError, SpecError
from neraca.metrics.counts import Counts
from neraca.metrics.metric import Metric
from neraca.metrics.rag.session_mean import is_of_sessions, rows_of_sessions
from neraca.metrics.ranking.counts import added
from neraca.metrics.scorable import Scorable
from neraca.number_format import number
from neraca.result import Plotted, Shown, Table, Tabular
from neraca.scores.estimate import Place, estimate
from neraca.scores.score_list import ItemRows, MetricScores, ScoreList
from neraca.scores.score_list import Score as Score
from neraca.scores.unit import Ints, Unit, enough
from neraca.stats.intervals.interval import Floats

if TYPE_CHECKING:
    from neraca.language_detection import Detected
    from neraca.scores.drawn_part import DrawnPart
    from neraca.verdicts.relevance import Relevance

NOT_ASKED = "it has no answer yet"


@dataclass(frozen=True, repr=False, eq=False)
class RunScores(Shown):
    """The counts of all metrics in one run: n items, with one or several answers each.

    Attributes
    ----------
    name
        The name of the run, in tables.
    ids
        The ids of the items, in the order of the dataset, the qrels or the table.
    counts
        Canonical metric name → counts of each answer, and why an answer has none.
    clusters
        Shape (n,): number of the observation of each item; at first this is its session.  An item without a session is
        an observation of its own.
    tags
        Name of a tag, such as `category` → its value for each item; "" where an item has none.
    item, trial
        Shape (a,): the place of each answer's item, and the number of its trial, from 0; None: each item has one
        answer.
    trials
        The number of times that each item was to be asked.
    left_out
        Shape (n,): items that no mean and no comparison includes, for any metric.
    lacking
        The number of questions without an answer: not asked yet, or all answers failed.
    scorable
        The scorable with answers, contexts and verdicts; None if it was not kept.
    facts
        Further facts about the run, for reports.
    sessions
        Shape (n,): number of each item's session, whatever the unit is; None: `clusters` are these.
    draws
        Metric → the random part of the items on which it rests, if a judge saw only a part.
    """

    name: str
    ids: Sequence[Any]
    counts: Mapping[str, Counts]
    clusters: Ints
    tags: Mapping[str, Categorical] = field(default_factory=dict)
    item: Ints | None = None
    trial: Ints | None = None
    trials: int = 1
    left_out: NDArray[np.bool_] | None = None
    lacking: int = 0
    scorable: Scorable | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    sessions: Ints | None = None
    draws: Mapping[str, DrawnPart] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def _tables(self) -> Iterator[Table]:
        rows = []
        for name in self.counts:
            scored = ~np.isnan(self.observations(name)[0]).any(axis=1)
            rows.append([name, number(self.total(name)), f"{scored.sum():,}", f"{(~scored).sum():,}"])
        yield Table(["metric", "value", "n", "unscored"], rows, self.name)

    @cached_property
    def shared(self) -> Ints | None:
        """The `clusters`; None if each item is alone."""
        return None if len(np.unique(self.clusters)) == len(self.clusters) else self.clusters

    def clusters_in(self, chosen: NDArray[np.bool_]) -> Ints:
        """Return the observation of each chosen item, for tests; with too few, all items are one (`enough`)."""
        return enough(self.clusters[chosen])

    def counting(self, metric: str | Metric, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.bool_] | None:
        """Return which of the chosen items count: those not left out, and drawn if the metric rests on a draw.

        Shape (n,); None: all.
        """
        part = self.draws.get(str(metric))
        masks = [chosen, None if self.left_out is None else ~self.left_out, None if part is None else part.drawn]
        present = [mask for mask in masks if mask is not None]
        return np.logical_and.reduce(present) if present else None

    def could_be_drawn(self, metric: str | Metric, chosen: NDArray[np.bool_] | None = None) -> int:
        """Return the number of the chosen items that could be drawn for a metric; 0 if it rests on no draw."""
        part = self.draws.get(str(metric))
        return 0 if part is None else int((part.possible if chosen is None else part.possible & chosen).sum())

    @cached_property
    def _plain(self) -> bool:
        """Whether answers and items have the same counts: each item has one answer, and none is left out."""
        in_order = self.item is None or np.array_equal(self.item, np.arange(len(self)))
        return in_order and self.left_out is None

    @cached_property
    def _rows(self) -> dict[str, Floats]:
        return {}

    def rows(self, metric: str | Metric) -> Floats:
        """Return the counts of each item, shape (n, w): the mean over its scored trials; NaN without a scored trial."""
        name = str(metric)
        if self._plain:
            return self.counts[name].rows
        if name not in self._rows:
            self._rows[name] = self._of_items(self.counts[name].rows)
        return self._rows[name]

    def _of_items(self, rows: Floats) -> Floats:
        if self.item is not None:
            scored = ~np.isnan(rows).any(axis=1)
            sums = np.zeros((len(self), rows.shape[1]))
            np.add.at(sums, self.item[scored], rows[scored])
            trials = np.bincount(self.item[scored], minlength=len(self))[:, None]
            rows = np.where(trials > 0, sums / np.maximum(trials, 1), np.nan)
        if self.left_out is not None:
            rows = np.where(self.left_out[:, None], np.nan, rows)
        return rows

    def observations(self, metric: str | Metric, chosen: NDArray[np.bool_] | None = None) -> tuple[Floats, Ints | None]:
        """Return the counts over which a metric is estimated, shape (m, w), and their clusters, shape (m,) or None.

        They are those of the items, all or the chosen ones; of a metric of conversations, those of the conversations.
        """
        rows, clusters = self.rows(metric), self.shared
        sessions = self.clusters if self.sessions is None else self.sessions
        if chosen is not None:
            rows, clusters, sessions = rows[chosen], None if clusters is None else clusters[chosen], sessions[chosen]
        if is_of_sessions(self.counts[str(metric)].metric):
            rows, first = rows_of_sessions(rows, sessions)
            clusters = None if clusters is None else clusters[first]
        return rows, clusters

    def values(self, metric: str | Metric) -> Floats:
        """Return the metric's value for each item, shape (n,); NaN if unscored or undefined for a single item."""
        counts = self.counts[str(metric)]
        return counts.per_answer if self._plain else counts.metric.total(self.rows(metric))

    def why(self, metric: str | Metric) -> dict[int, str]:
        """Return the reason why an item is unscored, by its place; scored items are left out."""
        reasons = self.counts[str(metric)].reasons
        if self.item is None:
            return dict(reasons)
        answered = np.bincount(self.item, minlength=len(self))
        missing = dict.fromkeys(np.flatnonzero(answered == 0).tolist(), NOT_ASKED)
        failed: dict[int, list[str]] = {}
        for row, reason in reasons.items():
            failed.setdefault(int(self.item[row]), []).append(reason)
        all_failed = {
            place: row_reasons[0] for place, row_reasons in failed.items() if len(row_reasons) == answered[place]
        }
        return dict(sorted((missing | all_failed).items()))

    def item_rows(self, metric: str | Metric) -> Iterator[dict[str, Any]]:
        """Yield a row {run, item, metric, value, why} for each item; value None if it is unscored."""
        columns = self.item_columns(metric)
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values, strict=True))
            yield row | {"value": _none_if_nan(float(row["value"]))}

    def item_columns(self, metric: str | Metric) -> dict[str, Any]:
        """Return the columns run, item, metric, value and why, a cell for each item; value NaN if it is unscored."""
        values, reasons = self.values(metric), self.why(metric)
        undefined = np.isnan(values).tolist()
        why = [
            reasons.get(place, "") or ("not defined for one question alone" if unscored else "")
            for place, unscored in enumerate(undefined)
        ]
        n = len(why)
        ids = [str(item) for item in self.ids]
        return {"run": [self.name] * n, "item": ids, "metric": [str(metric)] * n, "value": values, "why": why}

    def total(self, metric: str | Metric, chosen: NDArray[np.bool_] | None = None) -> float:
        """Return the value over all scored items, or over the chosen ones; NaN if none is scored."""
        rows = self.rows(metric) if chosen is None else self.rows(metric)[chosen]
        rows, scored = rows[~np.isnan(rows).any(axis=1)], self.counts[str(metric)].metric
        return float(scored.total(rows.sum(axis=0))) if len(rows) or is_count(scored) else math.nan


@dataclass(frozen=True, repr=False, eq=False)
class Scores(Plotted, Tabular):
    """Metrics of one or several runs on the same items; prints as a table, and `scores["nDCG@10"]` is one of them.

    Attributes
    ----------
    runs
        One per run, in the order given.
    metrics
        In the order asked for.
    level
        Confidence of all intervals.
    intervals
        The kind of intervals of values that are not shares: `t` (where that leaves the range, `bounded`), `bca` or
        `percentile`.
    average
        The metric that averages the others, or None; it is scored and not compared.
    relevance
        The source that decided relevance; None if hits play no part.
    signatures
        Metric of texts → its signature: how its scores were made.
    detected
        The language that was detected in the texts; None if it was not looked for.
    facts
        Further facts about all runs, for reports.
    unit
        The unit that counts as one observation in intervals and tests.
    read
        A function from names of metrics, as the user writes them, to metrics.
    labels
        Labels of people on some items (`neraca.scores.sources.people_labels.PeopleLabels`), which correct these scores
        of a judge; None: no correction.
    """

    runs: tuple[RunScores, ...]
    metrics: tuple[Metric, ...]
    level: float = 0.95
    intervals: str = "t"
    average: Metric | None = None
    relevance: Relevance | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)
    detected: Detected | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    unit: Unit = field(default_factory=Unit)
    read: Callable[[Any], Sequence[Metric]] = Metric.several
    labels: object = None

    def _tables(self) -> Iterator[Table]:
        yield self._overall.table()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every metric of every run over all items, as `ScoreList.rows`."""
        return self._overall.rows()

    def __getitem__(self, metric: str | Metric) -> MetricScores:
        """Return the scores of one metric by run; raise `SpecError` if it was not scored."""
        name = self.name_of(metric)
        scores = [score for score in self._overall if score.metric == name]
        return MetricScores(self._listed(scores), lambda: ItemRows(self._values_by_run(name)))

    def _values_by_run(self, metric: str) -> Iterator[dict[str, Any]]:
        values = {run.name: self.by_item(metric, run.name) for run in self.runs}
        first = self.runs[0]
        for place, item in enumerate(map(str, first.ids)):
            if any(item in of_run for of_run in values.values()):
                tags = {name: tag[place] for name, tag in first.tags.items()}
                yield {"item": item, **tags, **{run: _none_if_nan(of_run.get(item)) for run, of_run in values.items()}}

    def per_item(self) -> ItemRows:
        """Return a row {run, item, metric, value, why} for each run, item and metric; value None if unscored."""
        return ItemRows(row for run in self.runs for metric in self.scored for row in run.item_rows(metric))

    @property
    def scored(self) -> tuple[Metric, ...]:
        """The metrics, and their average after them."""
        return (*self.metrics, *([self.average] if self.average and self.average not in self.metrics else []))

    def run(self, name: str = "") -> RunScores:
        """Return the scores of a run; without a name, of the only run.  Raise `InputError` if there is no such run."""
        matching_runs = [run for run in self.runs if not name or run.name == name]
        if len(matching_runs) != 1:
            names = ", ".join(run.name for run in self.runs)
            raise InputError(f"no run is called {name!r}; known: {names}" if name else f"say which run: {names}")
        return matching_runs[0]

    def values(self, metric: str | Metric, run: str = "") -> Floats:
        """Return the value of each item, shape (n,); NaN if it is unscored."""
        return self.run(run).values(self.name_of(metric)).copy()

    def by_item(self, metric: str | Metric, run: str = "") -> dict[str, float]:
        """Return item → value, NaN if it is unscored, without the items in `left_out`."""
        chosen, values = self.run(run), self.values(metric, run).tolist()
        left_out = np.zeros(len(chosen), dtype=bool) if chosen.left_out is None else chosen.left_out
        return {
            str(name): value
            for name, value, is_left_out in zip(chosen.ids, values, left_out.tolist(), strict=True)
            if not is_left_out
        }

    def why(self, metric: str | Metric, run: str = "") -> dict[int, str]:
        """Return place of an unscored item (from 0) → the reason."""
        return self.run(run).why(self.name_of(metric))

    def mean(self, metric: str | Metric, run: str = "") -> float:
        """Return the value over all scored items: the mean, or the metric's total of sums (BLEU, NumRet)."""
        return self.run(run).total(self.name_of(metric))

    def name_of(self, metric: str | Metric) -> str:
        """Return the canonical name of a scored metric; raise `SpecError` if it was not scored."""
        scored_names = {str(metric_scored): str(metric_scored) for metric_scored in self.scored}
        scored_names |= {"Average": str(self.average)} if self.average else {}
        names = [str(metric)] if str(metric) in scored_names else list(map(str, self.read(metric)))
        if len(names) != 1 or names[0] not in scored_names:
            scored = ", ".join(scored_names)
            raise SpecError(f"{' '.join(names) or 'this'} was not scored; name one of those that were: {scored}")
        return scored_names[names[0]]

    def title(self, metric: str | Metric) -> str:
        """Return the title of a metric in tables: its name, or `Average` for an average, whose name is long."""
        return "Average" if self.average is not None and metric == self.average else str(metric)

    def overall(self) -> ScoreList:
        """Return every metric of every run over all items."""
        return self._listed(self._overall)

    @cached_property
    def _overall(self) -> ScoreList:
        return self._listed(self._scores("", [None] * len(self.runs)))

    def _listed(self, scores: Iterable[Score]) -> ScoreList:
        counting = [str(metric) for metric in self.scored if is_count(metric)]
        return ScoreList(scores, {str(metric): self.title(metric) for metric in self.scored}, counting)

    def by_group(self, tag: str) -> ScoreList:
        """Return every metric of every run for each value of a tag, such as `category`.

        Raise `SpecError` if no item has this tag.
        """
        tag, scores = self.tag_named(tag), list[Score]()
        for value in self.groups(tag):
            chosen = [run.tags[tag].isin([value]) for run in self.runs]
            scores += self._scores(f"{tag}={value}", chosen)
        return self._listed(scores)

    def groups(self, tag: str) -> list[str]:
        """Return the values of a tag in order of first occurrence; raise `SpecError` if no item has it."""
        tag = self.tag_named(tag)
        values = dict.fromkeys(value for run in self.runs for value in (run.tags[tag].words if tag in run.tags else ()))
        if values.keys() <= {""}:
            tags = sorted({name for run in self.runs for name in run.tags})
            raise SpecError(f"no item has the tag {tag!r} to group by; known: {', '.join(tags) or 'none'}")
        return list(values)

    def tag_named(self, name: str) -> str:
        """Return the tag that a name means, such as `category` for `kategori`; the name itself if it means none."""
        from neraca.datasets.columns import tag_named  # slow to import; a small TREC run does not need it

        tags = dict.fromkeys(tag for run in self.runs for tag in run.tags)
        return name if name in tags else tag_named(name, tags)

    def tags(self) -> list[str]:
        """Return the tags to group by: with two to thirty values, and at most half as many values as items."""
        from neraca.records import VARIANT_OF  # slow to import; a small TREC run does not need it

        first = self.runs[0]
        sizes = {name: len(set(tag.words) - {""}) for name, tag in first.tags.items() if name != VARIANT_OF}
        return [name for name, size in sizes.items() if 2 <= size <= min(30, max(2, len(first) / 2))]

    def _scores(self, group: str, chosen: Sequence[NDArray[np.bool_] | None]) -> Iterator[Score]:
        for metric in self.scored:
            for run, in_group in zip(self.runs, chosen, strict=True):
                rows, clusters = run.observations(metric, run.counting(metric, in_group))
                score = estimate(Place(run.name, group), metric, rows, clusters, self.level, self.intervals)
                yield replace(score, drawn_of=run.could_be_drawn(metric, in_group))


def _none_if_nan(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def is_count(metric: Metric) -> bool:
    """Return whether the metric is a count that is added up over items, such as `NumRet`; without items it is 0."""
    return metric.definition.total is added
