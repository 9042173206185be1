"""Runs against qrels: what trec_eval does, for TREC files, mappings, data frames and the answers of a run."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, islice
from typing import TYPE_CHECKING, Any

from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.errors import InputError, NeracaError, SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.pooled import Pooled
from neraca.scores.trec_names import ours
from neraca.scores.trec_sources import is_run, named, queries_of, read_qrels, read_run, suspects

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neraca.stats.interval import Floats

#: Queries that a message names.
SHOWN = 3


@dataclass(frozen=True, repr=False)
class TrecSheet:
    """The scores of one run, query by query.

    Attributes
    ----------
    name
        The run's name in tables.
    queries
        All judged queries, in the order of the qrels.
    columns
        Canonical metric name → a value or a row of counts for each query.
    returned
        Documents returned for each query.
    chosen
        For each query whether it is in the means.
    strangers
        Queries of the run that nobody judged; they are left out.
    metrics
        Canonical metric name → metric.
    """

    name: str
    queries: Sequence[str]
    columns: Mapping[str, Any]
    returned: Sequence[int]
    chosen: Sequence[bool]
    strangers: int
    metrics: Mapping[str, Metric]

    @property
    def absent(self) -> int:
        """Judged queries for which the run has no document."""
        return sum(1 for count in self.returned if not count)

    @cached_property
    def answered(self) -> list[str]:
        """The queries that are in the means."""
        return list(compress(self.queries, self.chosen))

    @cached_property
    def _values(self) -> dict[str, list[float]]:
        return {name: self._chosen_values(name) for name in self.columns}

    def _chosen_values(self, metric: str) -> list[float]:
        column = self.columns[metric]
        found = self.metrics[metric].total(column) if getattr(column, "ndim", 1) == 2 else column
        values: list[float] = found.tolist() if hasattr(found, "tolist") else list(map(float, found))
        return values if all(self.chosen) else list(compress(values, self.chosen))

    def values(self, metric: str) -> list[float]:
        """Its value for each query that is in the means; NaN where it is not defined."""
        return list(self._values[metric])

    def undefined(self, metric: str) -> int:
        """For how many of these queries it is not defined."""
        if getattr(self.columns[metric], "ndim", 1) == 2:  # a count of 0 of 0 has no value, but counts
            rows = self.rows(metric)
            return int((rows != rows).any(axis=1).sum()) - self.chosen.count(False)
        total = sum(values := self._values[metric])
        return 0 if total == total else sum(value != value for value in values)  # NaN is not equal to itself

    def total(self, metric: str) -> float:
        """Its value over these queries, without those for which it is not defined; NaN where there is none."""
        if getattr(self.columns[metric], "ndim", 1) == 2:
            rows = self.rows(metric)
            defined = ~(rows != rows).any(axis=1)
            return float(self.metrics[metric].total(rows[defined].sum(axis=0))) if defined.any() else math.nan
        values = [value for value in self._values[metric] if value == value]
        if is_count(self.metrics[metric]):
            return math.fsum(values)
        return math.fsum(values) / len(values) if values else math.nan

    def rows(self, metric: str) -> Floats:
        """Counts for each judged query, shape (n, w); a plain value v is (v, 1); NaN where it is left out."""
        import numpy as np

        column = np.asarray(self.columns[metric], dtype=np.float64)
        rows = np.column_stack([column, np.ones(len(column))]) if column.ndim == 1 else column.copy()
        rows[~np.asarray(self.chosen, dtype=bool)] = np.nan
        return rows

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """Each query stands alone, shape (n,)."""
        import numpy as np

        return np.arange(len(self.queries))

    def notes(self) -> Iterator[str]:
        """What a reader of these numbers must know, in sentences."""
        if self.absent:
            missing = (query for query, count in zip(self.queries, self.returned, strict=True) if not count)
            names = ", ".join(islice(missing, SHOWN)) + (", …" if self.absent > SHOWN else "")
            what = f"{self.absent} of {len(self.queries)} judged queries ({names})"
            counted = "counted as 0, as by trec_eval -c" if all(self.chosen) else "left out of the means"
            yield f"{self.name}: no document for {what}; {counted}"
        if self.strangers:
            what = "query of the run is" if self.strangers == 1 else "queries of the run are"
            yield f"{self.name}: {self.strangers} {what} not judged; left out"
        for name, metric in self.metrics.items():
            if count := self.undefined(name):
                where, why = f"{count} of {len(self.answered)} queries", metric.definition.why_undefined
                yield f"{self.name}: {name} is not defined for {where} ({why}); left out of its mean"


@dataclass(frozen=True, repr=False)
class TrecScores:
    """Metrics of one or several runs over the same qrels; prints as a table.

    Attributes
    ----------
    sheets
        One per run, in the order given.
    metrics
        In the order asked for.
    notes
        What a reader of the numbers must know, in sentences.
    relevant_from
        As given to `trec`.
    level
        Confidence of intervals in comparisons.
    """

    sheets: tuple[TrecSheet, ...]
    metrics: tuple[Metric, ...]
    notes: tuple[str, ...] = ()
    relevant_from: float | None = None
    level: float = 0.95

    def sheet(self, run: str = "") -> TrecSheet:
        """The sheet of a run; without a name the only one.  Raises `InputError`."""
        named = [sheet for sheet in self.sheets if not run or sheet.name == run]
        if len(named) != 1:
            known = ", ".join(sheet.name for sheet in self.sheets)
            raise InputError(f"no run is called {run!r}; known: {known}" if run else f"say which run: {known}")
        return named[0]

    def values(self, metric: str | Metric, run: str = "") -> dict[str, float]:
        """Query → value; NaN where the metric is not defined."""
        sheet = self.sheet(run)
        return dict(zip(sheet.answered, sheet.values(self.name_of(metric)), strict=True))

    def mean(self, metric: str | Metric, run: str = "") -> float:
        """The value over all queries: the mean, or the sum of a count such as `NumRet`."""
        return self.sheet(run).total(self.name_of(metric))

    def name_of(self, metric: str | Metric) -> str:
        """The name here of a metric that was scored, however it was asked for; raises `SpecError` for another one."""
        asked = [str(found) for found in _metrics(metric, self.relevant_from)]
        if len(asked) != 1 or asked[0] not in self.metrics:
            told = ", ".join(map(str, self.metrics))
            raise SpecError(f"{' '.join(asked) or 'this'} was not scored; name one of those that were: {told}")
        return asked[0]

    def rows(self, per_query: bool = False) -> list[dict[str, Any]]:
        """{run, query, metric, value} for each run and metric; the query is `all` for the value over all queries."""
        found: list[dict[str, Any]] = []
        for sheet in self.sheets:
            for metric in self.metrics:
                name, kind = str(metric), int if is_count(metric) else float
                each = zip(sheet.answered, sheet.values(name), strict=True) if per_query else ()
                pairs = [*each, ("all", sheet.total(name))]
                found += [{"run": sheet.name, "query": q, "metric": name, "value": kind(value)} for q, value in pairs]
        return found

    def __str__(self) -> str:
        head = ["metric", *(sheet.name for sheet in self.sheets)]
        lines = [[str(m), *(written(m, sheet.total(str(m))) for sheet in self.sheets)] for m in self.metrics]
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        table = [
            "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))])
            for line in [head, *lines]
        ]
        return "\n".join([*table, self.basis, *self.notes])

    __repr__ = __str__

    @property
    def basis(self) -> str:
        """How many queries the values rest on, in words."""
        counts = {len(sheet.answered) for sheet in self.sheets}
        queries = str(counts.pop()) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
        return f"{queries} {'query' if queries == '1' else 'queries'}"


def is_count(metric: Metric) -> bool:
    """Whether it counts something that is added up over the queries, such as `NumRet`."""
    if metric.definition.total is None:
        return False
    from neraca.metrics.ranking.counts import added

    return metric.definition.total is added


def written(metric: Metric, value: float) -> str:
    """A value with four decimals, as trec_eval writes it; a count as the whole number that it is."""
    return f"{value:.0f}" if is_count(metric) else f"{value:.4f}"


def trec(
    qrels: Any,
    runs: Any,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    only_answered: bool = False,
    relevant_from: float | None = None,
    single: bool = False,
) -> TrecScores:
    """Score runs with qrels.

    Parameters
    ----------
    qrels
        A TREC file, a BEIR folder or its `qrels/*.tsv`, query → document → grade, or a data frame (polars, pandas).
    runs
        A TREC file, query → document → score, a data frame, or the folder of a run; or a list of them, or a mapping
        from names to them.
    metrics
        Names (`"nDCG@10 AP RBP(p=0.8)"`, or a list), ours or trec_eval's (`map`, `P_5,10`).
    only_answered
        Average over the judged queries that a run has documents for; else those it lacks count as 0, as with
        `trec_eval -c`.
    relevant_from
        Smallest grade that is relevant, in metrics that take `rel` and are not given one; None: their own default, 1.
    single
        Rank by scores rounded to single precision, as pytrec_eval does.

    Raises
    ------
    InputError
        For files that cannot be read, documents that stand twice, scores and grades that are no numbers, and where
        no query of a run is judged.
    SpecError
        For an unknown metric, or one that needs more than judged documents.

    Examples
    --------
    >>> found = trec({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["RR", "nDCG@10"])
    >>> found.mean("RR"), found.values("RR")
    (0.5, {'q1': 0.5})
    """
    chosen = _metrics(metrics, relevant_from)
    if not chosen:
        raise SpecError("there is no metric to score with; name at least one, such as nDCG@10")
    if not all(map(_is_ours, chosen)):
        import numpy  # noqa: F401  # where it is there, views are of its arrays, for which others write metrics
    judgments = read_qrels(qrels)
    sheets: list[TrecSheet] = []
    notes: list[str] = []
    for name, source in named(runs):
        judged = read_run(name, source, judgments, single)
        if not judged.returned.any():
            _check_common(name, source, judgments)
        sheets.append(_sheet(name, judged, judgments, chosen, only_answered, suspects(source)))
        notes += [*_answer_notes(name, source), *sheets[-1].notes()]
    return TrecScores(tuple(sheets), tuple(chosen), tuple(notes), relevant_from)


def _answer_notes(name: str, source: Any) -> Iterable[str]:
    """What a reader must know of the answers of a run folder."""
    if suspect := suspects(source):
        yield f"{name}: {len(suspect)} answers may not be whole and are left out"
    if is_run(source) and source.manifest.trials > 1:
        yield f"{name}: each question was asked {source.manifest.trials} times; the first answer counts"


def _metrics(metrics: Any, relevant_from: float | None) -> list[Metric]:
    """Metrics by names, each once; raises `SpecError`."""
    if relevant_from is not None and not (isinstance(relevant_from, int | float) and math.isfinite(relevant_from)):
        raise SpecError(f"the smallest relevant grade is a number, not {relevant_from!r}")
    defaults = {} if relevant_from is None else {"rel": relevant_from}
    several = [metrics] if isinstance(metrics, str | Metric) else metrics
    if not isinstance(several, Iterable):
        raise SpecError(f"metrics are names such as nDCG@10, or a list of them, not {metrics!r}")
    found: list[Metric] = []
    for name in several:
        if not isinstance(name, str | Metric):
            raise SpecError(f"a metric is a name such as nDCG@10, not {name!r}")
        found += [name] if isinstance(name, Metric) else [Metric.of(one, **defaults) for one in ours(name)]
    return list({str(metric): metric for metric in found}.values())


def _is_ours(metric: Metric) -> bool:
    """Whether it, and a metric that it is made of, can work without numpy."""
    inner = dict(metric.params).get("metric")
    built_in = metric.definition.function.__module__.startswith("neraca.")
    return built_in and (inner is None or _is_ours(Metric.of(str(inner))))


def _check_common(name: str, source: Any, qrels: Qrels) -> None:
    """Raise `InputError` where run and qrels have no query in common."""
    found = queries_of(source)
    if not found:
        raise InputError(f"{name}: there is no query in it")
    if not any(query in qrels.grades for query in found):
        theirs, judged = (", ".join(map(repr, islice(queries, SHOWN))) for queries in (found, qrels.queries))
        told = f"the run has {theirs}, the qrels {judged}; do the two belong together?"
        raise InputError(f"{name}: none of its queries is judged in {qrels.source}: {told}")


def _sheet(
    name: str,
    judged: RankedJudgments,
    qrels: Qrels,
    metrics: Sequence[Metric],
    only_answered: bool,
    left_out: Collection[str],
) -> TrecSheet:
    pooled = Pooled(judged, qrels)
    columns = {str(metric): _column(metric, pooled) for metric in metrics}
    returned = judged.returned.tolist()
    pairs = zip(qrels.queries, returned, strict=True)
    chosen = [query not in left_out and (not only_answered or count > 0) for query, count in pairs]
    known = {str(metric): metric for metric in metrics}
    return TrecSheet(name, qrels.queries, columns, returned, chosen, judged.unjudged_queries, known)


def _column(metric: Metric, pooled: Pooled) -> Any:
    """What a metric gives for each query; of a user's own one it is checked."""
    if not pooled.has(metric.view):
        raise SpecError(
            f"{metric} needs more than judged documents, such as texts or verdicts: ask with `neraca ask`, and score "
            f"the run folder with `neraca score`"
        )
    if _is_ours(metric):
        return metric(pooled.view(metric.view))
    from neraca.metrics.column import Column

    queries = pooled.why_not()
    try:
        values = metric(pooled.view(metric.view))
        if len(values) == len(queries):
            return Column.made(metric, values, queries).rows
    except NeracaError:
        raise
    except Exception as error:  # whatever the user's code raises is told with its name
        raise SpecError(f"{metric}: failed on these rankings: {type(error).__name__}: {error}") from error
    raise SpecError(f"{metric}: it gave {len(values)} values for {len(queries)} queries; it must give one for each")
