"""Every number of a report as tables of plain rows: a workbook with a sheet each, one CSV file, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from neraca.comparisons.difference import Differences
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.spreadsheet import write_sheets
from neraca.datasets.table_writer import table_writer
from neraca.files import replacing
from neraca.reports.report import Report
from neraca.runs.run import Run

Rows = list[dict[str, Any]]
#: What a spreadsheet program takes for a formula where it stands first in a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def report_data(report: Report) -> dict[str, Rows]:
    """Return the scores (over all and by group), those of every question, the comparisons and the verdicts as rows."""
    scores = report.scores
    overall = [{**row, "group": row.get("group") or "all"} for row in scores.rows()]
    groups = [row for tag in dict.fromkeys(table.tag for table in report.groups) for row in scores.by_group(tag).rows()]
    data = {
        "scores": [*overall, *groups],
        "questions": list(scores.per_item()),
        "comparisons": Differences(report.pairs).rows(),
        "verdicts": list(_verdicts(report)),
    }
    return {name: rows for name, rows in data.items() if rows}


def _verdicts(report: Report) -> Iterator[dict[str, Any]]:
    for scored in report.scores.runs:
        run = scored.scorable.column("run") if scored.scorable and scored.scorable.offers("run") else None
        for one in run.verdicts() if isinstance(run, Run) else ():
            yield {
                "run": scored.name,
                "item": one.item,
                "trial": one.trial,
                "about": one.about,
                "aspect": one.aspect,
                "value": one.value,
                "by": one.by,
                "why": one.reason,
                "at": one.at,
            }


def write_workbook(path: Path, report: Report) -> None:
    """Write a workbook with a sheet for each table."""
    with replacing(path) as beside:
        write_sheets(beside, {name: _batch(rows) for name, rows in report_data(report).items()})


def write_csv(path: Path, report: Report) -> None:
    """Write the scores as one CSV file."""
    write_rows(path, report_data(report)["scores"])


def write_tables(path: Path, report: Report) -> None:
    """Write each table as a CSV file of its name into a folder."""
    for name, rows in report_data(report).items():
        write_rows(path / f"{name}.csv", rows)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV made for people: no text in it is a formula."""
    batch = _batch([{name: _inert(value) for name, value in row.items()} for row in rows])
    with table_writer(path, batch) as writer:
        writer.write(batch)


def _batch(rows: Rows) -> RowBatch:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return RowBatch(columns, [{name: row.get(name) for name in columns} for row in rows])


def _inert(value: Any) -> Any:
    """A text that a spreadsheet program would run gets an apostrophe, which it shows as text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
