"""`neraca text`: score a table of references and responses with metrics of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, show, speak
from neraca.cli.difference_rows import (
    as_in_report,
    corrected_together,
    show_differences,
    tests_of,
    title_of_tests,
)
from neraca.cli.progress_bar import progress_bar
from neraca.cli.score import group_table
from neraca.cli.table_options import TableFormat
from neraca.errors import SpecError
from neraca.number_format import integer
from neraca.translation import say, say_all, written_in

if TYPE_CHECKING:
    from neraca.comparisons.difference import Differences
    from neraca.metaeval.correlations import Agreement
    from neraca.scores.scores import RunScores, Score, Scores
    from neraca.scores.sources.text_table import TextTable
    from neraca.stats.intervals.interval import Floats

#: Fewest rows for which correlations of metrics are printed; with two rows each is 1 or -1.
FEWEST_ROWS = 3
#: Coefficients of correlation with people's scores → their symbols; the interval is that of the first.
COEFFICIENTS = {"spearman": "rho", "pearson": "r", "kendall": "tau"}
_COEFFICIENTS = "rho is Spearman's correlation (with its interval), r Pearson's, tau Kendall's tau-b."
#: Size in bytes from which a file takes long enough for a progress bar.
LARGE = 5_000_000


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The table: CSV, TSV, XLSX, JSON Lines, JSON, Parquet or Arrow, by its ending.",
        show_default=False,
    ),
]
Language = Annotated[
    str,
    typer.Option(
        "--language",
        "-l",
        help="Language of the texts: es, Spanish, auto, …; a column `language` names it for each row.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write the rows to this file, with a column for each metric.")
]
Human = Annotated[list[str], typer.Option(help="A column of people's scores, to correlate the metrics with.")]
Bands = Annotated[str, typer.Option(help="Smallest averages that are called excellent, good and acceptable.")]
Responses = Annotated[
    list[str], typer.Option("--response", help="A column of responses; several columns are compared as systems.")
]


def command(
    file: File,
    *,
    metrics: options.TextMetrics = ["TokenRecall TokenF1 ROUGE-L METEOR TFIDF ExactMatch"],
    language: Language = "",
    reading: options.Reading,
    reference: options.References = [],
    response: Responses = [],
    out: Out = None,
    headings: options.Headings = "names",
    average: Annotated[bool, typer.Option(help="Also print the average of the metrics, and how good it is.")] = True,
    bands: Bands = "0.8,0.6,0.4",
    group: Annotated[str, typer.Option("--group", "-g", help="A column to group by.")] = "",
    human: Human = [],
    why: Annotated[
        bool, typer.Option("--why", help="Also write a column with the reason why a row is unscored.")
    ] = False,
    compare: options.Compare = False,
    comparison: options.Comparison,
    unit: options.Unit = "auto",
    level: options.Level = 0.95,
    table_format: TableFormat,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Score a table of responses and references.

    Several columns of responses are compared as systems.
    """
    from neraca.datasets.misspelt import misspelt
    from neraca.scores.sources.text_table import TextTable

    options.load_plugins(plugin)
    table = TextTable(
        path=file,
        metrics=[" ".join(metrics)],
        references=reference,
        responses=comparison.add_column(response),
        language=language,
        groups=[group] if group else [],
        human=human,
        out=out,
        headings=headings,
        average=average,
        bands=_bounds(bands),
        why=why,
        unit=unit,
        level=level,
        **table_format._asdict(),
        **reading._asdict(),
    )
    settings = _check(comparison, table, compare)
    for sentence in misspelt(table.columns.unknown, (), constraints=False):
        speak(f"{file}: {sentence}")
    scores = _score(table, output.json and not compare)
    with written_in(report_language):
        _print_result(table, scores, settings, alone=compare, output=output)


def _print_result(
    table: TextTable, scores: Scores, settings: Mapping[str, Any], *, alone: bool, output: options.Output
) -> None:
    """Print tables, comparison and notes; `alone`: only the comparison, also as JSON Lines."""
    if not output.json:
        (_print_comparison if alone else partial(_print_summary, table))(scores, settings, output.wide)
    elif alone:
        show.jsonl(_differences(scores, settings).rows())
    _speak_notes(scores, reasons=table.why or not table.out)


def _speak_notes(scores: Scores, reasons: bool) -> None:
    """Print the notes on the scores; unless `reasons` are written, also how to get them."""
    options.speak_notes(scores)
    if any(counts.reasons for run in scores.runs for counts in run.counts.values()) and not reasons:
        speak(say("--why writes the reason beside each row that is not scored"))


def _bounds(text: str) -> list[float]:
    """Return the numbers of `--bands`."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise SpecError(f"--bands: three numbers that fall, such as 0.8,0.6,0.4, not {text!r}") from None


def _check(comparison: options.Comparison, table: TextTable, alone: bool) -> dict[str, Any]:
    """Return the settings of `compare` with the names of metrics in this table.

    `alone`: only the comparison is printed.  Raise `SpecError` for wrong settings before anything is scored.
    """
    if alone and len(table.columns.responses) < 2:
        raise SpecError(f"--compare: {table.path} has one column of responses here; name two or more with --response")
    if len(table.columns.responses) < 2 and comparison == options.Comparison():
        return {}
    settings = comparison.checked()
    if isinstance(margin := settings["margin"], dict):
        settings["margin"] = {_metric_name("--margin", name, table): limit for name, limit in margin.items()}
    if comparison.primary:
        settings["primary"] = _metric_name("--primary", comparison.primary, table)
    return settings


def _metric_name(option: str, name: str, table: TextTable) -> str:
    """Return the full name of a metric in an option; raise `SpecError` if the table is not scored by it."""
    from neraca.metrics.metric import Metric

    names = [str(metric) for metric in Metric.several(table.metrics)]
    if str(Metric.of(name)) not in names:
        raise SpecError(f"{option} {name} is not among the metrics scored: {', '.join(names)}")
    return str(Metric.of(name))


def _score(table: TextTable, json: bool) -> Scores:
    """Score the table, with a progress bar for a large one."""
    from neraca.concurrency import silent

    large = table.path.is_file() and table.path.stat().st_size >= LARGE
    try:
        with progress_bar(f"scoring {table.path.name} (%)") if large else nullcontext(silent) as progress:
            return table.score(progress, show.jsonl if json else None)
    except KeyboardInterrupt:
        speak(f"stopped; {table.out} is not written" if table.out else "stopped")
        raise typer.Exit(3) from None


def _print_summary(table: TextTable, scores: Scores, settings: Mapping[str, Any], wide: bool) -> None:
    """Print all tables of the scores, the comparison of systems and the correlations."""
    from neraca.counts_and_lists import count

    n, names = len(scores.runs[0]), 1 + (len(scores.runs) > 1)
    show.table(f"{table.path.name}: {count(n, 'row')}", *_overall(table, scores), names=names, wide=wide)
    for tag in table.groups:
        columns, rows, title, *_ = group_table(scores, tag, scores.by_group(tag), "system", "rows")
        show.table(title, columns, rows, names=names, wide=wide)
    if len(scores.runs) > 1:
        _print_comparison(scores, settings, wide)
    _print_people(scores, settings, table.groups, wide)
    _print_correlations(scores, table.groups, wide)
    show.print_sentences(*scores.signatures.values())
    if table.out:
        show.print_sentences(say("rows: {file}", file=table.out))


def _overall(table: TextTable, scores: Scores) -> tuple[list[str], list[list[str]]]:
    several = len(scores.runs) > 1
    from neraca.reports.blocks.table_words import cell_words
    from neraca.scores.sources.texts import WORDS

    columns = say_all("metric", *(["system"] if several else []), "value", "interval", "n", "unscored", "words")
    rows = []
    for score in scores.overall():
        words = show.number(scores.run(score.run).total(WORDS), 1)
        numbers = [show.number(score.value), cell_words(score.interval), integer(score.n), integer(score.unscored)]
        rows.append([_name_with_band(table, scores, score), *([score.run] if several else []), *numbers, words])
    return [*columns], rows


def _name_with_band(table: TextTable, scores: Scores, score: Score) -> str:
    """Return the name of the metric; an average has its band beside it."""
    from neraca.metrics.text.average import band

    name = scores.title(score.metric)
    return f"{name} ({say(band(score.value, table.bands))})" if score.metric == scores.average else name


def _differences(scores: Scores, settings: Mapping[str, Any]) -> Differences:
    """Compare the systems."""
    from neraca.comparisons.compare import compare

    return compare(scores, **settings)


def _print_comparison(scores: Scores, settings: Mapping[str, Any], wide: bool) -> None:
    """Print the paired tests, then which system is better in the primary metric, by how much and how sure."""
    from neraca.reports.sentences.conclusion import conclude

    primary, baseline = settings["primary"], settings["against"]
    differences = as_in_report(scores, _differences(scores, settings), primary, baseline)
    finding = conclude(scores, differences, settings["primary"])
    title = title_of_tests(differences, scores.metrics, settings["primary"])
    show_differences(title, differences, scores.level, wide, finding)
    show.print_finding(finding, wide=wide)


def _print_people(scores: Scores, settings: Mapping[str, Any], tags: Sequence[str], wide: bool) -> None:
    """Print the means of people's scores and the tests between systems, or why there are none."""
    from neraca.comparisons.compare import compare
    from neraca.reports.blocks.table_words import cell_words
    from neraca.reports.sentences.conclusion import conclude
    from neraca.reports.sentences.tag_words import tag_words
    from neraca.scores.sources.people import scores_of_people

    people = scores_of_people(scores)
    if people is None:
        return
    several = len(scores.runs) > 1
    rows = [
        [score.run, show.number(score.value), cell_words(score.interval), integer(score.n), integer(score.unscored)]
        for score in people.overall()
    ]
    headings = say_all("system" if several else "column", "mean", "interval", "n", "unscored")
    show.table(say("people's scores"), headings, rows, wide=wide)
    for tag in tags:
        columns, groups, *_ = group_table(people, tag, people.by_group(tag), "system" if several else "column", "rows")
        title = say("people's scores by {tag}", tag=tag_words(tag))
        show.table(title, columns, groups, names=1 + several, wide=wide)
    if not several:
        show.print_sentences(
            say("People's scores are not tested: they are all of one system, as one column of responses is.")
        )
        if len(people.runs) > 1:
            _print_raters(scores.facts["human"], scores.runs[0], scores.level, wide)
        return
    try:
        tested = compare(people, **{name: settings[name] for name in ("test", "correction", "seed")})
    except SpecError as error:
        show.print_sentences(say("People's scores are not tested: {why}.", why=str(error)))
        return
    differences = as_in_report(people, tested)
    many, finding = corrected_together(differences, people.metrics), conclude(people, differences)
    title = say("paired {tests} test of people's scores: {differences}", tests=tests_of(differences), differences=many)
    show_differences(title, differences, people.level, wide, finding)
    show.print_finding(finding, wide=wide)
    if settings["margin"] is not None:
        show.print_sentences(
            say("The margin is one of the metrics' and not of people's scores, which have a scale of their own.")
        )


def _print_correlations(scores: Scores, tags: Sequence[str], wide: bool) -> None:
    """Print which metrics agree with each other, and which agree with people, also within groups."""
    several_metrics, human = len(scores.metrics) > 2 and len(scores.runs[0]) >= FEWEST_ROWS, scores.facts["human"]
    if not several_metrics and not human:
        return
    from dataclasses import replace

    from neraca.counts_and_lists import listed
    from neraca.metaeval.correlate import correlate
    from neraca.reports.blocks.correlations import FEW, most_answers, sentences, too_few
    from neraca.reports.sentences.tag_words import tag_words

    together = correlate(scores, level=scores.level)
    if human:
        columns = [*say_all("metric", "scores"), *COEFFICIENTS.values(), "n"]
        columns.insert(3, say("interval"))
        cells, agreements = _agreement_rows(scores, "")[""]
        together = replace(together, with_human=agreements)  # the sentences speak of the rows of the table
        show.table(say("correlation with people's scores"), columns, cells, names=2, wide=wide)
        show.print_sentences(say(_COEFFICIENTS))
        if together.turned:
            show.print_sentences(
                say(
                    "{metrics}: less is better, so these are turned around, and above 0 means agreement.",
                    metrics=listed(together.turned),
                )
            )
    show.print_sentences(*sentences(together))
    for tag in tags if human else ():
        cells_by_group = _agreement_rows(scores, tag)
        groups = {group: agreements for group, (_, agreements) in cells_by_group.items()}
        rows = [
            [group or "–", *row]
            for group, (rows_of_group, agreements) in cells_by_group.items()
            if most_answers(agreements) >= FEW
            for row in rows_of_group
        ]
        if rows:
            title = say("correlation with people's scores by {tag}", tag=tag_words(tag))
            show.table(title, [tag_words(tag), *columns], rows, names=3, wide=wide)
        if few := too_few(groups, tag_words(tag)):
            show.print_sentences(few)


def _agreement_rows(scores: Scores, tag: str) -> dict[str, tuple[list[list[str]], tuple[Agreement, ...]]]:
    """Return value of the tag → the cells of a table of correlations with people, and Spearman's correlations."""
    from neraca.metaeval.correlate import beside_people

    by_method = {method: beside_people(scores, tag, method) for method in COEFFICIENTS}
    result = {}
    for group, agreements in by_method["spearman"].items():
        values = {
            (method, row.metric, row.human): show.number(row.value)
            for method, by_group in by_method.items()
            for row in by_group[group]
        }
        rows = [
            [row.metric, row.human, show.number(row.value), show.span(row.low, row.high)]
            + [values[method, row.metric, row.human] for method in COEFFICIENTS if method != "spearman"]
            + [integer(row.n)]
            for row in agreements
        ]
        result[group] = rows, agreements
    return result


def _print_raters(people: Mapping[str, Floats], run: RunScores, level: float, wide: bool) -> None:
    """Print how far people agree who scored the same answers, each in a column."""
    from neraca.metaeval.agreement import agreement_of_columns
    from neraca.reports.blocks import agreement as agreement_block
    from neraca.reports.sentences.agreement import graded_title
    from neraca.scores.unit import enough

    agreements = agreement_of_columns(people, enough(run.clusters), level)
    if agreements:
        show.table(say("how far people agree"), *agreement_block.table(agreements), wide=wide)
        columns, graded = agreement_block.grade_table(agreements)
        if graded:
            show.table(graded_title("quadratic"), columns, graded, wide=wide)
