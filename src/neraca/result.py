"""Results of the Python interface: they print as a short table, show themselves in a notebook and give their rows.

A class says what it shows (`_tables`, `_sentences`) and which rows it has; the rest is here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from neraca.errors import MissingExtra
from neraca.plain_table import WIDTH, plain_table, wrap

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

T = TypeVar("T")


class Table(NamedTuple):
    """A table of finished words.

    Attributes
    ----------
    columns, rows
        The headings and the cells.  A table without headings is a list of facts: a name and what it is.
    title
        What it shows; "" where that is clear.
    names
        How many columns from the left hold words and stand left; numbers stand right.
    most
        How many rows are printed on a terminal and in a notebook.
    name
        A short name for a file or a sheet; "" where its place in a report is name enough.
    depth
        0: always shown; 1: a page folds it; 2: a page folds it, and other formats leave it out.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    names: int = 1
    most: int = 40
    name: str = ""
    depth: int = 0


class Shown:
    """A result that prints as a short table, and shows the same in a notebook."""

    __slots__ = ()

    def _tables(self) -> Iterable[Table]:
        """Yield the tables to show; each class has its own."""
        raise NotImplementedError

    def _sentences(self) -> Iterable[str]:
        """Yield the sentences below the tables."""
        return ()

    def __str__(self) -> str:
        parts = [
            "\n".join([*filter(None, [title]), plain_table(columns, rows[:most], names, WIDTH), *_more(rows, most)])
            for columns, rows, title, names, most, *_ in self._tables()
        ]
        said = "\n".join(line for sentence in self._sentences() for line in wrap(sentence, WIDTH, ends=" "))
        return "\n\n".join(filter(None, [*parts, said]))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The same as HTML, for Jupyter and other notebooks."""
        tables = "".join(map(_html, self._tables()))
        return f"<div>{tables}{''.join(f'<p>{escape(sentence)}</p>' for sentence in self._sentences())}</div>"


class Tabular(Shown):
    """A result that also gives its numbers as rows, and as a data frame."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """All of it as flat rows, one dict for each; each class has its own."""
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """The rows as a data frame of polars; mappings in a cell are written as JSON."""
        import polars as pl

        return pl.DataFrame(_columns(self.rows()), strict=False)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a data frame of pandas; raises `MissingExtra` where pandas is not installed."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("to_pandas() needs pandas: pip install pandas (to_polars() needs nothing)") from error
        return pd.DataFrame(_columns(self.rows()))


class Results(Tabular, list[T]):
    """A list of results that prints as one table, and has all their rows."""

    __slots__ = ()


class Sentences(Shown, list[str]):
    """Sentences that are printed one below the other."""

    __slots__ = ()

    def _tables(self) -> Iterable[Table]:
        return ()

    def _sentences(self) -> Iterable[str]:
        return self


def short(text: str, length: int = 60) -> str:
    r"""A text on one line, with … where its end is left out.

    >>> short("one\ntwo three", 8)
    'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def _more(rows: Sequence[Any], most: int) -> list[str]:
    return [f"… and {len(rows) - most:,} more rows"] if len(rows) > most else []


def _html(table: Table) -> str:
    def row(cells: Iterable[str], tag: str) -> str:
        sides = ("left" if place < table.names else "right" for place in range(len(table.columns)))
        made = (
            f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.rows[: table.most])
    more = "".join(f"<p>{line}</p>" for line in _more(table.rows, table.most))
    return f"<table>{caption}<thead>{row(table.columns, 'th')}</thead><tbody>{body}</tbody></table>{more}"


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Name → a value for each row, None where it has none; what no column of one type can hold becomes text."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return {name: _of_one_type(values) for name, values in columns.items()}


def _of_one_type(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or (len(kinds) < 2 and not kinds & {dict, list, tuple}):
        return values
    if kinds <= {list, tuple} and all(isinstance(part, str) for value in values for part in value or ()):
        return values
    return [None if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    write: Callable[[Any], str] = str if isinstance(value, str) else _json
    return write(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """Convert a value to types that JSON has."""
    import msgspec

    return msgspec.to_builtins(value, enc_hook=str)
