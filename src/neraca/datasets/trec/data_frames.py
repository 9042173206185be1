"""Read runs and qrels from data frames of polars or pandas; neither package is imported without a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.ranked_judgments import JudgedFinder, RankedJudgments
from neraca.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from neraca.datasets.trec.line_fields import Floats, Ints, Words

#: Role → usual names of its column, in lower case and with underscores; the first name that exists is taken.  (In
#: PyTerrier's frames `query` is the text of the question, and `docid` an internal number.)
_NAMES = {
    "query": ("query_id", "qid", "topic_id", "query", "topic"),
    "document": ("document_id", "doc_id", "docno", "corpus_id", "docid", "document", "doc"),
    "score": ("score", "sim"),
    "grade": ("grade", "relevance", "rel", "label", "score"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}


def read_run_frame(frame: Any, qrels: Qrels, single: bool = False) -> RankedJudgments:
    """Find the judged documents of a run in a data frame with columns query, document and score.

    Other usual names of the columns are recognised (`qid`, `docno`, …).  Raise `InputError`.
    """
    import polars as pl

    rows = FrameRows(*(column_of(frame, role, "run") for role in ("query", "document", "score")))
    documents = pl.Series(qrels.documents, dtype=pl.String)
    finder = JudgedFinder(qrels, _hashes(documents), qrels.documents, single)
    return finder.judgments() if finder.add(rows) else finder.scattered(rows)


def read_qrels_frame(frame: Any) -> Qrels:
    """Read judgments from a data frame with columns query, document and grade (and subtopic); raise `InputError`."""
    columns = [column_of(frame, role, "qrels").to_list() for role in ("query", "document", "grade")]
    has_subtopics = column_name(frame, "subtopic")
    subtopics = column_of(frame, "subtopic", "qrels").to_list() if has_subtopics else [""] * len(columns[0])
    qrels = Qrels.of_rows(columns[0], subtopics, columns[1], columns[2], "qrels")
    if qrels is None:
        raise InputError("qrels: a document is judged twice for a query in the data frame; drop one of the two")
    return qrels


class FrameRows:
    """Columns of a run as rows; see `Rows`."""

    def __init__(self, query: pl.Series, document: pl.Series, score: pl.Series) -> None:
        if not len(query):
            raise InputError("run: the data frame is empty")
        self._documents, self._scores = document, score
        self.starts: Ints = np.flatnonzero(np.append(True, (query[1:] != query[:-1]).to_numpy()))
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

    def fail(self, query: str, first: int, again: int) -> NoReturn:
        """See `Rows`."""
        problem = f"query {query!r} has the document {self._documents[again]!r} already in row {first}"
        raise InputError(f"run: row {again} (counted from 0): {problem}")


def _hashes(column: pl.Series) -> Words:
    return column.hash().to_numpy()


def column_name(frame: Any, role: str) -> str:
    """Return the name of the column for a role, or "" if the frame has none."""
    names = {str(name).casefold().replace("-", "_").replace(" ", "_"): name for name in frame.columns}
    return next((names[name] for name in _NAMES[role] if name in names), "")


def column_of(frame: Any, role: str, source: str) -> pl.Series:
    """Return a column as text, or as numbers; raise `InputError` if it does not exist or a value is missing."""
    import polars as pl

    name = column_name(frame, role)
    if not name:
        raise InputError(
            f"{source}: no column {role!r} in the data frame (found: {', '.join(map(str, frame.columns))})"
        )
    if list(frame.columns).count(name) > 1:
        raise InputError(f"{source}: the data frame has several columns {name!r}; keep one")
    column = frame[name]
    needed = "a number" if role in ("score", "grade") else "an id"
    try:
        if not isinstance(column, pl.Series):
            if column.isna().any():
                column = column.astype(object).where(column.notna(), None)
            values = column.to_numpy() if column.dtype.kind in "iuf" else column.tolist()
            column = pl.Series(str(name), values, strict=False)
        cast = column.cast(pl.Float64 if needed == "a number" else pl.String, strict=False)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{source}: column {name!r} has values of a type that cannot be read as {needed}") from error
    valid = cast.is_finite() if role == "grade" else cast.is_not_nan() if role == "score" else cast.is_not_null()
    if not (valid := valid.fill_null(False)).all():
        row = int(np.argmin(valid))
        raise InputError(
            f"{source}: column {name!r} has {column[row]!r} in row {row} (counted from 0); {needed} is needed there"
        )
    return cast
