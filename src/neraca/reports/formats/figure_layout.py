"""Lay out figures on printed pages: how wide each is drawn, and which stand beside each other."""

from __future__ import annotations

from neraca.reports.blocks.block import Document, Figure, on_paper
from neraca.reports.figures.figures import standalone_picture
from neraca.reports.formats.table_layout import UPRIGHT

#: In pixels: the width of a figure that is as wide as the text.
FIGURE_WIDTH = round(UPRIGHT / 2.54 * 96)
#: The width of each of two figures beside each other, in centimetres and, with smaller letters, in pixels; and the
#: height in pixels of the tallest that stand so.
BESIDE, BESIDE_WIDTH, BESIDE_TALLEST = UPRIGHT / 2 - 0.2, 400, 420


def figures_beside(document: Document) -> dict[str, str]:
    """Return for each low figure that another one follows at once the name of that one; they stand side by side."""
    pairs: dict[str, str] = {}
    before = None
    for block in on_paper(document.blocks):
        is_low = isinstance(block, Figure) and standalone_picture(block, BESIDE_WIDTH).height <= BESIDE_TALLEST
        if isinstance(block, Figure) and is_low and before:
            pairs[before] = block.name
            before = None
        else:
            before = block.name if isinstance(block, Figure) and is_low else None
    return pairs


def drawing_widths(document: Document) -> dict[Figure, int]:
    """Return the width in pixels in which each figure is drawn."""
    pairs = figures_beside(document)
    beside = {*pairs, *pairs.values()}
    return {figure: BESIDE_WIDTH if figure.name in beside else FIGURE_WIDTH for figure in document.figures}
