"""The matrix of a study: targets that vary two things at once, such as prompt and model.

[matrix.prompt.short]
body.system = "Answer in one sentence."
[matrix.prompt.long]
body.system = "Answer with reasons."
[matrix.model.small]
body.model = "small"
[matrix.model.large]
body.model = "large"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from neraca.errors import SpecError
from neraca.settings import merge
from neraca.translation import say

#: Factor → level → the settings that this level changes.
MatrixTable = Mapping[str, Mapping[str, Mapping[str, Any]]]


class MatrixCell(NamedTuple):
    """One target of a matrix: its level of each factor, and its settings."""

    levels: dict[str, str]
    settings: dict[str, Any]


def cells_of(matrix: MatrixTable) -> dict[str, MatrixCell]:
    """Return name of a target → its cell, row by row of the first factor; nothing without two factors.

    >>> matrix = {"prompt": {"short": {"a": 1}}, "model": {"small": {"b": 2}, "large": {"b": 3}}}
    >>> {name: cell.settings for name, cell in cells_of(matrix).items()}
    {'short+small': {'a': 1, 'b': 2}, 'short+large': {'a': 1, 'b': 3}}
    """
    if len(matrix) != 2:
        return {}
    (first, rows), (second, columns) = matrix.items()
    return {
        f"{row}+{column}": MatrixCell({first: row, second: column}, merge(of_row, of_column))
        for row, of_row in rows.items()
        for column, of_column in columns.items()
    }


def check_matrix(matrix: MatrixTable, where: str) -> None:
    """Raise `SpecError` if a matrix has not two factors with two levels each, or both set the same thing."""
    if not matrix:
        return
    if len(matrix) != 2:
        raise SpecError(
            say(
                "{where}: [matrix] varies two things, such as matrix.prompt.NAME and matrix.model.NAME, and "
                "has {n}: {names}; targets that vary one thing stand in [targets]",
                where=where,
                n=len(matrix),
                names=", ".join(matrix),
            )
        )
    for factor, levels in matrix.items():
        if len(levels) < 2:
            raise SpecError(
                say(
                    "{where}: [matrix.{factor}] has one level, {names}; write at least two",
                    where=where,
                    factor=factor,
                    names=", ".join(levels),
                )
            )
    (first, rows), (second, columns) = matrix.items()
    of_rows = {key: name for name, table in rows.items() for key in _keys(table)}
    for name, table in columns.items():
        for key in _keys(table):
            if key in of_rows:
                raise SpecError(
                    say(
                        "{where}: matrix.{first}.{row} and matrix.{second}.{name} both set {key}, so their cell "
                        "would have only one of them; let each factor set its own",
                        where=where,
                        first=first,
                        row=of_rows[key],
                        second=second,
                        name=name,
                        key=key,
                    )
                )


def _keys(table: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Yield the dotted names of the settings in a table."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _keys(value, f"{before}{key}.")
        else:
            yield f"{before}{key}"
