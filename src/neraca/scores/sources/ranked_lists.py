"""The first documents of TREC runs: of files, mappings, data frames and run folders, for pools and for readers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from neraca.datasets.trec.file_encoding import files_in
from neraca.datasets.trec.top_documents import top_documents, top_of_scores
from neraca.errors import InputError
from neraca.records import Answer, Hit
from neraca.scores.sources.run_names import is_run

Rankings = Mapping[str, Sequence[str]]
#: Returns, for some queries, query → the answer with its first hits; the second argument is the number of hits.
AnswerReader = Callable[[Collection[str], int], dict[str, Answer]]


def top_of_source(
    name: str, source: Any, depth: int, *, queries: Container[str] | None = None, single: bool = False
) -> Rankings:
    """Return the first documents of a run that is no folder: a file, query → document → score, or a data frame.

    `queries` and `single` are those of `top_documents`.
    """
    if isinstance(source, Path):
        return top_documents(source, depth, queries=queries, single=single)
    if not isinstance(source, Mapping):
        source = _scores_of_frame(name, source)
    chosen = source if queries is None else {query: scores for query, scores in source.items() if query in queries}
    return top_of_scores(chosen, depth, single=single)


def _scores_of_frame(name: str, source: Any) -> Mapping[str, Mapping[str, float]]:
    from neraca.datasets.trec.data_frames import column_of  # slow to import, and not needed for files

    frame = source.collect() if type(source).__name__ == "LazyFrame" else source
    if not hasattr(frame, "columns"):
        raise InputError(f"{name}: a run is a path, a mapping or a data frame, not {type(source).__name__}")
    columns = [column_of(frame, role, name).to_list() for role in ("query", "document", "score")]
    scores: dict[str, dict[str, float]] = {}
    for query, document, score in zip(*columns, strict=True):
        scores.setdefault(query, {})[document] = score
    return scores


def answer_reader(name: str, source: Any, single: bool, encoding: str | None = None) -> AnswerReader:
    """Return a function that reads the ranked lists of some queries.

    `single` is that of `top_documents`, and `encoding` that of `files_in`.
    """

    def read(queries: Collection[str], depth: int) -> dict[str, Answer]:
        if is_run(source):
            return {item: answer for (item, trial), answer in source.answers().items() if not trial and item in queries}
        with files_in(encoding):
            rankings = top_of_source(name, source, depth, queries=queries, single=single)
        return {
            query: Answer(item=query, hits=tuple(Hit(id=document) for document in documents))
            for query, documents in rankings.items()
        }

    return read
