"""Lay out tables on the pages of a Word document: which page they need, how wide each column is, what must be split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from neraca.result import Table

#: Widths in centimetres: of the text on an upright and on a turned page of A4 with margins of 2.5 cm, of a letter in a
#: table, and of the space beside the text of a cell.
UPRIGHT, TURNED = 16.0, 24.7
_LETTER, _SPACE = 0.185, 0.3
#: Letters: the room that names get in a table that does not fit, and the most that any cell asks for.
_COMFORT, _MOST = 30, 160
#: Rows of all upright parts of a table; a longer one turns its page.
_SHORT = 24
#: How much wider the bold letters of headings are, and the fewest letters of a column.
_BOLD, _FEWEST = 1.2, 4
#: Letters: a longer word, such as the name of a run, may break; the longest usual metric is `nDCG(empty=correct)@10`.
_LONGEST_WORD = 26
#: Letters from which on a word with hyphens may break after them, as in the name of a run.
_BREAKS = 15


class Layout(NamedTuple):
    """A table, or a part of it, with the widths of its columns in centimetres and the kind of page that it needs."""

    table: Table
    widths: tuple[float, ...]
    turned: bool


def lay_out(table: Table) -> list[Layout]:
    """Return the table whole if it fits on an upright page; a short one else in upright parts, a long one turned.

    Each part repeats the columns of names, and an interval stands beside its value.  A line ends before an addition in
    parentheses, never inside a number or an interval.
    """
    least = _least(table)
    if sum(least) <= UPRIGHT:
        return [Layout(table, _widths(table, UPRIGHT), turned=False)]
    upright = list(_split(table, least, UPRIGHT))
    fits = all(sum(least[place] for place in places) <= UPRIGHT for places in upright)
    if fits and len(upright) * len(table.rows) <= _SHORT:
        return [Layout(part, _widths(part, UPRIGHT), turned=False) for part in _chosen(table, upright)]
    parts = _chosen(table, _split(table, _comfortable(table, least), TURNED))
    return [Layout(part, _widths(part, TURNED), turned=True) for part in parts]


def _comfortable(table: Table, least: Sequence[float]) -> list[float]:
    """Return the least widths, with more room for long names, which would else take many lines."""
    most = [max(map(len, cells), default=1) for cells in _columns(table)[: table.names]]
    roomy = [max(width, _wide(min(letters, _COMFORT))) for width, letters in zip(least, most, strict=False)]
    return [*roomy, *least[table.names :]]


def _least(table: Table) -> list[float]:
    """Return the least width of each column, in which no word and no number breaks."""
    least = []
    for place, (heading, cells) in enumerate(zip(table.columns, _columns(table), strict=True)):
        words = max((_letters(word) for cell in cells for word in _words(cell)), default=1)
        unbroken = max(map(_longest_number, cells), default=1)
        is_words = place < table.names
        word = min(max(_BOLD * max(map(len, _words(heading)), default=1), words if is_words else 0), _LONGEST_WORD)
        least.append(_wide(max(word, 0 if is_words else unbroken)))
    return least


def _columns(table: Table) -> list[Sequence[str]]:
    return list(zip(*table.rows, strict=True)) or [() for _ in table.columns]


def _words(text: str) -> list[str]:
    """Return the parts of a text between which a line may end: words, and what hyphens divide in long words.

    >>> _words("ROUGE-L of hybrid-rrf-bge-int8")
    ['ROUGE-L', 'of', 'hybrid-', 'rrf-', 'bge-', 'int8']
    """
    return [
        part for word in text.split() for part in (re.findall(r"[^-]+-?|-", word) if len(word) >= _BREAKS else [word])
    ]


def _letters(word: str) -> float:
    """Return the width of a word in letters; a capital counts for 1.3, and the widest signs for 1.8.

    >>> round(_letters("nDCG@10"), 1)
    8.7
    """
    return len(word) + 0.3 * sum(letter.isupper() for letter in word) + 0.8 * sum(letter in "@%" for letter in word)


def _longest_number(text: str) -> int:
    """Return the letters of a number, or of the addition in parentheses, which may stand below it."""
    return max(map(len, text.split(" (")))


def _wide(letters: float) -> float:
    return max(_FEWEST, min(letters, _MOST)) * _LETTER + _SPACE


def _widths(table: Table, room: float) -> tuple[float, ...]:
    """Share the room: the least width for each column, and the rest for those whose texts would wrap."""
    least = _least(table)
    most = [
        max(small, _wide(max(_BOLD * len(heading), *map(len, cells), 0)))
        for small, heading, cells in zip(least, table.columns, _columns(table), strict=True)
    ]
    if sum(most) <= room:
        return tuple(most)
    wish = [big - small for big, small in zip(most, least, strict=True)]
    left = room - sum(least)
    if left <= 0:
        return tuple(room * small / sum(least) for small in least)
    return tuple(small + left * extra / sum(wish) for small, extra in zip(least, wish, strict=True))


def _split(table: Table, least: Sequence[float], room: float) -> Iterator[tuple[int, ...]]:
    """Yield the places of the columns of each part; each is as wide as the room, or has one value."""
    names = tuple(range(_repeated(table)))
    places: tuple[int, ...] = ()
    for group in _groups(table):
        if places and sum(least[n] for n in (*names, *places, *group)) > room:
            yield names + places
            places = ()
        places += group
    yield names + places


def _groups(table: Table) -> Iterator[tuple[int, ...]]:
    """Yield the places of columns that must stand side by side: each value, with its interval if it has one."""
    interval = table.parts.beside if table.parts else None
    group: tuple[int, ...] = ()
    for place in range(_repeated(table), len(table.columns)):
        if group and table.columns[place] != interval:
            yield group
            group = ()
        group += (place,)
    yield group


def _repeated(table: Table) -> int:
    """Return the number of columns that each part repeats: those of names, or the first if all are words."""
    return table.names if table.names < len(table.columns) else 1


def _chosen(table: Table, parts: Iterable[Sequence[int]]) -> list[Table]:
    """Return a table for each part, with the columns at its places."""
    return [
        table._replace(
            columns=tuple(table.columns[place] for place in places),
            rows=[tuple(row[place] for place in places) for row in table.rows],
        )
        for places in parts
    ]
