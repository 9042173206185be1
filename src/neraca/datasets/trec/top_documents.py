"""Read the first documents of each query of a TREC run, judged or not, to make a pool or to show them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from heapq import nlargest
from pathlib import Path

import numpy as np

from neraca.datasets.trec.line_blocks import BLOCK_SIZE
from neraca.datasets.trec.ranked_judgments import rounded
from neraca.datasets.trec.run_file import whole_queries
from neraca.errors import InputError

#: Number of documents of a query, beyond the depth, that are collected before the lowest are dropped.
_COLLECTED = 4096


def top_documents(
    path: Path,
    depth: int,
    block_size: int = BLOCK_SIZE,
    *,
    queries: Container[str] | None = None,
    single: bool = False,
) -> dict[str, list[str]]:
    """Read the first documents of a TREC run, in trec_eval's order: by falling score, then by falling document id.

    Parameters
    ----------
    path
        A text file, which may be packed with gzip or Zstandard.
    depth
        Number of documents of each query.
    block_size
        Number of bytes to read at a time.  Memory grows with depth and queries, not with the file.
    queries
        The queries to keep; None: all.
    single
        Whether to round scores to single precision (float32) before ranking, as pytrec_eval does.

    Returns
    -------
    dict
        Query → documents, best first; queries in the order of the file.

    Raises
    ------
    InputError
        If the file cannot be read, a line is malformed, or a document occurs twice for a query.
    """
    best: dict[str, list[tuple[float, bytes]]] = {}
    for lines in whole_queries(path, block_size, False):
        scores = rounded(lines.scores()) if single else lines.scores()
        ends = [*lines.starts[1:].tolist(), len(lines)]
        for query, start, end in zip(lines.queries, lines.starts.tolist(), ends, strict=True):
            if queries is not None and query not in queries:
                continue
            rows = np.arange(start, end)
            if len(rows) > depth:  # equal scores at the end are all kept, because their ids decide
                lowest = np.partition(scores[rows], len(rows) - depth)[len(rows) - depth]
                rows = rows[scores[rows] >= lowest]
            of_query = best.setdefault(query, [])
            of_query += zip(scores[rows].tolist(), lines.documents(rows), strict=True)
            if len(of_query) > depth + _COLLECTED:
                best[query] = nlargest(depth, of_query)
    return {query: _ranked(path, query, nlargest(depth, scored)) for query, scored in best.items()}


def top_of_scores(run: Mapping[str, Mapping[str, float]], depth: int, *, single: bool = False) -> dict[str, list[str]]:
    """Rank the documents of query → document → score in the same order.

    >>> top_of_scores({"q": {"a": 1.0, "b": 2.0, "c": 2.0}}, 2)
    {'q': ['c', 'b']}
    """
    return {query: _top(scores, depth, single) for query, scores in run.items()}


def _top(scores: Mapping[str, float], depth: int, single: bool) -> list[str]:
    values = np.array(list(scores.values()), dtype=np.float64)
    ranked = nlargest(depth, zip((rounded(values) if single else values).tolist(), scores, strict=True))
    return [document for _, document in ranked]


def _ranked(path: Path, query: str, scored: list[tuple[float, bytes]]) -> list[str]:
    documents = [document.decode() for _, document in scored]
    if len(set(documents)) < len(documents):
        twice = next(document for place, document in enumerate(documents) if document in documents[:place])
        raise InputError(f"{path}: query {query!r} has the document {twice!r} twice; keep one of the two lines")
    return documents
