"""Write every number of a report as rows of tables: a workbook with sheets, a CSV file, or a folder of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from neraca.comparisons.difference import Differences
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.spreadsheet import write_sheets
from neraca.datasets.table_writer import table_writer
from neraca.files import replacing
from neraca.reports.blocks.block import Document
from neraca.reports.formats.workbook import document_sheets, report_sheets, unique_names
from neraca.reports.report import Report
from neraca.reports.sentences.scale_words import words_of
from neraca.runs.run import Run
from neraca.verdicts.pairs_not_shown import without_pairs_not_shown

Rows = list[dict[str, Any]]
#: The most letters of the name of a sheet, without a number that makes it unique.
_LONGEST_NAME = 27
#: Signs with which a formula begins in a spreadsheet program.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def report_data(report: Report) -> dict[str, Rows]:
    """Return rows of scores (over all and by group), values of each question, comparisons, verdicts, and sections."""
    scores = report.scores
    overall = [{**row, "group": row.get("group") or "all"} for row in scores.rows()]
    groups = [row for tag in dict.fromkeys(table.tag for table in report.groups) for row in scores.by_group(tag).rows()]
    data = {
        "scores": [*overall, *groups],
        "questions": list(scores.per_item()),
        "comparisons": Differences(report.pairs).rows(),
        "verdicts": list(_verdicts(report)),
    }
    data["ratings"] = [row for counts in report.ratings for row in counts.rows()]
    for section in (report.preferences, report.judges):
        data |= section.data if section else {}
    return {name: rows for name, rows in data.items() if rows}


def _verdicts(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the verdicts on the answers, without preferences on pairs that nobody was shown; a note counts those."""
    columns = {
        run.name: run.scorable.column("run")
        for run in report.scores.runs
        if run.scorable and run.scorable.offers("run")
    }
    runs = {name: run for name, run in columns.items() if isinstance(run, Run)}
    tables, _ = without_pairs_not_shown([*runs.values()], [run.verdicts() for run in runs.values()])
    for name, table in zip(runs, tables, strict=True):
        for verdict in table:
            yield {
                "run": name,
                "item": verdict.item,
                "trial": verdict.trial,
                "about": verdict.about,
                "aspect": verdict.aspect,
                "value": verdict.value,
                **({"words": words_of(runs[name], verdict)} if runs[name].manifest.scale_words else {}),
                "by": verdict.by,
                "why": verdict.reason,
                "at": verdict.at,
            }


def table_data(document: Document) -> dict[str, Rows]:
    """Return the rows of a report by their name: its data, or else the cells of its tables as text."""
    if document.data:
        return dict(document.data)
    tables = [table for table in document.tables if table.columns]
    return {
        table.name or f"table {place}": [dict(zip(unique_names(table.columns), row, strict=True)) for row in table.rows]
        for place, table in enumerate(tables, start=1)
    }


def write_workbook(path: Path, report: Report | Document) -> None:
    """Write a workbook with a sheet for each table, in the language of the report."""
    tables, formats = (
        report_sheets(report, report_data(report)) if isinstance(report, Report) else document_sheets(report)
    )
    sheets = dict(zip(_sheet_names(tables), map(_batch, tables.values()), strict=True))
    with replacing(path) as temporary_path:
        write_sheets(temporary_path, sheets, formats)


def _sheet_names(names: Iterable[str]) -> list[str]:
    """Return names that a spreadsheet program accepts: short, without some signs, and each once."""
    accepted: list[str] = []
    for name in names:
        short = re.sub(r"[\\/*?:\[\]]", "-", name)[:_LONGEST_NAME].strip("'")
        taken = {other.lower() for other in accepted}
        number = 2
        while (unique := short if number == 2 else f"{short} {number - 1}").lower() in taken:
            number += 1
        accepted.append(unique)
    return accepted


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV for people: a text that begins like a formula gets an apostrophe."""
    batch = _batch([{name: _inert(value) for name, value in row.items()} for row in rows])
    with table_writer(path, batch) as writer:
        writer.write(batch)


def _batch(rows: Rows) -> RowBatch:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return RowBatch(columns, [{name: row.get(name) for name in columns} for row in rows])


def _inert(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet program would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
