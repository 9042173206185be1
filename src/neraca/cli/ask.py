"""`neraca ask`: collect the answers of a target."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, show, speak
from neraca.cli.progress_bar import progress_bar
from neraca.cli.table_options import TableFormat
from neraca.cli.target_settings import target_settings
from neraca.translation import say

_QUESTIONS = "The questions: CSV, TSV, XLSX, JSONL, JSON or Parquet; a BEIR folder; TREC topics; a run."

Target = Annotated[
    str,
    typer.Option(
        help="The system to ask: python:MODULE:FUNCTION, an http address, replay:FILE, command:COMMAND, or a TOML "
        "file of settings.",
        show_default=False,
    ),
]


def command(
    questions: Annotated[Path, typer.Argument(help=_QUESTIONS, show_default=False)],
    target: Target,
    out: Annotated[Path, typer.Option(help="The run folder to write.", show_default=False)],
    *,
    qrels: Annotated[
        Path | None,
        typer.Option(help="Relevant documents: TREC qrels, or a BEIR folder or .tsv file.", show_default=False),
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Number of sessions at once.", min=1)] = 8,
    timeout: options.Timeout = 60.0,
    retries: options.Retries = 3,
    trials: options.Trials = 1,
    retry_failed: options.RetryFailed = False,
    anew: options.Anew = False,
    query_column: Annotated[
        str, typer.Option(help="Column (or field of topics) of the questions, if its name is unusual.")
    ] = "",
    column: options.Columns = [],
    table_format: TableFormat,
    language: Annotated[str, typer.Option(help="Language of questions that do not name theirs: es, Spanish.")] = "",
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    json: options.Json = False,
) -> None:
    """Ask a target every question that has no answer yet.

    Started again, it continues where it stopped.
    """
    from neraca.counts_and_lists import count
    from neraca.datasets.read_dataset import read_dataset
    from neraca.datasets.trec.file_encoding import files_in
    from neraca.runs.ask import ask
    from neraca.runs.runner import AskOptions

    options.load_plugins(plugin)
    columns = options.columns([*column, *([f"query={query_column}"] if query_column else [])])
    dataset = read_dataset(questions, columns=columns, **table_format._asdict(), qrels=qrels, language=language)
    for note in dataset.column_notes:
        speak(f"{questions}: {note}")
    asking = AskOptions(concurrency, timeout, retries, retry_failed)
    settings = target_settings(target)
    with files_in(table_format.encoding), progress_bar(out.name) as progress:  # a replayed file, too
        run = ask(dataset, settings, out, options=asking, trials=trials, anew=anew, progress=progress)
    statuses = dict(run.manifest.statuses)
    if json:
        show.jsonl([{"run": str(out), "items": len(run.items), "trials": run.manifest.trials} | statuses])
    else:
        counts = ", ".join(say("{n:,} {status}", n=n, status=say(status)) for status, n in statuses.items())
        asked = count(run.manifest.items * run.manifest.trials, "question")
        show.print_sentences(say("{out}: {counts} of {questions}", out=out, counts=counts, questions=asked))
        show.print_sentences(*show.unanswered([run]))
    if run.unanswered():
        raise typer.Exit(3)
