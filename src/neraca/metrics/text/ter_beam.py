"""Edit distance near the diagonal, as in TER's beam search, with many cells in the bits of a number.

A text is a string with one letter per word.  Cell (i, j) of the table is the least number of insertions, deletions and
replacements that turn the first i words of the response into the first j words of the reference.  Only cells near the
diagonal are computed.  Neighbours differ by at most 1, so a row is two numbers whose bits mark the steps up and the
steps down (Myers; Hyyrö).  Cells outside have values that no cell inside can use.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

#: Cells on each side of the diagonal; more for a reference that is very much longer.
WIDTH = 25


class _Window(NamedTuple):
    """The computed columns of a row: bit b is column `first` + b.

    Attributes
    ----------
    first
        The first column, at least 1.
    moved
        The number of columns by which it starts after the row above.
    stuck
        Whether it starts where the row above starts, and the column before is not computed.
    full
        A number with all its bits set.
    new
        The columns that the row above does not have.
    reach
        The number of bits with a computed cell above to their left.
    """

    first: int
    moved: int
    stuck: bool
    full: int
    new: int
    reach: int


class Row(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    up, down
        The cells that are one more, or one less, than the cell to their left.
    edge
        The value left of the first bit.
    same
        The cells that are equal to the cell above to the left.
    more
        The cells that are one more than the cell above.
    """

    up: int
    down: int
    edge: int
    same: int
    more: int

    @property
    def end(self) -> int:
        """The value of the last cell."""
        return self.edge + self.up.bit_count() - self.down.bit_count()


class Alignment(NamedTuple):
    """An alignment with the fewest edits.

    Attributes
    ----------
    partner
        For each word of the reference the last word of the response at or before it, or -1.
    ours, theirs
        The number of unmatched words among the first i words of the response, and of the reference.
    """

    partner: Sequence[int]
    ours: Sequence[int]
    theirs: Sequence[int]


@functools.lru_cache(maxsize=256)
def _windows(n: int, m: int) -> list[_Window]:
    """Return the windows of the rows 1 to n, for a reference of m words."""
    slope = m / n if n else 1.0
    width = max(WIDTH, math.ceil(slope / 2 + WIDTH)) if slope / 2 > WIDTH else WIDTH
    windows: list[_Window] = []
    low, first, last = 0, 1, m
    for row in range(1, n + 1):
        middle = math.floor(row * slope)
        above_low, above_first, above_last = low, first, last
        low = max(0, middle - width)
        first, last = max(low, 1), m if row == n else min(m, middle + width - 1)
        size, shared_size = last - first + 1, min(above_last, last) - first + 1
        full = (1 << size) - 1
        stuck = low > 0 and low == above_low
        new = full >> shared_size << shared_size
        windows.append(_Window(first, first - above_first, stuck, full, new, min(size, shared_size + 1)))
    return windows


class Beam:
    """Edit distances to one reference of texts that have n words.

    >>> Beam("abcd", 3).rows("abd")[-1].end
    1
    """

    def __init__(self, reference: str, n: int) -> None:
        self.reference, self.n = reference, n
        self._windows = _windows(n, len(reference))
        self._places: dict[str, int] = {}
        for place, letter in enumerate(reference):
            self._places[letter] = self._places.get(letter, 0) | 1 << place

    def exact(self, distance: int) -> bool:
        """Return whether this edit distance is the same if only cells near the diagonal are computed."""
        size = len(self.reference)
        return size < WIDTH or distance + abs(size - self.n) <= 2 * WIDTH - 4

    def rows(self, text: str, first_rows: Sequence[Row] = ()) -> list[Row]:
        """Return all rows of the table of a text; `first_rows` are its first ones, made before."""
        rows = list(first_rows) or [Row((1 << len(self.reference)) - 1, 0, 0, 0, 0)]
        up, down, edge, _, _ = rows[-1]
        for letter, window in zip(text[len(rows) - 1 :], self._windows[len(rows) - 1 :], strict=True):
            first, moved, stuck, full, new, reach = window
            if moved:
                passed = (1 << moved) - 1
                edge += (up & passed).bit_count() - (down & passed).bit_count()
                up, down = up >> moved, down >> moved
            elif stuck:
                edge += 1 + (up & 1) - (down & 1)
                up, down = up & ~1, down | 1
            up = (up | new) & full
            match = self._places.get(letter, 0) >> (first - 1) & ((1 << reach) - 1)
            same = ((((match & up) + up) ^ up) | match | down) & full
            more = down | (full & ~(same | up))
            here = ((more << 1) | 1) & full
            up, down = ((up & same) << 1 | ~(same | here)) & full, here & same
            edge += 1
            rows.append(Row(up, down, edge, same, more))
        return rows

    def align(self, text: str, rows: Sequence[Row]) -> Alignment:
        """Choose among equally few edits: from the end, keep or replace a word, otherwise delete, otherwise insert."""
        i, j = self.n, len(self.reference)
        ours, theirs, partner = [1] * i, [1] * j, [-1] * j
        while i and j:
            first, _, stuck, _, _, reach = self._windows[i - 1]
            bit = j - first
            is_equal = text[i - 1] == self.reference[j - 1]
            if (stuck and not bit) or (bit < reach and not is_equal and rows[i].same >> bit & rows[i].more >> bit & 1):
                i -= 1
                continue
            j -= 1
            partner[j] = i - 1
            if bit < reach and (is_equal or not rows[i].same >> bit & 1):
                i -= 1
                ours[i] = theirs[j] = not is_equal
        return Alignment(partner, _sums(ours), _sums(theirs))


def _sums(numbers: Sequence[int]) -> list[int]:
    return list(accumulate(numbers, initial=0))
