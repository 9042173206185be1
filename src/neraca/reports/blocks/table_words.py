"""Put a table that another room made in English into the language of the report."""

from __future__ import annotations

import re
from collections.abc import Collection

from neraca.reports.sentences.reasons import reason
from neraca.result import Table
from neraca.translation import language, say

_NO_INTERVAL = re.compile(r"none \((?:n < (?P<least>\d+)|(?P<why>.+))\)")
_OF = re.compile(r"(?P<n>[\d.,]+) of (?P<all>[\d.,]+)")
#: Words that stand alone in a cell.
_WORDS = frozenset({"drawn"})


def translated(table: Table, keep: Collection[str] = ()) -> Table:
    """Return the table with its title, headings and words in the language of the report.

    Parameters
    ----------
    table
        A table of another room.  Names and numbers stay as they are.
    keep
        Headings that are names, such as those of metrics.

    >>> from neraca.translation import written_in
    >>> with written_in("id"):
    ...     translated(Table(["run", "value", "n"], [["none", "0,5", "3 of 9"]]))[:2]
    (['run', 'nilai', 'n'], [['none', '0,5', '3 dari 9']])
    """
    if language() == "en":
        return table
    columns = [name if name in keep else say(name) for name in table.columns]
    rows = [[*row[: table.names], *map(cell_words, row[table.names :])] for row in table.rows]
    return table._replace(columns=columns, rows=rows, title=say(table.title) if table.title else "")


def cell_words(text: str) -> str:
    """Return a cell with its words in the language of the report; what is not known stays as it is.

    >>> from neraca.translation import written_in
    >>> with written_in("id"):
    ...     cell_words("none (n < 3)"), cell_words("none (too few observations)"), cell_words("0,5 sampai 0,7")
    ('tidak ada (n < 3)', 'tidak ada (pengamatan terlalu sedikit)', '0,5 sampai 0,7')
    """
    if language() == "en":
        return text
    if match := _NO_INTERVAL.fullmatch(text):
        if match["least"]:
            return say("none (n < {least})", least=match["least"])
        return say("none ({reason})", reason=reason(match["why"]))
    if match := _OF.fullmatch(text):
        return say("{n} of {all}", n=match["n"], all=match["all"])
    return say(text) if text in _WORDS else text
