"""Read lists in text cells: the documents that a search showed, and the team of each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import polars as pl

#: Words without quotes that stand for no value in lists that are not JSON, as Python and other languages write them.
NO_VALUE = ("null", "None", "nan", "NaN", "NULL")


def parse_lists(cells: pl.Series) -> pl.Series:
    """Read each cell as a list in JSON or Python or, failing that, as words between commas, semicolons, | or spaces.

    An empty place between two separators, or a missing value (null), becomes the empty text, so that all other entries
    keep their places.  An empty cell, or a cell that is null, has no list.

    Parameters
    ----------
    cells
        Texts, shape (n,).

    Returns
    -------
    Series
        Lists of texts, shape (n,); null for a cell without a list.

    Examples
    --------
    >>> import polars as pl
    >>> parse_lists(pl.Series(['["a", "", null]', "a;;b;", "[a, b]", "['a', None]", "a b", "[]", ""])).to_list()
    [['a', '', ''], ['a', '', 'b', ''], ['a', 'b'], ['a', ''], ['a', 'b'], [], None]
    """
    import polars as pl

    text = cells.cast(pl.String).str.strip_chars()
    text = text.set(text.is_in(["", *NO_VALUE]), None)
    in_brackets = (text.str.starts_with("[") & text.str.ends_with("]")).fill_null(False)
    lists = _from_brackets(text.set(~in_brackets, None))
    unparsed = text.set(lists.is_not_null(), None)
    if unparsed.null_count() < len(unparsed):
        lists = lists.zip_with(lists.is_not_null(), _from_words(unparsed))
    return lists.rename(cells.name)


def filled(lists: pl.Series) -> pl.Series:
    """Return the lists with the empty text in place of each missing entry."""
    import polars as pl

    return lists.cast(pl.List(pl.String)).list.eval(pl.element().fill_null(""))


def _from_brackets(text: pl.Series) -> pl.Series:
    """Read lists in brackets, usually JSON; null for a cell that is not a list."""
    import polars as pl

    kind = pl.List(pl.String)
    try:
        return filled(text.str.json_decode(kind))
    except pl.exceptions.ComputeError:  # at least one cell is not JSON
        return filled(pl.Series([_list_or_none(cell) for cell in text], dtype=kind))


def _list_or_none(cell: str | None) -> list[str | None] | None:
    """Return the texts of a list in JSON or Python; None if the cell is not a list."""
    for decode in (msgspec.json.decode, _from_python):
        try:
            return msgspec.convert(decode(cell or ""), list[str | None], strict=False)
        except (msgspec.MsgspecError, SyntaxError, ValueError):
            continue
    return None


def _from_python(cell: str) -> Any:
    """Return the value of a literal of Python; a list of plain texts is read as JSON, which is much faster."""
    if '"' in cell or "None" in cell or "\\" in cell:
        return ast.literal_eval(cell)
    return msgspec.json.decode(cell.replace("'", '"'))


def _from_words(text: pl.Series) -> pl.Series:
    """Read words with one separator between two of them; quotes around a word are not part of it."""
    import polars as pl

    inside = text.str.replace(r"^\[(.*)\]$", "$1").str.strip_chars()
    separated = inside.str.replace_all(r"\s*[,;|]\s*|\s+", "\x1f")
    word = pl.element().replace(list(NO_VALUE), "").str.strip_chars("\"'")
    lists = separated.str.split("\x1f").list.eval(word)
    return lists.zip_with(inside != "", inside.str.split("\x1f").list.head(0))
