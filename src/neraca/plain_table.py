"""Tables as plain text, for terminals and for results that are printed by a program: no number is cut or broken.

A table that is too wide becomes several under one another, each with the columns that name its rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

#: Characters in a line where no terminal says how many there are.
WIDTH = 100
#: Between two columns.
GAP = 2
#: In a table that is too wide, cells of words are wrapped at this width.
WORDY = 34
#: A column of names is not made narrower than this.
NARROWEST = 10
_NUMBER = r"[-−+]?(?:∞|\d+(?:[.,/:]\d+)*(?: ?%)?)"
#: A number with its sign or an interval, neither of which is ever broken; else a word or a single character.
_PIECE = re.compile(rf"((?:[<>≤≥±=] ?)?{_NUMBER}(?: (?:to|a|sampai) {_NUMBER})?)|[^\W\d_]+|.", re.DOTALL)
#: After these a name may be wrapped; sentences after spaces alone.
ENDS = frozenset(" -_/−")

Layout = tuple[tuple[int, ...], list[list[int]]]


def plain_table(header: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1, width: int = 0) -> str:
    """Rows under a header; the first `names` columns stand left and name the row, those of numbers stand right.

    Parameters
    ----------
    header, rows
        Names of columns, and cells.
    names
        How many columns name a row.  They come again in each part of a table that is too wide, and long names are
        wrapped.
    width
        Characters in a line; 0: as many as it takes.

    Examples
    --------
    >>> print(plain_table(["metric", "value"], [["nDCG@10", "0.5"]]))
    metric   value
    ──────────────
    nDCG@10    0.5
    """
    lines = [list(header), *map(list, rows)]
    columns = list(zip(*lines, strict=True))
    natural = [max(map(cells, column)) for column in columns]
    if not width or _total(natural) <= width:
        return _drawn(lines, natural, range(len(natural)), names)
    wrapped = [_least_width(column) for column in columns[names:]]
    of_names, parts = _layout(columns[:names], wrapped, width)
    widths = [*of_names, *wrapped]
    return "\n\n".join(_drawn(lines, widths, [*range(names), *(names + j for j in part)], names) for part in parts)


@lru_cache(maxsize=4096)
def cells(text: str) -> int:
    """Return the number of places that a text takes on a terminal: Chinese signs take two, combining marks none.

    >>> cells("run"), cells("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrap(text: str, width: int, indent: int = 0, ends: Collection[str] = ENDS) -> list[str]:
    """Lines of at most so many characters, broken after one of `ends`, else between letters, never within a number.

    >>> wrap("hybrid-rerank at 0.1234", 8)
    ['hybrid-', 'rerank', 'at', '0.1234']
    >>> wrap("0.5 0.123 to 0.456", 6), wrap("0,5 0,123 a 0,456", 6)
    (['0.5', '0.123 to 0.456'], ['0,5', '0,123 a 0,456'])
    """
    if cells(text) <= width:
        return [text]
    lines = [""]
    for chunk in _chunks(text, ends):
        if cells((lines[-1] + chunk).rstrip()) <= width:
            lines[-1] += chunk
            continue
        whole = cells(chunk.rstrip()) <= width - indent
        for piece in [chunk] if whole else _pieces(chunk, width - indent):
            if lines[-1].strip() and cells((lines[-1] + piece).rstrip()) > width:
                lines.append(" " * indent)
            lines[-1] += piece
    return [line.rstrip() for line in lines]


def _chunks(text: str, ends: Collection[str] = ENDS) -> list[str]:
    """The text in pieces after which it may be wrapped."""
    chunks = [""]
    for piece in _PIECE.finditer(text):
        chunks[-1] += piece[0]
        if piece[0] in ends:
            chunks.append("")
    return chunks if chunks[-1] else chunks[:-1]


def _pieces(chunk: str, width: int) -> list[str]:
    """The numbers in a chunk, and between them words, of which long ones are cut."""
    cut = []
    for piece in _PIECE.finditer(chunk):
        step = len(piece[0]) if piece[1] else max(1, width if piece[0].isascii() else width // 2)
        cut += [piece[0][start : start + step] for start in range(0, len(piece[0]), step)]
    return cut


def _unbroken(text: str) -> int:
    """The width of the longest number in a text."""
    return max((cells(piece[0]) for piece in _PIECE.finditer(text) if piece[1]), default=0)


def _least_width(column: Sequence[str]) -> int:
    """Return the least width of a column of numbers, with its heading and wordy cells wrapped."""
    head, *body = column
    heading = max(cells(chunk.rstrip()) for chunk in _chunks(head)) if head else 0
    widest = max(map(cells, body), default=0)
    return max(heading, widest if widest <= WORDY else max(WORDY, *map(_unbroken, body)))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _layout(names: Sequence[Sequence[str]], widths: Sequence[int], width: int) -> Layout:
    """Choose the widths of the names, and the columns of each part.

    Names that take at most half of a line are not wrapped.  Longer names are wrapped to the width, of a few tried,
    that gives the fewest lines.
    """
    natural = [max(map(cells, column)) for column in names]
    least = [min(own, max(NARROWEST, *map(_unbroken, column))) for own, column in zip(natural, names, strict=True)]
    most = width - max(widths, default=0) - GAP * len(names)
    whole = sum(natural) <= min(width // 2, most)
    rooms = (
        [sum(natural)] if whole else [*(width * k // 8 for k in (5, 4, 3)), width - _total(widths) - GAP * len(names)]
    )
    ways = {_squeezed(natural, least, min(room, most)) for room in rooms}

    def lines(way: tuple[int, ...]) -> tuple[int, int]:
        heights = (
            max(len(wrap(cell, room, GAP)) for cell, room in zip(row, way, strict=True))
            for row in zip(*names, strict=True)
        )
        return (sum(heights) + 3) * len(_parts(widths, width - _total(way))), -sum(way)

    best = min(ways, key=lines)
    return best, _parts(widths, width - _total(best))


def _squeezed(natural: Sequence[int], least: Sequence[int], room: int) -> tuple[int, ...]:
    """Widths with at most this sum, of which the widest gives way first; none is narrower than it can be."""
    widths = list(natural)
    while sum(widths) > room and any(own > low for own, low in zip(widths, least, strict=True)):
        widest = max((own, place) for place, own in enumerate(widths) if own > least[place])[1]
        widths[widest] -= 1
    return tuple(widths)


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns one after the other in as few parts as there is room for, with one at least, and about as wide."""
    parts = _filled(widths, room)
    while room > 0 and len(_filled(widths, room - 1)) == len(parts) > 1:
        room -= 1
    return _filled(widths, room)


def _filled(widths: Sequence[int], room: int) -> list[list[int]]:
    parts: list[list[int]] = [[]]
    for place, own in enumerate(widths):
        if parts[-1] and sum(widths[other] + GAP for other in parts[-1]) + own + GAP > room:
            parts.append([])
        parts[-1].append(place)
    return parts


def _drawn(lines: Sequence[Sequence[str]], widths: Sequence[int], chosen: Sequence[int], names: int) -> str:
    """Some columns of a table with a rule under their names; a column with wrapped words stands left."""
    left = {j for j in chosen if j < names or any(cells(line[j]) > widths[j] for line in lines[1:])}
    drawn: list[str] = []
    for place, line in enumerate(lines):
        drawn += _row([line[j] for j in chosen], [widths[j] for j in chosen], [j in left for j in chosen], not place)
        if not place:
            drawn.append("─" * _total([widths[j] for j in chosen]))
    return "\n".join(drawn)


def _row(texts: Sequence[str], widths: Sequence[int], left: Sequence[bool], heading: bool) -> list[str]:
    """A row in as many lines as its highest cell has; a heading stands at the bottom."""
    wrapped = [
        wrap(text, own, GAP * (side and not heading)) for text, own, side in zip(texts, widths, left, strict=True)
    ]
    height = max(map(len, wrapped))
    columns = []
    for some, own, side in zip(wrapped, widths, left, strict=True):
        empty = [""] * (height - len(some))
        pad: Callable[[str, int], str] = _left if side else _right
        columns.append([pad(text, own) for text in (empty + some if heading else some + empty)])
    return [(" " * GAP).join(parts).rstrip() for parts in zip(*columns, strict=True)]


def _left(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _right(text: str, width: int) -> str:
    return " " * (width - cells(text)) + text
