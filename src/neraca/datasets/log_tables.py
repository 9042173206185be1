"""Find the tables of a log of events in files and databases."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from neraca.datasets import csv_files as delimited
from neraca.datasets import json_tables, parquet
from neraca.datasets.compressed import is_packed, suffix_of
from neraca.datasets.log_database import database_tables, is_database
from neraca.datasets.log_reader import DelimitedLog, FrameLog, JsonLog, LogTable
from neraca.errors import InputError


def log_tables(source: Path | str, *, query: str = "", delimiter: str = "") -> list[LogTable]:
    """Find the tables of a log.

    Parameters
    ----------
    source
        A file (.csv .tsv .jsonl .ndjson, also with .gz or .zst behind; .parquet .arrow .feather), an SQLite file, or
        postgresql://….
    query
        For a database: the query whose rows are the log; default the tables `ubi_queries` and `ubi_events`, `events`,
        or the only table.
    delimiter
        The delimiter of a CSV file.

    Raises
    ------
    InputError
        If there is no such file, or its format is not one of these.
    """
    if is_database(source):
        return [*database_tables(source, query)]
    path = Path(source)
    suffix = suffix_of(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if query:
        raise InputError(f"{path}: --query is for databases: sqlite and postgresql://…")
    if suffix in delimited.SUFFIXES:
        return [DelimitedLog(path, delimiter)]
    if suffix in json_tables.LINES_SUFFIXES:
        return [JsonLog(path)]
    if suffix in (parquet.PARQUET, *parquet.ARROW_SUFFIXES) and not is_packed(path):
        return [FrameLog(path)]
    formats = ", ".join((*delimited.SUFFIXES, *json_tables.LINES_SUFFIXES, parquet.PARQUET, *parquet.ARROW_SUFFIXES))
    raise InputError(f"{path}: cannot tell the format of a log; bring {formats}, an SQLite file or postgresql://…")


def all_tables(sources: Iterable[Path | str], query: str = "", delimiter: str = "") -> list[LogTable]:
    """Find the tables of several sources, in their order."""
    return [table for source in sources for table in log_tables(source, query=query, delimiter=delimiter)]
