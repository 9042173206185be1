"""Correlations over answers: of metrics with each other, and of metrics with people's scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.errors import InputError, SpecError
from neraca.metaeval.correlations import MEAN, Agreement, Correlations
from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.nearest import nearest
from neraca.scores.scores import RunScores, Scores
from neraca.scores.scoring import check_level
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

    The answers of all systems are pooled, because the question is whether two metrics rank *answers* alike.  To
    compare within one system, pass only its scores.  All answers to one session, also of several systems, are one
    independent observation.

    Parameters
    ----------
    source
        What `score`, `trec` or `text` returned, or name → values, shape (n,), NaN where unscored.
    human
        Name → people's scores of the same n answers, NaN where nobody scored; more is better.  Verdicts of people on
        whole answers in run folders are used anyway, by aspect (the mean of several people), and so are people's
        scores in a table of texts, with the mean of several columns.
    method, at
        `spearman`, `pearson` or `kendall`; the correlation from which metrics form a cluster.
    level
        Confidence of intervals and tests.
    clusters
        The session of each of the n answers, if `source` does not say.

    Raises
    ------
    SpecError, InputError
        If the method is unknown, if `at` or `level` is no share, or if columns are not numbers of one length.

    Notes
    -----
    Metrics of errors (`TER`) change their sign first.  A metric that is made from people's verdicts, such as
    `Rubric(quality)`, is not correlated with these verdicts.  "Not told apart" comes from tests of dependent
    correlations against the metric that agrees most.  Bonferroni's correction also covers that this metric was chosen
    by the data (Hsu, 1996).

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
    settings = _Settings(method, level, None if groups is None else enough(groups))
    left_out = {aspect: metrics for aspect, metrics in pooled.metrics_by_aspect(human or {}).items() if metrics}
    rows = [row for name, scores in people.items() for row in _agreements(values, name, scores, settings, left_out)]
    names, (matrix, n) = tuple(values), _matrix(values, method)
    turned, counting = tuple(name for name in names if _sign(name) < 0), tuple(filter(_counts, names))
    how = (turned, counting, method, at, level, left_out)
    return Correlations(names, matrix, n, _clusters(names, matrix, at), tuple(rows), *how)


def beside_people(scores: Scores, tag: str = "", method: str = "spearman") -> dict[str, tuple[Agreement, ...]]:
    """Return the correlation of people's scores with each metric of a table of texts, and with their average.

    The answers of all systems are pooled, as in `correlate`.  Several columns of people's scores have their mean beside
    them (`correlations.MEAN`), over the answers that have a score in all of them.

    Parameters
    ----------
    scores
        Scores of a table, with people's scores among its facts.
    tag
        A grouping column; correlations are computed within each of its values.  "": over all rows.

    method
        `spearman`, `pearson` or `kendall`.

    Returns
    -------
    dict
        Value of the tag, in order of first occurrence ("" for all rows) → metrics by their titles, best agreement with
        the first column of people's scores first; NaN if a correlation is undefined.
    """
    runs = scores.runs
    columns = {scores.title(metric): np.concatenate([run.values(metric) for run in runs]) for metric in scores.scored}
    people = _with_mean(scores.facts["human"])
    clusters = np.concatenate([run.clusters for run in runs])
    groups = np.concatenate([run.tags[tag].codes for run in runs]) if tag else np.zeros(len(clusters), dtype=np.int32)
    agreements = {}
    for code, word in enumerate(runs[0].tags[tag].words if tag else ("",)):
        rows = groups == code
        metrics_part = {name: column[rows] for name, column in columns.items()}
        people_part = {name: column[rows] for name, column in people.items()}
        correlations = correlate(
            metrics_part, human=people_part, method=method, level=scores.level, clusters=clusters[rows]
        )
        agreements[word] = correlations.with_human
    return agreements


@dataclass(frozen=True)
class _Settings:
    method: str
    level: float
    clusters: NDArray[np.int64] | None


@dataclass(frozen=True)
class _Pool:
    """Values by metric, the session of each answer, and people's scores by aspect."""

    columns: Mapping[str, ArrayLike]
    clusters: NDArray[np.int64] | None
    people: Mapping[str, ArrayLike]

    def metrics_by_aspect(self, scored: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return aspect of people's verdicts → the metrics made from them.  The aspects in `scored` are no verdicts."""
        aspects_by_metric = {name: _aspects(name) for name in self.columns}
        return {
            aspect: tuple(name for name, aspects in aspects_by_metric.items() if aspect in aspects)
            for aspect in self.people
            if aspect not in scored
        }


def _aspects(name: str) -> set[str]:
    """Return the aspects of verdicts that a metric, or a metric inside it, is made from."""
    metric = _metric(name)
    return {aspect for inner in metric.with_inner() for aspect in aspects_of(inner)} if metric else set()


def _check(method: str, at: float, level: float) -> None:
    if method not in METHODS:
        raise SpecError(f"no correlation is called {method!r}; {nearest(method, METHODS)}")
    if not 0 < at <= 1:
        raise SpecError(f"at is the correlation from which metrics say the same, such as 0.9, not {at:g}")
    check_level(level)


def _check_lengths(columns: Mapping[str, Floats], clusters: NDArray[np.int64] | None) -> None:
    sizes = {name: len(column) for name, column in columns.items()}
    if clusters is not None:
        sizes["clusters"] = len(clusters)
    if len(set(sizes.values())) > 1:
        lengths = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise InputError(f"columns to correlate must have one value for each of the same answers; found: {lengths}")


def _columns(named_values: Mapping[str, ArrayLike], kind: str) -> dict[str, Floats]:
    """Return the columns as numbers; values that differ only by rounding become equal, so that they are ties."""
    columns: dict[str, Floats] = {}
    for name, column in named_values.items():
        try:
            values = np.array([math.nan if v is None else v for v in np.asarray(column).tolist()], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{kind} {name!r}: its values must be numbers, one for each answer: {error}") from error
        if values.ndim != 1:
            raise InputError(f"{kind} {name!r}: one value for each answer is wanted, not shape {values.shape}")
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
    """Put the answers of all systems below each other."""
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
    people_of_table = _with_mean(source.facts.get("human", {}))
    return _Pool(_stacked(columns), np.concatenate(clusters), {**_stacked(people), **people_of_table})


def _with_mean(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Add the mean of several columns of people's scores, over the answers that have a score in all of them."""
    people = dict(columns)
    return (
        {**people, MEAN: np.mean(list(people.values()), axis=0)} if len(people) > 1 and MEAN not in people else people
    )


def _ratings(run: RunScores) -> dict[str, Floats]:
    """Return people's scores of whole answers: aspect → mean over people, shape (a,)."""
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
    ranked = [_ranked(column, has_value) for column, has_value in zip(columns, scored, strict=True)]
    for i in range(k):
        n[i, i] = int(scored[i].sum())
        matrix[i, i] = 1.0 if len(np.unique(columns[i][scored[i]])) > 1 else math.nan
    for i, j in combinations(range(k), 2):
        n[i, j] = n[j, i] = int((scored[i] & scored[j]).sum())
        if method == "spearman" and n[i, i] == n[j, j] == n[i, j]:  # both score the same answers: ranks stay the same
            matrix[i, j] = matrix[j, i] = pearson(ranked[i], ranked[j])
        else:
            matrix[i, j] = matrix[j, i] = METHODS[method](columns[i], columns[j])
    return matrix, n


def _ranked(column: Floats, scored: NDArray[np.bool_]) -> Floats:
    ranked = np.full(len(column), np.nan)
    ranked[scored] = ranks(column[scored])
    return ranked


def _clusters(names: Sequence[str], matrix: Floats, at: float) -> tuple[tuple[str, ...], ...]:
    """Return groups of metrics that correlate by at least `at`; a metric that only counts is alone."""
    comparable = matrix.copy()
    counting = [place for place, name in enumerate(names) if _counts(name)]
    comparable[counting] = comparable[:, counting] = np.nan
    return tuple(tuple(names[place] for place in group) for group in alike(comparable, at))


def _agreements(
    values: Mapping[str, Floats], human: str, scores: Floats, settings: _Settings, left_out: Mapping[str, Sequence[str]]
) -> list[Agreement]:
    """Return the correlation of each metric with one kind of people's scores, highest first, then undefined ones."""
    rows = []
    for name, column in values.items():
        if name in left_out.get(human, ()):
            continue
        estimate = correlation(column, scores, settings.method, settings.clusters, settings.level)
        bounds = estimate.low, estimate.high
        rows.append(Agreement(name, human, estimate.value, *bounds, estimate.n, why=estimate.why))
    defined = sorted((row for row in rows if not math.isnan(row.value)), key=lambda row: -row.value)
    best = [values[row.metric] for row in defined[:1]]
    n = len(defined)
    tested = [replace(row, told_apart=_is_lower(best[0], values[row.metric], scores, settings, n)) for row in defined]
    return [*tested, *(row for row in rows if math.isnan(row.value))]


def _is_lower(best: Floats, column: Floats, scores: Floats, settings: _Settings, metrics: int) -> bool:
    """Return whether a metric agrees with people significantly less than the best of so many metrics."""
    difference = correlation_difference((best, column), scores, settings.method, settings.clusters, settings.level)
    return difference.difference > 0 and difference.p * (metrics - 1) < 1 - settings.level
