"""Base classes of the results of the Python interface, which can be printed, shown in a notebook and turned into rows.

A subclass provides its tables and sentences (`_tables`, `_sentences`) and its rows (`rows`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from neraca.errors import MissingExtra
from neraca.plain_table import WIDTH, plain_table, wrap

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

T = TypeVar("T")


class Parts(NamedTuple):
    """Headings of the parts of the cells of a table.

    Attributes
    ----------
    columns
        What the columns are, such as runs, if each of their cells may become a row; "" if the columns must stay.
    value, beside, note
        The value, the interval beside it, and the note, such as the number of questions.
    """

    columns: str
    value: str
    beside: str
    note: str = ""


class Table(NamedTuple):
    """A table of texts, ready to print.

    Attributes
    ----------
    columns, rows
        The headings and the cells.  A table without headings is a list of facts: names and values.
    title
        The title; "" if none is needed.
    names
        Number of columns, from the left, that hold words and are aligned left.  Numbers are aligned right.
    most
        Largest number of rows to print on a terminal and in a notebook.
    name
        A short name for a file or a sheet; "": named by its place in the report.
    depth
        0: always shown; 1: folded on a page; 2: folded on a page, left out in other formats.
    parts
        Headings of the parts of its cells, for a format that gives each part a column; () if none does.
    runs
        All runs of the report in the order of their letters, for a format that writes letters for the names of pairs.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    names: int = 1
    most: int = 40
    name: str = ""
    depth: int = 0
    parts: Parts | tuple[()] = ()
    runs: Sequence[str] = ()


class Shown:
    """A result that prints as a short table, and shows the same in a notebook."""

    __slots__ = ()

    def _tables(self) -> Iterable[Table]:
        """Yield the tables to show; every subclass defines this."""
        raise NotImplementedError

    def _sentences(self) -> Iterable[str]:
        """Yield the sentences below the tables."""
        return ()

    def __str__(self) -> str:
        parts = [
            "\n".join([*filter(None, [title]), plain_table(columns, rows[:most], names, WIDTH), *_more(rows, most)])
            for columns, rows, title, names, most, *_ in self._tables()
        ]
        sentences = "\n".join(line for sentence in self._sentences() for line in wrap(sentence, WIDTH, ends=" "))
        return "\n\n".join(filter(None, [*parts, sentences]))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the result as HTML, for Jupyter and other notebooks."""
        tables = "".join(map(_html, self._tables()))
        return f"<div>{tables}{''.join(f'<p>{escape(sentence)}</p>' for sentence in self._sentences())}</div>"


class Tabular(Shown):
    """A result that also gives its numbers as rows, and as a data frame."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return all numbers as flat rows; every subclass defines this."""
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a data frame of polars; objects in cells become JSON."""
        import polars as pl

        return pl.DataFrame(_columns(self.rows()), strict=False)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a data frame of pandas; raise `MissingExtra` if pandas is not installed."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("to_pandas() needs pandas: pip install pandas (to_polars() needs nothing)") from error
        return pd.DataFrame(_columns(self.rows()))


class Results(Tabular, list[T]):
    """A list of results that prints as one table and returns the rows of all."""

    __slots__ = ()


class Sentences(Shown, list[str]):
    """Sentences that are printed one below the other."""

    __slots__ = ()

    def _tables(self) -> Iterable[Table]:
        return ()

    def _sentences(self) -> Iterable[str]:
        return self


def short(text: str, length: int = 60) -> str:
    r"""Return a text on one line, with … if its end is cut off.

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
        html = (
            f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(html)}</tr>"

    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.rows[: table.most])
    more = "".join(f"<p>{line}</p>" for line in _more(table.rows, table.most))
    return f"<table>{caption}<thead>{row(table.columns, 'th')}</thead><tbody>{body}</tbody></table>{more}"


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return column → a value for each row (None if it has none); values of mixed types become text."""
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


class Plotted:
    """Scores with a method that draws a figure of them."""

    __slots__ = ()

    def plot(
        self, kind: str = "forest", metric: str = "", *, differences: Sequence[Any] = (), language: str = "en"
    ) -> Any:
        """Return a figure for a paper: a notebook shows it, and `plot().save("figure.pdf")` writes it.

        Parameters
        ----------
        kind
            `forest`, `bars`, `effects`, `differences`, `precision-recall`, `ranks`, `cost` or `seconds`.
        metric
            The metric; default the first that is no diagnostic.
        differences
            The result of `compare`, for figures that show what the tests say.
        language
            The language of its words: `en`, `id` or `es`.
        """
        plots = import_module("neraca.reports.formats.plot")  # reports stand above
        return plots.plot_scores(self, kind, metric, differences, language)


class PlottedDifferences:
    """Differences with a method that draws them."""

    __slots__ = ()

    def plot(self, metric: str = "", *, language: str = "en") -> Any:
        """Return a figure for a paper: each difference with its interval, for a notebook or `plot().save("a.pdf")`.

        Parameters
        ----------
        metric
            The metric; default the first.
        language
            The language of its words: `en`, `id` or `es`.
        """
        return import_module("neraca.reports.formats.plot").plot_differences(self, metric, language)  # reports: above


class SavedReport:
    """A result with a method that writes its report."""

    __slots__ = ()

    #: The module of `reports/` and its function that makes the document, such as `online.ab:ab_document`.
    report: ClassVar[str]

    def save(self, path: Path | str, *, language: str = "en") -> list[str]:
        """Write the report in the format that the suffix of the path names, as `write_report` does.

        Parameters
        ----------
        path
            The file to write, such as `report.html`.
        language
            The language of the report: `en`, `id` or `es`.

        Returns
        -------
        list[str]
            A message for each part that was left out.
        """
        return self._write(path, language=language)

    def plot(self, *, language: str = "en") -> Any:
        """Return the main figure of the report: a notebook shows it, and `plot().save("figure.pdf")` writes it."""
        return import_module("neraca.reports.formats.plot").plot_document(self._document(language=language))

    def _write(self, path: Path | str, **settings: Any) -> list[str]:
        messages: list[str] = self._document(**settings).save(path)
        return messages

    def _document(self, **settings: Any) -> Any:
        module, function = self.report.split(":")
        return getattr(import_module(f"neraca.reports.{module}"), function)(self, **settings)  # reports stand above
