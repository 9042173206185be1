"""Relevance judgments: the grade of each judged document for a query, and the subtopics that it is relevant to."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import NoReturn

from neraca.datasets.trec.line_blocks import BLOCK_SIZE, QRELS, line_blocks
from neraca.errors import InputError


@dataclass(frozen=True)
class Qrels:
    """Judgments of documents.

    Attributes
    ----------
    grades
        Query → document → grade.  A document judged for several subtopics has its highest grade.
    subtopics
        Query → document → the subtopics that it is relevant to (grade above 0), from the second column of the file.
    source
        Their source, for messages.
    contested, groups
        The number of documents whose grades differ between subtopics, and the subtopics, sorted.
    """

    grades: Mapping[str, Mapping[str, float]]
    subtopics: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    source: str = "qrels"
    contested: int = 0
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not any(self.grades.values()):
            raise InputError(f"{self.source}: there is no judgment in it")

    @classmethod
    def read(cls, path: Path, block_size: int = BLOCK_SIZE) -> Qrels:
        """Read a TREC file, `block_size` bytes at a time; raise `InputError`."""
        qrels = cls.of_rows(*read_rows(path, block_size), str(path))
        return qrels if qrels is not None else _fail_on_duplicate(path)

    @classmethod
    def of_rows(
        cls,
        queries: Sequence[str],
        subtopics: Sequence[str],
        documents: Sequence[str],
        grades: Sequence[float],
        source: str,
    ) -> Qrels | None:
        """Make judgments of columns; return None if a document is judged twice for the same query and subtopic."""
        if len(set(subtopics)) > 1:
            return cls._of_subtopics(zip(queries, subtopics, documents, grades, strict=True), source)
        by_query: dict[str, dict[str, float]] = {}
        last = None
        for query, document, grade in zip(queries, documents, grades, strict=True):
            if query != last:
                of_query = by_query.setdefault(query, {})
                last = query
            of_query[document] = grade
        return cls(by_query, source=source) if sum(map(len, by_query.values())) == len(queries) else None

    @classmethod
    def _of_subtopics(cls, rows: Iterable[tuple[str, str, str, float]], source: str) -> Qrels | None:
        by_query: dict[str, dict[str, dict[str, float]]] = {}
        for query, subtopic, document, grade in rows:
            by_subtopic = by_query.setdefault(query, {}).setdefault(document, {})
            if subtopic in by_subtopic:
                return None
            by_subtopic[subtopic] = grade
        grades = {
            query: {document: max(by_subtopic.values()) for document, by_subtopic in documents.items()}
            for query, documents in by_query.items()
        }
        relevant = {
            query: {
                document: frozenset(subtopic for subtopic, grade in by_subtopic.items() if grade > 0)
                for document, by_subtopic in documents.items()
            }
            for query, documents in by_query.items()
        }
        of_documents = [by_subtopic for documents in by_query.values() for by_subtopic in documents.values()]
        contested = sum(len(set(by_subtopic.values())) > 1 for by_subtopic in of_documents)
        return cls(grades, relevant, source, contested, tuple(sorted({*chain.from_iterable(of_documents)})))

    @classmethod
    def of_mapping(cls, grades: Mapping[str, Mapping[str, float]], source: str = "qrels") -> Qrels:
        """Take query → document → grade; raise `InputError` if an id is not a text or a grade not a finite number."""
        for query, docs in grades.items():
            if not isinstance(docs, Mapping):
                raise InputError(f"{source}: query {query!r} has {docs!r:.80}; document → grade is needed there")
            try:
                "".join((query, *docs))
                valid = math.isfinite(sum(docs.values()))
            except (TypeError, OverflowError):
                valid = False
            if not valid:
                _check_judgments(source, query, docs)
        return cls(grades, source=source)

    @cached_property
    def queries(self) -> list[str]:
        """List all judged queries, in the order of the file."""
        return list(self.grades)

    @cached_property
    def lengths(self) -> list[int]:
        """Count the documents that are judged for each query."""
        return list(map(len, self.grades.values()))

    @cached_property
    def documents(self) -> list[str]:
        """List the judged documents, query after query."""
        return list(chain.from_iterable(self.grades.values()))

    @cached_property
    def flat(self) -> list[float]:
        """List their grades, in the same order."""
        return list(chain.from_iterable(docs.values() for docs in self.grades.values()))

    def relevant(self, ids: Collection[str], source: str) -> dict[str, dict[str, float]]:
        """Return query → document → grade for the judged queries among `ids`, the ids of the questions of `source`.

        Raise `InputError` if none of them is judged; the error shows some ids of both sides.
        """
        judged = {
            query: {document: float(grade) for document, grade in documents.items()}
            for query, documents in self.grades.items()
            if query in ids
        }
        if not judged:
            judged_ids, question_ids = (", ".join(map(repr, islice(names, 3))) for names in (self.grades, ids))
            ids_of_both = f"it judges {judged_ids}, the questions are called {question_ids}"
            raise InputError(
                f"{self.source}: no question of {source} is judged there: {ids_of_both}; give both the same ids"
            )
        return judged

    def topics(self, query: str) -> dict[str, frozenset[str]]:
        """Return document → the subtopics it is relevant to; without subtopics in the qrels each query has one, "0"."""
        if self.subtopics:
            return dict(self.subtopics[query])
        one, none = frozenset({"0"}), frozenset[str]()
        return {doc: one if grade > 0 else none for doc, grade in self.grades[query].items()}


def read_rows(path: Path, block_size: int = BLOCK_SIZE) -> tuple[list[str], list[str], list[str], list[float]]:
    """Read the columns of a TREC file: queries, subtopics, documents and grades; raise `InputError`."""
    queries: list[str] = []
    subtopics: list[str] = []
    documents: list[str] = []
    grades: list[float] = []
    for block in line_blocks(path, block_size):
        tidy, columns = block.columns(QRELS)
        queries += columns[0]
        subtopics += columns[1]
        documents += columns[2]
        grades += tidy.read(int, columns[3], "grade")
    return queries, subtopics, documents, grades


def _check_judgments(source: str, query: str, docs: Mapping[str, float]) -> None:
    """Raise `InputError` about the first id that is not text or grade that is not a number."""
    if not isinstance(query, str):
        raise InputError(f"{source}: query {query!r}: ids are texts, not {type(query).__name__}")
    for doc, grade in docs.items():
        if not isinstance(doc, str):
            raise InputError(f"{source}: query {query!r}, document {doc!r}: ids are texts, not {type(doc).__name__}")
        try:
            finite = math.isfinite(grade)
        except (TypeError, OverflowError):
            finite = False
        if not finite:
            raise InputError(f"{source}: query {query!r}, document {doc!r}: the grade {grade!r:.80} is not a number")


def _fail_on_duplicate(path: Path) -> NoReturn:
    """Raise `InputError` about the first document that is judged twice for its query and subtopic."""
    first_lines: dict[tuple[str, str, str], int] = {}
    for block in line_blocks(path):
        tidy, columns = block.columns(QRELS)
        for row, (query, subtopic, document) in enumerate(zip(*columns[:3], strict=True)):
            line = tidy.line(row)
            if (first := first_lines.setdefault((query, subtopic, document), line)) != line:
                tidy.fail(row, f"query {query!r} has the document {document!r} already in line {first}")
    raise InputError(f"{path}: a document occurs twice for a query; the file changed while it was read")
