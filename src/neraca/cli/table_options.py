"""Options of commands that read a table: how to read it, if that is not detected."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

Encoding = Annotated[str | None, typer.Option(help="Encoding of a text file that is not UTF-8, such as cp1252.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook; default: the first.")]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of a text file; default: detected.")]


class TableFormat(NamedTuple):
    """Format of a table."""

    encoding: Encoding = None
    sheet: Sheet = None
    delimiter: Delimiter = None
