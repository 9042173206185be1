"""Rows of a table as scorables: each column of responses is a system, beside the references of its row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from neraca.categorical import Categorical
from neraca.datasets.cells import plain_text, references, trimmed, words
from neraca.datasets.row_batch import RowBatch
from neraca.errors import NeracaError
from neraca.languages import code_of
from neraca.metrics.scorable import Scorable
from neraca.scores.sources.answer_rows import AnswerRows
from neraca.scores.sources.text_columns import TextColumns
from neraca.scores.sources.texts import scorables_of_texts
from neraca.scores.unit import SessionNumbers

#: What the system is called where no column says what it answered.
NO_RESPONSES = "hits"


@dataclass
class TextRows:
    """Takes from blocks of rows, one after the other, what is scored.

    Attributes
    ----------
    path, columns
        The table, for messages, and which of its columns is what.  Without a column of responses there is one system
        that said nothing.
    answers
        The columns by which rows are also answers with hits, verdicts or calls; None: they are texts alone.
    n
        Rows before the next block.
    problems
        The reason why a cell of a row cannot be read, by row of a block; None: the first such cell is an error.
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
        """The systems over the rows of a block."""
        columns, more = self.columns, dict[str, Callable[[], Any]]()
        more["ids"] = lambda: [block.place(row) for row in range(len(block))]
        if columns.id:
            more["item_ids"] = lambda: self.each(block, columns.id, plain_text)
        if columns.language:
            more["language"] = lambda: self.each(block, columns.language, self._code)
        if columns.query:
            more["query"] = lambda: self.each(block, columns.query, _text)
        if columns.contexts:
            more["contexts"] = lambda: self.each(block, columns.contexts, references)
        if columns.session:
            more["clusters"] = lambda: self.sessions.of(self.each(block, columns.session, trimmed))
        if columns.groups:
            more["tags"] = lambda: {
                name: Categorical.of(map(plain_text, block.column(name))) for name in columns.groups
            }
        texts: dict[str, Callable[[], Any]] = {
            name: partial(self.each, block, name, _text) for name in columns.responses
        }
        texts = texts or {NO_RESPONSES: lambda: [""] * len(block)}
        reasons: dict[str, Callable[[], Sequence[str]]] = {}
        if self.answers:
            made, reasons = self.answers.made(block, self.each, lambda name: self.texts(block, name))
            more |= made
        return scorables_of_texts(
            texts, lambda: self._references(block), len(block), start=self.n, more=more, reasons=reasons
        )

    def texts(self, block: RowBatch, what: str) -> Sequence[Any]:
        """The query, response, references or contexts of each row of a block, empty where no column has them."""
        columns = self.columns
        if what == "references":
            return self._references(block)
        named = {"query": columns.query, "contexts": columns.contexts, "response": next(iter(columns.responses), "")}
        if not named[what]:
            return [() if what == "contexts" else ""] * len(block)
        return self.each(block, named[what], references if what == "contexts" else _text)

    def _references(self, block: RowBatch) -> Sequence[tuple[str, ...]]:
        texts = [self.each(block, name, _references) for name in self.columns.references] or [[()] * len(block)]
        if len(texts) == 1:
            return texts[0]
        return [tuple(text for several in row for text in several) for row in zip(*texts, strict=True)]

    def each(self, block: RowBatch, name: str, read: Callable[[Any], Any]) -> list[Any]:
        """Read each value of a column.  Errors get their place, or are kept for their row."""
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
    return (value,) if type(value) is str and value[:1].isalnum() else references(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else words(value)
