"""Lists in text cells keep every entry at its place, in whatever notation."""

import polars as pl
import pytest

from neraca.online.list_cells import parse_lists


@pytest.mark.parametrize(
    "cell, entries",
    [
        ('["a", "b", ""]', ["a", "b", ""]),
        ('["", null]', ["", ""]),
        ('["two words", "comma, inside"]', ["two words", "comma, inside"]),
        ("['a', None, 'b']", ["a", "", "b"]),
        ("""['it''s', "it's"]""", ["its", "it's"]),
        ("['two words', 'b']", ["two words", "b"]),
        ("[a, b]", ["a", "b"]),
        ("a,b,", ["a", "b", ""]),
        (",b", ["", "b"]),
        ("a | b;c", ["a", "b", "c"]),
        ("a  b", ["a", "b"]),
        ("a null b", ["a", "", "b"]),
        ("a", ["a"]),
        ("[1, 2]", ["1", "2"]),
        ("[ ]", []),
        (" ", None),
        ("null", None),
        (None, None),
    ],
)
def test_a_cell_is_read_alone_and_beside_cells_in_other_notations(cell, entries):
    for others in ([], ['["x"]', "['y']", "z z", None]):
        assert parse_lists(pl.Series([cell, *others], dtype=pl.String))[:1].to_list() == [entries]


def test_no_cells_are_no_lists():
    assert parse_lists(pl.Series([], dtype=pl.String)).to_list() == []
