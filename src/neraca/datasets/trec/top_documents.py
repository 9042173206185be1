"""Read the first documents of each query of a TREC run, judged or not, to make a pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from neraca.datasets.trec.line_blocks import BLOCK_SIZE, RUN, line_blocks
from neraca.errors import InputError

#: Number of documents of a query, beyond the depth, that are collected before the lowest are dropped.
_COLLECTED = 4096


def top_documents(path: Path, depth: int, block_size: int = BLOCK_SIZE) -> dict[str, list[str]]:
    """Read the first documents of a TREC run, in trec_eval's order: by falling score, then by falling document id.

    Parameters
    ----------
    path
        A text file, which may be packed with gzip or Zstandard.
    depth
        Number of documents of each query.
    block_size
        Number of bytes to read at a time.  Memory grows with depth and queries, not with the file.

    Returns
    -------
    dict
        Query → documents, best first; queries in the order of the file.

    Raises
    ------
    InputError
        If the file cannot be read, a line is malformed, or a document occurs twice for a query.
    """
    best: dict[str, list[tuple[float, str]]] = {}
    for query, scored in _scored(path, block_size):
        of_query = best.setdefault(query, [])
        of_query += scored
        if len(of_query) > depth + _COLLECTED:
            best[query] = nlargest(depth, of_query)
    return {query: _ranked(path, query, nlargest(depth, scored)) for query, scored in best.items()}


def top_of_scores(run: Mapping[str, Mapping[str, float]], depth: int) -> dict[str, list[str]]:
    """Rank the documents of query → document → score in the same order.

    >>> top_of_scores({"q": {"a": 1.0, "b": 2.0, "c": 2.0}}, 2)
    {'q': ['c', 'b']}
    """
    return {
        query: [document for _, document in nlargest(depth, ((score, document) for document, score in scores.items()))]
        for query, scores in run.items()
    }


def _scored(path: Path, block_size: int) -> Iterator[tuple[str, Iterable[tuple[float, str]]]]:
    """Yield each query with the (score, document) of its neighbouring lines."""
    for block in line_blocks(path, block_size):
        tidy, columns = block.columns(RUN)
        scores = tidy.read(float, columns[4], "score")
        for query, rows in groupby(zip(columns[0], scores, columns[2], strict=True), itemgetter(0)):
            yield query, [(score, document) for _, score, document in rows]


def _ranked(path: Path, query: str, scored: list[tuple[float, str]]) -> list[str]:
    documents = [document for _, document in scored]
    if len(set(documents)) < len(documents):
        twice = next(document for place, document in enumerate(documents) if document in documents[:place])
        raise InputError(f"{path}: query {query!r} has the document {twice!r} twice; keep one of the two lines")
    return documents
