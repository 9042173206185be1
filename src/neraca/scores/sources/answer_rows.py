"""Rows of a table as answers: what was found, what is relevant, verdicts, constraints and calls, a row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache, partial
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from neraca.datasets import cells
from neraca.datasets.columns import ALL, fold
from neraca.datasets.constraints import constraints
from neraca.datasets.row_batch import RowBatch
from neraca.errors import InputError, SpecError
from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.records import Answer, Hit, Item, Verdict
from neraca.targets.hits import HitReading, HitShape
from neraca.verdicts.relevance import Relevance

#: What such a column may be called.
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
#: Column of a scorable → the columns of which the table must have one, to make it.
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
#: What there is without a column too: no hits, nothing that an answer expects, and that it did not fail.
_ALWAYS = ("hits", "expects", "failed", "items", "answers", "counted_answers")
_READING = HitReading(HitShape())
#: Gives a column of texts of the same rows: query, response, references or contexts.
Texts = Callable[[str], Sequence[Any]]
#: Columns of a scorable, and why there is no value in them.
Made = tuple[dict[str, Callable[[], Any]], dict[str, Callable[[], Sequence[str]]]]


@dataclass(frozen=True)
class AnswerColumns:
    """The columns by what they are; "" where there is none."""

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
    def find(cls, columns: Sequence[str], taken: Iterable[str] = ()) -> AnswerColumns:
        """Recognise them by their names, but for those that are something else.

        >>> AnswerColumns.find(["id", "retrieved_ids", "qrels"]).hits
        'retrieved_ids'
        """
        free = {fold(column): column for column in reversed(columns) if column not in set(taken)}
        return cls(
            **{role: next((free[fold(n)] for n in names if fold(n) in free), "") for role, names in NAMES.items()}
        )

    @property
    def used(self) -> tuple[str, ...]:
        """The names of those that there are."""
        return tuple(name for name in astuple(self) if name)

    @property
    def offered(self) -> tuple[str, ...]:
        """Columns of a scorable that can be made of them."""
        made = (name for name, roles in _MADE_OF.items() if any(getattr(self, role) for role in roles))
        return (*made, *_ALWAYS)

    def needed(self, metrics: Iterable[Metric]) -> AnswerColumns:
        """Return the columns that these metrics need; raise `SpecError` if one is missing."""
        looked_at: set[str] = set()
        inner = (one for metric in metrics for one in metric.with_inner())
        for metric, need in ((one, need) for one in inner for need in one.needs):
            made_of = _MADE_OF.get(need, ())
            if made_of and not any(getattr(self, role) for role in made_of):
                names = " or ".join(made_of)
                raise SpecError(f"{metric} needs a column {names}, and there is none; add it, or rename yours")
            looked_at |= {need, *made_of} if made_of or need in _ALWAYS else set()
        if not looked_at:
            return AnswerColumns()
        if {"grades", "known"} & looked_at and not self.hits:
            raise SpecError("metrics of rankings need a column hits, and there is none; add it, or rename yours")
        required = looked_at & {"constraints", "expected_calls", "calls", "verdicts"}
        roles = {"relevant", "expects", "hits", "status", *required}
        if {"items", "answers", "counted_answers"} & looked_at:
            roles = {field.name for field in fields(self)}
        return AnswerColumns(**{role: getattr(self, role) for role in roles})


class Cells(Protocol):
    """A reader of the cells of a column that says where one cannot be read; see `TextRows.each`."""

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

    def made(self, block: RowBatch, each: Cells, texts: Texts) -> Made:
        """Columns of a scorable, and the reasons why there is no value in them, over the rows of a block."""

        @cache
        def answers() -> Scorable:
            items, answers_of_rows, verdicts = self.records(block, each, texts)
            pooled = Relevance.of(items, [verdicts], self.relevance)
            if self.top:
                pooled.__dict__["top"] = max(self.top, pooled.top)  # a cached property of what all rows say
            return scorable_of_answers(items, answers_of_rows, verdicts, relevance=pooled, by=self.by)

        columns: dict[str, Callable[[], Any]] = {}
        for name in self.columns.offered:
            columns[name] = partial(lambda name: answers().column(name), name)
        return columns, {"": lambda: answers().why_not(), "grades": lambda: answers().why_not("grades")}

    def top_of(self, block: RowBatch, each: Cells) -> float:
        """The largest grade that a block gives, at least 1."""
        items = self._items(block, each, lambda name: [()] * len(block) if name == "references" else [""] * len(block))
        return Relevance.of(items, [self._verdicts(block, each)], self.relevance).top

    def records(self, block: RowBatch, each: Cells, texts: Texts) -> tuple[list[Item], list[Answer], list[Verdict]]:
        """The rows of a block as items and answers, whose id is their place in the block, and the verdicts on them."""
        return self._items(block, each, texts), self._answers(block, each, texts), self._verdicts(block, each)

    def _cells(self, block: RowBatch, each: Cells, role: str, read: Callable[[Any], Any], otherwise: Any) -> list[Any]:
        name = getattr(self.columns, role)
        return each(block, name, read) if name else [otherwise] * len(block)

    def _items(self, block: RowBatch, each: Cells, texts: Texts) -> list[Item]:
        columns = (
            texts("query"),
            texts("references"),
            self._cells(block, each, "relevant", cells.relevant, None),
            self._cells(block, each, "expects", cells.expects, None),
            self._cells(block, each, "constraints", constraints, {}),
            self._cells(block, each, "expected_calls", cells.expected_calls, None),
        )
        names = ("query", "references", "relevant", "expects", "constraints", "expected_calls")
        rows = enumerate(zip(*columns, strict=True))
        return [Item(id=str(row), **dict(zip(names, values, strict=True))) for row, values in rows]

    def _answers(self, block: RowBatch, each: Cells, texts: Texts) -> list[Answer]:
        columns = (
            texts("response"),
            self._cells(block, each, "hits", hits, ()),
            self._cells(block, each, "calls", cells.calls, ()),
            self._cells(block, each, "status", _status, "complete"),
        )
        contexts = [()] * len(block) if self.columns.hits else texts("contexts")
        return [
            Answer(item=str(row), text=text, hits=found or _as_hits(several), calls=calls, status=status)
            for row, (text, found, calls, status, several) in enumerate(zip(*columns, contexts, strict=True))
        ]

    def _verdicts(self, block: RowBatch, each: Cells) -> list[Verdict]:
        listed = self._cells(block, each, "verdicts", verdicts, ())
        return [replace(verdict, item=str(row)) for row, several in enumerate(listed) for verdict in several]


def hits(value: Any) -> tuple[Hit, ...]:
    """Return the hits, best first, from a list of ids or of objects, or such a list as JSON.

    >>> [hit.id for hit in hits(["d2", {"id": "d1", "score": 0.5}])]
    ['d2', 'd1']
    """
    listed = cells.decoded(value) if not isinstance(value, list) else value
    if not isinstance(listed, list | tuple | None):
        raise InputError(f"must be a list of ids, or of objects with an id, found {cells.shown(listed)}")
    return tuple(Hit(id=one) if isinstance(one, str) else _READING.read(_numbered(one)) for one in listed or ())


def _as_hits(contexts: Sequence[str]) -> tuple[Hit, ...]:
    """Retrieved texts as hits, where no hits are named."""
    return tuple(Hit(id=str(number), text=text) for number, text in enumerate(contexts))


def _numbered(hit: Any) -> Any:
    """A hit that is a number is the id of a document."""
    return {"id": str(hit)} if isinstance(hit, int) and not isinstance(hit, bool) else hit


def _status(value: Any) -> str:
    word = cells.words(value).lower() or "complete"
    if word not in ("complete", "suspect", "timeout", "refused", "error"):
        raise InputError(f"a status is complete, suspect, timeout, refused or error, found {cells.shown(value)}")
    return word


def verdicts(value: Any) -> list[Verdict]:
    """Verdicts on the answer of a row, from a list of objects, or such a list as JSON; null fields are not said."""
    listed = cells.decoded(value)
    if not isinstance(listed, list | tuple | None) or not all(isinstance(one, Mapping) for one in listed or ()):
        raise InputError(f'must be a list of objects such as [{{"about": "answer", …}}], found {cells.shown(listed)}')
    try:
        return [
            msgspec.convert({"item": "", **{key: part for key, part in one.items() if part is not None}}, Verdict)
            for one in listed or ()
        ]
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(f"{error}; a verdict says about, aspect, value and by") from error


def depends_on_top(metric: Metric) -> bool:
    """Whether its value of a row follows from the largest grade of all rows too, as that of ERR.

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
