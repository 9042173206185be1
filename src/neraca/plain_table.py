"""A table as plain text, for results that are printed by a program or at a prompt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def plain_table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Columns two spaces apart; the first `left` are aligned at their left, those with numbers at their right.

    >>> print(plain_table(["metric", "value"], [["nDCG@10", "0.5"]]))
    metric   value
    nDCG@10    0.5
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([*map(str.ljust, line[:left], widths), *map(str.rjust, line[left:], widths[left:])]).rstrip()
        for line in lines
    )


def number(value: float, digits: int = 3) -> str:
    """A value with its decimals; – where there is none.

    >>> number(0.12345), number(float("nan"))
    ('0.123', '–')
    """
    return "–" if math.isnan(value) else f"{value:.{digits}f}"
