"""`neraca trec`: trec_eval's job, on TREC files."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.scores.compare import Difference
    from neraca.scores.trec import TrecScores

FORMATS = ("trec", "table", "json", "csv", "markdown")


def command(
    qrels: Annotated[Path, typer.Argument(metavar="QRELS", help="TREC qrels, or a BEIR folder.", show_default=False)],
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="TREC runs, or run folders.", show_default=False)
    ],
    metrics: options.Metrics = ["AP RR P@10 R@1000 nDCG@10"],
    per_query: Annotated[bool, typer.Option("-q", "--per-query", help="A row per query too.")] = False,
    complete: Annotated[
        bool,
        typer.Option(
            "-c/-C", "--complete/--only-answered", help="Judged queries that a run lacks count as 0, or are left out."
        ),
    ] = True,
    level: Annotated[float, typer.Option("-l", "--relevant-from", help="Smallest grade that is relevant.")] = 0,
    format: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(FORMATS)}; default trec, for several runs table.")
    ] = "",
    single: Annotated[bool, typer.Option("--float32", help="Rank by scores in single precision.")] = False,
    test: Annotated[str, typer.Option(help="Paired test of several runs: t.")] = "t",
    correction: Annotated[str, typer.Option(help="For many comparisons: holm or none.")] = "holm",
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """Score TREC runs with qrels; several runs are compared with paired tests."""
    from neraca.scores.trec import trec
    from neraca.scores.trec_names import ours

    options.load_plugins(plugin)
    chosen = "json" if json else format or ("trec" if len(runs) == 1 else "table")
    if chosen not in FORMATS:
        raise SpecError(f"no format is called {chosen!r}; known: {', '.join(FORMATS)}")
    names = ours(" ".join(metrics))
    found = trec(qrels, runs, list(names), only_answered=not complete, relevant_from=level, single=single)
    differences = []
    if len(runs) > 1:
        from neraca.scores.compare import compare

        differences = compare(found, test=test, correction=correction)
    _WRITERS[chosen](found, differences, per_query)
    for note in found.notes:
        print(f"neraca: {note}", file=sys.stderr)


def _trec(found: TrecScores, differences: list[Difference], per_query: bool) -> None:
    lines = []
    for sheet in found.sheets:
        if len(found.sheets) > 1:
            lines.append(f"{'runid':<22}\tall\t{sheet.name}")
        columns = [(str(metric), sheet.values(str(metric)) if per_query else []) for metric in found.metrics]
        for place, query in enumerate(sheet.answered if per_query else []):
            lines += [f"{name:<22}\t{query}\t{values[place]:.4f}" for name, values in columns]
        lines += [f"{name:<22}\tall\t{sheet.total(name):.4f}" for name, _ in columns]
    print("\n".join(lines))


def _json(found: TrecScores, differences: list[Difference], per_query: bool) -> None:
    from dataclasses import asdict

    from neraca.cli import show

    show.jsonl(found.rows(per_query))
    show.jsonl([asdict(difference) for difference in differences])


def _csv(found: TrecScores, differences: list[Difference], per_query: bool) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("run", "query", "metric", "value"))
    for row in found.rows(per_query):
        writer.writerow((row["run"], row["query"], row["metric"], "" if math.isnan(row["value"]) else row["value"]))


def _markdown(found: TrecScores, differences: list[Difference], per_query: bool) -> None:
    for _, columns, rows in _tables(found, differences, per_query):
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
        print("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n")


def _table(found: TrecScores, differences: list[Difference], per_query: bool) -> None:
    from neraca.cli import show

    for title, columns, rows in _tables(found, differences, per_query):
        show.table(title, columns, rows)


def _tables(found: TrecScores, differences: list[Difference], per_query: bool) -> list[tuple[str, list[str], Any]]:
    from neraca.cli.compare import difference_rows
    from neraca.cli.show import number

    names = [str(metric) for metric in found.metrics]
    queries = f"{len(found.sheets[0].answered)} queries"
    means = [[sheet.name, *(number(sheet.total(name), 4) for name in names)] for sheet in found.sheets]
    tables = [(queries, ["run", *names], means)]
    if per_query:
        for sheet in found.sheets:
            values = zip(sheet.answered, *(sheet.values(name) for name in names), strict=True)
            rows = [[query, *(number(value, 4) for value in each)] for query, *each in values]
            tables.append((sheet.name, ["query", *names], rows))
    if differences:
        title = f"paired {differences[0].test} test, {differences[0].correction} correction"
        tables.append((title, *difference_rows(differences)))
    return tables


_WRITERS = {"trec": _trec, "table": _table, "json": _json, "csv": _csv, "markdown": _markdown}
