"""`neraca ask`: only collect answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, show, speak

_QUESTIONS = "CSV, TSV, XLSX, JSONL, JSON or Parquet; a BEIR folder; TREC topics."


def command(
    questions: Annotated[Path, typer.Argument(help=_QUESTIONS, show_default=False)],
    target: options.Target,
    out: Annotated[Path, typer.Option(help="The run folder.", show_default=False)],
    qrels: Annotated[
        Path | None, typer.Option(help="What is relevant: TREC qrels, or a BEIR folder or .tsv.", show_default=False)
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Sessions at once.", min=1)] = 8,
    timeout: Annotated[float, typer.Option(help="Seconds for one question.", min=0.001)] = 60.0,
    retries: Annotated[int, typer.Option(help="Tries after a lost connection, 429 or 5xx.", min=0)] = 3,
    trials: Annotated[int, typer.Option(help="How often each question is asked.", min=1)] = 1,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again what failed.")] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Move an existing run aside and begin again.")] = False,
    query_column: Annotated[
        str, typer.Option(help="The column (or field of topics) of the questions, if its name is unusual.")
    ] = "",
    column: Annotated[
        list[str], typer.Option(help="Other columns: references=NAME (again for more references), session=NAME, …")
    ] = [],
    encoding: Annotated[str | None, typer.Option(help="Of a CSV file that is not UTF-8.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of a CSV file, where it is not found by itself.")] = None,
    sheet: Annotated[str | None, typer.Option(help="Of an XLSX file; default the first.")] = None,
    language: Annotated[str, typer.Option(help="Of questions that do not say theirs: es, Spanish.")] = "",
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """Ask a target every question that has no answer yet; killed and started again, it goes on."""
    from neraca.datasets.columns import not_used
    from neraca.datasets.read_dataset import read_dataset
    from neraca.runs.ask import ask
    from neraca.runs.runner import AskOptions

    options.load_plugins(plugin)
    columns = options.columns([*column, *([f"query={query_column}"] if query_column else [])])
    dataset = read_dataset(
        questions,
        columns=columns,
        encoding=encoding,
        sheet=sheet,
        delimiter=delimiter,
        qrels=qrels,
        language=language,
    )
    if told := not_used(dataset.unused):
        speak(f"{questions}: {told}")
    how_to_ask = AskOptions(concurrency, timeout, retries, retry_failed)
    settings = options.target_settings(target)
    with show.progress(out.name) as progress:
        run = ask(dataset, settings, out, options=how_to_ask, trials=trials, anew=anew, progress=progress)
    statuses = dict(run.manifest.statuses)
    lacking = run.unanswered()
    if json:
        show.jsonl([{"run": str(out), "items": len(run.items), "trials": run.manifest.trials} | statuses])
    else:
        counts = ", ".join(f"{count} {name}" for name, count in statuses.items())
        print(f"{out}: {counts} of {run.manifest.items * run.manifest.trials} questions")
        if lacking:
            print(f"{lacking} have no answer; --retry-failed asks them again")
    if lacking:
        raise typer.Exit(3)
