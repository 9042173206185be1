"""`neraca pool`: what to judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.people.pool import Pool
    from neraca.runs.run import Run

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN...", help="Run folders or TREC runs; a pool's folder gives its verdicts.", show_default=False
    ),
]
Strategy = Annotated[
    str,
    typer.Option(
        "--strategy",
        "-s",
        help="depth (all that is not judged), rrf, uniform, stratified, move-to-front, max-mean, or change (those "
        "that would change the comparison most).",
    ),
]
Number = Annotated[
    int | None,
    typer.Option("-n", "--number", help="So many documents: of each question; with change of all.", show_default=False),
]
Out = Annotated[
    list[Path],
    typer.Option(
        help="Write what is to be judged: a table (.csv, .xlsx, .jsonl, .parquet …), or a folder to rate or judge like "
        "a run; several.",
        show_default=False,
    ),
]
Qrels = Annotated[list[Path], typer.Option(help="TREC qrels, a BEIR folder, or a table with grades; several.")]
ToQrels = Annotated[
    Path | None, typer.Option(help="Write TREC qrels: what is judged, the rest of the pool as -1.", show_default=False)
]


def command(
    runs: Runs,
    depth: Annotated[int, typer.Option("--depth", "-k", help="The first so many documents of each run.")] = 10,
    qrels: Qrels = [],
    topics: options.Topics = None,
    documents: Annotated[
        Path | None, typer.Option(help="A table with the documents' texts, for raters.", show_default=False)
    ] = None,
    relevance: options.Relevance = "auto",
    strategy: Strategy = "depth",
    number: Number = None,
    strata: Annotated[str, typer.Option(help='Of stratified: "10=1 100=0.2", depths and shares.')] = "",
    metric: Annotated[str, typer.Option("--metric", "-m", help="Of change; default nDCG@10.")] = "",
    seed: Annotated[int, typer.Option(help="Of every random order and sample.")] = 0,
    out: Out = [],
    to_qrels: ToQrels = None,
    return_verdicts: Annotated[
        bool, typer.Option("--return-verdicts", help="Write a pool's verdicts into the runs that returned them.")
    ] = False,
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Find what nobody judged yet, and choose what to judge next."""
    from neraca.scores.pool import pool

    options.load_plugins(plugin)
    pools, folders = _opened(runs)
    if folders and not qrels:  # what stands among them and is none is a report, and no TREC run
        runs = options.only_run_folders(runs)
    if return_verdicts:
        _return(pools, folders)
    how = {"strategy": strategy, "n": number, "strata": strata, "metric": metric, "seed": seed}
    known = {"qrels": list(qrels), "topics": topics, "documents": documents, "relevance": relevance}
    found = pool(list(runs), depth, **known, **how)  # type: ignore[arg-type]
    written = _write(found, out, to_qrels)
    if json:
        show.jsonl(found.rows())
        return
    for table in found._tables():
        show.table(table.title, table.columns, table.rows, names=table.names, wide=wide)
    show.say(*found._sentences(), *written)


def _opened(paths: list[Path]) -> tuple[list[Run], list[Run]]:
    """The pools and the other run folders among paths."""
    from neraca.people.pool_run import is_pool
    from neraca.runs.run import MANIFEST, Run

    opened = [Run(path) for path in paths if (path / MANIFEST).is_file()]
    return [run for run in opened if is_pool(run)], [run for run in opened if not is_pool(run)]


def _return(pools: list[Run], folders: list[Run]) -> None:
    """Give the verdicts of pools to the run folders, and say how many are new."""
    from neraca.people.pool_run import return_verdicts
    from neraca.reports.counts_and_lists import count

    if not pools or not folders:
        raise SpecError("--return-verdicts needs the folder of a pool, and the run folders that it was made of")
    for path, new in return_verdicts(pools, folders).items():
        speak(f"{path}: {count(new, 'new verdict')}")


def _write(found: Pool, out: list[Path], to_qrels: Path | None) -> list[str]:
    """Write what is asked for; return what was written, in words."""
    from neraca.people.pool_run import write_pool_run

    written = []
    for path in out:
        if path.suffix:
            found.write(path)
            written.append(f"{path}: {len(found):,} documents to judge")
        else:
            write_pool_run(found, path)
            written.append(f"{path}: a folder to judge (neraca judge {path} --judge relevance)")
    if to_qrels is not None:
        written.append(f"{to_qrels}: {found.write_qrels(to_qrels):,} lines")
    return written
