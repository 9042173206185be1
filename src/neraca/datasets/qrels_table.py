"""Read relevance judgments from a table, as raters fill it in: CSV, a spreadsheet, JSON Lines or Parquet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from neraca.datasets.cells import blank, identity, shown
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import TableReader
from neraca.datasets.trec.file_encoding import table_encoding
from neraca.datasets.trec.qrels import Qrels
from neraca.errors import InputError


def read_qrels_table(path: Path) -> Qrels:
    """Read judgments from a table with columns for query, document and grade, under any of their usual names.

    Rows without a grade are skipped: nobody judged these documents.

    Raise `InputError` if a column is missing, a grade is not a number, an id is empty, or a document is judged twice;
    the error names the line.
    """
    from neraca.datasets.trec.data_frames import column_name

    reader = TableReader(path, encoding=table_encoding(path))
    names = {role: column_name(reader, role) for role in ("query", "document", "grade")}
    if lacking := [role for role, name in names.items() if not name]:
        raise InputError(f"{path}: no column {lacking[0]!r} (found: {', '.join(reader.columns)})")
    grades: dict[str, dict[str, float]] = {}
    for batch in reader:
        for index, row in enumerate(batch.rows):
            if not blank(value := row.get(names["grade"])):
                query, document = (_id(batch, index, row.get(names[role]), role) for role in ("query", "document"))
                of_query = grades.setdefault(query, {})
                if document in of_query:
                    raise InputError(
                        f"{path} {batch.place(index)}: query {query!r} has the document {document!r} already"
                    )
                of_query[document] = _grade(batch, index, value)
    return Qrels.of_mapping(grades, str(path))


def _id(batch: RowBatch, index: int, value: Any, role: str) -> str:
    if blank(value):
        raise InputError(f"{batch.path} {batch.place(index)}: the {role} is empty")
    return identity(value)


def _grade(batch: RowBatch, index: int, value: Any) -> float:
    try:
        grade = float(value)
    except (TypeError, ValueError):
        grade = math.nan
    if not math.isfinite(grade):
        raise InputError(f"{batch.path} {batch.place(index)}: the grade {shown(value)} is not a number")
    return grade
