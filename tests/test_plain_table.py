"""Hand-drawn tables: what is wrapped, what is repeated, and what is never broken."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.plain_table import cells, plain_table, wrap


def test_a_table_that_fits_is_one_piece():
    drawn = plain_table(["run", "AP", "n"], [["a", "0.5", "30"], ["long", "-0.123", "4"]], width=16)
    assert drawn.split("\n") == [
        "run       AP   n",
        "────────────────",
        "a        0.5  30",
        "long  -0.123   4",
    ]


def test_columns_that_do_not_fit_come_below_with_the_names_of_the_rows():
    drawn = plain_table(["run", "AP", "RR"], [["api", "0.125", "-0.25"], ["b", "0.5", "1"]], width=12)
    assert drawn.split("\n") == [
        "run     AP",
        "──────────",
        "api  0.125",
        "b      0.5",
        "",
        "run     RR",
        "──────────",
        "api  -0.25",
        "b        1",
    ]


def test_a_heading_is_wrapped_before_a_column_goes_below():
    drawn = plain_table(["run", "wins/ties/losses", "n"], [["a", "5/0/35", "40"]], width=16)
    assert drawn.split("\n") == [
        "      wins/",
        "      ties/",
        "run  losses   n",
        "───────────────",
        "a    5/0/35  40",
    ]


def test_names_are_wrapped_and_numbers_never():
    drawn = plain_table(["run", "interval"], [["a-long-name-of-a-run", "[-0.389, -0.068]"]], width=30)
    assert drawn.split("\n") == [
        "run                   interval",
        "──────────────────────────────",
        "a-long-name-  [-0.389, -0.068]",
        "  of-a-run",
    ]


def test_words_in_cells_are_wrapped_between_words_and_stand_left():
    drawn = plain_table(["q", "why"], [["1", "no document of this question was judged by anybody"]], width=40)
    assert drawn.split("\n") == [
        "q  why",
        "─────────────────────────────────────",
        "1  no document of this question was",
        "     judged by anybody",
    ]


def test_chinese_signs_take_two_places():
    drawn = plain_table(["run", "AP"], [["日本", "0.5"], ["abc", "0.25"]]).split("\n")
    assert drawn[2:] == ["日本   0.5", "abc   0.25"]


@pytest.mark.parametrize(
    "text", ["-0.183", "0.123 to 0.456", "−0.524 to ∞", "60 % to 81 %", "5/0/35", "< 0.001", "1,234,567.8", "−0.5"]
)
def test_wrapping_never_breaks_a_number(text):
    assert wrap(text, 2) == [text]


@given(st.lists(st.text("ab-_ é", min_size=1, max_size=40), min_size=1, max_size=4), st.integers(24, 60))
def test_no_line_is_too_long_and_each_part_has_all_of_every_name(names, width):
    rows = [[name, "0.123", "[0.1, 0.2]", "7"] for name in names]
    drawn = plain_table(["name", "value", "interval", "n"], rows, width=width)
    assert all(cells(line) <= width for line in drawn.split("\n"))
    for part in drawn.split("\n\n"):
        below = part.split("─\n")[1]
        assert re.findall("[abé]|-|_", re.sub(r"[-+]?\d\S*", "", below)) == re.findall("[abé]|-|_", "".join(names))


def test_a_word_of_a_name_is_not_broken_where_the_line_has_room():
    header = ["aturan", "hasil", "filter", "combined", "selisih", "interval 90 %", "p", "p dari kebalikannya", "n"]
    values = ["0,705", "0,773", "−0,068", "−0,159 sampai 0,023", "0,256", "0,744", "11 (1 tanpa skor)", "150"]
    rows = [[rule, "belum diputuskan", *values] for rule in ("RR >= -0.1", "RR(empty=correct) >= -0.1")]
    text = plain_table([*header, "diperlukan"], rows, names=2, width=80)
    assert text.count("diputuskan") == 4, "in both rows of two parts, whole"
    assert max(map(len, text.splitlines())) <= 80
