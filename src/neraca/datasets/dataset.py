"""A data set: the questions to ask, and the properties of good answers to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from neraca.counts_and_lists import count, form
from neraca.datasets.columns import is_of_answers, not_used
from neraca.datasets.constraint_columns import PREFIX, ConstraintColumn, ConstraintPlan
from neraca.datasets.expectations import without_expectations
from neraca.datasets.misspelt import misspelt
from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.records import FROM_TRACE, Item
from neraca.result import Table, Tabular, short
from neraca.translation import say

#: Most queries that a note names.
_NAMED = 30


@dataclass(frozen=True, repr=False)
class Dataset(Tabular):
    """Questions in the order of the file.

    Attributes
    ----------
    items
        The questions; every id occurs once.
    source
        The file or other source of the questions, for messages.
    unused
        Columns of the table that are not read; they are kept in `Item.extra`.
    constraint_plan
        Columns of the table that are read as constraints, or look like one; they are kept in `Item.extra` too.
    checks
        Columns of the table with checks of answers, such as `must_contain`; they are kept in `Item.extra` too.
    marks
        Column of the table → its cells that hold a mark such as NaN or #N/A, which are read as empty.
    columns
        Part of a question, such as `expects` → the column of the table that says it; {} without a table.
    unasked
        The judged queries for which there is no question, and the number of all judged queries.
    """

    items: tuple[Item, ...]
    source: str = ""
    unused: tuple[str, ...] = ()
    constraint_plan: ConstraintPlan = field(default_factory=ConstraintPlan)
    checks: tuple[str, ...] = ()
    marks: Mapping[str, int] = field(default_factory=dict)
    unasked: tuple[tuple[str, ...], int] = ((), 0)
    columns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.by_id) < len(self.items):
            twice = next(item.id for item in self.items if self.by_id[item.id] is not item)
            raise InputError(
                say(
                    "{source}: two questions have the id {twice!r}; every id must occur once",
                    source=self.source or say("data set"),
                    twice=twice,
                )
            )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """Map each id to its question."""
        return {item.id: item for item in self.items}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the questions: equal for equal questions in the same order, from any file; without their checks."""
        return fingerprint([canonical(item) for item in self.items])

    @property
    def holds_answers(self) -> bool:
        """Whether columns beside the questions are named as parts of recorded answers; no fingerprint has these."""
        return any(is_of_answers(name) for item in self.items[:1] for name in item.extra)

    def _unasked_note(self) -> list[str]:
        """Name the judged queries that no question asks (the first of many); [] if all are asked."""
        unasked, judged = self.unasked
        if not unasked:
            return []
        names = ", ".join(unasked[:_NAMED]) + (", …" if len(unasked) > _NAMED else "")
        return [
            say(
                "no question for {n} of {judged}, so they are not asked and in no mean: {names}",
                n=len(unasked),
                judged=count(judged, "judged query", "judged queries"),
                names=names,
            )
        ]

    @property
    def column_notes(self) -> list[str]:
        """Remarks to show before anything is asked: which columns are constraints, and which are not used."""
        read, possible = self.constraint_plan
        notes = []
        if read:
            columns, constraints = ", ".join(c.column for c in read), ", ".join(c.text for c in read)
            notes.append(
                say(
                    "read as constraints: {constraints} (columns {columns}); to change one, map "
                    "constraint:NAME.KIND to its column ({option}, or [dataset] columns in a study); an empty "
                    "column leaves it out",
                    constraints=constraints,
                    columns=columns,
                    option=_as_option(read[0]),
                )
            )
        notes += self._unasked_note()
        for column, times in self.marks.items():
            notes.append(
                say(
                    "column {column!r}: {times:,} {cells} a mark such as NaN or #N/A, read as an empty cell",
                    column=column,
                    times=times,
                    cells=form(times, "cell holds", "cells hold"),
                )
            )
        if self.checks:
            notes.append(
                say("read as checks of answers: {names}; rename a column that is none", names=", ".join(self.checks))
            )
        if possible:
            names = ", ".join(column.column for column in possible)
            notes.append(
                say(
                    "{names} is not read as a constraint, because no other column is one; if it is one: {options}",
                    names=names,
                    options=", ".join(map(_as_option, possible)),
                )
            )
        columns_read = [*(column.column for column in read), *self.checks]
        if recorded := [column for column in self.unused if is_of_answers(column)]:
            notes.append(
                say("columns of recorded answers, no part of the questions: {names}", names=", ".join(recorded))
            )
        return [*misspelt(self.unused, columns_read), *filter(None, [not_used(self.unused)]), *notes]

    def _tables(self) -> Iterator[Table]:
        columns = ["id", "question", *(["session"] if any(item.session for item in self) else []), "expects"]
        rows = [
            [item.id, short(item.query), *([item.session or ""] if "session" in columns else []), item.expected]
            for item in self
        ]
        title = f"{len(self):,} questions{f' ({self.source})' if self.source else ''}"
        yield Table(columns, rows, title, names=len(columns), most=10)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question, with the columns that any question fills, including tags and extras."""
        rows = [_row(item) for item in self]
        used = {name: None for row in rows for name, value in row.items() if value not in (None, [], {})}
        return [{name: row.get(name) for name in used} for row in rows]

    def sessions(self) -> list[list[Item]]:
        """Return the questions by session, in order of first occurrence; without a session, a question is one alone."""
        by_session: dict[tuple[str | None, str], list[Item]] = {}
        for item in self.items:
            key = (None, item.id) if item.session is None else (item.session, "")
            by_session.setdefault(key, []).append(item)
        return list(by_session.values())


def _as_option(column: ConstraintColumn) -> str:
    return f'--column "{PREFIX}{column.name}.{column.kind}={column.column}"'


def _row(item: Item) -> dict[str, Any]:
    question = {"id": item.id, "query": item.query, "session": item.session, "references": list(item.references)}
    judged = {"relevant": item.relevant, "expects": item.expects, "constraints": item.constraints}
    calls = None if item.expected_calls is None else list(item.expected_calls)
    return {**question, **judged, "expected_calls": calls, **item.tags, **item.extra}


def canonical_json(item: Item) -> bytes:
    """Return the part of an item of which `Dataset.fingerprint` is the hash, in a list of all items.

    >>> import hashlib
    >>> whole = hashlib.sha256(b"[" + canonical_json(Item(id="1", query="rooms?")) + b"]").hexdigest()
    >>> whole.startswith(Dataset((Item(id="1", query="rooms?"),)).fingerprint)
    True
    """
    return msgspec.json.encode(canonical(item), order="deterministic")


def canonical(item: Item) -> Item:
    """Return the item with 1.0 written as 1 in the user's own values, so that equal items have equal hashes.

    Recorded answers beside it are no part of the question, nor is what a trace says of where it comes from.
    """
    if not item.extra and not item.expected_calls:
        return item
    calls = item.expected_calls and tuple(whole_numbers(call) for call in item.expected_calls)
    asked = {
        name: value
        for name, value in without_expectations(item.extra).items()
        if name != FROM_TRACE and not is_of_answers(name)
    }
    return msgspec.structs.replace(item, extra=whole_numbers(asked), expected_calls=calls)


def sent_fields(item: Item) -> tuple[Any, ...]:
    """Return the fields of a question that a target may see; the others describe good answers and may change later."""
    extra = {name: value for name, value in without_expectations(item.extra).items() if name != FROM_TRACE}
    return item.id, item.query, item.session, item.tags, whole_numbers(extra)


def whole_numbers(value: Any) -> Any:
    """Return a value of JSON with 1.0 written as 1, and with texts as keys."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): whole_numbers(part) for key, part in value.items()}
    return [whole_numbers(part) for part in value] if isinstance(value, list | tuple) else value
