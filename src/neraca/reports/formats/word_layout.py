"""Lay out tables on the pages of a Word document: which page they need, how wide each column is, what must be split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from neraca.result import Table

#: Widths in centimetres: of the text on an upright and on a turned page of A4 with margins of 2.5 cm, of a letter in a
#: table, and of the space beside the text of a cell.
UPRIGHT, TURNED = 16.0, 24.7
_LETTER, _SPACE = 0.185, 0.3
#: Letters: the room that words get before they wrap, if the page has it, and the most that any cell asks for.
_COMFORT, _MOST = 22, 160
#: How much wider the bold letters of headings are, and the fewest letters of a column.
_BOLD, _FEWEST = 1.2, 4
#: Letters: a longer word, such as the name of a run, may break; the longest usual metric is `nDCG(empty=correct)@10`.
_LONGEST_WORD = 26


class Layout(NamedTuple):
    """A table, or a part of it, with the widths of its columns in centimetres and the kind of page that it needs."""

    table: Table
    widths: tuple[float, ...]
    turned: bool


def lay_out(table: Table) -> list[Layout]:
    """Return the table whole if it fits on an upright or else on a turned page, or else in parts on turned pages.

    Each part repeats the columns of names, and an interval stands beside its value.  A line ends before an addition in
    parentheses, never inside a number or an interval.
    """
    least, comfortable = _sizes(table)
    if sum(comfortable) <= UPRIGHT:
        return [Layout(table, _widths(table, UPRIGHT), turned=False)]
    if sum(least) <= TURNED or len(table.columns) <= table.names + 1:
        only_words = table.names >= len(table.columns) and sum(least) <= UPRIGHT
        room = UPRIGHT if only_words else TURNED
        return [Layout(table, _widths(table, room), turned=not only_words)]
    parts = [_chosen(table, places) for places in _split(table, [*comfortable[: table.names], *least[table.names :]])]
    return [Layout(part, _widths(part, TURNED), turned=True) for part in parts]


def _sizes(table: Table) -> tuple[list[float], list[float]]:
    """Return the least width of each column, and the width in which it reads well."""
    least, comfortable = [], []
    for place, (heading, cells) in enumerate(zip(table.columns, _columns(table), strict=True)):
        words = max((_letters(word) for cell in cells for word in cell.split()), default=1)
        whole = max(map(len, cells), default=1)
        unbroken = max(map(_longest_number, cells), default=1)
        is_words = place < table.names
        word = min(max(_BOLD * _longest_word(heading), words if is_words else 0), _LONGEST_WORD)
        least.append(_wide(max(word, 0 if is_words else unbroken)))
        comfortable.append(max(least[-1], _wide(min(whole, _COMFORT))))
    return least, comfortable


def _columns(table: Table) -> list[Sequence[str]]:
    return list(zip(*table.rows, strict=True)) or [() for _ in table.columns]


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=1)


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
    least, _ = _sizes(table)
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


def _split(table: Table, least: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Yield the places of the columns of each part."""
    names = tuple(range(table.names))
    places: tuple[int, ...] = ()
    for group in _groups(table):
        if places and sum(least[n] for n in (*names, *places, *group)) > TURNED:
            yield names + places
            places = ()
        places += group
    yield names + places


def _groups(table: Table) -> Iterator[tuple[int, ...]]:
    """Yield the places of columns that must stand side by side: each value, with its interval if it has one."""
    interval = table.parts.beside if table.parts else None
    group: tuple[int, ...] = ()
    for place in range(table.names, len(table.columns)):
        if group and table.columns[place] != interval:
            yield group
            group = ()
        group += (place,)
    yield group


def _chosen(table: Table, places: Sequence[int]) -> Table:
    rows = [tuple(row[place] for place in places) for row in table.rows]
    return table._replace(columns=tuple(table.columns[place] for place in places), rows=rows)
