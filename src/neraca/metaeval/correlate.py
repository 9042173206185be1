"""Correlations over answers: of metrics with each other, and of metrics with people's scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.errors import InputError, SpecError, nearest
from neraca.metaeval.correlations import Agreement, Correlations
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.scores.scores import RunScores, Scores
from neraca.scores.unit import enough
from neraca.stats.agreement.correlation import METHODS, alike, correlation, correlation_difference, pearson, ranks
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.answer_verdicts import AnswerVerdicts


def correlate(
    source: Scores | Mapping[str, ArrayLike],
    *,
    human: Mapping[str, ArrayLike] | None = None,
    method: str = "spearman",
    at: float = 0.9,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
) -> Correlations:
    """Correlate metrics with each other, and with people's scores.

    All answers of all systems are pooled: the question is whether two metrics put *answers* in the same order, and a
    difference between systems is as good a reason for that as one between questions.  (Within one system alone:
    give its scores alone.)  Answers of one session, and those of several systems to it, are one source of chance.

    Parameters
    ----------
    source
        What `score`, `trec` or `text` returned, or name → values, shape (n,), NaN where unscored.
    human
        Name → people's scores of the same n answers, NaN where nobody scored; more is better.  Of run folders, their
        verdicts about an answer as a whole are found without it, by aspect (of several people the mean counts), and
        in a table of texts its columns of people's scores.
    method, at
        `spearman`, `pearson` or `kendall`; from which correlation on metrics are said to say the same.
    level
        Confidence of intervals and tests.
    clusters
        For each of the n answers whom it belongs to (its session), where `source` does not tell.

    Raises
    ------
    SpecError, InputError
        For an unknown method, `at` or `level` that is no share; for columns that are not numbers of one length.

    Notes
    -----
    Metrics of errors (`TER`) are turned around first.  A metric made from people's verdicts, as `Rubric(quality)` is,
    is not set beside these, which it is itself.  "Not told apart" comes from tests of dependent correlations against
    the metric that agrees most, with Bonferroni's correction, which is also fair to its choice by the data (Hsu, 1996).

    Examples
    --------
    >>> result = correlate({"A": [1, 2, 3, 4, 5], "B": [1, 3, 4, 6, 9], "C": [5, 1, 4, 2, 3]})
    >>> result.value("A", "B"), result.clusters
    (1.0, (('A', 'B'), ('C',)))
    """
    _check(method, at, level)
    pooled = _Pool(source, None, {}) if isinstance(source, Mapping) else _pooled(source)
    people = _columns({**pooled.people, **(human or {})}, "people's score")
    values = {name: _sign(name) * column for name, column in _columns(pooled.columns, "metric").items()}
    groups = pooled.clusters if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    _check_lengths({**values, **people}, groups)
    asked = _Asked(method, level, None if groups is None else enough(groups))
    left_out = {name: made for name, made in pooled.made_of(human or {}).items() if made}
    rows = [row for name, scores in people.items() for row in _agreements(values, name, scores, asked, left_out)]
    names, (matrix, n) = tuple(values), _matrix(values, method)
    turned, counting = tuple(name for name in names if _sign(name) < 0), tuple(filter(_counts, names))
    how = (turned, counting, method, at, level, left_out)
    return Correlations(names, matrix, n, _clusters(names, matrix, at), tuple(rows), *how)


def beside_people(scores: Scores, tag: str = "") -> dict[str, tuple[Agreement, ...]]:
    """Set every metric of a table of texts, their average too, beside people's scores: Spearman's rho.

    The answers of all systems are pooled, as in `correlate`.

    Parameters
    ----------
    scores
        Of a table, with people's scores among its facts.
    tag
        A column that the table was grouped by: within each of its values alone; "": within all rows.

    Returns
    -------
    dict
        Value of the tag, in order of first occurrence, or "" for all rows → metrics by their titles, those that agree
        most with the first column of people's scores first; one that cannot be correlated has a NaN.
    """
    runs = scores.runs
    columns = {scores.title(metric): np.concatenate([run.values(metric) for run in runs]) for metric in scores.scored}
    people: dict[str, Floats] = scores.facts["human"]
    clusters = np.concatenate([run.clusters for run in runs])
    groups = np.concatenate([run.tags[tag].codes for run in runs]) if tag else np.zeros(len(clusters), dtype=np.int32)
    found = {}
    for code, word in enumerate(runs[0].tags[tag].words if tag else ("",)):
        here = groups == code
        own, theirs = ({name: column[here] for name, column in each.items()} for each in (columns, people))
        found[word] = correlate(own, human=theirs, level=scores.level, clusters=clusters[here]).with_human
    return found


@dataclass(frozen=True)
class _Asked:
    method: str
    level: float
    clusters: NDArray[np.int64] | None


@dataclass(frozen=True)
class _Pool:
    """Values by metric, what depends on what, and people's scores by aspect."""

    columns: Mapping[str, ArrayLike]
    clusters: NDArray[np.int64] | None
    people: Mapping[str, ArrayLike]

    def made_of(self, given: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Aspect of people's verdicts → the metrics that are made from them.  Scores given are no verdicts."""
        read = {name: _aspects(name) for name in self.columns}
        verdicts = [aspect for aspect in self.people if aspect not in given]
        return {aspect: tuple(name for name, aspects in read.items() if aspect in aspects) for aspect in verdicts}


def _aspects(name: str) -> set[str]:
    """The aspects of verdicts from which a metric is made, itself or in one that it is made of."""
    metric = _metric(name)
    return {aspect for inner in metric.with_inner() for aspect in aspects_of(inner)} if metric else set()


def _check(method: str, at: float, level: float) -> None:
    if method not in METHODS:
        raise SpecError(f"no correlation is called {method!r}; {nearest(method, METHODS)}")
    if not 0 < at <= 1:
        raise SpecError(f"at is the correlation from which metrics say the same, such as 0.9, not {at:g}")
    if not 0 < level < 1:
        raise SpecError(f"the level of confidence is a share such as 0.95, not {level:g}")


def _check_lengths(columns: Mapping[str, Floats], clusters: NDArray[np.int64] | None) -> None:
    sizes = {name: len(column) for name, column in columns.items()}
    if clusters is not None:
        sizes["clusters"] = len(clusters)
    if len(set(sizes.values())) > 1:
        lengths = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise InputError(f"columns to correlate must have one value for each of the same answers; found: {lengths}")


def _columns(given: Mapping[str, ArrayLike], what: str) -> dict[str, Floats]:
    """As numbers; what differs by rounding alone is made equal, so that it is a tie."""
    columns: dict[str, Floats] = {}
    for name, column in given.items():
        try:
            values = np.array([math.nan if v is None else v for v in np.asarray(column).tolist()], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} {name!r}: its values must be numbers, one for each answer: {error}") from error
        if values.ndim != 1:
            raise InputError(f"{what} {name!r}: one value for each answer is wanted, not shape {values.shape}")
        size = float(np.abs(values[np.isfinite(values)]).max(initial=0)) or 1.0
        columns[name] = np.round(values / size, 12)
    return columns


def _metric(name: str) -> Metric | None:
    try:
        return Metric.of(name)
    except SpecError:  # a column of the user's own
        return None


def _sign(name: str) -> int:
    metric = _metric(name)
    return 1 if metric is None or metric.higher_is_better else -1


def _counts(name: str) -> bool:
    metric = _metric(name)
    return metric is not None and metric.neutral


def _pooled(source: Scores) -> _Pool:
    """The answers of all systems below each other."""
    columns: dict[str, list[Floats]] = {str(metric): [] for metric in source.metrics}
    clusters, ratings, sizes = [], [], []
    for run in source.runs:
        clusters.append(run.clusters if run.item is None else run.clusters[run.item])
        ratings.append(_ratings(run))
        sizes.append(len(clusters[-1]))
        for name, parts in columns.items():
            parts.append(run.values(name) if run.item is None else run.counts[name].per_answer)
    aspects = dict.fromkeys(aspect for rating in ratings for aspect in rating)
    people = {
        aspect: [rating.get(aspect, np.full(size, np.nan)) for rating, size in zip(ratings, sizes, strict=True)]
        for aspect in aspects
    }
    people_of_table = source.facts.get("human", {})
    return _Pool(_stacked(columns), np.concatenate(clusters), {**_stacked(people), **people_of_table})


def _ratings(run: RunScores) -> dict[str, Floats]:
    """People's scores of the answers as a whole: aspect → mean over the people, shape (a,)."""
    if run.scorable is None or not run.scorable.offers("verdicts"):
        return {}
    verdicts: AnswerVerdicts = run.scorable.column("verdicts")
    return verdicts.ratings()


def _stacked(parts: Mapping[str, list[Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def _matrix(values: Mapping[str, Floats], method: str) -> tuple[Floats, NDArray[np.int64]]:
    k = len(values)
    matrix, n = np.full((k, k), np.nan), np.zeros((k, k), dtype=np.int64)
    columns = list(values.values())
    scored = [~np.isnan(column) for column in columns]
    ranked = [_ranked(column, here) for column, here in zip(columns, scored, strict=True)]
    for one in range(k):
        n[one, one] = int(scored[one].sum())
        matrix[one, one] = 1.0 if len(np.unique(columns[one][scored[one]])) > 1 else math.nan
    for one, other in combinations(range(k), 2):
        n[one, other] = n[other, one] = int((scored[one] & scored[other]).sum())
        if method == "spearman" and n[one, one] == n[other, other] == n[one, other]:  # the ranks are the same in all
            matrix[one, other] = matrix[other, one] = pearson(ranked[one], ranked[other])
        else:
            matrix[one, other] = matrix[other, one] = METHODS[method](columns[one], columns[other])
    return matrix, n


def _ranked(column: Floats, scored: NDArray[np.bool_]) -> Floats:
    ranked = np.full(len(column), np.nan)
    ranked[scored] = ranks(column[scored])
    return ranked


def _clusters(names: Sequence[str], matrix: Floats, at: float) -> tuple[tuple[str, ...], ...]:
    """Groups of metrics that say the same; one that only counts something is in no group."""
    near = matrix.copy()
    counting = [place for place, name in enumerate(names) if _counts(name)]
    near[counting] = near[:, counting] = np.nan
    return tuple(tuple(names[place] for place in group) for group in alike(near, at))


def _agreements(
    values: Mapping[str, Floats], human: str, scores: Floats, asked: _Asked, left_out: Mapping[str, Sequence[str]]
) -> list[Agreement]:
    """The metrics beside one kind of people's scores, those that agree most first; without those left out."""
    rows = []
    for name, column in values.items():
        if name in left_out.get(human, ()):
            continue
        estimate = correlation(column, scores, asked.method, asked.clusters, asked.level)
        bounds = estimate.low, estimate.high
        rows.append(Agreement(name, human, estimate.value, *bounds, estimate.n, why=estimate.why))
    known = sorted((row for row in rows if not math.isnan(row.value)), key=lambda row: -row.value)
    best = [values[row.metric] for row in known[:1]]
    tested = [replace(row, told_apart=_told(best[0], values[row.metric], scores, asked, len(known))) for row in known]
    return [*tested, *(row for row in rows if math.isnan(row.value))]


def _told(best: Floats, column: Floats, scores: Floats, asked: _Asked, known: int) -> bool:
    """Whether a metric agrees with people less than the one that agrees most, by more than chance."""
    difference = correlation_difference((best, column), scores, asked.method, asked.clusters, asked.level)
    return difference.difference > 0 and difference.p * (known - 1) < 1 - asked.level
