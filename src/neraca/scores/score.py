"""Scores of runs: each metric overall, per group and per item, with what it rests on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError, nearest
from neraca.languages import parse_language
from neraca.metrics.batch import Batch, Relevance, Together, opinions, source_of
from neraca.metrics.column import Column
from neraca.metrics.metric import Metric
from neraca.metrics.text.signature import reads_texts, signatures
from neraca.records import Answer, Item, Verdict
from neraca.registry import split_specs
from neraca.runs.run import Run, content_of
from neraca.scores.default_metrics import usual_metrics
from neraca.stats.bootstrap_interval import INTERVALS, bootstrap_interval
from neraca.stats.interval import Floats, interval, mean
from neraca.stats.worst_case_bounds import bounds_of_mean

NOT_ASKED = "it has no answer yet"
_ABOUT = ("hit:", "claim:", "reference:", "question:")


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value for one run, or for one group of its items.

    Attributes
    ----------
    group
        "" for all items, else `category=location_simple`.
    value, low, high
        NaN where there is nothing to estimate from.
    n, unscored
        Items scored and not scored.
    method
        How the interval was made: `t`, `bca`, `percentile`, `wilson` or `none`.
    lowest, highest
        Between which values the mean lies whatever the unscored items are worth; NaN where the metric has no finite
        range, is no mean, or there is no item.
    """

    run: str
    group: str
    metric: str
    value: float
    low: float
    high: float
    n: int
    unscored: int
    method: str
    lowest: float = math.nan
    highest: float = math.nan


@dataclass(frozen=True)
class Sheet:
    """One run's answers beside the metrics' counts, item by item.

    Attributes
    ----------
    name
        The run's name in tables.
    run
        The folder.
    items
        The n items, in file order.
    batch
        Its answers with the opinions that count; several trials of an item stand one after the other.
    rows_of
        For each answer of the batch the place of its item, shape (a,).
    columns
        Canonical metric name → counts per answer.
    """

    name: str
    run: Run
    items: tuple[Item, ...]
    batch: Batch
    rows_of: NDArray[np.int64]
    columns: Mapping[str, Column]

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """For each item the number of its session, shape (n,)."""
        return clusters(self.items)

    @cached_property
    def _rows(self) -> dict[str, Floats]:
        return {name: self._mean_of_trials(column.rows) for name, column in self.columns.items()}

    def rows(self, metric: str) -> Floats:
        """Counts per item, shape (n, w): the mean over its scored trials; NaN where none is scored."""
        return self._rows[metric]

    def _mean_of_trials(self, rows: Floats) -> Floats:
        scored = ~np.isnan(rows).any(axis=1)
        sums = np.zeros((len(self.items), rows.shape[1]))
        np.add.at(sums, self.rows_of[scored], rows[scored])
        trials = np.bincount(self.rows_of[scored], minlength=len(self.items))[:, None]
        return np.where(trials > 0, sums / np.maximum(trials, 1), np.nan)

    def values(self, metric: str) -> Floats:
        """The metric's value for each item, shape (n,); NaN where unscored or not defined for an item alone."""
        return self.columns[metric].metric.total(self.rows(metric))

    def why(self, metric: str) -> list[str]:
        """For each item why it is unscored, or ""."""
        reasons = [NOT_ASKED] * len(self.items)
        for place, reason in zip(self.rows_of.tolist(), self.columns[metric].why, strict=True):
            if reasons[place] == NOT_ASKED or not reason:
                reasons[place] = reason
        return reasons

    @cached_property
    def _answers(self) -> dict[str, list[Answer]]:
        found: dict[str, list[Answer]] = {}
        for item, answer in self.batch.pairs:
            found.setdefault(item.id, []).append(answer)
        return found

    def answers(self, item: Item) -> list[Answer]:
        """The answers to one item, by trial."""
        return self._answers.get(item.id, [])


@dataclass(frozen=True)
class Scores:
    """Metrics of several runs over the same dataset.

    Attributes
    ----------
    sheets
        One per run, in the order given.
    metrics
        In the order asked for.
    relevance
        Whose word on relevance counted.
    level
        Confidence of all intervals.
    intervals
        How those of other values than shares are made: `t`, `bca` or `percentile`.
    """

    sheets: tuple[Sheet, ...]
    metrics: tuple[Metric, ...]
    relevance: Relevance
    level: float = 0.95
    intervals: str = "t"

    def sheet(self, name: str) -> Sheet:
        """The sheet of the run of this name; raises `InputError` if there is none."""
        for sheet in self.sheets:
            if sheet.name == name:
                return sheet
        raise InputError(f"no run is called {name!r}; known: {', '.join(sheet.name for sheet in self.sheets)}")

    @cached_property
    def signatures(self) -> dict[str, str]:
        """How the scores of each metric of texts were made, by its name; see `signature`."""
        reading = [metric for metric in self.metrics if reads_texts(metric)]
        if not reading:
            return {}  # nobody needs to know the language
        together = self.sheets[0].batch.together
        return signatures(reading, together.languages, together.found.code if together.found else "")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: which language was found."""
        found = self.sheets[0].batch.together.found if self.signatures else None
        return (f"Language found in the texts, not said: {found}.",) if found else ()

    def overall(self) -> list[Score]:
        """Every metric of every run over all items."""
        return list(self._overall)

    @cached_property
    def _overall(self) -> list[Score]:
        return [self._score(s, m, "", np.ones(len(s.items), bool)) for m in self.metrics for s in self.sheets]

    def by_group(self, tag: str) -> list[Score]:
        """Every metric of every run for each value of a tag, such as `category`; raises `SpecError` if none has it."""
        tags = {s.name: np.array([_tag(item, tag) for item in s.items], dtype=np.str_) for s in self.sheets}
        return [
            self._score(s, m, f"{tag}={value}", tags[s.name] == value)
            for value in self.groups(tag)
            for m in self.metrics
            for s in self.sheets
        ]

    def groups(self, tag: str) -> list[str]:
        """The values of a tag in order of first occurrence; raises `SpecError` where no item has it."""
        values = dict.fromkeys(_tag(item, tag) for sheet in self.sheets for item in sheet.items)
        if values.keys() <= {""}:
            known = sorted({name for sheet in self.sheets for item in sheet.items for name in item.tags})
            raise SpecError(f"no item has the tag {tag!r} to group by; known: {', '.join(known) or 'none'}")
        return list(values)

    def tags(self) -> list[str]:
        """Tags by which the items can be grouped: with two to thirty values, and at most half as many as items."""
        values: dict[str, set[str]] = {}
        items = self.sheets[0].items
        for item in items:
            for name, value in item.tags.items():
                values.setdefault(name, set()).add(value)
        return [name for name, found in values.items() if 2 <= len(found) <= min(30, max(2, len(items) / 2))]

    def _score(self, sheet: Sheet, metric: Metric, group: str, chosen: NDArray[np.bool_]) -> Score:
        rows = sheet.rows(str(metric))[chosen]
        return estimate(Place(sheet.name, group), metric, rows, sheet.clusters[chosen], self.level, self.intervals)


class Place(NamedTuple):
    """Of which run, and of which group of its items, a score is."""

    run: str
    group: str = ""


def estimate(
    place: Place,
    metric: Metric,
    rows: Floats,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    intervals: str = "t",
) -> Score:
    """A metric over rows of counts, shape (n, w), with its interval cut to the metric's range."""
    found = interval(rows, metric.total, clusters, level, most=metric.definition.high)
    if intervals != "t" and found.method == "t":  # shares keep Wilson's interval, which also holds where all are 0 or 1
        found = bootstrap_interval(rows, metric.total, clusters, level, intervals)
    low, high = max(found.low, metric.definition.low), min(found.high, metric.definition.high)
    low, high = (math.nan, math.nan) if math.isnan(found.low) else (low, high)
    plain = metric.total is mean and not np.any(rows[:, -1] < 1) and not np.any(rows[:, -1] > 1)
    whatever = bounds_of_mean(rows[:, 0], metric.definition.low, metric.definition.high) if plain else (math.nan,) * 2
    return Score(*place, str(metric), found.value, low, high, found.n, len(rows) - found.n, found.method, *whatever)


def clusters(items: Sequence[Item]) -> NDArray[np.int64]:
    """For each item the number of its session; an item without one stands alone.  Shape (n,)."""
    numbers: dict[tuple[str, str], int] = {}
    places = (("session", item.session) if item.session else ("item", item.id) for item in items)
    return np.array([numbers.setdefault(place, len(numbers)) for place in places], dtype=np.int64)


def score(
    runs: Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    relevance: str = "auto",
    by: str = "",
    level: float = 0.95,
    language: str = "",
    intervals: str = "t",
) -> Scores:
    """Score runs over the same dataset.

    Parameters
    ----------
    runs
        Runs or their folders; equal names get a number.
    metrics
        Names (`"P@5 nDCG@10"`, or a list); default `usual_metrics`: those for which there is what they need.
    relevance
        Whose word on the relevance of a hit counts: `auto` (the first of people, qrels, rules, LLM that has an
        opinion), `human`, `qrels`, `rules`, `rules(at=0.8)`, `llm`, `human:NAME`, …
    by
        Whose verdicts count in metrics of verdicts; "" is the first in the same order.  In metrics of claims and
        ratings it names the judge (`llm:gpt-4o-mini`), whom people overrule; of several judges one must be named.
    level, intervals
        Confidence of the intervals, and how they are made: `t` (Student's), `bca` or `percentile` (bootstrap); of
        values that are all 0 or 1 it is Wilson's.
    language
        Of questions that do not say theirs: `es`, `Spanish`, or `auto` (found in their references); text metrics
        read words accordingly.

    Raises
    ------
    SpecError, InputError
        For an unknown metric, with what may have been meant; when the runs do not answer the same questions.

    Notes
    -----
    What is relevant is pooled over all runs given, so recall, AP and nDCG of a run are relative to what these runs
    found together; a failed answer counts as an empty one, an answer that may not be whole is unscored.
    """
    opened = [run if isinstance(run, Run) else Run(run) for run in runs]
    if not opened:
        raise InputError("there is no run to score; name at least one run folder")
    found = [Metric.of(name) for name in (split_specs(metrics) if isinstance(metrics, str) else metrics)]
    check_scoring(relevance, level, language, intervals)
    _check_same_questions(opened)
    said = [current_verdicts(run) for run in opened]
    found = found or [*map(Metric.of, usual_metrics(opened[0].items, (v for part in said for v in part), by))]
    found = list({str(metric): metric for metric in found}.values())
    whose = Relevance.of(opened[0].items, said, relevance)
    _check_somebody_said(by, {verdict.by for part in said for verdict in part})
    sheets = []
    answered = [_answered(run) for run in opened]
    together = Together([pairs for pairs, _ in answered], parse_language(language), said)
    for name, run, verdicts, (pairs, places) in zip(_names(opened), opened, said, answered, strict=True):
        batch = Batch(pairs, opinions(verdicts, by), whose, together, verdicts, by)
        columns = {str(metric): metric.score(batch) for metric in found}
        sheets.append(Sheet(name, run, run.items, batch, places, columns))
    return Scores(tuple(sheets), tuple(found), whose, level, intervals)


def check_scoring(relevance: str, level: float, language: str = "", intervals: str = "t") -> None:
    """Raise `SpecError` where these could not be used to score."""
    Relevance.of([], [], relevance)
    parse_language(language)
    if not 0 < level < 1:
        raise SpecError(f"the level of confidence is a share such as 0.95, not {level:g}")
    if intervals not in ("t", *INTERVALS):
        raise SpecError(f"no interval is called {intervals!r}; known: {', '.join(('t', *INTERVALS))}")


def _answered(run: Run) -> tuple[list[tuple[Item, Answer]], NDArray[np.int64]]:
    """The answers of a run with their items, in file order, and for each the place of its item."""
    answers, trials = run.answers(), range(run.manifest.trials)
    found = [
        (place, item, answers[item.id, trial])
        for place, item in enumerate(run.items)
        for trial in trials
        if (item.id, trial) in answers
    ]
    places = np.array([place for place, _, _ in found], dtype=np.int64)
    return [(item, answer) for _, item, answer in found], places


def _check_somebody_said(by: str, known: set[str]) -> None:
    sources = known | {source_of(name) for name in known} | {name.partition("#")[0] for name in known}
    if by and by not in sources:
        raise SpecError(f"nobody called {by!r} wrote a verdict in these runs; {nearest(by, sorted(sources))}")


def current_verdicts(run: Run) -> list[Verdict]:
    """The verdicts on the answers as they are now, without those that were withdrawn or are on an earlier answer."""
    contents = {key: content_of(answer) for key, answer in run.answers().items()}
    verdicts = run.verdicts()
    _check_verdicts(run, verdicts)
    return [v for v in verdicts if v.status != "withdrawn" and (not v.of or v.of == contents.get((v.item, v.trial)))]


def _check_verdicts(run: Run, verdicts: Iterable[Verdict]) -> None:
    """Raise `InputError` for a verdict that nobody would ever hear."""
    known = {item.id for item in run.items}
    for verdict in verdicts:
        if verdict.item not in known:
            near = nearest(verdict.item, sorted(known)[:50])
            told = f"about item {verdict.item!r}, which this run does not have; {near}"
        elif verdict.about != "answer" and not verdict.about.startswith(_ABOUT):
            told = f"about {verdict.about!r}; it must be answer, hit:ID, claim:N, reference:N or question:N"
        else:
            continue
        raise InputError(f"{run.path}/verdicts.jsonl: a verdict by {verdict.by} is {told}")


def _check_same_questions(runs: Sequence[Run]) -> None:
    first = runs[0]
    for run in runs[1:]:
        if run.manifest.fingerprint != first.manifest.fingerprint:
            raise InputError(
                f"{first.path} and {run.path} answer different questions ({first.manifest.dataset} and "
                f"{run.manifest.dataset}); compare runs over the same dataset, or ask the newer questions of both"
            )


def _names(runs: Sequence[Run]) -> list[str]:
    several = Counter(run.name for run in runs)
    seen: Counter[str] = Counter()
    names = []
    for run in runs:
        seen[run.name] += 1
        names.append(f"{run.name} {seen[run.name]}" if several[run.name] > 1 else run.name)
    return names


def _tag(item: Item, tag: str) -> str:
    return str(item.tags.get(tag, ""))
