"""`neraca trec`: score and compare TREC runs, as trec_eval does and more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import options, speak
from neraca.cli.trec_eval import AsTrecEval, as_trec_eval
from neraca.cli.trec_options import TrecTexts
from neraca.errors import InputError, SpecError
from neraca.number_format import localised
from neraca.translation import say, say_all, written_in

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference
    from neraca.metrics.metric import Metric
    from neraca.reports.sentences.parts import Finding
    from neraca.result import Table
    from neraca.scores.scores import RunScores, Scores

#: Most differences in a table; if there are more it shows those that matter most.
MOST = 30
FORMATS = ("trec", "table", "json", "csv", "markdown")

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN...", help="TREC runs, or run folders; bm25=a.run gives a run a name.", show_default=False
    ),
]
Metrics = Annotated[
    list[str],
    typer.Option(
        "--metrics", "-m", help='Metrics such as "nDCG@10 RBP(p=0.8)", or by trec_eval\'s names: "map P_5,10".'
    ),
]
Complete = Annotated[
    bool,
    typer.Option(
        "-c/-C", "--complete/--only-answered", help="Count judged queries that a run lacks as 0, or leave them out."
    ),
]
Level = Annotated[
    float | None,
    typer.Option(
        "-l",
        "--relevant-from",
        help="Smallest grade that is relevant; default: that of each metric.",
        show_default=False,
    ),
]
Format = Annotated[
    str, typer.Option("--format", "-f", help=f"Format: {', '.join(FORMATS)}; default: trec, or table for several runs.")
]


def command(
    ctx: typer.Context,
    qrels: Annotated[Path, typer.Argument(metavar="QRELS", help="TREC qrels, or a BEIR folder.", show_default=False)],
    runs: Runs,
    *,
    metrics: Metrics = ["AP RR P@10 R@1000 nDCG@10"],
    per_query: Annotated[bool, typer.Option("-q", "--per-query", help="Also print a row for each query.")] = False,
    complete: Complete = True,
    level: Level = None,
    format: Format = "",
    single: Annotated[bool, typer.Option("--float32", help="Rank by scores rounded to single precision.")] = False,
    compare: options.Compare = False,
    to: options.OptionalReportFile = None,
    texts: TrecTexts,
    trec_eval: AsTrecEval,
    comparison: options.Comparison,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Score TREC runs with qrels, and compare several runs."""
    from neraca.cli.difference_rows import as_in_report
    from neraca.reports.sentences.notes import notes
    from neraca.scores.trec import trec

    if printed := as_trec_eval(ctx, trec_eval):
        print(printed, end="")
        return
    options.load_plugins(plugin)
    runs = _checked_once(comparison.add_baseline(runs))
    chosen = "report" if to else _format(format, output.json, compare, len(runs))
    if to and (format or output.json or compare or per_query):
        raise SpecError("--to writes the report alone; leave --format, --json, --compare and -q out")
    if texts.documents and not to:
        raise SpecError("--documents has the texts for the lists of a report; name the report with --to report.html")
    compared = compare or (len(runs) > 1 and chosen in ("table", "markdown", "report"))
    settings = comparison.checked() if compared or not comparison.is_usual else {}
    how: dict[str, Any] = {"relevant_from": level, "single": single, **texts._asdict()}
    scores = trec(qrels, runs, " ".join(metrics), only_answered=not complete, **how)
    if comparison.against:
        _check_baseline(scores, str(comparison.against), runs)
    first = scores.name_of(comparison.primary) if comparison.primary else ""
    differences = _compare(scores, settings | {"primary": first}, runs) if compared else []
    if to is not None:
        from neraca.cli.report import write

        write(to, scores, differences, primary=first, language=report_language)
    elif chosen in ("table", "markdown"):
        differences = as_in_report(scores, differences, first, str(comparison.against))
    with written_in(report_language):
        if to is None:
            shown = _Shown(chosen, per_query, compare, output.wide)
            _print(scores, differences, first, shown)
        for note in notes(scores):
            speak(note)


class _Shown(NamedTuple):
    """The format that is printed, whether for each query, whether the paired tests alone, and whether in one piece."""

    format: str
    per_query: bool
    compare: bool
    wide: bool


def _print(scores: Scores, differences: Sequence[Difference], primary: str, shown: _Shown) -> None:
    """Print the values and the paired tests."""
    if shown.format in ("json", "csv"):
        _print_rows(shown.format, scores, differences if shown.compare else None, shown.per_query)
    elif shown.format == "trec":
        _print_trec(scores, shown.per_query)
    else:
        tables = [] if shown.compare else [*_value_tables(scores, shown.per_query)]
        if finding := _finding(scores, differences, primary):
            how_shown = {"complete": shown.compare, "to_screen": shown.format == "table" and not shown.wide}
            tables += _test_tables(scores, differences, primary, finding, **how_shown)
        sentences = [finding.headline, *finding.details] if finding else []
        _print_tables(shown.format, tables, sentences, shown.wide)


def _checked_once(runs: list[Path]) -> list[Path]:
    """Return the runs; raise `InputError` if a path stands twice without a name such as `copy=a.run`."""
    from neraca.scores.sources.run_names import with_name

    places = [(name, Path(path).resolve()) for name, path in map(with_name, runs)]
    if twice := next((run for n, run in enumerate(runs) if places[n] in places[:n]), None):
        raise InputError(f"{twice}: the same run stands twice; name it once")
    return runs


def _check_baseline(scores: Scores, against: str, runs: Sequence[Path]) -> None:
    """Raise `InputError` for a baseline that is none of the runs, `SpecError` for one without another run."""
    from neraca.comparisons.baseline_name import name_of_baseline

    name_of_baseline(scores, against, runs)
    if len(scores.runs) == 1:
        raise SpecError(f"--against {against} is the only run; name a run to compare with it")


def _compare(scores: Scores, settings: dict[str, Any], runs: Sequence[Path]) -> Sequence[Difference]:
    """Compare every two runs, or each with the baseline; metrics of margins may have the names of trec_eval."""
    from neraca.comparisons.baseline_name import name_of_baseline
    from neraca.comparisons.compare import compare

    settings = settings | {"against": name_of_baseline(scores, settings["against"], runs)}
    if isinstance(margin := settings["margin"], dict):
        settings["margin"] = {scores.name_of(name): limit for name, limit in margin.items()}
    return compare(scores, **settings)


def _format(format: str, json: bool, compare: bool, runs: int) -> str:
    """Return the format to print; raise `SpecError` for one that is unknown or does not fit the other options."""
    if json and format not in ("", "json"):
        raise SpecError(f"--json and --format {format} are two formats; give one")
    chosen = "json" if json else format or ("table" if runs > 1 or compare else "trec")
    if chosen not in FORMATS:
        raise SpecError(f"no format is called {chosen!r}; known: {', '.join(FORMATS)}")
    if compare and chosen == "trec":
        raise SpecError("the format trec has no place for paired tests; give --format table, json, csv or markdown")
    return chosen


def _print_trec(scores: Scores, per_query: bool) -> None:
    """Print the values in the format of trec_eval."""
    lines = []
    for run in scores.runs:
        if len(scores.runs) > 1:
            lines.append(f"{'runid':<22}\tall\t{run.name}")
        columns = [(metric, f"{metric!s:<22}", scores.by_item(metric, run.name)) for metric in scores.metrics]
        for query in columns[0][2] if per_query else ():
            lines += [f"{name}\t{query}\t{_value_text(metric, values[query])}" for metric, name, values in columns]
        lines += [f"{name}\tall\t{_value_text(metric, run.total(metric))}" for metric, name, _ in columns]
    print("\n".join(lines))


def _value_text(metric: Metric, value: float) -> str:
    """Return a value with four decimals, as trec_eval writes it; a count is a whole number."""
    from neraca.scores.scores import is_count

    return f"{value:.0f}" if is_count(metric) else f"{value:.4f}"


def _print_rows(chosen: str, scores: Scores, differences: Sequence[Difference] | None, per_query: bool) -> None:
    """Print flat rows of the differences, or if they are None of the scores, as JSON Lines or CSV."""
    from neraca.comparisons.difference import row
    from neraca.scores.export import query_rows

    chosen_rows = (
        query_rows(scores, per_query, basis=chosen == "json") if differences is None else map(row, differences)
    )
    rows = list(chosen_rows)
    if chosen == "json":
        from neraca.cli import show

        show.jsonl(rows)
        return
    from neraca.datasets.csv_text import csv_text

    print(csv_text([list(rows[0]), *(row.values() for row in rows)], line_end="\n"), end="")


def _print_tables(chosen: str, tables: Iterable[Table], sentences: Sequence[str], wide: bool) -> None:
    """Print tables and sentences, for a terminal or as Markdown."""
    if chosen == "table":
        from neraca.cli import show

        for table in tables:
            show.result(table, "", wide=wide)
        show.print_sentences(*sentences)
        return
    from neraca.reports.blocks.block import Sentences
    from neraca.reports.formats.markdown import draw

    print(draw((*tables, Sentences(sentences[:1], "words"), Sentences(sentences[1:]))), end="")


def _value_tables(scores: Scores, per_query: bool) -> Iterator[Table]:
    """Yield a table of the values of all runs, and with `per_query` a table for each run."""
    from neraca.result import Table

    def cell(metric: Metric, value: float) -> str:
        return "–" if math.isnan(value) else localised(_value_text(metric, value))

    names = [str(metric) for metric in scores.metrics]
    answered = [say("{n} of {all}", n=len(run) - run.facts["absent"], all=len(run)) for run in scores.runs]
    lacking = any(run.facts["absent"] for run in scores.runs)
    means = [
        [run.name, *([count] if lacking else []), *(cell(m, run.total(m)) for m in scores.metrics)]
        for run, count in zip(scores.runs, answered, strict=True)
    ]
    yield Table([*say_all("run", *(["answered"] if lacking else [])), *names], means, _basis(scores))
    for run in scores.runs if per_query else ():
        columns = [scores.by_item(metric, run.name) for metric in scores.metrics]
        rows = [
            [query, *(cell(m, c[query]) for m, c in zip(scores.metrics, columns, strict=True))] for query in columns[0]
        ]
        yield Table([say("query"), *names], rows, run.name)


def _count_queries(run: RunScores) -> int:
    """Return the number of queries that count."""
    return len(run) if run.left_out is None else int((~run.left_out).sum())


def _basis(scores: Scores) -> str:
    """Return the number of queries that the values rest on, in words."""
    from neraca.counts_and_lists import count

    counts = set(map(_count_queries, scores.runs))
    if len(counts) == 1:
        return count(counts.pop(), "query", "queries")
    return say("{least} to {most} queries", least=min(counts), most=max(counts))


def _test_tables(
    scores: Scores, differences: Sequence[Difference], primary: str, finding: Finding, complete: bool, to_screen: bool
) -> Iterator[Table]:
    """Yield the table of the paired tests, then that of many runs.

    Unless `complete`, the first has only the most important tests if there are many.  With `to_screen`, letters stand
    for long names of runs, the same in both tables.
    """
    from neraca.cli import difference_rows as rows_of
    from neraca.cli import show
    from neraca.result import Table

    chosen, choice = (differences, "") if complete else _most_important(scores, differences, primary)
    note = say("; here those {choice}, all with --compare", choice=choice) if choice else ""
    title = f"{rows_of.title_of_tests(differences, scores.metrics, primary)}{note}"
    letters = rows_of.letters_of_runs(chosen, show.screen_width(), finding) if to_screen else {}
    columns, rows = rows_of.difference_rows(chosen, letters=letters)
    yield Table(columns, rows, rows_of.with_legend(title, letters), rows_of.NAME_COLUMNS)
    if finding.standings:
        yield finding.standings


def _most_important(
    scores: Scores, differences: Sequence[Difference], primary: str
) -> tuple[Sequence[Difference], str]:
    """Choose which differences to print when there are too many, and describe the choice in words.

    These are the differences in the primary metric, or if still too many those of its best run.
    """
    from neraca.comparisons.compare import primary_of

    metric = primary_of(scores.metrics, primary)
    of_metric = [difference for difference in differences if difference.metric == str(metric)]
    if len(differences) <= MOST:
        return differences, ""
    if len(of_metric) <= MOST:
        return of_metric, say("in {name}", name=metric)
    sign = 1 if metric.higher_is_better else -1
    worth = {run.name: sign * run.total(metric) for run in scores.runs}
    best = max(worth, key=lambda name: -math.inf if math.isnan(worth[name]) else worth[name])
    of_best = [difference for difference in of_metric if best in (difference.a, difference.b)]
    return of_best, say("of {best} in {metric}", best=best, metric=metric)


def _finding(scores: Scores, differences: Sequence[Difference], primary: str) -> Finding | None:
    """Return which run is better in the primary metric, by how much and how sure; None without a comparison."""
    if not differences:
        return None
    from neraca.reports.sentences.conclusion import conclude

    return conclude(scores, differences, primary)
