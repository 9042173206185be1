"""Rows of a table as answers: each row has its hits, relevant documents, verdicts, constraints and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache, partial
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from neraca.datasets import cells
from neraca.datasets.columns import ALL, column_named
from neraca.datasets.constraints import constraints
from neraca.datasets.row_batch import RowBatch
from neraca.errors import InputError, SpecError
from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.records import Answer, Hit, Item, Verdict
from neraca.scores.sources.text_columns import read_status
from neraca.targets.hits import HitReading, HitShape
from neraca.verdicts.relevance import Relevance

#: Role of a column → the names that it may have.
NAMES: dict[str, tuple[str, ...]] = {
    "relevant": ALL["relevant"],
    "expects": ALL["expects"],
    "constraints": ALL["constraints"],
    "expected_calls": ALL["expected_calls"],
    "hits": ("hits", "retrieved", "retrieved_ids", "retrieved_doc_ids", "results", "documents"),
    "calls": ("calls", "tool_calls"),
    "status": ("status",),
    "verdicts": ("verdicts",),
}
#: Column of a scorable → roles; a table with a column of one of these roles has enough to make it.
_MADE_OF: dict[str, tuple[str, ...]] = {
    "grades": ("relevant", "verdicts"),
    "known": ("relevant", "verdicts"),
    "subtopics": ("verdicts",),
    "subtopic_hits": ("hits",),
    "verdicts": ("verdicts",),
    "constraints": ("constraints",),
    "expected_calls": ("expected_calls",),
    "calls": ("calls",),
}
#: Columns of a scorable that need no column of the table: by default there are no hits, and no answer failed.
_ALWAYS = ("hits", "expects", "failed", "items", "answers", "counted_answers")
_READING = HitReading(HitShape())
#: Returns the query, response, references or contexts of each row.
TextColumn = Callable[[str], Sequence[Any]]
#: Columns of a scorable, and the reasons why a row has no value in them.
LazyColumns = tuple[dict[str, Callable[[], Any]], dict[str, Callable[[], Sequence[str]]]]


@dataclass(frozen=True)
class AnswerColumns:
    """The name of the column in each role; "" if the table has none."""

    relevant: str = ""
    expects: str = ""
    constraints: str = ""
    expected_calls: str = ""
    hits: str = ""
    calls: str = ""
    status: str = ""
    verdicts: str = ""

    def __bool__(self) -> bool:
        return any(astuple(self))

    @classmethod
    def find(cls, columns: Sequence[str], used_columns: Iterable[str] = ()) -> AnswerColumns:
        """Recognise columns by their names, except those that have another role.

        >>> AnswerColumns.find(["id", "retrieved_ids", "qrels"]).hits
        'retrieved_ids'
        """
        used = set(used_columns)
        free = [column for column in columns if column not in used]
        return cls(**{role: column_named(names, free) for role, names in NAMES.items()})

    @property
    def used(self) -> tuple[str, ...]:
        """The names of the columns that the table has."""
        return tuple(name for name in astuple(self) if name)

    @property
    def offered(self) -> tuple[str, ...]:
        """The columns of a scorable that can be made from these."""
        possible = (name for name, roles in _MADE_OF.items() if any(getattr(self, role) for role in roles))
        return (*possible, *_ALWAYS)

    def needed(self, metrics: Iterable[Metric]) -> AnswerColumns:
        """Return the columns that these metrics need; raise `SpecError` if one is missing."""
        looked_at: set[str] = set()
        inner_metrics = (inner for metric in metrics for inner in metric.with_inner())
        for metric, need in ((inner, need) for inner in inner_metrics for need in inner.needs):
            roles_of_need = _MADE_OF.get(need, ())
            if roles_of_need and not any(getattr(self, role) for role in roles_of_need):
                names = " or ".join(roles_of_need)
                raise SpecError(f"{metric} needs a column {names}, and there is none; add it, or rename yours")
            looked_at |= {need, *roles_of_need} if roles_of_need or need in _ALWAYS else set()
        if not looked_at:
            return AnswerColumns()
        if {"grades", "known"} & looked_at and not self.hits:
            raise SpecError("metrics of rankings need a column hits, and there is none; add it, or rename yours")
        required = looked_at & {"constraints", "expected_calls", "calls", "verdicts"}
        roles = {"relevant", "expects", "hits", "status", *required}
        if {"items", "answers", "counted_answers"} & looked_at:
            roles = {field.name for field in fields(self)}
        return AnswerColumns(**{role: getattr(self, role) for role in roles})


class CellReader(Protocol):
    """A reader of the cells of a column whose errors name the cell; see `TextRows.read_cells`."""

    def __call__(self, block: RowBatch, name: str, read: Callable[[Any], Any]) -> list[Any]:
        """Read each value of a column."""


@dataclass(frozen=True)
class AnswerRows:
    """The columns from which rows become answers.

    Attributes
    ----------
    columns
        The roles of the columns.
    relevance, by
        The source that counts, as of `score`.
    top
        The largest grade of all rows; 0: of the rows at hand.
    """

    columns: AnswerColumns
    relevance: str = "auto"
    by: str = ""
    top: float = 0.0

    def lazy_columns(self, block: RowBatch, read_cells: CellReader, texts: TextColumn) -> LazyColumns:
        """Return the columns of a scorable over the rows of a block, and the reasons why a row has no value."""

        @cache
        def answers() -> Scorable:
            items, answers_of_rows, verdicts = self.records(block, read_cells, texts)
            pooled = Relevance.of(items, [verdicts], self.relevance)
            if self.top:
                pooled.__dict__["top"] = max(self.top, pooled.top)  # fills a cached property for all rows
            return scorable_of_answers(items, answers_of_rows, verdicts, relevance=pooled, by=self.by)

        columns: dict[str, Callable[[], Any]] = {
            name: partial(lambda name: answers().column(name), name) for name in self.columns.offered
        }
        return columns, {"": lambda: answers().why_not(), "grades": lambda: answers().why_not("grades")}

    def top_of(self, block: RowBatch, read_cells: CellReader) -> float:
        """Return the largest grade in a block, at least 1."""
        items = self._items(
            block, read_cells, lambda name: [{"references": (), "extra": {}}.get(name, "")] * len(block)
        )
        return Relevance.of(items, [self._verdicts(block, read_cells)], self.relevance).top

    def records(
        self, block: RowBatch, read_cells: CellReader, texts: TextColumn
    ) -> tuple[list[Item], list[Answer], list[Verdict]]:
        """Return the rows of a block as items, answers and verdicts; the id of an item is its place in the block."""
        return (
            self._items(block, read_cells, texts),
            self._answers(block, read_cells, texts),
            self._verdicts(block, read_cells),
        )

    def _column(
        self, block: RowBatch, read_cells: CellReader, role: str, read: Callable[[Any], Any], otherwise: Any
    ) -> list[Any]:
        name = getattr(self.columns, role)
        return read_cells(block, name, read) if name else [otherwise] * len(block)

    def _items(self, block: RowBatch, read_cells: CellReader, texts: TextColumn) -> list[Item]:
        columns = (
            texts("query"),
            texts("references"),
            self._column(block, read_cells, "relevant", cells.relevant, None),
            self._column(block, read_cells, "expects", cells.expects, None),
            self._column(block, read_cells, "constraints", constraints, {}),
            self._column(block, read_cells, "expected_calls", cells.expected_calls, None),
            texts("extra"),
        )
        names = ("query", "references", "relevant", "expects", "constraints", "expected_calls", "extra")
        rows = enumerate(zip(*columns, strict=True))
        return [Item(id=str(row), **dict(zip(names, values, strict=True))) for row, values in rows]

    def _answers(self, block: RowBatch, read_cells: CellReader, texts: TextColumn) -> list[Answer]:
        columns = (
            texts("response"),
            self._column(block, read_cells, "hits", hits, ()),
            self._column(block, read_cells, "calls", cells.calls, ()),
            self._column(block, read_cells, "status", read_status, "complete"),
        )
        contexts = [()] * len(block) if self.columns.hits else texts("contexts")
        return [
            Answer(item=str(row), text=text, hits=hits or _as_hits(row_contexts), calls=calls, status=status)
            for row, (text, hits, calls, status, row_contexts) in enumerate(zip(*columns, contexts, strict=True))
        ]

    def _verdicts(self, block: RowBatch, read_cells: CellReader) -> list[Verdict]:
        listed = self._column(block, read_cells, "verdicts", verdicts, ())
        return [replace(verdict, item=str(row)) for row, on_answer in enumerate(listed) for verdict in on_answer]


def hits(value: Any) -> tuple[Hit, ...]:
    """Return the hits, best first, from a list of ids or of objects, or such a list as JSON.

    >>> [hit.id for hit in hits(["d2", {"id": "d1", "score": 0.5}])]
    ['d2', 'd1']
    """
    listed = cells.decoded(value) if not isinstance(value, list) else value
    if not isinstance(listed, list | tuple | None):
        raise InputError(f"must be a list of ids, or of objects with an id, found {cells.shown(listed)}")
    return tuple(Hit(id=hit) if isinstance(hit, str) else _READING.read(_with_text_id(hit)) for hit in listed or ())


def _as_hits(contexts: Sequence[str]) -> tuple[Hit, ...]:
    """Return retrieved texts as hits, for a row that lists no hits."""
    return tuple(Hit(id=str(number), text=text) for number, text in enumerate(contexts))


def _with_text_id(hit: Any) -> Any:
    """Return a number as a hit with this id; anything else unchanged."""
    return {"id": str(hit)} if isinstance(hit, int) and not isinstance(hit, bool) else hit


def verdicts(value: Any) -> list[Verdict]:
    """Return the verdicts in a list of objects, or such a list as JSON; null fields are ignored."""
    listed = cells.decoded(value)
    if not isinstance(listed, list | tuple | None) or not all(isinstance(entry, Mapping) for entry in listed or ()):
        raise InputError(f'must be a list of objects such as [{{"about": "answer", …}}], found {cells.shown(listed)}')
    try:
        return [
            msgspec.convert({"item": "", **{key: part for key, part in entry.items() if part is not None}}, Verdict)
            for entry in listed or ()
        ]
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(f"{error}; a verdict says about, aspect, value and by") from error


def depends_on_top(metric: Metric) -> bool:
    """Return whether the value of a row also depends on the largest grade of all rows, as with ERR.

    >>> depends_on_top(Metric.of("ERR@5")), depends_on_top(Metric.of("nDCG@5"))
    (True, False)
    """
    if not {"grades", "known"} & {need for inner in metric.with_inner() for need in inner.needs}:
        return False
    item = Item(id="0", query="", relevant={"a": 1.0, "b": 1.0, "c": 0.0})
    answer = Answer(item="0", hits=hits(["a", "c", "b"]))

    def value(top: float) -> float:
        pooled = Relevance.of([item], [()])
        pooled.__dict__["top"] = top
        return float(score_metric(metric, scorable_of_answers([item], [answer], relevance=pooled)).per_answer[0])

    return value(1.0) != value(7.0)
