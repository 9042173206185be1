"""Rows of a table as scorables: each column of responses is a system, beside the references of its row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from neraca.categorical import Categorical
from neraca.datasets.cells import MARKS, marked, plain_text, references, trimmed, words
from neraca.datasets.expectations import Expectation, expectation_columns, read_expectations
from neraca.datasets.row_batch import RowBatch
from neraca.errors import InputError, NeracaError
from neraca.languages import code_of
from neraca.metrics.scorable import Scorable
from neraca.scores.sources.answer_rows import AnswerRows
from neraca.scores.sources.text_columns import TextColumns, read_status
from neraca.scores.sources.texts import scorables_of_texts
from neraca.scores.unit import SessionNumbers

#: The name of the system in a table without a column of responses.
NO_RESPONSES = "hits"


@dataclass
class TextRows:
    """Turns blocks of rows, one after the other, into scorables.

    Attributes
    ----------
    path, columns
        The table, for messages, and the roles of its columns.  Without a column of responses there is one system with
        empty responses.
    answers
        The columns that make rows answers with hits, verdicts or calls; None: rows are only texts.
    n
        The number of rows before the next block.
    problems
        Row of the block → why a cell of it cannot be read; None: the first such cell is an error.
    sessions
        The numbers of the sessions so far.
    """

    path: Path | str
    columns: TextColumns
    answers: AnswerRows | None = None
    n: int = 0
    problems: dict[int, str] | None = None
    sessions: SessionNumbers = field(default_factory=SessionNumbers)
    _codes: dict[str, str] = field(default_factory=dict)

    def parts(self, block: RowBatch) -> list[Scorable]:
        """Return a scorable for each system over the rows of a block."""
        columns, more = self.columns, dict[str, Callable[[], Any]]()
        more["ids"] = lambda: [block.place(row) for row in range(len(block))]
        if columns.id:
            more["item_ids"] = lambda: self.read_cells(block, columns.id, plain_text)
        if columns.language:
            more["language"] = lambda: self.read_cells(block, columns.language, self._code)
        if columns.query:
            more["query"] = lambda: self.read_cells(block, columns.query, _text)
        if columns.contexts:
            more["contexts"] = lambda: self.read_cells(block, columns.contexts, references)
        if columns.session:
            more["clusters"] = lambda: self.sessions.of(self.read_cells(block, columns.session, trimmed))
        if columns.groups:
            more["tags"] = lambda: {
                name: Categorical.of(map(plain_text, block.column(name))) for name in columns.groups
            }
        more["extra"] = lambda: self._extra(block)
        if expectation_columns(block.columns):
            more["expectations"] = lambda: self._expectations(block)
        statuses = {
            response: partial(self.read_cells, block, name, read_status)
            for response, name in zip(columns.responses, columns.statuses, strict=False)
            if name
        }
        responses: dict[str, Callable[[], Any]] = {
            name: partial(self.read_cells, block, name, _text) for name in columns.responses
        }
        responses = responses or {NO_RESPONSES: lambda: [""] * len(block)}
        reasons: dict[str, Callable[[], Sequence[str]]] = {}
        if self.answers:
            answer_columns, reasons = self.answers.lazy_columns(
                block, self.read_cells, lambda name: self.text_column(block, name)
            )
            more |= answer_columns
        return scorables_of_texts(
            responses,
            lambda: self._references(block),
            len(block),
            start=self.n,
            more=more,
            reasons=reasons,
            statuses=statuses,
        )

    def text_column(self, block: RowBatch, role: str) -> Sequence[Any]:
        """Return the texts or the extra cells of each row; empty if no column has this role."""
        columns = self.columns
        if role == "references":
            return self._references(block)
        if role == "extra":
            return self._extra(block)
        columns_by_role = {
            "query": columns.query,
            "contexts": columns.contexts,
            "response": next(iter(columns.responses), ""),
        }
        if not columns_by_role[role]:
            return [() if role == "contexts" else ""] * len(block)
        return self.read_cells(block, columns_by_role[role], references if role == "contexts" else _text)

    def _extra(self, block: RowBatch) -> list[dict[str, Any]]:
        """Return the cells of each row in the columns that are neither texts nor facts about a row."""
        names = self.columns.further_of(block.columns)
        cells = map(block.column, names)
        rows = [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
        return rows if names else [{} for _ in range(len(block))]

    def _expectations(self, block: RowBatch) -> list[tuple[Expectation, ...]]:
        """Return the checks of each row.  An error names the cell, or is kept in `problems` for its row."""
        names = expectation_columns(block.columns)
        checks = []
        for row, cells in enumerate(zip(*map(block.column, names), strict=True)):
            by_column: dict[str, str] = {}
            checks.append(read_expectations(dict(zip(names, cells, strict=True)), by_column))
            for name, problem in by_column.items():
                if self.problems is None:
                    raise InputError(f"{self.path} {block.place(row)}, column {name!r}: {problem}")
                self.problems.setdefault(row, f"column {name!r}: {problem}")
        return checks

    def _references(self, block: RowBatch) -> Sequence[tuple[str, ...]]:
        lists_by_column = [self.read_cells(block, name, _references) for name in self.columns.references] or [
            [()] * len(block)
        ]
        if len(lists_by_column) == 1:
            return lists_by_column[0]
        return [tuple(chain.from_iterable(row)) for row in zip(*lists_by_column, strict=True)]

    def read_cells(self, block: RowBatch, name: str, read: Callable[[Any], Any]) -> list[Any]:
        """Read each value of a column.  An error names the cell, or is kept in `problems` for its row."""
        values = block.column(name)
        results: list[Any] = []
        while len(results) < len(values):
            try:
                for value in values[len(results) :] if results else values:
                    results.append(read(value))
            except NeracaError as error:
                if self.problems is None:
                    where = f"{self.path} {block.place(len(results))}, column {name!r}"
                    raise type(error)(f"{where}: {error}") from error
                self.problems.setdefault(len(results), f"column {name!r}: {error}")
                results.append(read(None))
        return results

    def _code(self, value: Any) -> str:
        text = words(value)
        if text not in self._codes:
            self._codes[text] = code_of(text)
        return self._codes[text]


def _references(value: Any) -> tuple[str, ...]:
    return (value,) if type(value) is str and value[:1].isalnum() and value not in MARKS else references(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) and not marked(value) else words(value)
