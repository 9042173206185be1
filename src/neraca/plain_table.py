"""Write tables as plain text, for terminals and for printed results, without cutting or breaking a number.

A table that is too wide becomes several parts, one below the other, each with the columns that name the rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

#: Characters in a line if there is no terminal to ask.
WIDTH = 100
#: Number of spaces between two columns.
GAP = 2
#: Width at which cells of words are wrapped in a table that is too wide.
WORDY = 34
#: Least width to which a column of names is wrapped, and the longest part of a name that is not broken.
NARROWEST, UNBROKEN = 10, 14
_NUMBER = r"[-−+]?(?:∞|\d+(?:[.,/:]\d+)*(?: ?%)?)"
#: A number with its sign, or an interval, which are never broken; else a word or a single character.
_PIECE = re.compile(rf"((?:[<>≤≥±=] ?)?{_NUMBER}(?: (?:to|a|sampai) {_NUMBER})?)|[^\W\d_]+|.", re.DOTALL)
#: Characters after which a name may be wrapped; sentences are wrapped after spaces only.
ENDS = frozenset(" -_/−")

Layout = tuple[tuple[int, ...], list[list[int]]]


def plain_table(header: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1, width: int = 0) -> str:
    """Return a table with a header; columns of names and words are aligned left, columns of numbers right.

    Parameters
    ----------
    header, rows
        Names of columns, and cells.
    names
        Number of columns, from the left, that name a row.  They are repeated in each part of a table that is too wide,
        and long names are wrapped.
    width
        Largest number of characters in a line; 0: no limit.

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
        return _draw(lines, natural, range(len(natural)), names)
    number_widths = [_least_width(column) for column in columns[names:]]
    name_widths, parts = _layout(columns[:names], number_widths, width)
    widths = [*name_widths, *number_widths]
    return "\n\n".join(_draw(lines, widths, [*range(names), *(names + j for j in part)], names) for part in parts)


@lru_cache(maxsize=4096)
def cells(text: str) -> int:
    """Return the width of a text on a terminal: Chinese characters count two, combining marks none.

    >>> cells("run"), cells("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrap(text: str, width: int, indent: int = 0, ends: Collection[str] = ENDS) -> list[str]:
    """Return a text in lines of at most `width`, broken after one of `ends`, else between letters, never in a number.

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
        fits_a_line = cells(chunk.rstrip()) <= width - indent
        for piece in [chunk] if fits_a_line else _pieces(chunk, width - indent):
            if lines[-1].strip() and cells((lines[-1] + piece).rstrip()) > width:
                lines.append(" " * indent)
            lines[-1] += piece
    return [line.rstrip() for line in lines]


def _chunks(text: str, ends: Collection[str] = ENDS) -> list[str]:
    """Return the parts of a text after which it may be wrapped."""
    chunks = [""]
    for piece in _PIECE.finditer(text):
        chunks[-1] += piece[0]
        if piece[0] in ends:
            chunks.append("")
    return chunks if chunks[-1] else chunks[:-1]


def _pieces(chunk: str, width: int) -> list[str]:
    """Return the numbers of a chunk and the words between them; cut words that are too long."""
    pieces = []
    for match in _PIECE.finditer(chunk):
        step = len(match[0]) if match[1] else max(1, width if match[0].isascii() else width // 2)
        pieces += [match[0][start : start + step] for start in range(0, len(match[0]), step)]
    return pieces


def _unbroken(text: str) -> int:
    """Return the width of the longest number in a text."""
    return max((cells(piece[0]) for piece in _PIECE.finditer(text) if piece[1]), default=0)


def _widest_word(name: str) -> int:
    """Return the width that a name needs if its numbers and its parts of at most `UNBROKEN` letters stay in one piece.

    >>> _widest_word("belum diputuskan")  # the second line is indented
    12
    """
    sizes = [cells(chunk.rstrip()) + GAP * (place > 0) for place, chunk in enumerate(_chunks(name))]
    return max([_unbroken(name), *(size for size in sizes if size <= UNBROKEN)])


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
    least = [min(size, max(NARROWEST, *map(_widest_word, column))) for size, column in zip(natural, names, strict=True)]
    most = width - max(widths, default=0) - GAP * len(names)
    if sum(natural) <= min(width // 2, most):
        sums = [sum(natural)]
    else:
        sums = [*(width * eighths // 8 for eighths in (5, 4, 3)), width - _total(widths) - GAP * len(names)]
    candidates = {_narrowed(natural, least, min(size, most)) for size in sums}

    def count_lines(name_widths: tuple[int, ...]) -> tuple[int, int]:
        heights = (
            max(len(wrap(cell, size, GAP)) for cell, size in zip(row, name_widths, strict=True))
            for row in zip(*names, strict=True)
        )
        return (sum(heights) + 3) * len(_even_parts(widths, width - _total(name_widths))), -sum(name_widths)

    best = min(candidates, key=count_lines)
    return best, _even_parts(widths, width - _total(best))


def _narrowed(natural: Sequence[int], least: Sequence[int], most: int) -> tuple[int, ...]:
    """Return widths whose sum is at most `most`, if their least widths allow it; narrow the widest column first."""
    widths = list(natural)
    while sum(widths) > most and any(size > low for size, low in zip(widths, least, strict=True)):
        widest = max((size, column) for column, size in enumerate(widths) if size > least[column])[1]
        widths[widest] -= 1
    return tuple(widths)


def _even_parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Return the columns in order, in as few parts as fit into this width, about equally wide."""
    parts = _full_parts(widths, room)
    while room > 0 and len(_full_parts(widths, room - 1)) == len(parts) > 1:
        room -= 1
    return _full_parts(widths, room)


def _full_parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Return the columns in order, each in the part before it if it fits there; a part has at least one column."""
    parts: list[list[int]] = [[]]
    for column, size in enumerate(widths):
        if parts[-1] and sum(widths[earlier] + GAP for earlier in parts[-1]) + size + GAP > room:
            parts.append([])
        parts[-1].append(column)
    return parts


def _draw(lines: Sequence[Sequence[str]], widths: Sequence[int], chosen: Sequence[int], names: int) -> str:
    """Return some columns of a table, with a rule below their names; columns with wrapped words are aligned left."""
    left_columns = {j for j in chosen if j < names or any(cells(line[j]) > widths[j] for line in lines[1:])}
    left, chosen_widths = [j in left_columns for j in chosen], [widths[j] for j in chosen]
    header, *body = ([line[j] for j in chosen] for line in lines)
    drawn_lines = [*_row(header, chosen_widths, left, heading=True), "─" * _total(chosen_widths)]
    for texts in body:
        drawn_lines += _row(texts, chosen_widths, left)
    return "\n".join(drawn_lines)


def _row(texts: Sequence[str], widths: Sequence[int], left: Sequence[bool], heading: bool = False) -> list[str]:
    """Return the lines of a row, as many as its highest cell has; a heading is aligned at the bottom."""
    cell_lines = [
        wrap(text, size, GAP * (is_left and not heading))
        for text, size, is_left in zip(texts, widths, left, strict=True)
    ]
    height = max(map(len, cell_lines))
    columns = []
    for lines, size, is_left in zip(cell_lines, widths, left, strict=True):
        empty = [""] * (height - len(lines))
        padded = empty + lines if heading else lines + empty
        columns.append([_padded(text, size, is_left) for text in padded])
    return [(" " * GAP).join(parts).rstrip() for parts in zip(*columns, strict=True)]


def _padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - cells(text))
    return text + space if left else space + text
