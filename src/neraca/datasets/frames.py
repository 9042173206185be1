"""Runs and qrels in a data frame of polars or pandas; neither is imported before somebody brings one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from neraca.datasets.fields import Floats, Ints, Words
from neraca.datasets.judged import Judged
from neraca.datasets.judged_rows import Finder
from neraca.datasets.qrels import Qrels
from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

#: What others call the columns, with hyphens and case left out.
_NAMES = {
    "query": ("query", "query_id", "qid", "topic", "topic_id"),
    "document": ("document", "doc", "doc_id", "docid", "docno", "document_id", "corpus_id"),
    "score": ("score", "sim"),
    "grade": ("grade", "relevance", "rel", "label", "score"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}


def run_of_frame(frame: Any, qrels: Qrels, single: bool = False) -> Judged:
    """Find the judged documents of a run in a data frame with columns query, document and score.

    Usual other names of the columns are understood (`qid`, `docno`, …).  Raises `InputError`.
    """
    import polars as pl

    rows = FrameRows(*(_column(frame, role, "run") for role in ("query", "document", "score")))
    documents = pl.Series(qrels.documents, dtype=pl.String)
    finder = Finder(qrels, _hashes(documents), qrels.documents, single)
    return finder.judged() if finder.add(rows) else finder.of_scattered(rows)


def qrels_of_frame(frame: Any) -> Qrels:
    """Judgments from a data frame with columns query, document and grade (and subtopic); raises `InputError`."""
    columns = [_column(frame, role, "qrels").to_list() for role in ("query", "document", "grade")]
    topics = _column(frame, "subtopic", "qrels").to_list() if _find(frame, "subtopic") else [""] * len(columns[0])
    found = Qrels.of_rows(columns[0], topics, columns[1], columns[2], "qrels")
    if found is None:
        raise InputError("qrels: a document is judged twice for a query in the data frame; drop one of the two")
    return found


class FrameRows:
    """Columns of a run as rows; see `Rows`."""

    def __init__(self, query: pl.Series, document: pl.Series, score: pl.Series) -> None:
        if not len(query):
            raise InputError("run: the data frame is empty")
        self._documents, self._scores = document, score
        hashes = _hashes(query)
        self.starts: Ints = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
        self.queries: list[str] = query.gather(self.starts).to_list()

    def __len__(self) -> int:
        return len(self._documents)

    def documents(self, rows: Ints) -> list[str]:
        """See `Rows`."""
        return self._documents.gather(rows).to_list()

    def hashes(self) -> Words:
        """See `Rows`."""
        return _hashes(self._documents)

    def scores(self) -> Floats:
        """See `Rows`."""
        return self._scores.to_numpy()

    def fail(self, row: int, told: str) -> NoReturn:
        """See `Rows`."""
        raise InputError(f"run: row {row} (counted from 0): {told}")


def _hashes(column: pl.Series) -> Words:
    return column.hash().to_numpy()


def _find(frame: Any, role: str) -> str:
    known = {str(name).casefold().replace("-", "_").replace(" ", "_"): name for name in frame.columns}
    return next((known[name] for name in _NAMES[role] if name in known), "")


def _column(frame: Any, role: str, what: str) -> pl.Series:
    """A column as text, or as numbers without a missing one."""
    import polars as pl

    name = _find(frame, role)
    if not name:
        raise InputError(f"{what}: no column {role!r} in the data frame (found: {', '.join(map(str, frame.columns))})")
    column = frame[name]
    if not isinstance(column, pl.Series):
        column = pl.Series(str(name), column.tolist(), strict=False)
    text = role not in ("score", "grade")
    try:
        column = column.cast(pl.String if text else pl.Float64)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{what}: column {name!r} has something that is no number: {error}") from error
    bad = column.is_null() if text else column.is_null() | column.is_nan()
    if bad.any():
        raise InputError(f"{what}: column {name!r} has no value in row {bad.arg_max()} (counted from 0)")
    return column
