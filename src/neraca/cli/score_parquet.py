"""`neraca score … --out FOLDER`: score Parquet files of any size into a folder, and print or compare such folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from neraca.cli import show, speak
from neraca.cli.progress_bar import progress_bar
from neraca.errors import InputError, SpecError
from neraca.translation import say, written_in

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference
    from neraca.scores.engine.scored import ScoredFolder

#: Options that do not apply to rows of Parquet files, with their defaults.
_OF_RUNS = {
    "qrels": None,
    "topics": None,
    "correct": "",
    "sample": None,
    "per_item": False,
    "intervals": "t",
    **dict.fromkeys(("encoding", "sheet", "delimiter")),
}


def command(params: Mapping[str, Any]) -> None:
    """Score the files into the folder, and print the scores."""
    from neraca.scores.reading import ReadingOptions, parse_metrics
    from neraca.scores.score_parquet import ScaleOptions, score_parquet

    for name, default in _OF_RUNS.items():
        if params[name] != default:
            option = name.replace("_", "-")
            raise SpecError(f"--{option} works with runs and small tables alone; leave it out, or leave --out out")
    _check_out(params["out"])
    names = {field for field in ScaleOptions.__dataclass_fields__ if field in params}
    options = ScaleOptions(**{name: params[name] for name in names}, plugins=params["plugin"])
    reading = ReadingOptions(tokens=params["tokens"], norm=params["norm"])
    metrics = " ".join(params["metrics"])
    if any(reading.values()):
        metrics = " ".join(map(str, parse_metrics(metrics, reading)))
    if any(reading.values()) and not metrics:
        raise SpecError("--tokens and --norm apply to the metrics of -m; name metrics with -m")
    try:
        with progress_bar("rows") as progress:
            folder = score_parquet(params["runs"], metrics, params["out"], options, progress)
    except KeyboardInterrupt:
        speak(f"stopped; what is done stays in {params['out']}: start the same command again, and the rest is done")
        raise typer.Exit(3) from None
    with written_in(params["report_language"]):
        _print(folder, params["group"], wide=params["wide"], json=params["json"])


def _check_out(out: str) -> None:
    if out and "://" not in out and Path(out).is_file():
        raise InputError(f"{out}: is a file; --out names a folder")


def is_folder(address: str) -> bool:
    """Return whether `neraca score --out` wrote the folder at this address."""
    from neraca.scores.engine.scored import is_scored

    return is_scored(address)


#: Options of `compare` that need all rows in memory, with their defaults.
_IN_MEMORY = {
    **{"test": "t", "bayes": False, "margin": None, "qrels": None, "topics": None, "correct": "", "sample": None},
    **{"relevance": "auto", "by": "", "unit": "auto", "language": "", "metrics": [], "reference": [], "response": []},
    **{"tokens": "", "norm": "", "encoding": None, "sheet": None, "delimiter": None},
}


def compared(params: Mapping[str, Any]) -> bool:
    """Compare folders of scores and print the result; return False if no run is such a folder."""
    if not any(map(is_folder, params["runs"])):
        return False
    from neraca.cli.difference_rows import show_differences
    from neraca.comparisons.compare_folders import compare_folders
    from neraca.comparisons.difference import row
    from neraca.counts_and_lists import count
    from neraca.reports.sentences.parts import correction_words
    from neraca.scores.engine.scored import ScoredFolder

    if other_paths := [run for run in params["runs"] if not is_folder(run)]:
        raise InputError(f"{other_paths[0]}: was not written by `neraca score --out`; compare folders that were")
    for name, default in _IN_MEMORY.items():
        if params[name] not in (default, None, (), []):
            raise SpecError(f"--{name} cannot be used with folders of finished scores; leave it out")
    folders = [ScoredFolder.of(run, params["level"]) for run in params["runs"]]
    settings = {name: params[name] for name in ("primary", "correction", "against")}
    differences = compare_folders(folders, **settings)
    if params["json"]:
        show.jsonl([row(difference) for difference in differences])
        return True
    with written_in(params["report_language"]):
        rows, correction = count(folders[0].rows_done, "row"), differences[0].correction
        corrected = say("{differences}, {correction}", differences=rows, correction=correction_words(correction))
        title = say("paired {tests} test of {differences}", tests="t", differences=corrected)
        show_differences(title, differences, params["level"], params["wide"])
        show.print_sentences(_decision(differences[0]))
    return True


def _decision(first: Difference) -> str:
    """Return which run is better in the metric that decides."""
    if first.better:
        other = first.other(first.better)
        return say("{run} is better than {other} by {metric}.", run=first.better, other=other, metric=first.metric)
    return say(
        "The data do not show whether {a} or {b} is better by {metric}.", a=first.a, b=first.b, metric=first.metric
    )


def _print(folder: ScoredFolder, groups: Sequence[str], *, wide: bool, json: bool) -> None:
    """Print the scores of a folder, and how they were made."""
    from neraca.counts_and_lists import count
    from neraca.metrics.text.signature import signatures
    from neraca.number_format import percent_level
    from neraca.reports.blocks.table_words import translated
    from neraca.reports.sentences.notes import unsaid_language
    from neraca.reports.sentences.tag_words import tag_words
    from neraca.runs.work_folder import UNSCORED, VALUES

    overall, by_group = folder.overall(), {tag: folder.by_group(tag) for tag in groups}
    reading = [metric for metric in folder.metrics if metric.reads_texts]
    for note in unsaid_language(reading, folder.languages):
        speak(note)
    lines = list(signatures(reading, list(folder.languages), "").values()) if reading else []
    if json:
        for line in lines:
            speak(line)
        show.jsonl([row for rows in (overall, *by_group.values()) for row in rows.rows()])
        return
    show.result(translated(overall.table()), count(folder.rows_done, "row"), wide=wide)
    for tag, rows in by_group.items():
        show.result(translated(rows.table()), say("by {tag}", tag=tag_words(tag)), wide=wide)
    show.print_sentences(say("{level} intervals", level=percent_level(folder.level)), *lines)
    show.print_sentences(say("values row by row: {file}", file=f"{folder.address}/{VALUES}"))
    if any(row.unscored for row in overall):
        show.print_sentences(say("rows without a value, and why: {file}", file=f"{folder.address}/{UNSCORED}"))
