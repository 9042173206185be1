"""`neraca text`: text metrics on a table of references and responses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from neraca.cli import options, show, speak
from neraca.cli.difference_rows import NAMES, difference_rows, made_by
from neraca.cli.score import group_table
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.comparisons.difference import Differences
    from neraca.metaeval.correlations import Agreement
    from neraca.scores.scores import Score, Scores
    from neraca.scores.sources.text_table import TextTable

#: On fewer rows nothing is said of how metrics go together: of two rows every correlation is 1 or -1.
SOME = 3
#: Work on a file of so many bytes takes long enough to tell how far it is.
LARGE = 5_000_000


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="CSV, TSV, XLSX, JSON Lines, JSON, Parquet or Arrow, by its ending.", show_default=False
    ),
]
Metrics = Annotated[
    list[str], typer.Option("--metrics", "-m", help='Such as "ROUGE-L TokenF1 METEOR"; see `neraca metrics`.')
]
Language = Annotated[
    str, typer.Option("--language", "-l", help="es, Spanish, auto, …; a column `language` says it row by row.")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the rows with a column for each metric.")]
Human = Annotated[list[str], typer.Option(help="Column of people's scores, to correlate the metrics with.")]
Bands = Annotated[str, typer.Option(help="Where an average is excellent, good and acceptable.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file that is not UTF-8, such as cp1252.")]
Sheet = Annotated[str | None, typer.Option(help="Of a workbook; default the first.")]
Delimiter = Annotated[str | None, typer.Option(help="Of a delimited file; default: whichever fits.")]


def command(
    file: File,
    metrics: Metrics = ["TokenRecall TokenF1 ROUGE-L METEOR TFIDF ExactMatch"],
    language: Language = "",
    tokens: options.Tokens = "",
    norm: options.Norm = "",
    reference: options.References = [],
    response: options.Responses = [],
    out: Out = None,
    headings: options.Headings = "names",
    average: Annotated[bool, typer.Option(help="The average of the metrics, with a band.")] = True,
    bands: Bands = "0.8,0.6,0.4",
    group: Annotated[str, typer.Option("--group", "-g", help="A column to group by.")] = "",
    human: Human = [],
    why: Annotated[bool, typer.Option("--why", help="A column with the reason where a row is unscored.")] = False,
    compare: options.Compare = False,
    primary: Annotated[str, typer.Option(help="The metric on which a comparison rests; default the first.")] = "",
    test: options.Test = "t",
    seed: options.Seed = 0,
    correction: options.Correction = "holm",
    margin: options.Margin = options.NO_MARGIN,
    bayes: options.Bayes = False,
    against: options.Against = "",
    unit: options.Unit = "auto",
    level: options.Level = 0.95,
    encoding: Encoding = None,
    sheet: Sheet = None,
    delimiter: Delimiter = None,
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Score responses by what they share with references; several columns of responses are compared."""
    from neraca.scores.sources.text_table import TextTable

    options.load_plugins(plugin)
    table = TextTable(
        path=file,
        metrics=[" ".join(metrics)],
        references=reference,
        responses=options.with_column(response, against),
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
        encoding=encoding,
        sheet=sheet,
        delimiter=delimiter,
        tokens=tokens,
        norm=norm,
    )
    comparing = Comparing(primary, test, correction, seed, options.margin_of(margin), bayes, against)
    comparing, scores = _checked(comparing, table, compare), _score(table, json and not compare)
    _print(table, scores, comparing, alone=compare, wide=wide, json=json)


def _print(table: TextTable, scores: Scores, comparing: Comparing, *, alone: bool, wide: bool, json: bool) -> None:
    """Print tables, comparison and notes; `alone`: only the comparison, also as JSON Lines."""
    if not json:
        (_compare if alone else partial(_summary, table))(scores, comparing, wide)
    elif alone:
        show.jsonl(_differences(scores, comparing).rows())
    _speak_notes(scores, reasons=table.why or not table.out)


def _speak_notes(scores: Scores, reasons: bool) -> None:
    """Say what to know of the scores; unless `reasons` are written, also how to get them."""
    options.speak_notes(scores)
    if any(counts.reasons for run in scores.runs for counts in run.counts.values()) and not reasons:
        speak("--why writes the reason beside each row that is not scored")


class Comparing(NamedTuple):
    """How several systems are compared."""

    primary: str
    test: str = "t"
    correction: str = "holm"
    seed: int = 0
    margin: float | dict[str, float] | None = None
    bayes: bool = False
    against: str = ""


def _bounds(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise SpecError(f"--bands: three numbers that fall, such as 0.8,0.6,0.4, not {text!r}") from None


def _checked(asked: Comparing, table: TextTable, alone: bool) -> Comparing:
    """The same with the names of metrics as they are here; raises `SpecError` before anything is scored.

    `alone`: nothing but the comparison was asked for.
    """
    if alone and len(table.columns.responses) < 2:
        raise SpecError(f"--compare: {table.path} has one column of responses here; name two or more with --response")
    primary, margin = asked.primary, asked.margin
    if asked != Comparing(primary):
        from neraca.comparisons.compare import check_comparing

        check_comparing(*asked[1:])
    if isinstance(margin, dict):
        margin = {_known("--margin", name, table): most for name, most in margin.items()}
    return asked._replace(primary=_known("--primary", primary, table) if primary else "", margin=margin)


def _known(option: str, name: str, table: TextTable) -> str:
    """The name here of a metric that an option names; raises `SpecError` before anything is scored."""
    from neraca.metrics.metric import Metric

    known = [str(metric) for metric in Metric.several(table.metrics)]
    if str(Metric.of(name)) not in known:
        raise SpecError(f"{option} {name} is not among the metrics scored: {', '.join(known)}")
    return str(Metric.of(name))


def _score(table: TextTable, json: bool) -> Scores:
    """Score the table; of a large one it is told how far the work is."""
    from neraca.concurrency import silent

    large = table.path.is_file() and table.path.stat().st_size >= LARGE
    try:
        with show.progress(f"scoring {table.path.name} (%)") if large else nullcontext(silent) as progress:
            return table.score(progress, show.jsonl if json else None)
    except KeyboardInterrupt:
        speak(f"stopped; {table.out} is not written" if table.out else "stopped")
        raise typer.Exit(3) from None


def _summary(table: TextTable, scores: Scores, comparing: Comparing, wide: bool) -> None:
    n, names = len(scores.runs[0]), 1 + (len(scores.runs) > 1)
    title = f"{table.path.name}: {n:,} row{'' if n == 1 else 's'}"
    show.table(title, *_overall(table, scores), names=names, wide=wide)
    for tag in table.groups:
        columns, rows, title, *_ = group_table(scores, tag, scores.by_group(tag), "system", "rows")
        show.table(title, columns, rows, names=names, wide=wide)
    if len(scores.runs) > 1:
        _compare(scores, comparing, wide)
    _people(scores, comparing, table.groups, wide)
    _correlate(scores, table.groups, wide)
    show.say(*scores.signatures.values())
    if table.out:
        show.say(f"rows: {table.out}")


def _overall(table: TextTable, scores: Scores) -> tuple[list[str], list[list[str]]]:
    several = len(scores.runs) > 1
    from neraca.scores.sources.texts import WORDS

    columns = ["metric", *(["system"] if several else []), "value", "interval", "n", "unscored", "words"]
    rows = []
    for score in scores.overall():
        words = show.number(scores.run(score.run).total(WORDS), 1)
        numbers = [show.number(score.value), score.interval, f"{score.n:,}", f"{score.unscored:,}"]
        rows.append([_named(table, scores, score), *([score.run] if several else []), *numbers, words])
    return columns, rows


def _named(table: TextTable, scores: Scores, score: Score) -> str:
    """The metric, of an average with its band."""
    from neraca.metrics.text.average import band

    name = scores.title(score.metric)
    return f"{name} ({band(score.value, table.bands)})" if score.metric == scores.average else name


def _differences(scores: Scores, comparing: Comparing) -> Differences:
    """Compare the systems."""
    from neraca.comparisons.compare import compare

    return compare(scores, **comparing._asdict())


def _compare(scores: Scores, comparing: Comparing, wide: bool) -> None:
    """Shows the paired tests; then who is better in the first metric, by how much and how sure."""
    from neraca.reports.sentences.conclusion import conclude

    differences = _differences(scores, comparing)
    many = f"{len(differences)} difference{'s' if len(differences) > 1 else ''}, {differences[0].correction} correction"
    columns, rows = difference_rows(differences, 1 - scores.level)
    show.table(f"paired {made_by(differences)} test of {many}", columns, rows, names=NAMES, wide=wide)
    finding = conclude(scores, differences, comparing.primary)
    show.say(finding.headline, *finding.details)


def _people(scores: Scores, comparing: Comparing, tags: Sequence[str], wide: bool) -> None:
    """Shows the means of people's scores, and tests them between systems; then who is better, or why it is not said."""
    from neraca.comparisons.compare import compare
    from neraca.reports.sentences.conclusion import conclude
    from neraca.scores.sources.people import scores_of_people

    people = scores_of_people(scores)
    if people is None:
        return
    several = len(scores.runs) > 1
    rows = [
        [score.run, show.number(score.value), score.interval, f"{score.n:,}", f"{score.unscored:,}"]
        for score in people.overall()
    ]
    show.table(
        "people's scores", ["system" if several else "column", "mean", "interval", "n", "unscored"], rows, wide=wide
    )
    for tag in tags:
        columns, groups, *_ = group_table(people, tag, people.by_group(tag), "system" if several else "column", "rows")
        show.table(f"people's scores by {tag}", columns, groups, names=1 + several, wide=wide)
    if not several:
        show.say("People's scores are not tested: they are all of one system, as one column of responses is.")
        return
    try:
        differences = compare(people, test=comparing.test, correction=comparing.correction, seed=comparing.seed)
    except SpecError as error:
        show.say(f"People's scores are not tested: {error}.")
        return
    many = f"{len(differences)} difference{'s' if len(differences) > 1 else ''}, {differences[0].correction} correction"
    title = f"paired {made_by(differences)} test of people's scores: {many}"
    columns, rows = difference_rows(differences, 1 - people.level)
    show.table(title, columns, rows, names=NAMES, wide=wide)
    finding = conclude(people, differences)
    show.say(finding.headline, *finding.details)
    if comparing.margin is not None:
        show.say("The margin is one of the metrics' and not of people's scores, which have a scale of their own.")


def _correlate(scores: Scores, tags: Sequence[str], wide: bool) -> None:
    """Which metrics say the same, and which say what people say, also within groups."""
    alike, human = len(scores.metrics) > 2 and len(scores.runs[0]) >= SOME, scores.facts["human"]
    if not alike and not human:
        return
    from neraca.metaeval.correlate import beside_people, correlate
    from neraca.reports.blocks.correlations import FEW, most_answers, sentences, too_few

    together = correlate(scores, level=scores.level)
    if human:
        columns = ["metric", "scores", together.symbol, "interval", "n"]
        show.table("correlation with people's scores", columns, _beside(beside_people(scores)[""]), names=2, wide=wide)
    show.say(*sentences(together))
    for tag in tags if human else ():
        groups = beside_people(scores, tag)
        rows = [
            [group or "–", *row] for group, own in groups.items() if most_answers(own) >= FEW for row in _beside(own)
        ]
        if rows:
            show.table(f"correlation with people's scores by {tag}", [tag, *columns], rows, names=3, wide=wide)
        if few := too_few(groups, tag):
            show.say(few)


def _beside(rows: Sequence[Agreement]) -> list[list[str]]:
    return [[row.metric, row.human, show.number(row.value), show.span(row.low, row.high), f"{row.n:,}"] for row in rows]
