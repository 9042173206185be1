"""Lay out tables on printed pages: which page they need, how wide each column is, what must be turned or split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from neraca.reports.blocks.cell_parts import with_parts_apart
from neraca.reports.formats.word_letters import with_letters, with_letters_of_runs
from neraca.result import Table
from neraca.translation import say

#: Widths in centimetres: of the text on an upright and on a turned page of A4 with margins of 2.5 cm, of a letter in a
#: table in type of 9 points, and of the space beside the text of a cell.
UPRIGHT, TURNED = 16.0, 24.7
LETTER, SPACE = 0.185, 0.3
#: Letters: the room that names get in a table that does not fit, and the most that any cell asks for.
_COMFORT, _MOST = 30, 160
#: Rows of all upright parts of a table; a longer one turns its page.
_SHORT = 24
#: How much wider the bold letters of headings are, and the fewest letters of a column.
_BOLD, _FEWEST = 1.2, 4
#: Letters: a longer word, such as the name of a run, may break; the longest usual metric is `nDCG(empty=correct)@10`.
_LONGEST_WORD = 26
#: The end of a cell that is words, not a number with its unit.
_ENDS_IN_WORD = re.compile(r"[^\W\d_]{3,}\W*$")
#: The end of the first sentence of a title; what follows are notes.
SENTENCE_END = re.compile(r"(?<=[.!?]) +")
#: Letters from which on a word with hyphens may break after them, as in the name of a run.
_BREAKS = 15


class Layout(NamedTuple):
    """A table, or a part of it, with the widths of its columns in centimetres and the kind of page that it needs."""

    table: Table
    widths: tuple[float, ...]
    turned: bool


def printed(table: Table, runs: Sequence[str] = ()) -> list[Layout]:
    """Lay out a table of a report: long names get letters, and each part of a cell a column of its own.

    Names in other tables than those of pairs get letters if `runs`, all runs of the report in order, are given.

    If it must be split, each part has its number and the legend of the letters in its title; the notes stand in the
    title of the last part only.
    """
    short, legend = with_letters(table)
    if not legend:
        short, legend = with_letters_of_runs(table, runs)
    layouts = lay_out(with_parts_apart(short))
    first, *notes = SENTENCE_END.split(layouts[0].table.title, maxsplit=1)
    titled = []
    for place, layout in enumerate(layouts, start=1):
        several = len(layouts) > 1
        title = f"{first.removesuffix('.')} ({say('{n} of {all}', n=place, all=len(layouts))})." if several else first
        if legend and title[-1:] not in ".!?":
            title += "."
        parts = [title, *(notes if place == len(layouts) else []), legend]
        titled.append(layout._replace(table=layout.table._replace(title=" ".join(filter(None, parts)))))
    return titled


def lay_out(table: Table) -> list[Layout]:
    """Return the table whole if that is possible, on an upright page or else on a turned one.

    A table that is too wide for an upright page loses its columns that say the same in every row, which its title then
    says.  If it has fewer rows than columns, its rows may become columns.  A table that is too wide for a turned page
    is split; each part repeats the columns of names, and an interval stands beside its value.  A line ends before an
    addition in parentheses, never inside a number or an interval.
    """
    least = _least(table)
    if sum(least) <= UPRIGHT:
        return [Layout(table, _widths(table, UPRIGHT), turned=False)]
    table = _without_constants(table)
    for whole in (table, *_transposed(table)):
        if sum(_least(whole)) <= UPRIGHT:
            return [Layout(whole, _widths(whole, UPRIGHT), turned=False)]
    least = _least(table)
    if sum(least) <= TURNED:
        return [Layout(table, _widths(table, TURNED), turned=True)]
    upright = list(_split(table, least, UPRIGHT))
    fits = all(sum(least[place] for place in places) <= UPRIGHT for places in upright)
    if fits and len(upright) * len(table.rows) <= _SHORT:
        return [Layout(part, _widths(part, UPRIGHT), turned=False) for part in _chosen(table, upright)]
    parts = _chosen(table, _split(table, _comfortable(table, least), TURNED))
    return [Layout(part, _widths(part, TURNED), turned=True) for part in parts]


def _without_constants(table: Table) -> Table:
    """Move each column of names that has the same words in every row into the title; also n, and counts that are all 0.

    One column of names and one of values remain.
    """
    columns = _columns(table)
    if len(table.rows) < 2:
        return table
    same = [place for place, cells in enumerate(columns) if cells[0] and len(set(cells)) == 1]
    names = [place for place in same if place < table.names]
    values = [place for place in same if place >= table.names]
    counts = [place for place in values if table.columns[place] == "n" or columns[place][0] == "0"]
    names = names if len(names) < table.names else []
    counts = counts if len(counts) < len(columns) - table.names else []
    if not (names or counts):
        return table
    kept = [place for place in range(len(table.columns)) if place not in (*names, *counts)]
    title = table.title and f"{table.title.rstrip('.')}."
    words = [f"{table.columns[place]}: {columns[place][0]}." for place in (*names, *counts)]
    (narrower,) = _chosen(table, [kept])
    return narrower._replace(title=" ".join(filter(None, [title, *words])), names=table.names - len(names))


def _transposed(table: Table) -> Iterator[Table]:
    """Yield the table with a column for each row, if that makes it narrower and a column of names heads them."""
    columns = _columns(table)
    is_key = (len(set(columns[place])) == len(table.rows) and all(columns[place]) for place in range(table.names))
    key = next((place for place, distinct in enumerate(is_key) if distinct), None)
    if key is None or not 0 < len(table.rows) < len(table.columns) - 1:
        return
    rows = [
        (heading, *cells)
        for place, (heading, cells) in enumerate(zip(table.columns, columns, strict=True))
        if place != key
    ]
    yield table._replace(columns=(table.columns[key], *columns[key]), rows=rows, names=1, parts=())


def _comfortable(table: Table, least: Sequence[float]) -> list[float]:
    """Return the least widths, with more room for long names, which would else take many lines."""
    most = [max(map(len, cells), default=1) for cells in _columns(table)[: table.names]]
    roomy = [max(width, _wide(min(letters, _COMFORT))) for width, letters in zip(least, most, strict=False)]
    return [*roomy, *least[table.names :]]


def _least(table: Table) -> list[float]:
    """Return the least width of each column, in which no word and no number breaks."""
    least = []
    for place, (heading, cells) in enumerate(zip(table.columns, _columns(table), strict=True)):
        words = max((letters_of(word) for cell in cells for word in _words(cell)), default=1)
        unbroken = max(map(_unbroken, cells), default=1)
        is_words = place < table.names
        bold = max((max(_BOLD * len(word), letters_of(word) + 1) for word in _words(heading)), default=1)
        word = min(max(bold, words if is_words else 0), _LONGEST_WORD)
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


def letters_of(word: str) -> float:
    """Return the width of a word in letters; a capital counts for 1.3, and the widest signs for 1.8.

    >>> round(letters_of("nDCG@10"), 1)
    8.7
    """
    return len(word) + 0.3 * sum(letter.isupper() for letter in word) + 0.8 * sum(letter in "@%" for letter in word)


def _unbroken(text: str) -> float:
    """Return the letters of the longest part of a cell of numbers that stays on one line.

    That is a number with its sign and unit, an interval, or the addition in parentheses, which may stand below its
    number; of a text that ends in a word, such as `A better`, the longest word.
    """
    if _ENDS_IN_WORD.search(text):
        return min(max(map(letters_of, _words(text)), default=1), _LONGEST_WORD)
    return max(map(len, text.split(" (")))


def _wide(letters: float) -> float:
    return max(_FEWEST, min(letters, _MOST)) * LETTER + SPACE


def _widths(table: Table, room: float) -> tuple[float, ...]:
    """Share the room: the least width for each column, then what its cells need to stand on one line, then its heading.

    What is left over for one of these goes to the columns that would wrap, in proportion to what they lack.
    """
    widths = tuple(_least(table))
    columns = list(zip(table.columns, _columns(table), strict=True))
    cells = [_wide(max(map(len, texts), default=0)) for _, texts in columns]
    headings = [_wide(_BOLD * len(heading)) for heading, _ in columns]
    for wishes in (cells, headings):
        lacking = [max(0.0, wish - width) for wish, width in zip(wishes, widths, strict=True)]
        share = min(1.0, (room - sum(widths)) / (sum(lacking) or 1.0))
        widths = tuple(width + share * lack for width, lack in zip(widths, lacking, strict=True))
    return widths


def _split(table: Table, least: Sequence[float], room: float) -> Iterator[tuple[int, ...]]:
    """Yield the places of the columns of each part; each is as wide as the room, or has one value.

    If the last part would have a single value, it gets values of the part before it, up to half of them.
    """
    names = tuple(range(_repeated(table)))
    parts: list[list[tuple[int, ...]]] = [[]]
    for group in _groups(table):
        if parts[-1] and sum(least[n] for part in (names, *parts[-1], group) for n in part) > room:
            parts.append([])
        parts[-1].append(group)
    if len(parts) > 1 and len(parts[-1]) == 1:
        both = parts[-2] + parts[-1]
        halves = [both[: len(both) // 2], both[len(both) // 2 :]]
        if all(sum(least[n] for part in (names, *half) for n in part) <= room for half in halves):
            parts[-2:] = halves
    yield from (tuple(place for group in (names, *part) for place in group) for part in parts)


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
