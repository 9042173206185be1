"""`neraca score … --out FOLDER`: Parquet files of any size, scored into a folder; and what such a folder holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from neraca.cli import show, speak
from neraca.errors import InputError, SpecError

if TYPE_CHECKING:
    from neraca.scores.engine.scored import ScoredFolder

#: Options that are of runs, and say nothing of rows of Parquet files.
_OF_RUNS = {
    "qrels": None,
    "topics": None,
    "correct": "",
    "sample": None,
    "per_item": False,
    "intervals": "t",
}


def command(params: Mapping[str, Any]) -> None:
    """Score the files into the folder, and print what it comes to."""
    from neraca.scores.score_parquet import ScaleOptions, score_parquet

    for name, usual in _OF_RUNS.items():
        if params[name] != usual:
            option = name.replace("_", "-")
            raise SpecError(f"--{option} is of runs and small tables; leave it out where --out names a folder for rows")
    _check_out(params["out"])
    names = {field for field in ScaleOptions.__dataclass_fields__ if field in params}
    options = ScaleOptions(**{name: params[name] for name in names}, plugins=params["plugin"])
    metrics = " ".join(params["metrics"])
    try:
        with show.progress("rows") as progress:
            folder = score_parquet(params["runs"], metrics, params["out"], options, progress)
    except KeyboardInterrupt:
        speak(f"stopped; what is done stays in {params['out']}: start the same command again, and the rest is done")
        raise typer.Exit(3) from None
    tell(folder, params["group"], wide=params["wide"], json=params["json"])


def _check_out(out: str) -> None:
    if out and "://" not in out and Path(out).is_file():
        raise InputError(f"{out}: is a file; --out names a folder")


def tell(folder: ScoredFolder, groups: Sequence[str], *, wide: bool, json: bool) -> None:
    """Print the scores of a folder, and how they were made."""
    from neraca.metrics.text.signature import signatures
    from neraca.scores.engine.score_unit import UNSCORED, VALUES

    overall, by_group = folder.overall(), {tag: folder.by_group(tag) for tag in groups}
    reading = [metric for metric in folder.metrics if metric.reads_texts]
    lines = list(signatures(reading, list(folder.languages), "").values()) if reading else []
    if json:
        for line in lines:
            speak(line)
        show.jsonl([row for rows in (overall, *by_group.values()) for row in rows.rows()])
        return
    table = overall.table()
    show.table(f"{folder.rows_done:,} rows", table.columns, table.rows, names=table.names, wide=wide)
    for tag, rows in by_group.items():
        show.result(rows.table(), f"by {tag}", wide=wide)
    show.say(f"{folder.level:.0%} intervals", *lines)
    show.say(f"values row by row: {folder.address}/{VALUES}")
    if any(row.unscored for row in overall):
        show.say(f"rows without a value, and why: {folder.address}/{UNSCORED}")
