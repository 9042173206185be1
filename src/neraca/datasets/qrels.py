"""Relevance judgments: which documents are how relevant to which query, and to which of its subtopics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from neraca.datasets.trec import QRELS, blocks, fail_on_duplicate
from neraca.errors import InputError


@dataclass(frozen=True)
class Qrels:
    """Judgments of documents.

    Attributes
    ----------
    grades
        Query → document → grade.  A document that was judged for several subtopics has the highest of its grades.
    subtopics
        Query → document → the subtopics that it is relevant to (grade above 0), by the second column of the file.
    source
        Where they came from, for people.
    """

    grades: Mapping[str, Mapping[str, float]]
    subtopics: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    source: str = "qrels"

    def __post_init__(self) -> None:
        if not any(self.grades.values()):
            raise InputError(f"{self.source}: there is no judgment in it")

    @classmethod
    def read(cls, path: Path) -> Qrels:
        """Read a TREC file; raises `InputError`."""
        queries: list[str] = []
        subtopics: list[str] = []
        documents: list[str] = []
        grades: list[float] = []
        for block in blocks(path):
            tidy, columns = block.columns(QRELS)
            queries += columns[0]
            subtopics += columns[1]
            documents += columns[2]
            grades += tidy.read(int, columns[3], "grade")
        found = cls.of_rows(queries, subtopics, documents, grades, str(path))
        return found if found is not None else fail_on_duplicate(path, QRELS)

    @classmethod
    def of_rows(
        cls,
        queries: Sequence[str],
        subtopics: Sequence[str],
        documents: Sequence[str],
        grades: Sequence[float],
        source: str,
    ) -> Qrels | None:
        """From columns; None where a document was judged twice for the same query and subtopic."""
        if len(set(subtopics)) > 1:
            return cls._of_subtopics(zip(queries, subtopics, documents, grades, strict=True), source)
        found: dict[str, dict[str, float]] = {}
        last = None
        for query, document, grade in zip(queries, documents, grades, strict=True):
            if query != last:
                known = found.setdefault(query, {})
                last = query
            known[document] = grade
        return cls(found, source=source) if sum(map(len, found.values())) == len(queries) else None

    @classmethod
    def _of_subtopics(cls, rows: Iterable[tuple[str, str, str, float]], source: str) -> Qrels | None:
        told: dict[str, dict[str, dict[str, float]]] = {}
        for query, subtopic, document, grade in rows:
            known = told.setdefault(query, {}).setdefault(document, {})
            if subtopic in known:
                return None
            known[subtopic] = grade
        grades = {query: {doc: max(found.values()) for doc, found in docs.items()} for query, docs in told.items()}
        topics = {
            query: {doc: frozenset(name for name, grade in found.items() if grade > 0) for doc, found in docs.items()}
            for query, docs in told.items()
        }
        return cls(grades, topics, source)

    @classmethod
    def of_mapping(cls, grades: Mapping[str, Mapping[str, float]], source: str = "qrels") -> Qrels:
        """Take query → document → grade as it is; raises `InputError` for ids that are no text and infinite grades."""
        for query, docs in grades.items():
            if not isinstance(docs, Mapping):
                raise InputError(f"{source}: query {query!r} has {docs!r:.80}; document → grade is needed there")
            try:
                "".join((query, *docs))
                good = math.isfinite(sum(docs.values()))
            except (TypeError, OverflowError):
                good = False
            if not good:
                _complain(source, query, docs)
        return cls(grades, source=source)

    @cached_property
    def queries(self) -> list[str]:
        """All judged queries, in the order of the file."""
        return list(self.grades)

    @cached_property
    def lengths(self) -> list[int]:
        """How many documents are judged for each query."""
        return list(map(len, self.grades.values()))

    @cached_property
    def documents(self) -> list[str]:
        """The judged documents, query after query."""
        return list(chain.from_iterable(self.grades.values()))

    @cached_property
    def flat(self) -> list[float]:
        """Their grades, in the same order."""
        return list(chain.from_iterable(docs.values() for docs in self.grades.values()))

    def topics(self, query: str) -> dict[str, frozenset[str]]:
        """Document → the subtopics it is relevant to; without subtopics in the qrels each query has one, "0"."""
        if self.subtopics:
            return dict(self.subtopics[query])
        one, none = frozenset({"0"}), frozenset[str]()
        return {doc: one if grade > 0 else none for doc, grade in self.grades[query].items()}


def _complain(source: str, query: str, docs: Mapping[str, float]) -> None:
    if not isinstance(query, str):
        raise InputError(f"{source}: query {query!r}: ids are texts, not {type(query).__name__}")
    for doc, grade in docs.items():
        if not isinstance(doc, str):
            raise InputError(f"{source}: query {query!r}, document {doc!r}: ids are texts, not {type(doc).__name__}")
        try:
            good = math.isfinite(grade)
        except (TypeError, OverflowError):
            good = False
        if not good:
            raise InputError(f"{source}: query {query!r}, document {doc!r}: the grade {grade!r:.80} is not a number")
