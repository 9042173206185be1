"""Drawings of values with intervals, as wide as their place."""

import re

import pytest

from neraca.reports.figures.forest import Line, forest


@pytest.mark.parametrize("name, own_row", [("pencarian-gabungan-v", False), ("pencarian-gabungan-vekto", True)])
def test_a_name_that_nearly_fills_the_row_leaves_it_to_the_number(name, own_row):
    """In Arial the longer name ends 10 pixels before its number; most typefaces of pages are wider."""
    line = Line(name, 0.917, 0.59, 0.99, "0,917 (0,59 sampai 0,99)", False)
    svg = forest("first", "nDCG@10", "nDCG@10", [line], (0, 1))
    heights = [re.search(f'y="([\\d.]+)"[^>]*>{re.escape(text)}', svg)[1] for text in (name, line.value_text)]
    assert (heights[0] != heights[1]) == own_row
