"""A pool: the top documents of several runs, their grades, and the documents to judge next.

Raters see the documents of a question in a new order, without systems and ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from neraca.counts_and_lists import count, listed
from neraca.datasets.table_writer import WRITABLE, write_table
from neraca.errors import InputError
from neraca.files import write_atomic
from neraca.grades import UNJUDGED
from neraca.number_format import integer, number
from neraca.records import Hit, Item
from neraca.result import Table, Tabular, short
from neraca.translation import say, say_all

#: Columns of the table of documents to judge.
COLUMNS = (*("query_id", "question", "document_id", "text", "fields", "order", "stratum", "probability", "grade"),)
#: Fields of a hit that show how a system ranked it.
_RANK_FIELDS = ("rank", "score", "position")
#: Number of documents that are printed.
_PRINTED = 10


class PoolDocument(NamedTuple):
    """A document to judge.

    Attributes
    ----------
    query_id, document_id
        Ids of the question and of the document.
    order
        Its place in the order of judging, within its question, from 1.
    stratum
        The stratum that it was drawn from; the name of the strategy if it was not drawn at random.
    probability
        Its inclusion probability; NaN if it was not drawn at random.
    """

    query_id: str
    document_id: str
    order: int
    stratum: str
    probability: float


class Coverage(NamedTuple):
    """Share of the results of a run that are judged.

    Attributes
    ----------
    run
        Name of the run.
    questions
        Number of questions with results.
    returned, unjudged
        Number of documents down to the depth of the pool, and of those that nobody judged.
    judged
        Mean of `Judged@depth` over these questions; NaN without any.
    """

    run: str
    questions: int
    returned: int
    unjudged: int
    judged: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Pool(Tabular):
    """A pool of documents, and the choice of those to judge.

    Attributes
    ----------
    documents
        The documents to judge, question after question, in the order of judging.
    union
        Question → all documents that some run returned down to the depth, judged or not.
    judged
        Question → document → grade of all judged documents, in the pool or not.
    by
        Sources of the grades, such as `qrels`.
    shared
        Sentences on documents that several files of qrels judge.
    coverage
        For each run the share of judged results.
    items
        Question → its record.
    hits
        (question, document) → the hit of a run; empty for TREC runs.
    depth
        The lowest rank in the pool.
    settings
        Settings of the choice of documents to judge.
    note
        A note on the choice, or "".
    """

    documents: tuple[PoolDocument, ...]
    union: Mapping[str, Sequence[str]]
    judged: Mapping[str, Mapping[str, float]]
    by: tuple[str, ...]
    shared: tuple[str, ...] = ()
    coverage: tuple[Coverage, ...]
    items: Mapping[str, Item]
    hits: Mapping[tuple[str, str], Hit] = field(default_factory=dict)
    depth: int
    settings: Mapping[str, Any]
    note: str = ""

    def __len__(self) -> int:
        return len(self.documents)

    def shown(self, question: str, document: str) -> Hit:
        """Return a document as a rater sees it: text and fields without rank and score."""
        hit = self.hits.get((question, document)) or Hit(id=document)
        fields = {name: value for name, value in hit.fields.items() if name.casefold() not in _RANK_FIELDS}
        return Hit(id=document, text=hit.text, fields=fields)

    def conversation(self, question: str) -> list[str]:
        """Return the earlier questions of the same session, which a rater may need to understand this one."""
        session = self.items[question].session
        in_session = [item for item in self.items.values() if session is not None and item.session == session]
        return [item.query for item in in_session[: in_session.index(self.items[question])]] if in_session else []

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each document to judge, with the columns `COLUMNS`; `grade` is left empty for the rater."""
        return [self._row(document) for document in self.documents]

    def write(self, path: Path | str) -> None:
        """Write the documents to judge as a table in the format of the file name; raise `InputError` for others."""
        write_table(path, self.rows(), COLUMNS)

    def write_qrels(self, path: Path | str) -> int:
        """Write TREC qrels: judged documents, and the others of the pool with the grade -1; return the number of lines.

        Raises
        ------
        InputError
            If an id contains a space, or a grade is not a whole number, such as the median of two people.
        """
        path = Path(path)
        if path.suffix.lower() in WRITABLE:
            raise InputError(
                say("{path}: qrels are lines of text; name the file without {suffix}", path=path, suffix=path.suffix)
            )
        lines = []
        for question in dict.fromkeys([*self.union, *self.judged]):
            grades = self.judged.get(question, {})
            unjudged = [document for document in self.union.get(question, ()) if document not in grades]
            for document, grade in sorted({**grades, **dict.fromkeys(unjudged, float(UNJUDGED))}.items()):
                _check_line(path, question, document, grade)
                lines.append(f"{question} 0 {document} {grade:.0f}\n")
        write_atomic(path, "".join(lines).encode())
        return len(lines)

    def _row(self, document: PoolDocument) -> dict[str, Any]:
        hit = self.shown(document.query_id, document.document_id)
        return {
            "query_id": document.query_id,
            "question": self.items[document.query_id].query or None,
            "conversation": "\n".join(self.conversation(document.query_id)) or None,
            "document_id": document.document_id,
            "text": hit.text or None,
            "fields": dict(hit.fields) or None,
            "order": document.order,
            "stratum": document.stratum,
            "probability": None if math.isnan(document.probability) else document.probability,
            "grade": None,
        }

    def _tables(self) -> Iterator[Table]:
        share = f"Judged@{self.depth}"
        rows = [
            [run.run, integer(run.questions), integer(run.returned), number(run.judged), integer(run.unjudged)]
            for run in self.coverage
        ]
        columns = [*say_all("run", "questions", "documents"), share, say("not judged")]
        yield Table(columns, rows, say("down to rank {depth}", depth=self.depth))
        if not self.documents:
            return
        has_texts = any(self.items[document.query_id].query for document in self.documents)
        first = [
            [
                document.query_id,
                *([short(self.items[document.query_id].query, 40)] if has_texts else []),
                document.document_id,
                f"{document.order}",
            ]
            for document in self.documents[:_PRINTED]
        ]
        title = say("the first {n} to judge", n=_PRINTED) if len(self) > _PRINTED else say("to judge")
        columns = [say("query"), *(say_all("question") if has_texts else []), *say_all("document", "order")]
        yield Table(columns, first, title, len(first[0]) - 1)

    def _sentences(self) -> Iterator[str]:
        judged = sum(
            document in self.judged.get(q, ()) for q, documents in self.union.items() for document in documents
        )
        size = sum(map(len, self.union.values()))
        yield say(
            "The pool has {documents} of {questions}: {judged:,} {are} judged{by}, {unjudged:,} not.",
            documents=count(size, "document"),
            questions=count(len(self.union), "question"),
            judged=judged,
            are="is" if judged == 1 else "are",
            by=say(" (by {judges})", judges=listed(self.by)) if judged else "",
            unjudged=size - judged,
        )
        yield from self.shared
        blank = [question for question in self.union if not self.judged.get(question)]
        if judged and blank:
            names = f"{', '.join(blank[:3])}{', …' if len(blank) > 3 else ''}"
            yield say(
                "Of {questions} nothing is judged: {names}.", questions=count(len(blank), "question"), names=names
            )
        chosen = len({document.query_id for document in self.documents})
        yield say(
            "To judge ({strategy}): {documents}{of}.",
            strategy=self.settings["strategy"],
            documents=count(len(self), "document"),
            of=say(" of {questions}", questions=count(chosen, "question")) if chosen else "",
        )
        yield from filter(None, [self.note])


def union(rankings: Sequence[Mapping[str, Sequence[str]]], depth: int) -> dict[str, dict[str, int]]:
    """Pool several runs: question → document → the best rank that any run gave it, down to a depth.

    >>> union([{"q": ["a", "b", "c"]}, {"q": ["b", "d"]}], 2)
    {'q': {'a': 1, 'b': 1, 'd': 2}}
    """
    pooled: dict[str, dict[str, int]] = {}
    for run in rankings:
        for question, documents in run.items():
            best = pooled.setdefault(question, {})
            for rank, document in enumerate(documents[:depth], start=1):
                best[document] = min(rank, best.get(document, rank))
    return pooled


def _check_line(path: Path, question: str, document: str, grade: float) -> None:
    """Raise `InputError` for an id or a grade that a line of qrels cannot hold."""
    for name in (question, document):
        if not name or name.startswith("#") or len(name.split()) != 1:
            raise InputError(
                f"{path}: the id {name!r} cannot be written to qrels, because spaces separate their fields"
            )
    if grade != math.floor(grade):
        raise InputError(
            f"{path}: question {question!r}, document {document!r}: the grade {grade:g} is not a whole number; "
            "choose a rule that gives whole numbers (--combine median, majority or newest), or whose grades count "
            "(--relevance human:NAME)"
        )
