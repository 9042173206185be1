"""The output of trec_eval 10, byte for byte: its measures, averages and lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from neraca.datasets.trec.line_blocks import RUN, line_blocks
from neraca.datasets.trec.preference_file import PreferenceFile
from neraca.datasets.trec.qrels import Qrels, read_rows
from neraca.datasets.trec.ranked_judgments import RankedJudgments
from neraca.datasets.trec.run_file import read_run_file
from neraca.errors import InputError, SpecError
from neraca.metrics.scorable import RunGroup
from neraca.scores.sources.judged_rankings import check_common, scorable_of_ranking
from neraca.scores.trec_eval.formulas import GradedRun, relstrings, values_of
from neraca.scores.trec_eval.names import Chosen, Measure, choose
from neraca.scores.trec_eval.preferences import preference_values, preferences_of

FORMS = ("qrels", "prefs", "qrels_prefs", "qrels_jg")
#: The z-score of a value if the file has no mean for it, or if the deviation is 0 and the value is not the mean.
NO_ZSCORE = -1000000.0
_ZSCORES = ("query", "measure", "mean", "deviation")


@dataclass(frozen=True, kw_only=True)
class TrecEvalOptions:
    """Options of trec_eval.

    Attributes
    ----------
    per_query
        -q: print each query too.
    complete
        -c: average over all judged queries, not only over the queries of the run.
    level
        -l: the smallest grade that is relevant.
    depth
        -M: how many documents of each query count; None: all.
    zscores
        -Z: a file of query, measure, mean and deviation; values are printed as z-scores.
    form
        -R: how judgments are read, one of `FORMS`.
    """

    per_query: bool = False
    complete: bool = False
    level: int = 1
    depth: int | None = None
    zscores: Path | None = None
    form: str = "qrels"


def trec_eval(qrels: Path, run: Path, measures: Iterable[str] = (), options: TrecEvalOptions | None = None) -> str:
    """Return what `trec_eval -m MEASURE… QRELS RUN` prints.

    Parameters
    ----------
    measures
        Its names and nicknames, with parameters after a dot: `P.5,10`, `all_trec`; none: `official`.

    Raises
    ------
    SpecError
        For measures and forms that trec_eval does not know, and measures that need another form.
    InputError
        For files that cannot be read, and where no query of the run is judged.
    """
    options = options or TrecEvalOptions()
    chosen = choose(measures)
    _check(chosen, options)
    evaluate = _evaluate_preferences if options.form in ("prefs", "qrels_prefs") else _evaluate_grades
    queries, columns = evaluate(qrels, run, chosen, options)
    if options.zscores is not None:
        columns = _standardised(columns, options.zscores)
    lines = _query_lines(queries, columns, options) if options.per_query else []
    return "\n".join([*lines, *_total_lines(queries, columns, options, run), ""])


def _check(chosen: Sequence[Chosen], options: TrecEvalOptions) -> None:
    if options.form not in FORMS:
        raise SpecError(f"-R {options.form}: judgments are in one of the forms {', '.join(FORMS)}")
    form = "prefs" if options.form == "qrels_prefs" else options.form
    misfits = [choice.measure for choice in chosen if choice.measure.form not in ("", form)]
    if misfits:
        remedy = {"prefs": "all_prefs", "qrels_jg": "qrels_jg"}.get(form)
        advice = f"; with -R {options.form} write -m {remedy}" if remedy else f"; add -R {misfits[0].form}"
        raise SpecError(f"the measure {misfits[0].name} cannot be computed from judgments as {options.form}{advice}")
    if options.level < 0:
        raise SpecError(
            f"-l {options.level}: the smallest relevant grade is 0 or more; a document below 0 is not judged"
        )


class _Column(NamedTuple):
    """The values of a measure at one of its cutoffs, by query."""

    measure: Measure
    name: str
    values: Mapping[str, Any]


def _evaluate_grades(
    qrels: Path, run: Path, chosen: Sequence[Chosen], options: TrecEvalOptions
) -> tuple[list[str], list[_Column]]:
    """Return the evaluated queries, sorted, and the values: the mean over the groups that judged a query."""
    groups = _groups(qrels, split=options.form == "qrels_jg")
    graded = [_graded(run, group, options) for group in groups]
    missing = {
        query: bool(is_missing)
        for run_of_group, group in zip(graded, groups, strict=True)
        for query, is_missing in zip(group.queries, run_of_group.missing, strict=True)
    }
    if all(missing.values()):
        check_common(str(run), run, Qrels({query: {"": 0} for query in missing}, source=str(qrels)))

    def column(measure: Measure, name: str, number: Any) -> _Column:
        if measure.name == "relstring":
            return _Column(measure, name, dict(zip(groups[0].queries, relstrings(graded[0], number), strict=True)))
        values_by_query: dict[str, list[float]] = {}
        for run_of_group, group in zip(graded, groups, strict=True):
            values = values_of(run_of_group, measure.name.removesuffix("_avgjg"), number).tolist()
            for query, value in zip(group.queries, values, strict=True):
                values_by_query.setdefault(query, []).append(value)
        return _Column(measure, name, {query: _sum(values) / len(values) for query, values in values_by_query.items()})

    return _evaluated_queries(missing, options), [
        column(choice.measure, name, number) if choice.measure.form else _Column(choice.measure, name, {})
        for choice in chosen
        for name, number in zip(choice.names, choice.numbers, strict=True)
    ]


def _evaluate_preferences(
    path: Path, run: Path, chosen: Sequence[Chosen], options: TrecEvalOptions
) -> tuple[list[str], list[_Column]]:
    """Return the evaluated queries, sorted, and the values of preference measures."""
    file = PreferenceFile.read(path, qrels=options.form == "qrels_prefs")
    pool = file.judged()
    judged = _judged(run, pool, options, rising=True)
    if not judged.returned.any():
        check_common(str(run), run, pool)
    missing = dict(zip(pool.queries, judged.returned == 0, strict=True))
    view = preferences_of(file, pool, judged)
    columns = []
    for measure in (choice.measure for choice in chosen):
        values = preference_values(view, measure.name).tolist() if measure.form else [0.0] * len(missing)
        columns.append(_Column(measure, measure.name, dict(zip(missing, values, strict=True))))
    return _evaluated_queries(missing, options), columns


def _groups(qrels: Path, *, split: bool) -> list[Qrels]:
    """Return the judgments of each group, by name; without `split` all are one group.

    Raise `InputError` if a group judges a document twice.
    """
    rows = list(zip(*read_rows(qrels), strict=True))
    groups: dict[str, list[tuple[str, str, str, float]]] = {}
    for row in rows:
        groups.setdefault(row[1] if split else "", []).append(row)
    judgments_of_groups = []
    for name, of_group in sorted(groups.items()):
        queries, _, documents, grades = map(list, zip(*of_group, strict=True))
        judgments = Qrels.of_rows(queries, [name] * len(queries), documents, grades, str(qrels))
        if judgments is None:
            (query, document), _ = Counter(zip(queries, documents, strict=True)).most_common(1)[0]
            remedy = "" if split else "; judgments of several groups (second column) are read with -R qrels_jg"
            raise InputError(f"{qrels}: query {query!r} has the document {document!r} twice{remedy}")
        judgments_of_groups.append(judgments)
    return judgments_of_groups


def _graded(run: Path, qrels: Qrels, options: TrecEvalOptions) -> GradedRun:
    judged = _judged(run, qrels, options)
    missing = judged.returned == 0
    judged = judged._replace(returned=judged.returned + missing)
    part = scorable_of_ranking(str(run), run, judged, qrels, False, {})
    RunGroup([part])
    return GradedRun(part, options.level, missing)


def _judged(run: Path, qrels: Qrels, options: TrecEvalOptions, *, rising: bool = False) -> RankedJudgments:
    """Return the judged hits; for preferences trec_eval orders equal scores the other way (`rising`)."""
    judged = read_run_file(run, qrels, surplus=True, rising=rising)
    return judged if options.depth is None else judged.down_to(options.depth)


def _evaluated_queries(missing: Mapping[str, bool], options: TrecEvalOptions) -> list[str]:
    return sorted(query for query, absent in missing.items() if options.complete or not absent)


def _standardised(columns: Sequence[_Column], path: Path) -> list[_Column]:
    """Return values as z-scores, by the means and deviations in a file."""
    mean_and_deviation: dict[tuple[str, str], tuple[float, float]] = {}
    for block in line_blocks(path):
        tidy, (queries, names, means, deviations) = block.columns(_ZSCORES)
        numbers = zip(tidy.read(float, means, "mean"), tidy.read(float, deviations, "deviation"), strict=True)
        mean_and_deviation.update(zip(zip(queries, names, strict=True), numbers, strict=True))

    def zscore(query: str, name: str, value: float) -> float:
        mean, deviation = mean_and_deviation.get((query, name), (math.nan, 0.0))
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else NO_ZSCORE

    return [
        column._replace(values={query: zscore(query, column.name, value) for query, value in column.values.items()})
        if column.measure.total
        else column
        for column in columns
    ]


def _query_lines(queries: Sequence[str], columns: Sequence[_Column], options: TrecEvalOptions) -> Iterator[str]:
    for query in queries:
        for column in columns:
            if column.measure.of_queries:
                yield _line(column, query, column.values[query], options)


def _total_lines(
    queries: Sequence[str], columns: Sequence[_Column], options: TrecEvalOptions, run: Path
) -> Iterator[str]:
    for column in columns:
        total = _sum([column.values[query] for query in queries]) if column.measure.total else 0.0
        if column.measure.name == "runid":
            yield _line(column, "all", _tag(run), options)
        elif column.measure.name == "num_q":
            yield _line(column, "all", len(queries), options)
        elif column.measure.total == "geometric":
            yield _line(column, "all", math.exp(total / len(queries)), options)
        elif column.measure.total:
            yield _line(column, "all", total / len(queries) if column.measure.total == "mean" else total, options)


def _line(column: _Column, query: str, value: Any, options: TrecEvalOptions) -> str:
    if isinstance(value, str):
        cell = f"'{value}'" if column.measure.of_queries else value
        return f"{column.name:<22}\t{query}\t{cell}"
    whole = column.measure.whole and options.zscores is None
    prefix, cell = "" if options.zscores is None else "Z", f"{int(value)}" if whole else f"{value:6.4f}"
    return f"{prefix}{column.name:<22}\t{query}\t{cell}"


def _sum(values: Sequence[float]) -> float:
    """Add values one after the other, as C does; Python's own sum corrects for rounding."""
    return float(np.cumsum(values)[-1])


def _tag(run: Path) -> str:
    """Return the tag of the last line of a run."""
    tag = ""
    for block in line_blocks(run):
        lines = block.tidy(RUN, surplus=True).data.splitlines()
        tag = lines[-1].split()[-1].decode() if lines else tag
    return tag
