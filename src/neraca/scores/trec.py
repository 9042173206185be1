"""Runs against qrels: what trec_eval does, for TREC files, mappings, data frames and the answers of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.datasets.judged import Judged
from neraca.datasets.qrels import Qrels
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.pooled import Pooled
from neraca.registry import split_specs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neraca.stats.interval import Floats


@dataclass(frozen=True)
class TrecSheet:
    """The scores of one run, query by query.

    Attributes
    ----------
    name
        The run's name in tables.
    queries
        All judged queries, in the order of the qrels.
    columns
        Canonical metric name → what the metric returned: a value or a row of counts for each query.
    returned
        Documents returned for each query.
    chosen
        For each query whether it is in the means.
    strangers
        Queries of the run that nobody judged; they are left out.
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

    def values(self, metric: str) -> list[float]:
        """Its value for each query that is in the means; NaN where it is not defined."""
        column = self.columns[metric]
        found = self.metrics[metric].total(column) if getattr(column, "ndim", 1) == 2 else column
        values: list[float] = found.tolist() if hasattr(found, "tolist") else list(map(float, found))
        return values if all(self.chosen) else list(compress(values, self.chosen))

    def total(self, metric: str) -> float:
        """Its value over all these queries, without those of which it is not defined; NaN where there is none."""
        column = self.columns[metric]
        if getattr(column, "ndim", 1) == 2:
            rows = self.rows(metric)
            defined = rows.sum(axis=1) == rows.sum(axis=1)  # NaN is not equal to itself
            return float(self.metrics[metric].total(rows[defined].sum(axis=0)))
        values = [value for value in self.values(metric) if value == value]
        return math.fsum(values) / len(values) if values else math.nan

    @cached_property
    def answered(self) -> list[str]:
        """The queries that are in the means."""
        return list(compress(self.queries, self.chosen))

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


@dataclass(frozen=True)
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
    level
        Confidence of intervals in comparisons.
    """

    sheets: tuple[TrecSheet, ...]
    metrics: tuple[Metric, ...]
    notes: tuple[str, ...] = ()
    level: float = 0.95

    def sheet(self, run: str = "") -> TrecSheet:
        """The sheet of a run; without a name the only one.  Raises `InputError`."""
        named = [sheet for sheet in self.sheets if not run or sheet.name == run]
        if len(named) != 1:
            known = ", ".join(sheet.name for sheet in self.sheets)
            raise InputError(f"no run is called {run!r}; known: {known}" if run else f"say which run: {known}")
        return named[0]

    def values(self, metric: str, run: str = "") -> dict[str, float]:
        """Query → value; NaN where the metric is not defined."""
        sheet = self.sheet(run)
        return dict(zip(sheet.answered, sheet.values(self._name(metric)), strict=True))

    def mean(self, metric: str, run: str = "") -> float:
        """The value over all queries: the mean, or the sum of a count such as `NumRet`."""
        return self.sheet(run).total(self._name(metric))

    def _name(self, metric: str) -> str:
        name = str(Metric.of(metric))
        if name not in self.metrics:
            raise SpecError(f"{name} was not scored; scored: {', '.join(map(str, self.metrics))}")
        return name

    def rows(self, per_query: bool = False) -> list[dict[str, Any]]:
        """{run, query, metric, value} for each run and metric; the query is `all` for the value over all queries."""
        found: list[dict[str, Any]] = []
        for sheet in self.sheets:
            for metric in map(str, self.metrics):
                each = zip(sheet.answered, sheet.values(metric), strict=True) if per_query else ()
                pairs = [*each, ("all", sheet.total(metric))]
                found += [{"run": sheet.name, "query": q, "metric": metric, "value": value} for q, value in pairs]
        return found

    def __str__(self) -> str:
        head = ["metric", *(sheet.name for sheet in self.sheets)]
        lines = [[str(m), *(f"{sheet.total(str(m)):.4f}" for sheet in self.sheets)] for m in self.metrics]
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))])
            for line in [head, *lines]
        )


def trec(
    qrels: Any,
    runs: Any,
    metrics: str | Iterable[str],
    *,
    only_answered: bool = False,
    relevant_from: float = 0,
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
        Names (`"nDCG@10 AP RBP(p=0.8)"`, or a list).
    only_answered
        Average over the judged queries that a run has documents for; else those it lacks count as 0, as with
        `trec_eval -c`.
    relevant_from
        Smallest grade that is relevant, in metrics that take `rel` and are not given one; 0: their own default, 1.
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
    defaults = {"rel": relevant_from} if relevant_from else {}
    names = split_specs(metrics) if isinstance(metrics, str) else metrics
    chosen = list({str(metric): metric for metric in (Metric.of(name, **defaults) for name in names)}.values())
    if not chosen:
        raise SpecError("there is no metric to score with; name at least one, such as nDCG@10")
    judgments = read_qrels(qrels)
    sheets: list[TrecSheet] = []
    notes: list[str] = []
    for name, source in _named(runs):
        judged = read_run(source, judgments, single)
        sheet = _sheet(name, judged, judgments, chosen, only_answered)
        sheets.append(sheet)
        notes += _notes(sheet, judgments, only_answered)
    return TrecScores(tuple(sheets), tuple(chosen), tuple(notes))


def _sheet(name: str, judged: Judged, qrels: Qrels, metrics: Sequence[Metric], only_answered: bool) -> TrecSheet:
    returned = list(map(int, judged.returned))
    if not any(returned):
        raise InputError(
            f"{name}: no query of the run is judged in {qrels.source}, where the first one is {qrels.queries[0]!r}; "
            f"do the two belong together?"
        )
    pooled = Pooled(judged, qrels)
    columns = {}
    for metric in metrics:
        if not pooled.has(metric.view):
            raise SpecError(f"{metric} needs more than judged documents: score a run folder with `neraca score`")
        columns[str(metric)] = metric(pooled.view(metric.view))
    chosen = [not only_answered or count > 0 for count in returned]
    known = {str(metric): metric for metric in metrics}
    return TrecSheet(name, qrels.queries, columns, returned, chosen, judged.strangers, known)


def _notes(sheet: TrecSheet, qrels: Qrels, only_answered: bool) -> Iterable[str]:
    if sheet.absent:
        what = "are left out" if only_answered else "count as 0"
        yield f"{sheet.name}: {sheet.absent} of {len(sheet.queries)} judged queries are not in the run and {what}."
    if sheet.strangers:
        yield f"{sheet.name}: {sheet.strangers} queries of the run are not judged and left out."


def read_qrels(source: Any) -> Qrels:
    """Judgments from whatever holds them; see `trec`.  Raises `InputError`."""
    if isinstance(source, Qrels):
        return source
    if isinstance(source, str | Path):
        from neraca.datasets.beir import is_beir
        from neraca.datasets.beir import read_qrels as read_beir

        path = Path(source)
        return read_beir(path) if is_beir(path) else Qrels.read(path)
    if isinstance(source, Mapping):
        return Qrels.of_mapping(source)
    if hasattr(source, "columns"):
        from neraca.datasets.frames import qrels_of_frame

        return qrels_of_frame(source)
    raise InputError(f"qrels are a path, a mapping or a data frame, not {type(source).__name__}")


def read_run(source: Any, qrels: Qrels, single: bool = False) -> Judged:
    """The judged hits of a run from whatever holds it; see `trec`.  Raises `InputError`."""
    if isinstance(source, str | Path):
        path = Path(source)
        if not (path / "manifest.json").is_file():
            return Judged.of_file(path, qrels, single)
        from neraca.runs.run import Run

        source = Run(path)
    if isinstance(source, Mapping):
        return Judged.of_mapping(source, qrels, single)
    if hasattr(source, "columns"):
        from neraca.datasets.frames import run_of_frame

        return run_of_frame(source, qrels, single)
    if hasattr(source, "answers"):
        return Judged.of_rankings(_rankings(source), qrels)
    raise InputError(f"a run is a path, a mapping, a data frame or a run folder, not {type(source).__name__}")


def _rankings(run: Any) -> dict[str, list[str]]:
    """Item → documents, best first, of the first trial; a failed answer is an empty one."""
    return {
        item: [] if answer.failed else [hit.id for hit in answer.hits]
        for (item, trial), answer in run.answers().items()
        if not trial
    }


def _named(runs: Any) -> list[tuple[str, Any]]:
    """The runs with their names, which differ."""
    if isinstance(runs, Mapping) and not all(_is_ranking(value) for value in runs.values()):
        return list(runs.items())
    each = runs if isinstance(runs, list | tuple) else [runs]
    if not each:
        raise InputError("there is no run to score; name at least one")
    names = [Path(run).name if isinstance(run, str | Path) else getattr(run, "name", "run") for run in each]
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, start=1)]
    return list(zip(map(str, names), each, strict=True))


def _is_ranking(value: Any) -> bool:
    """Whether this is document → score, so that the mapping around it is one run."""
    return isinstance(value, Mapping) and not isinstance(next(iter(value.values()), 0.0), Mapping)
