"""`neraca pool`: what to judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.cli.table_options import Encoding
from neraca.cli.trec_options import Documents
from neraca.errors import SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.people.pool import Pool
    from neraca.runs.run import Run

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN...",
        help="Run folders or TREC runs; the folder of a judged pool adds its verdicts.",
        show_default=False,
    ),
]
Strategy = Annotated[
    str,
    typer.Option(
        "--strategy",
        "-s",
        help="Choice of documents to judge: depth (all that are not judged), rrf, uniform, stratified, move-to-front, "
        "max-mean, or change (those that would change the comparison most).",
    ),
]
Number = Annotated[
    int | None,
    typer.Option(
        "-n",
        "--number",
        help="Number of documents to judge for each question; with change: in all.",
        show_default=False,
    ),
]
Out = Annotated[
    list[Path],
    typer.Option(
        help="Write the documents to judge: to a table (.csv, .xlsx, .jsonl, .parquet …), or to a folder that is rated "
        "or judged like a run; repeatable.",
        show_default=False,
    ),
]
Qrels = Annotated[
    list[Path],
    typer.Option(help="TREC qrels, a BEIR folder, or a table with grades; repeatable, such as one of each rater."),
]
ToQrels = Annotated[
    Path | None,
    typer.Option(
        help="Write TREC qrels: the grades of judged documents, and -1 for the others of the pool.", show_default=False
    ),
]


def command(
    runs: Runs,
    *,
    depth: Annotated[
        int, typer.Option("--depth", "-k", help="Number of top documents of each run that are pooled.")
    ] = 10,
    qrels: Qrels = [],
    topics: options.Topics = None,
    documents: Documents = None,
    relevance: options.Relevance = "auto",
    combine: options.Combine = "",
    encoding: Encoding = None,
    strategy: Strategy = "depth",
    number: Number = None,
    strata: Annotated[str, typer.Option(help='With stratified: depths and shares, such as "10=1 100=0.2".')] = "",
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="With change: the metric of the comparison; default: nDCG@10.")
    ] = "",
    seed: options.Seed = 0,
    out: Out = [],
    to_qrels: ToQrels = None,
    return_verdicts: Annotated[
        bool,
        typer.Option(
            "--return-verdicts", help="Copy the verdicts of a pool into the runs that returned the documents."
        ),
    ] = False,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Find unjudged documents, and choose which to judge next."""
    from neraca.scores.pool import pool
    from neraca.scores.sources.paths import reads_no_table

    options.load_plugins(plugin)
    pools, folders = _open(runs)
    if folders and not qrels:  # other paths among run folders are reports, not TREC runs
        runs = options.only_run_folders(runs)
    if encoding is not None and folders and not qrels and topics is None and documents is None:
        raise reads_no_table("encoding", encoding, folders[0].path)
    if return_verdicts:
        _return_verdicts(pools, folders)
    selection = {"strategy": strategy, "n": number, "strata": strata, "metric": metric, "seed": seed}
    judged = {"qrels": list(qrels), "topics": topics, "documents": documents, "relevance": relevance}
    judged |= {"combine": combine, "encoding": encoding}
    pooled = pool(list(runs), depth, **judged, **selection)  # type: ignore[arg-type]
    file_notes = _write(pooled, out, to_qrels)
    if output.json:
        for sentence in pooled.shared:
            speak(sentence)
        show.jsonl(pooled.rows())
        return
    for table in pooled._tables():
        show.table(table.title, table.columns, table.rows, names=table.names, wide=output.wide)
    show.print_sentences(*pooled._sentences(), *file_notes)


def _open(paths: list[Path]) -> tuple[list[Run], list[Run]]:
    """Open the pools and the other run folders among paths."""
    from neraca.people.pool_run import is_pool
    from neraca.runs.run import MANIFEST, Run

    opened = [Run(path) for path in paths if (path / MANIFEST).is_file()]
    return [run for run in opened if is_pool(run)], [run for run in opened if not is_pool(run)]


def _return_verdicts(pools: list[Run], folders: list[Run]) -> None:
    """Copy the verdicts of pools into the run folders, and print how many are new."""
    from neraca.counts_and_lists import count
    from neraca.people.pool_run import return_verdicts

    if not pools or not folders:
        raise SpecError(say("--return-verdicts needs the folder of a pool, and the run folders that it was made of"))
    for path, new in return_verdicts(pools, folders).items():
        speak(f"{path}: {count(new, 'new verdict')}")


def _write(pooled: Pool, out: list[Path], to_qrels: Path | None) -> list[str]:
    """Write tables, folders and qrels; return a sentence on each."""
    from neraca.people.pool_run import write_pool_run

    notes = []
    for path in out:
        if path.suffix:
            pooled.write(path)
            notes.append(say("{file}: {n:,} documents to judge", file=path, n=len(pooled)))
        else:
            write_pool_run(pooled, path)
            notes.append(say("{folder}: a folder to judge (neraca judge {folder} --judge relevance)", folder=path))
    if to_qrels is not None:
        notes.append(say("{file}: {n:,} lines", file=to_qrels, n=pooled.write_qrels(to_qrels)))
    return notes
